#pragma once
// Commands that carry messages between nodes, channels, Spots and Actors (spec/wire.md
// section 5.2). The application payload is a frame of its own: see command_record.hpp.

#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.hpp"
#include "protocol/enums.hpp"
#include "protocol/shared.hpp"

namespace shunt::protocol {

struct NodeSend {
    bool operator==(const NodeSend&) const = default;
};
struct NodeRequest {
    std::uint64_t correlation = 0;
    bool operator==(const NodeRequest&) const = default;
};
struct ChannelSend {
    std::string channel_name;
    bool operator==(const ChannelSend&) const = default;
};
struct ChannelRequest {
    std::uint64_t correlation = 0;
    std::string channel_name;
    bool operator==(const ChannelRequest&) const = default;
};
struct SpotSend {
    OperationId operation;
    std::uint8_t message_follow_hop_count = 0;  // 0..8
    SpotId source_spot_id;
    SpotRouteFence target_spot;
    bool operator==(const SpotSend&) const = default;
};
struct SpotRequest {
    std::uint64_t correlation = 0;
    OperationId operation;
    std::uint8_t message_follow_hop_count = 0;  // 0..8
    SpotId source_spot_id;
    SpotRouteFence target_spot;
    bool operator==(const SpotRequest&) const = default;
};
struct LogicalMulticast {
    std::string channel_name;
    std::string topic;
    SpotId source_spot_id;
    bool operator==(const LogicalMulticast&) const = default;
};

struct ActorSend {
    OperationId operation;
    std::uint8_t message_follow_hop_count = 0;  // 0..8
    std::optional<ActorRef> source_actor{};
    ActorRouteFence target_actor;
    /// Present for a message that came in through a client session (flags 0x06).
    std::optional<BoundSessionTail> bound_session{};
    bool operator==(const ActorSend&) const = default;
};

struct ActorRequest {
    std::uint64_t correlation = 0;
    OperationId operation;
    std::uint8_t message_follow_hop_count = 0;  // 0..8
    std::optional<ActorRef> source_actor{};
    ActorRouteFence target_actor;
    std::optional<BoundSessionTail> bound_session{};
    bool operator==(const ActorRequest&) const = default;
};

struct ActorLookup {
    std::uint64_t correlation = 0;
    ActorId actor_id;
    bool operator==(const ActorLookup&) const = default;
};
struct ActorDestroy {
    std::uint64_t correlation = 0;
    ActorRouteFence actor;
    bool operator==(const ActorDestroy&) const = default;
};
struct ActorJoin {
    std::uint64_t correlation = 0;
    ActorRouteFence actor;
    bool entry = false;
    SpotRouteFence target_spot;
    bool operator==(const ActorJoin&) const = default;
};
struct ActorLeft {
    ActorRef actor;
    SpotMembership previous_membership;
    AuthorityOwnerGeneration current_authority_owner_generation;
    bool operator==(const ActorLeft&) const = default;
};
struct ActorJoined {
    ActorRef actor;
    std::optional<SpotMembership> previous_membership{};
    SpotMembership current_membership;
    AuthorityOwnerGeneration current_authority_owner_generation;
    bool operator==(const ActorJoined&) const = default;
};

/// A send or a request, by operation_kind.
struct InstanceSpot {
    InstanceRoute route;
    NodeGeneration source_node_generation;
    NodeRid source_node_rid;
    /// Empty when no Spot sent it.
    SpotId source_spot_id;
    InstanceOperationKind operation_kind = InstanceOperationKind::Send;
    /// Zero exactly for a send on a ready route.
    OperationId operation;
    /// Present exactly for a request.
    std::optional<std::uint64_t> reply_route_id{};
    bool operator==(const InstanceSpot&) const = default;
};

struct MessageFollow {
    MessageFollowNotice route;
    bool operator==(const MessageFollow&) const = default;
};

}  // namespace shunt::protocol
