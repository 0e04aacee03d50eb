#pragma once
// Logical keys of the Location Store (spec/stores.md section 4): segments joined by one NUL. A
// provider takes them as they are; only Redis hashes them.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "protocol/authority_key.hpp"
#include "protocol/enums.hpp"
#include "store/location_store.hpp"

namespace shunt::store {

// Counters of section 5.7.
inline constexpr std::string_view kOwnerCounterKey = "zlink:v11:owner-counter";
inline constexpr std::string_view kObjectCounterKey = "zlink:v11:object-counter";
inline constexpr std::string_view kAuthorityOwnerCounterKey = "zlink:v11:authority-owner-counter";

// Names must hold no NUL, as every id that was checked where it came in.

Key mesh_node_key(std::string_view mesh_name, const NodeRid& rid);
/// All descriptors of one mesh.
std::string mesh_node_prefix(std::string_view mesh_name);

Key owner_lease_key(const OwnerId& owner);

/// The row of an Actor or of a Spot of any kind.
Key authority_key(const protocol::AuthorityKey& object);
Key authority_key(const ActorId& actor);
Key authority_key(const SpotId& spot);
std::string authority_prefix();
std::string authority_prefix(protocol::AuthorityObjectKind kind);

/// One node life as capacity is counted for it.
struct CapacityOwner {
    std::string mesh_name;
    NodeRid rid;
    NodeGeneration lifecycle_generation;
    bool operator==(const CapacityOwner&) const = default;
};
enum class CapacityState : std::uint8_t { Active, Pending };

Key actors_capacity_key(const CapacityOwner& owner, CapacityState state);
Key spots_capacity_key(const CapacityOwner& owner, CapacityState state);
/// Of one Spot type.
Key type_capacity_key(const CapacityOwner& owner, protocol::StatefulObjectKind kind,
                      std::string_view stable_type, CapacityState state);

/// Which creation a terminal answers; only a resend of the same request may read it.
struct CreationRequestName {
    NodeRid source_rid;
    NodeGeneration source_generation;
    OperationId operation;
};
Key creation_terminal_key(const CreationRequestName& name);

Key aggregate_key(const RelocationId& relocation);
Key aggregate_page_key(const RelocationId& relocation, std::uint64_t page_index);

}  // namespace shunt::store
