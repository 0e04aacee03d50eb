#pragma once
// Commands of remote creation and close (spec/wire.md section 5.6).

#include <cstdint>
#include <string>

#include "base/ids.hpp"
#include "protocol/shared.hpp"

namespace shunt::protocol {

/// `object-reservation-fence`.
struct ObjectReservationFence {
    std::string reservation_id;
    std::string expected_store_version;
    ObjectGeneration object_generation;
    AuthorityOwnerGeneration authority_owner_generation;
    NodeRid target_node_rid;
    NodeGeneration target_node_generation;
    OwnerId target_owner_id;
    OwnerLeaseGeneration target_owner_lease_generation;
    std::uint32_t pending_capacity_delta = 1;  // not zero
    bool operator==(const ObjectReservationFence&) const = default;
};

struct UserSpotCreate {
    std::uint64_t correlation = 0;
    OperationId operation;
    NodeRid source_node_rid;
    NodeGeneration source_node_generation;
    SpotId spot_id;
    std::string stable_type;
    ObjectReservationFence reservation;
    std::uint64_t deadline_unix_ms = 0;
    bool operator==(const UserSpotCreate&) const = default;
};

/// `user-spot-close-fence-v1`.
struct UserSpotCloseFence {
    SpotRef spot;
    NodeRid target_node_rid;
    NodeGeneration target_node_generation;
    AuthorityOwnerGeneration expected_authority_owner_generation;
    std::string expected_store_version;
    bool operator==(const UserSpotCloseFence&) const = default;
};
struct UserSpotClose {
    std::uint64_t correlation = 0;
    OperationId operation;
    NodeRid source_node_rid;
    NodeGeneration source_node_generation;
    UserSpotCloseFence target;
    std::uint64_t deadline_unix_ms = 0;
    bool operator==(const UserSpotClose&) const = default;
};

struct ActorCreate {
    std::uint64_t correlation = 0;
    OperationId operation;
    NodeRid source_node_rid;
    NodeGeneration source_node_generation;
    ActorId actor_id;
    std::string stable_type;
    ObjectReservationFence reservation;
    std::uint64_t deadline_unix_ms = 0;
    bool operator==(const ActorCreate&) const = default;
};

}  // namespace shunt::protocol
