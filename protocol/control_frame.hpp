#pragma once
// Bodies of ZMP control frames (spec/zmp.md sections 2, 4, 10, 15): the handshake of a connection.
// HELLO and READY here are the transport's; the service records of that name are in command.hpp.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"

namespace shunt::protocol {

/// Wire byte of HELLO (zmp.md section 3).
enum class SocketType : std::uint8_t {
    Pair = 0,
    Pub = 1,
    Sub = 2,
    Dealer = 5,
    Router = 6,
    XPub = 9,
    XSub = 10,
    Stream = 11,
};

struct ZmpHello {
    /// Any byte decodes; a combination that may not talk is Errc-free and the caller's to judge.
    SocketType socket_type = SocketType::Router;
    /// 0..255 opaque bytes; a mesh peer must have one.
    NodeRid rid;
    bool operator==(const ZmpHello&) const = default;
};

/// Gen A lane keys; echoed by the acceptor.
struct PairKey {
    std::uint64_t id = 0;          // not zero
    std::uint64_t generation = 0;  // not zero
    auto operator<=>(const PairKey&) const = default;
};

enum class Lane : std::uint8_t { Application = 0, Completion = 1 };

/// READY properties, the superset of zmp.md section 15 with Shunt's own (design.md section 2 and
/// decision 20). Absent members are absent properties.
struct ZmpReady {
    std::string socket_type = "ROUTER";                // `Socket-Type`; never compared
    NodeRid routing_id;                                // `Routing-Id`; HELLO's rid is the identity
    std::optional<std::uint64_t> max_message_bytes{};  // `Zlink-Max-Message-Size`, 0 = no limit
    std::optional<PairKey> pair{};                     // `Zlink-Pair-Id`, `-Generation`
    std::optional<Lane> lane{};                        // `Zlink-Lane`
    std::optional<std::uint8_t> lane_count{};          // `Zlink-Lane-Count`, 1 or 2
    std::optional<std::uint8_t> shunt_lanes{};         // `Shunt-Lanes`, 1..64
    std::optional<std::uint64_t> shunt_link_id{};      // `Shunt-Link-Id`
    std::optional<std::uint8_t> shunt_lane_index{};    // `Shunt-Lane-Index`, 2..
    std::optional<std::uint32_t> shunt_chunk_limit{};  // `Shunt-Chunk-Limit`, bytes
    bool operator==(const ZmpReady&) const = default;
};

struct ZmpError {
    std::uint8_t code = 0x7F;
    std::string reason;  // at most 255 bytes
    bool operator==(const ZmpError&) const = default;
};

/// Accepted and ignored by the mesh (zmp.md section 2).
struct ZmpWeight {
    std::uint32_t weight = 100;
    bool operator==(const ZmpWeight&) const = default;
};

struct ZmpFlowState {
    bool paused = false;
    std::uint64_t epoch = 0;  // not zero
    bool operator==(const ZmpFlowState&) const = default;
};

/// Fatal before READY, a no-op afterwards.
struct ZmpUnknownControl {
    bool operator==(const ZmpUnknownControl&) const = default;
};

using ControlFrame =
    std::variant<ZmpHello, ZmpReady, ZmpError, ZmpWeight, ZmpFlowState, ZmpUnknownControl>;

/// Reads the body of one control frame. A WEIGHT or FLOWSTATE of the wrong size or value is
/// ZmpUnknownControl. Errors: ControlEmpty, HelloTooShort, HelloTooLarge, HelloIdentity,
/// ReadyMetadata, ReadyLanes, ReadyMaximum, ErrorTooShort.
result<ControlFrame> decode_control(ByteView body);

/// The whole frame, header included.
Bytes encode_control(const ZmpHello& hello);
Bytes encode_control(const ZmpReady& ready);
Bytes encode_control(const ZmpError& error);
Bytes encode_control(const ZmpFlowState& state);

/// What to tell a peer before closing on `cause`: code and reason text of zmp.md section 10.
ZmpError error_frame_for(std::error_code cause);

}  // namespace shunt::protocol
