#pragma once
// How the shared structures lie on the wire (spec/wire.md section 4).

#include <algorithm>
#include <string>
#include <tuple>

#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"
#include "protocol/shared.hpp"
#include "protocol/tlv.hpp"

namespace shunt::protocol {

inline constexpr std::uint32_t kDescriptorBytesMax = 1'048'576;
inline constexpr std::uint32_t kMessageFollowBytesMax = 16'777'216;
inline constexpr std::uint32_t kWeightMax = 100;
inline constexpr std::uint32_t kCapacityMax = 0x7FFF'FFFF;
inline constexpr std::uint16_t kDescriptorListMax = 1024;

constexpr auto codec_for(Of<SessionRid>) {
    return kRid;
}

/// Sorts texts by their unsigned bytes.
inline constexpr auto kByBytes = [](const std::string& text) -> const std::string& { return text; };

// --- 4.1 --------------------------------------------------------------------------------------

constexpr auto layout(Of<ActorRef>) {
    return fields(field("actorId", &ActorRef::actor_id),
                  field("objectGeneration", &ActorRef::object_generation));
}

constexpr auto layout(Of<SpotRef>) {
    return fields(field("spotId", &SpotRef::spot_id),
                  field("objectGeneration", &SpotRef::object_generation));
}

constexpr auto layout(Of<ActorRouteFence>) {
    using T = ActorRouteFence;
    return fields(
        field("actor", &T::actor), field("targetNodeRid", &T::target_node_rid),
        field("targetNodeGeneration", &T::target_node_generation),
        field("expectedAuthorityOwnerGeneration", &T::expected_authority_owner_generation),
        field("expectedOwnerLeaseGeneration", &T::expected_owner_lease_generation));
}

constexpr auto layout(Of<SpotRouteFence>) {
    using T = SpotRouteFence;
    return fields(
        field("spot", &T::spot), field("targetNodeRid", &T::target_node_rid),
        field("targetNodeGeneration", &T::target_node_generation),
        field("expectedAuthorityOwnerGeneration", &T::expected_authority_owner_generation),
        field("expectedOwnerLeaseGeneration", &T::expected_owner_lease_generation));
}

constexpr auto layout(Of<RelocationCoordinatorFence>) {
    using T = RelocationCoordinatorFence;
    return fields(
        field("coordinatorOwnerId", &T::coordinator_owner_id),
        field("coordinatorLeaseGeneration", &T::coordinator_lease_generation),
        field("coordinatorNodeRid", &T::coordinator_node_rid),
        field("coordinatorNodeGeneration", &T::coordinator_node_generation),
        field("expectedAuthorityStoreVersion", &T::expected_authority_store_version, kText4096));
}

constexpr auto layout(Of<RelocationTargetFence>) {
    using T = RelocationTargetFence;
    return fields(field("targetNodeRid", &T::target_node_rid),
                  field("targetNodeGeneration", &T::target_node_generation),
                  field("targetOwnerId", &T::target_owner_id),
                  field("targetOwnerLeaseGeneration", &T::target_owner_lease_generation));
}

constexpr auto layout(Of<RequestSourceFence>) {
    using T = RequestSourceFence;
    return fields(field("sourceOwnerId", &T::source_owner_id),
                  field("sourceOwnerLeaseGeneration", &T::source_owner_lease_generation),
                  field("sourceNodeRid", &T::source_node_rid),
                  field("sourceNodeGeneration", &T::source_node_generation));
}

constexpr auto layout(Of<AuthorityGenerationFence>) {
    using T = AuthorityGenerationFence;
    return fields(field("objectGeneration", &T::object_generation), field("ownerId", &T::owner_id),
                  field("authorityOwnerGeneration", &T::authority_owner_generation),
                  field("leaseGeneration", &T::lease_generation),
                  field("storeVersion", &T::store_version, kText4096));
}

constexpr auto layout(Of<BoundSessionTail>) {
    using T = BoundSessionTail;
    return fields(field("sourceSessionRid", &T::source_session_rid),
                  field("sourceBindingGeneration", &T::source_binding_generation),
                  field("sourceSessionSequence", &T::source_session_sequence, kNonzero));
}

constexpr auto layout(Of<SpotMembership>) {
    return fields(field("spot", &SpotMembership::spot));
}

constexpr auto layout(Of<ActorMembershipSnapshot>) {
    using T = ActorMembershipSnapshot;
    return fields(field("actor", &T::actor), field("membership", &T::membership));
}

/// `optional-actor-ref`: an id of length zero stands for the whole reference.
struct OptionalActorRef {
    template <class Sink>
    void encode(Sink& sink, const std::optional<ActorRef>& value) const {
        if (!value) return sink.integer(std::uint8_t{0});
        protocol::encode(sink, *value);
    }
    result<void> decode(Reader& reader, std::optional<ActorRef>& value) const {
        ActorRef read;
        BOOST_OUTCOME_TRY(kOptionalText8.decode(reader, read.actor_id));
        if (read.actor_id.empty()) return outcome::success();
        BOOST_OUTCOME_TRY(NumberedCodec{}.decode(reader, read.object_generation));
        value = std::move(read);
        return outcome::success();
    }
    void print(JsonPrinter& printer, const std::optional<ActorRef>& value) const {
        printer.object([&] {
            printer.key("actorId");
            kOptionalText8.print(printer, value ? value->actor_id : ActorId());
            printer.key("generation");
            if (!value) return printer.null();
            printer.number(value->object_generation.value);
        });
    }
};

// --- 4.2 --------------------------------------------------------------------------------------

constexpr auto layout(Of<ActorObject>) {
    using T = ActorObject;
    return fields(field("actor", &T::actor), field("expectedAuthorityOwnerGeneration",
                                                   &T::expected_authority_owner_generation));
}

constexpr auto layout(Of<UserSpotObject>) {
    using T = UserSpotObject;
    return fields(field("spot", &T::spot), field("expectedAuthorityOwnerGeneration",
                                                 &T::expected_authority_owner_generation));
}

constexpr auto layout(Of<InstanceSpotObject>) {
    using T = InstanceSpotObject;
    return fields(field("instanceType", &T::instance_type), field("spotId", &T::spot_id),
                  field("objectGeneration", &T::object_generation));
}

constexpr auto layout(Of<RelocationObjectIdentity>) {
    return fields(kind("objectKind", kSelf, StatefulObjectKind::Actor, StatefulObjectKind::UserSpot,
                       StatefulObjectKind::InstanceSpot),
                  body<std::uint16_t>(content(kSelf)));
}

// --- instance-route-v1 ------------------------------------------------------------------------

constexpr auto layout(Of<ReadyInstanceRoute>) {
    using T = ReadyInstanceRoute;
    return fields(field("targetNodeRid", &T::target_node_rid),
                  field("targetNodeGeneration", &T::target_node_generation),
                  field("targetSpotId", &T::target_spot_id), field("authority", &T::authority),
                  field("instanceIntent", &T::instance_intent));
}

constexpr auto layout(Of<ColdActivationRoute>) {
    using T = ColdActivationRoute;
    return fields(field("targetNodeRid", &T::target_node_rid),
                  field("targetNodeGeneration", &T::target_node_generation),
                  field("targetSpotId", &T::target_spot_id),
                  field("targetMeshName", &T::target_mesh_name),
                  field("stableType", &T::stable_type),
                  field("targetDescriptorVersion", &T::target_descriptor_version),
                  field("deadlineUnixMs", &T::deadline_unix_ms, kNonzero));
}

constexpr auto layout(Of<InstanceRoute>) {
    return fields(
        kind("routeKind", kSelf, InstanceRouteKind::Ready, InstanceRouteKind::ColdActivation),
        body<std::uint16_t>(content(kSelf)));
}

// --- 4.6 --------------------------------------------------------------------------------------

constexpr auto layout(Of<MessageFollowRoute>) {
    return fields(kind("objectKind", kSelf, AuthorityObjectKind::Actor, AuthorityObjectKind::Spot),
                  body<std::uint16_t>(content(kSelf, "actor", "spot")));
}

/// Both routes lead to one incarnation of one object (section 15.1).
inline bool names_one_object(const MessageFollowNotice& notice) {
    if (notice.source.index() != notice.target.index()) return false;
    if (const auto* source = std::get_if<ActorRouteFence>(&notice.source)) {
        return source->actor == std::get<ActorRouteFence>(notice.target).actor;
    }
    return std::get<SpotRouteFence>(notice.source).spot ==
           std::get<SpotRouteFence>(notice.target).spot;
}

constexpr auto layout(Of<MessageFollowNotice>) {
    using T = MessageFollowNotice;
    constexpr std::uint32_t kBeforeBody = 1 + 4;
    return fields(
        constant<std::uint8_t>(1),
        body_at_most<std::uint32_t>(
            kMessageFollowBytesMax - kBeforeBody,  //
            field("source", &T::source), field("target", &T::target),
            field("hopCount", &T::hop_count,
                  Between<std::uint8_t>{.min = 1, .max = kMessageFollowHopsMax}),
            field("queuedMessages", &T::queued_messages), field("queuedBytes", &T::queued_bytes),
            field("originalOperation", &T::original_operation),
            field("originalReplyRouteId", &T::original_reply_route_id)),
        rule(&names_one_object));
}

// --- 4.7 --------------------------------------------------------------------------------------

constexpr auto layout(Of<ChannelWeight>) {
    return fields(field("channelName", &ChannelWeight::channel_name),
                  field("weight", &ChannelWeight::weight, up_to(kWeightMax)));
}

/// Only a snapshot policy has an adapter, and it must have one.
inline bool adapter_fits_policy(const StatefulCapability& capability) {
    return capability.has_snapshot_adapter ==
           (capability.relocation_policy == RelocationPolicyKind::Snapshot);
}

constexpr auto layout(Of<StatefulCapability>) {
    using T = StatefulCapability;
    return fields(field("objectKind", &T::object_kind), field("type", &T::type),
                  field("relocationPolicy", &T::relocation_policy),
                  field("activeCapacityLimit", &T::active_capacity_limit,
                        Between<std::uint32_t>{.min = 1, .max = kCapacityMax}),
                  field("pendingCapacityLimit", &T::pending_capacity_limit, up_to(kCapacityMax)),
                  field("hasSnapshotAdapter", &T::has_snapshot_adapter),
                  field("available", &T::available, kOrdinal), rule(&adapter_fits_policy));
}

inline bool has_service_capability(const DescriptorExtension& extension) {
    return std::ranges::find(extension.protocol_capabilities, kServiceCapability) !=
           extension.protocol_capabilities.end();
}

constexpr auto layout(Of<DescriptorExtension>) {
    using T = DescriptorExtension;
    constexpr std::uint32_t kTotalLength = 4;
    constexpr auto names = sorted_list<std::uint16_t>(kText8, kByBytes, kDescriptorListMax);
    constexpr auto capabilities = sorted_list<std::uint16_t>(
        Nested{},
        [](const StatefulCapability& item) { return std::tie(item.object_kind, item.type); },
        kDescriptorListMax);
    return fields(
        tlv_at_most(
            kDescriptorBytesMax - kTotalLength, &T::unknown,
            required(1, field("runtimeState", &T::runtime_state)),
            required(2, field("applicationVersion", &T::application_version, kOrdinal)),
            optional(3, some("spotTypes", &T::spot_types, names)),
            optional(4, some("statefulCapabilities", &T::stateful_capabilities, capabilities)),
            optional(5, some("maintenanceWave", &T::maintenance_wave, kOptionalText8)),
            required(6, field("protocolCapabilities", &T::protocol_capabilities, names)),
            required(7, field("objectRole", &T::object_role)),
            required(8, field("placementWeight", &T::placement_weight, up_to(kWeightMax))),
            required(9, field("activeCapacityLimit", &T::active_capacity_limit,
                              Between<std::uint32_t>{.min = 1, .max = kCapacityMax})),
            required(
                10, field("pendingCapacityLimit", &T::pending_capacity_limit, up_to(kCapacityMax))),
            required(11, field("activeCapacityUsed", &T::active_capacity_used)),
            required(12, field("pendingCapacityUsed", &T::pending_capacity_used))),
        must(&has_service_capability));
}

constexpr auto layout(Of<RouteMeshAdmission>) {
    using T = RouteMeshAdmission;
    return fields(field("meshName", &T::mesh_name),
                  field("securityIdentity", &T::security_identity),
                  field("lifecycleGeneration", &T::lifecycle_generation),
                  field("descriptorRevision", &T::descriptor_revision, kNonzero),
                  field("advertisedEndpoint", &T::advertised_endpoint, kText4096),
                  field("channels", &T::channels,
                        sorted_list<std::uint16_t>(Nested{}, &ChannelWeight::channel_name)),
                  field("extension", &T::extension));
}

constexpr auto layout(Of<ClientAdmission>) {
    using T = ClientAdmission;
    return fields(field("channelName", &T::channel_name), field("direction", &T::direction),
                  field("securityIdentity", &T::security_identity),
                  field("normalizedEffectiveMaxMessageBytes",
                        &T::normalized_effective_max_message_bytes, kNonzeroU32));
}

constexpr auto layout(Of<ServerAdmission>) {
    using T = ServerAdmission;
    return fields(
        field("channelName", &T::channel_name), field("direction", &T::direction),
        field("serverRid", &T::server_rid), field("lifecycleGeneration", &T::lifecycle_generation),
        field("descriptorRevision", &T::descriptor_revision, kNonzero),
        field("weight", &T::weight, up_to(kWeightMax)), field("runtimeState", &T::runtime_state),
        field("securityIdentity", &T::security_identity),
        field("normalizedEffectiveMaxMessageBytes", &T::normalized_effective_max_message_bytes,
              kNonzeroU32),
        field("advertisedEndpoint", &T::advertised_endpoint, kText4096));
}

constexpr auto layout(Of<ClientServerAdmission>) {
    return fields(kind("role", kSelf, ClientServerRole::Client, ClientServerRole::Server),
                  body<std::uint16_t>(content(kSelf)));
}

constexpr auto layout(Of<ServiceAdmission>) {
    constexpr std::uint32_t kBeforeBody = 1 + 4;
    return fields(kind("topologyKind", kSelf, ServiceTopologyKind::RouteMesh,
                       ServiceTopologyKind::ClientServer),
                  body_at_most<std::uint32_t>(kDescriptorBytesMax - kBeforeBody,
                                              content(kSelf, "routeMesh", "clientServer")));
}

SHUNT_LAYOUT_ELSEWHERE(ActorRef)
SHUNT_LAYOUT_ELSEWHERE(SpotRef)
SHUNT_LAYOUT_ELSEWHERE(ActorRouteFence)
SHUNT_LAYOUT_ELSEWHERE(SpotRouteFence)
SHUNT_LAYOUT_ELSEWHERE(RelocationCoordinatorFence)
SHUNT_LAYOUT_ELSEWHERE(RelocationTargetFence)
SHUNT_LAYOUT_ELSEWHERE(RequestSourceFence)
SHUNT_LAYOUT_ELSEWHERE(AuthorityGenerationFence)
SHUNT_LAYOUT_ELSEWHERE(BoundSessionTail)
SHUNT_LAYOUT_ELSEWHERE(SpotMembership)
SHUNT_LAYOUT_ELSEWHERE(ActorMembershipSnapshot)
SHUNT_LAYOUT_ELSEWHERE(RelocationObjectIdentity)
SHUNT_LAYOUT_ELSEWHERE(InstanceRoute)
SHUNT_LAYOUT_ELSEWHERE(MessageFollowNotice)
SHUNT_LAYOUT_ELSEWHERE(DescriptorExtension)
SHUNT_LAYOUT_ELSEWHERE(ServiceAdmission)

}  // namespace shunt::protocol
