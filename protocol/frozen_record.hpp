#pragma once
// A stored message: one accepted, not yet executed job (spec/wire.md section 6). It travels as
// saved work in the relocation payload and alone in command 31.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "protocol/boxed.hpp"
#include "protocol/enums.hpp"
#include "protocol/shared.hpp"
#include "protocol/typed_payload.hpp"

namespace shunt::protocol {

struct FromNode {
    bool operator==(const FromNode&) const = default;
};
struct FromSpot {
    SpotId source_spot_id;
    bool operator==(const FromSpot&) const = default;
};
struct FromActor {
    ActorRef source_actor;
    bool operator==(const FromActor&) const = default;
};
struct FromBoundSession {
    ActorRef source_actor;
    SessionRid source_session_rid;
    BindingGeneration source_binding_generation;
    std::uint64_t source_session_sequence = 0;
    bool operator==(const FromBoundSession&) const = default;
};

/// `frozen-source-identity`; which alternative `origin` holds is the sourceKind.
struct FrozenSourceIdentity {
    NodeRid source_node_rid;
    NodeGeneration source_node_generation;
    OwnerId source_owner_id;
    OwnerLeaseGeneration source_owner_lease_generation;
    std::variant<FromNode, FromSpot, FromActor, FromBoundSession> origin;
    bool operator==(const FrozenSourceIdentity&) const = default;
};

// --- bodies; the alternative held is the recordKind, in the order of MeshRecordKind ------------

struct FrozenNodeSend {
    TypedPayload payload;
    bool operator==(const FrozenNodeSend&) const = default;
};
struct FrozenNodeRequest {
    TypedPayload payload;
    bool operator==(const FrozenNodeRequest&) const = default;
};
struct FrozenChannelSend {
    std::string channel_name;
    TypedPayload payload;
    bool operator==(const FrozenChannelSend&) const = default;
};
struct FrozenChannelRequest {
    std::string channel_name;
    TypedPayload payload;
    bool operator==(const FrozenChannelRequest&) const = default;
};
struct FrozenSpotSend {
    SpotRouteFence target_spot;
    TypedPayload payload;
    bool operator==(const FrozenSpotSend&) const = default;
};
struct FrozenSpotRequest {
    SpotRouteFence target_spot;
    TypedPayload payload;
    bool operator==(const FrozenSpotRequest&) const = default;
};
struct FrozenSpotMulticast {
    std::string channel_name;
    std::string topic;
    TypedPayload payload;
    bool operator==(const FrozenSpotMulticast&) const = default;
};

struct ActorWasCreated {
    ActorMembershipSnapshot current;
    bool operator==(const ActorWasCreated&) const = default;
};
struct ActorHasJoined {
    std::optional<ActorMembershipSnapshot> previous{};
    ActorMembershipSnapshot current;
    bool operator==(const ActorHasJoined&) const = default;
};
struct ActorHasLeft {
    ActorMembershipSnapshot previous;
    ActorMembershipSnapshot current;
    bool operator==(const ActorHasLeft&) const = default;
};
struct ActorWasDisconnected {
    ActorMembershipSnapshot current;
    bool operator==(const ActorWasDisconnected&) const = default;
};
struct ActorWasDestroyed {
    ActorMembershipSnapshot previous;
    bool operator==(const ActorWasDestroyed&) const = default;
};
/// `actor-control-data`; the alternative is the lifecycleKind.
using ActorControlData = std::variant<ActorWasCreated, ActorHasJoined, ActorHasLeft,
                                      ActorWasDisconnected, ActorWasDestroyed>;
struct FrozenSpotControl {
    ActorControlData control;
    bool operator==(const FrozenSpotControl&) const = default;
};

struct FrozenActorSend {
    ActorRouteFence target_actor;
    TypedPayload payload;
    bool operator==(const FrozenActorSend&) const = default;
};
struct FrozenActorRequest {
    ActorRouteFence target_actor;
    TypedPayload payload;
    bool operator==(const FrozenActorRequest&) const = default;
};
struct FrozenCompletion {
    RequestTerminalResult terminal_result = RequestTerminalResult::Ok;
    FrameworkErrorCode failure_code = FrameworkErrorCode::None;
    std::optional<TypedPayload> payload{};
    bool operator==(const FrozenCompletion&) const = default;
};

struct ToNode {
    NodeRid target_node_rid;
    bool operator==(const ToNode&) const = default;
};
struct ToChannel {
    std::string channel_name;
    bool operator==(const ToChannel&) const = default;
};
struct ToSpot {
    SpotRouteFence target_spot;
    bool operator==(const ToSpot&) const = default;
};
struct ToActor {
    ActorRouteFence target_actor;
    bool operator==(const ToActor&) const = default;
};
struct ToBoundSession {
    ActorRouteFence target_actor;
    BindingGeneration binding_generation;
    bool operator==(const ToBoundSession&) const = default;
};
/// `send-ready-destination`; the alternative is the destinationKind.
using SendReadyDestination = std::variant<ToNode, ToChannel, ToSpot, ToActor, ToBoundSession>;
struct FrozenSendReady {
    SendReadyDestination destination;
    bool operator==(const FrozenSendReady&) const = default;
};

struct RelocationControlData {
    RelocationPhase phase = RelocationPhase::None;
    RelocationRole role = RelocationRole::Source;
    RelocationId relocation;
    RelocationObjectIdentity object;
    RequestTerminalResult terminal_result = RequestTerminalResult::Ok;
    FrameworkErrorCode failure_code = FrameworkErrorCode::None;
    bool operator==(const RelocationControlData&) const = default;
};
struct FrozenRelocationControl {
    RelocationControlData control;
    bool operator==(const FrozenRelocationControl&) const = default;
};

struct FrozenInstanceSpotActivation {
    Boxed<InstanceRoute> route;
    NodeGeneration source_node_generation;
    InstanceOperationKind operation_kind = InstanceOperationKind::Send;
    TypedPayload payload;
    bool operator==(const FrozenInstanceSpotActivation&) const = default;
};

using FrozenBody =
    std::variant<FrozenNodeSend, FrozenNodeRequest, FrozenChannelSend, FrozenChannelRequest,
                 FrozenSpotSend, FrozenSpotRequest, FrozenSpotMulticast, FrozenSpotControl,
                 FrozenActorSend, FrozenActorRequest, FrozenCompletion, FrozenSendReady,
                 FrozenRelocationControl, FrozenInstanceSpotActivation>;

/// `frozen-record`. Decoded, its payload bytes are borrowed from the input.
struct FrozenRecord {
    FrozenSourceIdentity source;
    std::optional<Metadata> metadata{};
    /// Nonzero for Actor and Spot sends too: Message Follow deduplicates by it.
    OperationId operation_id;
    MeshOperationKind operation_kind = MeshOperationKind::None;
    /// Present (and not zero) exactly when operation_kind is one of the request kinds.
    std::optional<std::uint64_t> reply_route_id{};
    FrozenBody body;
    bool operator==(const FrozenRecord&) const = default;

    MeshRecordKind kind() const noexcept { return static_cast<MeshRecordKind>(body.index() + 1); }
};

/// The record alone, as the boundary checksum runs over it (section 8). Payloads are shared, not
/// copied. The record must be valid by section 15.1.
Segments encode_frozen_record(const FrozenRecord& record);

/// Reads one record to the exact end of `bytes`, with the checks of section 15.1; `fault` learns
/// where it fails.
result<FrozenRecord> decode_frozen_record(ByteView bytes, Fault* fault = nullptr);

}  // namespace shunt::protocol
