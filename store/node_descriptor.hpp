#pragma once
// The MeshNode descriptor record (spec/stores.md section 5.3): what a node tells the mesh about
// itself. Peers find each other and pick relocation targets by it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "protocol/enums.hpp"
#include "store/owner_lease.hpp"
#include "store/record_names.hpp"

namespace shunt::store {

inline constexpr std::uint32_t kWeightMax = 10'000;
inline constexpr std::size_t kCapabilitiesMax = 1'024;

/// One stable type this node can host.
struct ObjectCapability {
    protocol::StatefulObjectKind object_kind = protocol::StatefulObjectKind::Actor;
    std::string stable_type;
    CapabilityPolicy policy = CapabilityPolicy::Unspecified;
    bool has_snapshot_adapter = false;
    std::uint32_t limit = 0;  // 0 = none
    bool operator==(const ObjectCapability&) const = default;
};

/// For display and ranking only; the counts of section 5.8 decide.
struct CapacityUse {
    std::uint32_t active = 0;
    std::uint32_t reserved = 0;
    std::uint32_t limit = 0;  // 0 = none
    bool operator==(const CapacityUse&) const = default;
};

struct SpotTypeCapacity {
    protocol::StatefulObjectKind object_kind = protocol::StatefulObjectKind::UserSpot;
    std::string stable_type;
    CapacityUse use;
    bool operator==(const SpotTypeCapacity&) const = default;
};

struct NodeDescriptor {
    std::string mesh_name;
    NodeRid rid;
    NodeGeneration lifecycle_generation;
    /// Strictly increasing inside one lifecycle.
    std::uint64_t descriptor_revision = 1;
    /// As advertised, `tcp://host:port`.
    std::string endpoint;
    /// Present exactly for role Server.
    std::optional<SpotId> entry_spot_id;
    /// ChannelName to 0..kWeightMax.
    std::map<std::string, std::uint32_t> channel_weights;
    std::uint64_t application_version = 0;
    std::vector<ObjectCapability> object_capabilities;
    protocol::ObjectRole object_role = protocol::ObjectRole::None;
    /// 0 takes the node out of placement and relocation.
    std::uint32_t placement_weight = 100;
    CapacityUse actors;
    CapacityUse spots;
    std::vector<SpotTypeCapacity> spot_types;
    std::uint32_t activations_active = 0;
    std::uint32_t activations_limit = 128;
    std::optional<std::string> maintenance_wave;
    NodeState state = NodeState::Preparing;
    std::string security_identity;
    /// The claim this descriptor stands on.
    OwnerLease lease;
    /// Store time.
    UnixMillis updated_at;
    bool operator==(const NodeDescriptor&) const = default;
};

/// Lists are written sorted as section 5.1 wants, whatever their order here. More than 1 MiB fails
/// when it is written to the store (Errc::InvalidArgument there).
Bytes encode_node_descriptor(const NodeDescriptor& descriptor);
/// Errors: Errc::Corrupt.
[[nodiscard]] result<NodeDescriptor> decode_node_descriptor(ByteView bytes);

/// True when nothing differs that may not change within one lifecycle (section 5.3).
[[nodiscard]] bool same_immutable_fields(const NodeDescriptor& a, const NodeDescriptor& b);

}  // namespace shunt::store
