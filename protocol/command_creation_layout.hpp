#pragma once
// How the commands of remote creation and close lie on the wire (spec/wire.md section 5.6).

#include "protocol/command_creation.hpp"
#include "protocol/command_info.hpp"
#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"
#include "protocol/shared_layout.hpp"

namespace shunt::protocol {

constexpr auto layout(Of<ObjectReservationFence>) {
    using T = ObjectReservationFence;
    return fields(field("reservationId", &T::reservation_id),
                  field("expectedStoreVersion", &T::expected_store_version, kText4096),
                  field("objectGeneration", &T::object_generation),
                  field("authorityOwnerGeneration", &T::authority_owner_generation),
                  field("targetNodeRid", &T::target_node_rid),
                  field("targetNodeGeneration", &T::target_node_generation),
                  field("targetOwnerId", &T::target_owner_id),
                  field("targetOwnerLeaseGeneration", &T::target_owner_lease_generation),
                  field("pendingCapacityDelta", &T::pending_capacity_delta, kNonzeroU32));
}

/// What commands 47 to 49 open with.
template <class T>
constexpr auto creation_caller() {
    return fields(field("correlation", &T::correlation, kNonzero),
                  field("operation", &T::operation), field("sourceNodeRid", &T::source_node_rid),
                  field("sourceNodeGeneration", &T::source_node_generation));
}

constexpr CommandInfo info(Of<UserSpotCreate>) {
    return {.id = CommandId::UserSpotCreate, .name = "userSpotCreate", .leg = Leg::Request};
}
constexpr auto layout(Of<UserSpotCreate>) {
    using T = UserSpotCreate;
    return fields(creation_caller<T>(), field("spotId", &T::spot_id),
                  field("stableType", &T::stable_type), field("reservation", &T::reservation),
                  field("deadlineUnixMs", &T::deadline_unix_ms, kNonzero));
}

constexpr auto layout(Of<UserSpotCloseFence>) {
    using T = UserSpotCloseFence;
    return fields(
        constant<std::uint8_t>(1),
        body<std::uint16_t>(
            field("spot", &T::spot), field("targetNodeRid", &T::target_node_rid),
            field("targetNodeGeneration", &T::target_node_generation),
            field("expectedAuthorityOwnerGeneration", &T::expected_authority_owner_generation),
            field("expectedStoreVersion", &T::expected_store_version, kText4096)));
}

constexpr CommandInfo info(Of<UserSpotClose>) {
    return {.id = CommandId::UserSpotClose, .name = "userSpotClose", .leg = Leg::Request};
}
constexpr auto layout(Of<UserSpotClose>) {
    using T = UserSpotClose;
    return fields(creation_caller<T>(), field("target", &T::target),
                  field("deadlineUnixMs", &T::deadline_unix_ms, kNonzero));
}

constexpr CommandInfo info(Of<ActorCreate>) {
    return {.id = CommandId::ActorCreate, .name = "actorCreate", .leg = Leg::Request};
}
constexpr auto layout(Of<ActorCreate>) {
    using T = ActorCreate;
    return fields(creation_caller<T>(), field("actorId", &T::actor_id),
                  field("stableType", &T::stable_type), field("reservation", &T::reservation),
                  field("deadlineUnixMs", &T::deadline_unix_ms, kNonzero));
}

}  // namespace shunt::protocol
