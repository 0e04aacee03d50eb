#pragma once
// An authority row and its payload as one value (spec/stores.md sections 5.4, 5.5 and 10), and the
// changes the runtime makes to it. All of it is computed; nothing here touches a store.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "protocol/authority_key.hpp"
#include "protocol/enums.hpp"
#include "store/authority_payload.hpp"
#include "store/authority_row.hpp"
#include "store/location_store.hpp"

namespace shunt::store {

/// Who owns an object, at one version of its row. The owner and the node stand here once; row and
/// payload, which both name them, are made from it.
struct Authority {
    AuthorityObject object;
    ObjectGeneration object_generation;
    AuthorityOwnerGeneration owner_generation;
    OwnerLease owner;
    CapacityOwner node;
    protocol::AuthorityOperationKind operation_kind = protocol::AuthorityOperationKind::Steady;
    /// Present exactly with MaintenanceRelocation.
    std::optional<RelocationSlot> relocation;
    std::optional<ActivationRecovery> activation_recovery;
    /// Present exactly while the row is only a reservation.
    std::optional<PendingCreation> pending_creation;
    /// As read or written; empty for a row that is yet to be written.
    Version version;
    bool operator==(const Authority&) const = default;

    NodeFence fence() const { return {node.rid, node.lifecycle_generation, owner}; }
};

/// The kind and stable type that capacity and capabilities know the object by. An Entry Spot has
/// neither: it has no row (section 5.5).
protocol::StatefulObjectKind object_kind_of(const AuthorityObject& object);
const std::string& stable_type_of(const AuthorityObject& object);

/// The value to write; `version` is not part of it.
Bytes encode_authority(const Authority& authority);
/// Errors: Errc::Corrupt for a bad row, a bad payload, or two that contradict each other or name
/// another object than `object`.
[[nodiscard]] result<Authority> decode_authority(const protocol::AuthorityKey& object,
                                                 const Found& found);

/// What the object takes on its node, times `sign` (1 or -1).
std::vector<Mutation> capacity_adds(const Authority& authority, std::int64_t sign);

/// The row after the move is over: no slot, object state ready (sections 10 and 12).
Authority steadied(Authority authority);

}  // namespace shunt::store
