#pragma once
// How a frozen record lies on the wire, and the matrix of what goes with what (spec/wire.md
// section 6).

#include "protocol/frozen_record.hpp"
#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"
#include "protocol/shared_layout.hpp"
#include "protocol/terminal.hpp"
#include "protocol/typed_payload_layout.hpp"

namespace shunt::protocol {

// --- source -----------------------------------------------------------------------------------

constexpr auto layout(Of<FromNode>) {
    return fields();
}
constexpr auto layout(Of<FromSpot>) {
    return fields(field("sourceSpotId", &FromSpot::source_spot_id));
}
constexpr auto layout(Of<FromActor>) {
    return fields(field("sourceActor", &FromActor::source_actor));
}
constexpr auto layout(Of<FromBoundSession>) {
    using T = FromBoundSession;
    return fields(field("sourceActor", &T::source_actor),
                  field("sourceSessionRid", &T::source_session_rid),
                  field("sourceBindingGeneration", &T::source_binding_generation),
                  field("sourceSessionSequence", &T::source_session_sequence, kNonzero));
}

constexpr auto layout(Of<FrozenSourceIdentity>) {
    using T = FrozenSourceIdentity;
    return fields(
        kind("sourceKind", &T::origin, FrozenSourceKind::Node, FrozenSourceKind::Spot,
             FrozenSourceKind::Actor, FrozenSourceKind::BoundSession),
        body<std::uint16_t>(field("sourceNodeRid", &T::source_node_rid),
                            field("sourceNodeGeneration", &T::source_node_generation),
                            field("sourceOwnerId", &T::source_owner_id),
                            field("sourceOwnerLeaseGeneration", &T::source_owner_lease_generation),
                            content(&T::origin)));
}

// --- bodies -----------------------------------------------------------------------------------

constexpr auto layout(Of<FrozenNodeSend>) {
    return fields(field("payload", &FrozenNodeSend::payload));
}
constexpr auto layout(Of<FrozenNodeRequest>) {
    return fields(field("payload", &FrozenNodeRequest::payload));
}
constexpr auto layout(Of<FrozenChannelSend>) {
    return fields(field("channelName", &FrozenChannelSend::channel_name),
                  field("payload", &FrozenChannelSend::payload));
}
constexpr auto layout(Of<FrozenChannelRequest>) {
    return fields(field("channelName", &FrozenChannelRequest::channel_name),
                  field("payload", &FrozenChannelRequest::payload));
}
constexpr auto layout(Of<FrozenSpotSend>) {
    return fields(field("targetSpot", &FrozenSpotSend::target_spot),
                  field("payload", &FrozenSpotSend::payload));
}
constexpr auto layout(Of<FrozenSpotRequest>) {
    return fields(field("targetSpot", &FrozenSpotRequest::target_spot),
                  field("payload", &FrozenSpotRequest::payload));
}
constexpr auto layout(Of<FrozenSpotMulticast>) {
    return fields(field("channelName", &FrozenSpotMulticast::channel_name),
                  field("topic", &FrozenSpotMulticast::topic),
                  field("payload", &FrozenSpotMulticast::payload));
}

constexpr auto layout(Of<ActorWasCreated>) {
    return fields(field("current", &ActorWasCreated::current));
}
constexpr auto layout(Of<ActorHasJoined>) {
    return fields(field("previous", &ActorHasJoined::previous,
                        wrapped<std::uint16_t>("hasSnapshot", "snapshot", Nested{})),
                  field("current", &ActorHasJoined::current));
}
constexpr auto layout(Of<ActorHasLeft>) {
    return fields(field("previous", &ActorHasLeft::previous),
                  field("current", &ActorHasLeft::current));
}
constexpr auto layout(Of<ActorWasDisconnected>) {
    return fields(field("current", &ActorWasDisconnected::current));
}
constexpr auto layout(Of<ActorWasDestroyed>) {
    return fields(field("previous", &ActorWasDestroyed::previous));
}
constexpr auto layout(Of<ActorControlData>) {
    return fields(kind("lifecycleKind", kSelf, ActorLifecycleKind::Created,
                       ActorLifecycleKind::Joined, ActorLifecycleKind::Left,
                       ActorLifecycleKind::Disconnected, ActorLifecycleKind::Destroyed),
                  body<std::uint16_t>(content(kSelf)));
}
constexpr auto layout(Of<FrozenSpotControl>) {
    return fields(field("control", &FrozenSpotControl::control));
}

constexpr auto layout(Of<FrozenActorSend>) {
    return fields(field("targetActor", &FrozenActorSend::target_actor),
                  field("payload", &FrozenActorSend::payload));
}
constexpr auto layout(Of<FrozenActorRequest>) {
    return fields(field("targetActor", &FrozenActorRequest::target_actor),
                  field("payload", &FrozenActorRequest::payload));
}

/// Section 3.3, with the payload a failure may not carry.
inline bool is_terminal(const FrozenCompletion& completion) {
    return is_terminal_pair(completion.terminal_result, completion.failure_code) &&
           (completion.terminal_result == RequestTerminalResult::Ok || !completion.payload);
}
constexpr auto layout(Of<FrozenCompletion>) {
    using T = FrozenCompletion;
    return fields(field("terminalResult", &T::terminal_result),
                  field("failureCode", &T::failure_code),
                  flagged("hasPayload", "payload", &T::payload), rule(&is_terminal));
}

constexpr auto layout(Of<ToNode>) {
    return fields(field("targetNodeRid", &ToNode::target_node_rid));
}
constexpr auto layout(Of<ToChannel>) {
    return fields(field("channelName", &ToChannel::channel_name));
}
constexpr auto layout(Of<ToSpot>) {
    return fields(field("targetSpot", &ToSpot::target_spot));
}
constexpr auto layout(Of<ToActor>) {
    return fields(field("targetActor", &ToActor::target_actor));
}
constexpr auto layout(Of<ToBoundSession>) {
    return fields(field("targetActor", &ToBoundSession::target_actor),
                  field("bindingGeneration", &ToBoundSession::binding_generation));
}
constexpr auto layout(Of<SendReadyDestination>) {
    return fields(kind("destinationKind", kSelf, MeshDestinationKind::Node,
                       MeshDestinationKind::Channel, MeshDestinationKind::Spot,
                       MeshDestinationKind::Actor, MeshDestinationKind::BoundSession),
                  body<std::uint16_t>(content(kSelf)));
}
constexpr auto layout(Of<FrozenSendReady>) {
    return fields(field("destination", &FrozenSendReady::destination));
}

constexpr auto layout(Of<RelocationControlData>) {
    using T = RelocationControlData;
    return fields(field("phase", &T::phase), field("role", &T::role),
                  field("relocation", &T::relocation), field("object", &T::object),
                  field("terminalResult", &T::terminal_result),
                  field("failureCode", &T::failure_code), rule([](const T& control) {
                      return is_terminal_pair(control.terminal_result, control.failure_code);
                  }));
}
constexpr auto layout(Of<FrozenRelocationControl>) {
    return fields(field("control", &FrozenRelocationControl::control));
}

constexpr auto layout(Of<FrozenInstanceSpotActivation>) {
    using T = FrozenInstanceSpotActivation;
    return fields(field("route", &T::route),
                  field("sourceNodeGeneration", &T::source_node_generation),
                  field("operationKind", &T::operation_kind), field("payload", &T::payload));
}

// --- the record -------------------------------------------------------------------------------

/// Operations whose caller waits on a reply route.
constexpr bool is_request(MeshOperationKind kind) noexcept {
    return kind == MeshOperationKind::NodeRequest || kind == MeshOperationKind::ChannelRequest ||
           kind == MeshOperationKind::SpotRequest || kind == MeshOperationKind::ActorRequest ||
           kind == MeshOperationKind::InstanceSpotRequest;
}
constexpr bool has_reply_route(const FrozenRecord& record) noexcept {
    return is_request(record.operation_kind);
}

/// Which operation kind, operation id, metadata and source a record kind goes with.
bool fits_matrix(const FrozenRecord& record) noexcept;

constexpr auto layout(Of<FrozenRecord>) {
    using T = FrozenRecord;
    using K = MeshRecordKind;
    return fields(kind("recordKind", &T::body, K::NodeSend, K::NodeRequest, K::ChannelSend,
                       K::ChannelRequest, K::SpotSend, K::SpotRequest, K::SpotMulticast,
                       K::SpotControl, K::ActorSend, K::ActorRequest, K::Completion, K::SendReady,
                       K::RelocationControl, K::InstanceSpotActivation),
                  field("source", &T::source), flagged("hasMetadata", "metadata", &T::metadata),
                  field("operationId", &T::operation_id, kOrZero),
                  field("operationKind", &T::operation_kind),
                  group("replyRoute",
                        body<std::uint16_t>(when(
                            &has_reply_route, some("replyRouteId", &T::reply_route_id, kNonzero)))),
                  must([](const T& record) {
                      return record.reply_route_id.has_value() == has_reply_route(record);
                  }),
                  group("body", content(&T::body)), rule(&fits_matrix));
}

SHUNT_LAYOUT_ELSEWHERE(FrozenSourceIdentity)
SHUNT_LAYOUT_ELSEWHERE(FrozenRecord)

}  // namespace shunt::protocol
