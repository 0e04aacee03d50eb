#include "engine/handshake.hpp"

#include <type_traits>
#include <utility>
#include <variant>

#include "base/assert.hpp"
#include "engine/errc.hpp"
#include "protocol/errc.hpp"

namespace shunt::engine {
namespace {

using protocol::SocketType;
using protocol::ZmpError;
using protocol::ZmpHello;
using protocol::ZmpReady;

constexpr std::uint8_t kSocketTypeMismatch = 0x05;
constexpr std::uint8_t kInternalError = 0x7F;
// ROUTER to ROUTER is an application and a completion lane in both generations.
constexpr std::uint8_t kLaneCount = 2;
// Application lanes per link that this node offers (design.md section 2).
constexpr std::uint8_t kShuntLanes = 1;

Refusal lane_keys_invalid() {
    return {.reason = protocol::Errc::ReadyLanes,
            .frame = protocol::error_frame_for(protocol::Errc::ReadyLanes)};
}

}  // namespace

Refusal refuse_with(std::error_code reason, const char* text) {
    return {.reason = reason, .frame = ZmpError{.code = kInternalError, .reason = text}};
}

Handshake Handshake::dialer(const LocalNode& node, protocol::PairKey key, protocol::Lane lane,
                            NodeRid expected_rid) {
    Handshake out(Role::Dialer, node);
    out.key_ = key;
    out.lane_ = lane;
    out.expected_rid_ = std::move(expected_rid);
    return out;
}

Handshake Handshake::acceptor(const LocalNode& node) {
    return Handshake(Role::Acceptor, node);
}

Bytes Handshake::opening() const {
    Bytes out =
        protocol::encode_control(ZmpHello{.socket_type = SocketType::Router, .rid = node_.rid});
    if (role_ == Role::Dialer) {
        // Right behind HELLO: Gen A wants it there, Gen B takes it once it has read HELLO.
        const Bytes ready = protocol::encode_control(own_ready());
        out.insert(out.end(), ready.begin(), ready.end());
    }
    return out;
}

std::optional<Refusal> Handshake::take(const protocol::ControlFrame& frame, Bytes& reply) {
    return std::visit(
        [&](const auto& control) -> std::optional<Refusal> {
            using Control = std::decay_t<decltype(control)>;
            if constexpr (std::is_same_v<Control, ZmpHello>) {
                return on_hello(control);
            } else if constexpr (std::is_same_v<Control, ZmpReady>) {
                return on_ready(control, reply);
            } else if constexpr (std::is_same_v<Control, ZmpError>) {
                return refuse_with(Errc::PeerReportedError, "internal error");
            } else if (done()) {
                return std::nullopt;  // WEIGHT, FLOWSTATE and unknown ones are no-ops by then.
            } else {
                return refuse_with(Errc::ProtocolViolation, "unknown control");
            }
        },
        frame);
}

std::optional<Refusal> Handshake::on_hello(const ZmpHello& hello) {
    if (stage_ != Stage::AwaitHello) return std::nullopt;  // A second one is dropped.
    if (hello.socket_type != SocketType::Router && hello.socket_type != SocketType::Dealer) {
        return Refusal{
            .reason = Errc::ProtocolViolation,
            .frame = ZmpError{.code = kSocketTypeMismatch, .reason = "socket type mismatch"}};
    }
    // An empty rid cannot be paired, and a wrong peer may only be late: both may come back.
    if (hello.rid.empty()) return Refusal{.reason = Errc::LaneMismatch, .frame = {}};
    if (!expected_rid_.empty() && hello.rid != expected_rid_) {
        return Refusal{.reason = Errc::UnexpectedPeer, .frame = {}};
    }
    peer_rid_ = hello.rid;
    stage_ = Stage::AwaitReady;
    return std::nullopt;
}

std::optional<Refusal> Handshake::on_ready(const ZmpReady& ready, Bytes& reply) {
    if (stage_ == Stage::AwaitHello) return refuse_with(Errc::ProtocolViolation, "missing hello");
    if (stage_ == Stage::Done) return refuse_with(Errc::ProtocolViolation, "duplicate ready");
    if (!ready.lane || (!ready.pair && !ready.lane_count)) return lane_keys_invalid();
    if (ready.lane_count && *ready.lane_count != kLaneCount) return lane_keys_invalid();
    // Its requests would need the four-part form, which this transport does not speak yet.
    if (!ready.lane_count) return Refusal{.reason = Errc::PeerGenerationUnsupported, .frame = {}};
    if (role_ == Role::Dialer) {
        if (auto refusal = check_echo(ready)) return refusal;
    } else {
        key_ = ready.pair;
        lane_ = *ready.lane;
        const Bytes answer = protocol::encode_control(own_ready());
        reply.insert(reply.end(), answer.begin(), answer.end());
    }
    peer_ready_ = ready;
    stage_ = Stage::Done;
    return std::nullopt;
}

// An acceptor of either generation: it echoes the three keys, or carries the count and our lane.
std::optional<Refusal> Handshake::check_echo(const ZmpReady& ready) const {
    if (ready.lane != lane_) return lane_keys_invalid();
    if (ready.pair && ready.pair != key_) return lane_keys_invalid();
    return std::nullopt;
}

ZmpReady Handshake::own_ready() const {
    ZmpReady ready;
    ready.routing_id = node_.rid;
    ready.max_message_bytes = node_.record_bytes_max;
    ready.pair = key_;
    ready.lane = lane_;
    ready.lane_count = kLaneCount;
    ready.shunt_lanes = kShuntLanes;
    ready.shunt_chunk_limit = node_.chunk_limit_bytes;
    return ready;
}

}  // namespace shunt::engine
