#pragma once
// How the messaging commands lie on the wire (spec/wire.md section 5.2).

#include <variant>

#include "protocol/command_info.hpp"
#include "protocol/command_messaging.hpp"
#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"
#include "protocol/shared_layout.hpp"

namespace shunt::protocol {

constexpr CommandInfo info(Of<NodeSend>) {
    return {.id = CommandId::NodeSend,
            .name = "nodeSend",
            .payload = PayloadFrame::Required,
            .flags_allowed = command_flag::kMetadata};
}
constexpr auto layout(Of<NodeSend>) {
    return fields();
}

constexpr CommandInfo info(Of<NodeRequest>) {
    return {.id = CommandId::NodeRequest,
            .name = "nodeRequest",
            .leg = Leg::Request,
            .payload = PayloadFrame::Required,
            .flags_allowed = command_flag::kMetadata};
}
constexpr auto layout(Of<NodeRequest>) {
    return fields(field("correlation", &NodeRequest::correlation, kNonzero));
}

constexpr CommandInfo info(Of<ChannelSend>) {
    return {.id = CommandId::ChannelSend,
            .name = "channelSend",
            .payload = PayloadFrame::Required,
            .flags_allowed = command_flag::kMetadata};
}
constexpr auto layout(Of<ChannelSend>) {
    return fields(field("channelName", &ChannelSend::channel_name));
}

constexpr CommandInfo info(Of<ChannelRequest>) {
    return {.id = CommandId::ChannelRequest,
            .name = "channelRequest",
            .leg = Leg::Request,
            .payload = PayloadFrame::Required,
            .flags_allowed = command_flag::kMetadata};
}
constexpr auto layout(Of<ChannelRequest>) {
    return fields(field("correlation", &ChannelRequest::correlation, kNonzero),
                  field("channelName", &ChannelRequest::channel_name));
}

/// The fields that commands 21 and 22 share, from `operation` on.
template <class T>
constexpr auto spot_message_fields() {
    return fields(
        field("operation", &T::operation),
        field("messageFollowHopCount", &T::message_follow_hop_count, up_to(kMessageFollowHopsMax)),
        field("sourceSpotId", &T::source_spot_id), field("targetSpot", &T::target_spot));
}

constexpr CommandInfo info(Of<SpotSend>) {
    return {.id = CommandId::SpotSend,
            .name = "spotSend",
            .payload = PayloadFrame::Required,
            .flags_allowed = command_flag::kMetadata};
}
constexpr auto layout(Of<SpotSend>) {
    return spot_message_fields<SpotSend>();
}

constexpr CommandInfo info(Of<SpotRequest>) {
    return {.id = CommandId::SpotRequest,
            .name = "spotRequest",
            .leg = Leg::Request,
            .payload = PayloadFrame::Required,
            .flags_allowed = command_flag::kMetadata};
}
constexpr auto layout(Of<SpotRequest>) {
    return fields(field("correlation", &SpotRequest::correlation, kNonzero),
                  spot_message_fields<SpotRequest>());
}

constexpr CommandInfo info(Of<LogicalMulticast>) {
    return {.id = CommandId::LogicalMulticast,
            .name = "logicalMulticast",
            .payload = PayloadFrame::Required,
            .flags_allowed = command_flag::kMetadata};
}
constexpr auto layout(Of<LogicalMulticast>) {
    using T = LogicalMulticast;
    return fields(field("channelName", &T::channel_name), field("topic", &T::topic),
                  field("sourceSpotId", &T::source_spot_id));
}

/// The fields that commands 24 and 25 share, from `operation` on.
template <class T>
constexpr auto actor_message_fields() {
    return fields(
        field("operation", &T::operation),
        field("messageFollowHopCount", &T::message_follow_hop_count, up_to(kMessageFollowHopsMax)),
        field("sourceActor", &T::source_actor, OptionalActorRef{}),
        field("targetActor", &T::target_actor), if_there("boundSessionTail", &T::bound_session));
}

constexpr CommandInfo info(Of<ActorSend>) {
    return {.id = CommandId::ActorSend,
            .name = "actorSend",
            .payload = PayloadFrame::Required,
            .flags_allowed = command_flag::kMetadata | command_flag::kBoundSession};
}
constexpr auto layout(Of<ActorSend>) {
    return actor_message_fields<ActorSend>();
}

constexpr CommandInfo info(Of<ActorRequest>) {
    return {.id = CommandId::ActorRequest,
            .name = "actorRequest",
            .leg = Leg::Request,
            .payload = PayloadFrame::Required,
            .flags_allowed = command_flag::kMetadata | command_flag::kBoundSession};
}
constexpr auto layout(Of<ActorRequest>) {
    return fields(field("correlation", &ActorRequest::correlation, kNonzero),
                  actor_message_fields<ActorRequest>());
}

constexpr CommandInfo info(Of<ActorLookup>) {
    return {.id = CommandId::ActorLookup, .name = "actorLookup", .leg = Leg::Request};
}
constexpr auto layout(Of<ActorLookup>) {
    return fields(field("correlation", &ActorLookup::correlation, kNonzero),
                  field("actorId", &ActorLookup::actor_id));
}

constexpr CommandInfo info(Of<ActorDestroy>) {
    return {.id = CommandId::ActorDestroy, .name = "actorDestroy", .leg = Leg::Request};
}
constexpr auto layout(Of<ActorDestroy>) {
    return fields(field("correlation", &ActorDestroy::correlation, kNonzero),
                  field("actor", &ActorDestroy::actor));
}

constexpr CommandInfo info(Of<ActorJoin>) {
    return {.id = CommandId::ActorJoin,
            .name = "actorJoin",
            .leg = Leg::Request,
            .payload = PayloadFrame::Optional};
}
constexpr auto layout(Of<ActorJoin>) {
    using T = ActorJoin;
    return fields(field("correlation", &T::correlation, kNonzero), field("actor", &T::actor),
                  field("entry", &T::entry), field("targetSpot", &T::target_spot));
}

constexpr CommandInfo info(Of<ActorLeft>) {
    return {.id = CommandId::ActorLeft, .name = "actorLeft"};
}
constexpr auto layout(Of<ActorLeft>) {
    using T = ActorLeft;
    return fields(field("actor", &T::actor), field("previousMembership", &T::previous_membership),
                  field("currentAuthorityOwnerGeneration", &T::current_authority_owner_generation));
}

constexpr CommandInfo info(Of<ActorJoined>) {
    return {.id = CommandId::ActorJoined, .name = "actorJoined"};
}
constexpr auto layout(Of<ActorJoined>) {
    using T = ActorJoined;
    return fields(field("actor", &T::actor),
                  field("previousMembership", &T::previous_membership,
                        wrapped<std::uint16_t>("hasMembership", "membership", Nested{})),
                  field("currentMembership", &T::current_membership),
                  field("currentAuthorityOwnerGeneration", &T::current_authority_owner_generation));
}

/// A ready route is deduplicated only for requests; an activation always (section 15.1).
inline bool operation_fits_route(const InstanceSpot& message) {
    const bool ready_send = std::holds_alternative<ReadyInstanceRoute>(message.route) &&
                            message.operation_kind == InstanceOperationKind::Send;
    return static_cast<bool>(message.operation) != ready_send;
}
constexpr bool is_instance_request(const InstanceSpot& message) noexcept {
    return message.operation_kind == InstanceOperationKind::Request;
}

constexpr CommandInfo info(Of<InstanceSpot>) {
    return {.id = CommandId::InstanceSpot,
            .name = "instanceSpot",
            .payload = PayloadFrame::Required,
            .flags_allowed = command_flag::kMetadata};
}
constexpr auto layout(Of<InstanceSpot>) {
    using T = InstanceSpot;
    return fields(
        field("route", &T::route), field("sourceNodeGeneration", &T::source_node_generation),
        field("sourceNodeRid", &T::source_node_rid),
        field("sourceSpotId", &T::source_spot_id, kOptionalText8),
        field("operationKind", &T::operation_kind), field("operation", &T::operation, kOrZero),
        group("replyRoute",
              when(&is_instance_request, some("replyRouteId", &T::reply_route_id, kNonzero))),
        rule(&operation_fits_route));
}

constexpr CommandInfo info(Of<MessageFollow>) {
    return {.id = CommandId::MessageFollow, .name = "messageFollow"};
}
constexpr auto layout(Of<MessageFollow>) {
    return fields(field("route", &MessageFollow::route));
}

}  // namespace shunt::protocol
