#pragma once
// The handshake of one lane (spec/zmp.md sections 4 and 15): HELLO and READY with the superset of
// properties that both wire generations accept. Pure: frames in, bytes and verdicts out.

#include <optional>
#include <system_error>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "protocol/control_frame.hpp"

namespace shunt::engine {

/// How this node presents itself on every lane.
struct LocalNode {
    NodeRid rid;
    std::uint32_t chunk_limit_bytes = 256 * 1024;
    /// Largest record taken, as the sum over its parts; zero announces no limit.
    std::uint64_t record_bytes_max = 0;
};

/// Why a lane cannot go on. Without a frame the close is silent, which invites the peer to come
/// back (spec/zmp.md section 10).
struct Refusal {
    std::error_code reason;
    std::optional<protocol::ZmpError> frame;
};

/// A refusal the peer is told as code 7f with this text.
Refusal refuse_with(std::error_code reason, const char* text);

class Handshake final {
  public:
    /// The side that dialed: announces `key` and `lane`, expects `expected_rid` unless empty.
    static Handshake dialer(const LocalNode& node, protocol::PairKey key, protocol::Lane lane,
                            NodeRid expected_rid);
    /// The side that accepted: learns key and lane from the peer.
    static Handshake acceptor(const LocalNode& node);

    /// What to send before any input.
    Bytes opening() const;

    /// Takes one control frame. Appends to `reply` what must be sent now.
    std::optional<Refusal> take(const protocol::ControlFrame& frame, Bytes& reply);

    /// Both READYs are exchanged; the getters below are valid.
    bool done() const noexcept { return stage_ == Stage::Done; }
    const NodeRid& peer_rid() const noexcept { return peer_rid_; }
    const protocol::ZmpReady& peer_ready() const noexcept { return peer_ready_; }
    /// Of the dialer, whichever side that is; absent when a Gen B peer dialed.
    std::optional<protocol::PairKey> pair_key() const noexcept { return key_; }
    protocol::Lane lane() const noexcept { return lane_; }

  private:
    enum class Role : std::uint8_t { Dialer, Acceptor };
    enum class Stage : std::uint8_t { AwaitHello, AwaitReady, Done };

    Handshake(Role role, const LocalNode& node) : role_(role), node_(node) {}
    std::optional<Refusal> on_hello(const protocol::ZmpHello& hello);
    std::optional<Refusal> on_ready(const protocol::ZmpReady& ready, Bytes& reply);
    std::optional<Refusal> check_echo(const protocol::ZmpReady& ready) const;
    protocol::ZmpReady own_ready() const;

    Role role_;
    LocalNode node_;
    NodeRid expected_rid_;
    Stage stage_ = Stage::AwaitHello;
    std::optional<protocol::PairKey> key_;
    protocol::Lane lane_ = protocol::Lane::Application;
    NodeRid peer_rid_;
    protocol::ZmpReady peer_ready_;
};

}  // namespace shunt::engine
