#pragma once
// The declared values of every enumeration with the spec's names (spec/wire.md section 3). The
// same table tells a decoder what is declared and a printer how it is called.

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "protocol/enums.hpp"
#include "protocol/of.hpp"

namespace shunt::protocol {

template <class E>
struct EnumName {
    E value;
    std::string_view name;
};

/// Names of consecutive values from `first` on.
template <class E, class... Names>
constexpr std::array<EnumName<E>, sizeof...(Names)> from(E first, Names... names) {
    auto next = static_cast<std::underlying_type_t<E>>(first);
    return {EnumName<E>{static_cast<E>(next++), names}...};
}

template <class E, std::size_t N, std::size_t M>
constexpr std::array<EnumName<E>, N + M> joined(const std::array<EnumName<E>, N>& a,
                                                const std::array<EnumName<E>, M>& b) {
    std::array<EnumName<E>, N + M> all{};
    for (std::size_t i = 0; i < N; ++i) all[i] = a[i];
    for (std::size_t i = 0; i < M; ++i) all[N + i] = b[i];
    return all;
}

// clang-format off
constexpr auto enum_names(Of<RuntimeState>) {
    return from(RuntimeState::Preparing, "preparing", "serving", "draining", "stopped", "error");
}
constexpr auto enum_names(Of<StatefulObjectKind>) {
    return from(StatefulObjectKind::Actor, "actor", "userSpot", "instanceSpot");
}
constexpr auto enum_names(Of<AuthorityObjectKind>) {
    return from(AuthorityObjectKind::Actor, "actor", "spot");
}
constexpr auto enum_names(Of<SpotKind>) { return from(SpotKind::Entry, "entry", "user", "instance"); }
constexpr auto enum_names(Of<ActorSpotKind>) { return from(ActorSpotKind::Entry, "entry", "user"); }
constexpr auto enum_names(Of<ObjectRole>) { return from(ObjectRole::None, "none", "client", "server"); }
constexpr auto enum_names(Of<RelocationRole>) {
    return from(RelocationRole::Source, "source", "target", "coordinator");
}
constexpr auto enum_names(Of<RelocationPhase>) {
    return from(RelocationPhase::None, "none", "preparing", "captured", "prepared", "committed",
                "activating", "activated", "cleaning", "completed", "aborted");
}
constexpr auto enum_names(Of<RelocationPolicyKind>) {
    return from(RelocationPolicyKind::Disabled, "disabled", "recreate", "snapshot");
}
constexpr auto enum_names(Of<SourceCleanupState>) {
    return from(SourceCleanupState::Pending, "pending", "completed", "sourceLeaseExpired");
}
constexpr auto enum_names(Of<TimerOverrunPolicyKind>) {
    return from(TimerOverrunPolicyKind::SkipLateTicks, "skipLateTicks", "catchUpBounded",
                "delayNextTick");
}
constexpr auto enum_names(Of<ActorLifecycleKind>) {
    return from(ActorLifecycleKind::Created, "created", "joined", "left", "disconnected",
                "destroyed");
}
constexpr auto enum_names(Of<FrozenSourceKind>) {
    return from(FrozenSourceKind::Node, "node", "spot", "actor", "boundSession");
}
constexpr auto enum_names(Of<MeshRecordKind>) {
    return from(MeshRecordKind::NodeSend, "nodeSend", "nodeRequest", "channelSend",
                "channelRequest", "spotSend", "spotRequest", "spotMulticast", "spotControl",
                "actorSend", "actorRequest", "completion", "sendReady", "relocationControl",
                "instanceSpotActivation");
}
constexpr auto enum_names(Of<MeshDestinationKind>) {
    return from(MeshDestinationKind::Node, "node", "channel", "spot", "actor", "boundSession");
}
constexpr auto enum_names(Of<MeshOperationKind>) {
    return from(MeshOperationKind::None, "none", "nodeRequest", "channelRequest", "spotRequest",
                "actorRequest", "actorLookup", "actorDestroy", "actorJoin", "actorLeave",
                "streamBind", "streamUnbind", "streamClose", "instanceSpotRequest",
                "userSpotCreate", "userSpotClose", "actorCreate");
}
constexpr auto enum_names(Of<ActorJoinResult>) {
    return from(ActorJoinResult::Accepted, "accepted", "rejected");
}
constexpr auto enum_names(Of<SessionRelocationRouteAction>) {
    return from(SessionRelocationRouteAction::Commit, "commit", "abort");
}
constexpr auto enum_names(Of<BoundSessionBindingState>) {
    return from(BoundSessionBindingState::Active, "active", "tombstone");
}
constexpr auto enum_names(Of<ReplyRelayContextKind>) {
    return from(ReplyRelayContextKind::ColdActivation, "coldActivation", "maintenanceRelocation");
}
constexpr auto enum_names(Of<ColdActivationCompletionKind>) {
    return from(ColdActivationCompletionKind::ReadyBarrier, "readyBarrier", "activationFailure");
}
constexpr auto enum_names(Of<ReplyRelayAckStatus>) {
    return from(ReplyRelayAckStatus::TerminalReceived, "terminalReceived", "alreadyTerminal");
}
constexpr auto enum_names(Of<InstanceOperationKind>) {
    return from(InstanceOperationKind::Send, "send", "request");
}
constexpr auto enum_names(Of<InstanceRouteKind>) {
    return from(InstanceRouteKind::Ready, "ready", "coldActivation");
}
constexpr auto enum_names(Of<CreateResult>) {
    return from(CreateResult::Existing, "existing", "created", "rejected");
}
constexpr auto enum_names(Of<ServiceTopologyKind>) {
    return from(ServiceTopologyKind::RouteMesh, "routeMesh", "clientServer");
}
constexpr auto enum_names(Of<ClientServerRole>) {
    return from(ClientServerRole::Client, "client", "server");
}
constexpr auto enum_names(Of<ClientServerDirection>) {
    return from(ClientServerDirection::ClientToServer, "clientToServer");
}
constexpr auto enum_names(Of<AuthorityOperationKind>) {
    return from(AuthorityOperationKind::Steady, "steady", "coldActivation",
                "maintenanceRelocation", "close");
}
constexpr auto enum_names(Of<EntryUserSpotAuthorityState>) {
    return from(EntryUserSpotAuthorityState::Creating, "creating", "ready", "closing",
                "relocating");
}
constexpr auto enum_names(Of<ActorAuthorityState>) {
    return from(ActorAuthorityState::Creating, "creating", "ready");
}
constexpr auto enum_names(Of<InstanceAuthorityState>) {
    return from(InstanceAuthorityState::ColdActivating, "coldActivating", "ready", "closing",
                "relocating");
}
constexpr auto enum_names(Of<RejectReason>) {
    return from(RejectReason::ProtocolVersionUnsupported, "protocolVersionUnsupported",
                "topologyMismatch", "identityMismatch", "securityIdentityMismatch",
                "channelMismatch", "lifecycleGenerationStale", "descriptorRevisionStale",
                "capabilityMismatch", "runtimeNotServing", "duplicateConnection",
                "invalidDescriptor", "resourceLimit");
}
constexpr auto enum_names(Of<RequestTerminalResult>) {
    return joined(from(RequestTerminalResult::Ok, "ok"),
                  from(RequestTerminalResult::TimedOut, "timedOut", "notFound", "terminated",
                       "protocolError", "internalError", "rejected", "conflict", "busy",
                       "notConnected", "invalidArgument", "invalidState", "notSupported",
                       "backpressured"));
}
constexpr auto enum_names(Of<FrameworkErrorCode>) {
    return joined(from(FrameworkErrorCode::None, "none", "actorRouteNotFound",
                       "actorCreateFailed", "actorAlreadyExists", "actorTypeMismatch",
                       "spotCreateFailed", "spotRouteNotFound", "spotTypeMismatch",
                       "actorSessionNotBound", "handlerNotFound", "routeHandlerNotFound",
                       "actorDispatchHandlerNotFound", "payloadDecodeFailed",
                       "routeNotConnected", "requestTargetNotFound", "requestRejected",
                       "requestProtocolError", "requestFailed", "workerQueueFull",
                       "workerTimedOut", "workerFailed", "actorLocationStale",
                       "actorCreateRejected"),
                  from(FrameworkErrorCode::SpotGenerationStale, "spotGenerationStale",
                       "spotMoving", "relocationDataLost"));
}
// clang-format on

/// Every declared value of E.
template <class E>
inline constexpr auto kEnumNames = enum_names(Of<E>{});

/// The spec's name of `value`; empty when the value is not declared.
template <class E>
constexpr std::string_view name_of_value(E value) noexcept {
    for (const EnumName<E>& known : kEnumNames<E>) {
        if (known.value == value) return known.name;
    }
    return {};
}

static_assert(name_of_value(RequestTerminalResult::Backpressured) == "backpressured");
static_assert(static_cast<int>(RequestTerminalResult::Backpressured) == 113);
static_assert(name_of_value(FrameworkErrorCode::ActorCreateRejected) == "actorCreateRejected");
static_assert(static_cast<int>(FrameworkErrorCode::ActorCreateRejected) == 22);
static_assert(static_cast<int>(FrameworkErrorCode::RelocationDataLost) == 35);
static_assert(name_of_value(MeshOperationKind::ActorCreate) == "actorCreate");
static_assert(static_cast<int>(MeshOperationKind::ActorCreate) == 15);
static_assert(name_of_value(MeshRecordKind::InstanceSpotActivation) == "instanceSpotActivation");
static_assert(name_of_value(RejectReason::ResourceLimit) == "resourceLimit");
static_assert(name_of_value(static_cast<FrameworkErrorCode>(23)).empty());

}  // namespace shunt::protocol
