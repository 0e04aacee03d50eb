#include "store/owner_change.hpp"

#include <utility>

#include "base/assert.hpp"
#include "store/decimal.hpp"
#include "store/keys.hpp"

namespace shunt::store {
namespace {

/// Of a single-row unit; only lists of participants count further (spec/stores.md section 12).
constexpr std::uint64_t kSingleRowAggregate = 1;
constexpr std::size_t kSlotVersionBytesMax = 255;

/// The same host on the same node life.
bool owns(const NodeFence& fence, const Authority& row) {
    return row.fence() == fence;
}

}  // namespace

Authority row_after(const OwnerMove& move) {
    Authority row = move.before;
    RelocationSlot slot;
    slot.relocation = move.relocation;
    slot.aggregate_generation = kSingleRowAggregate;
    slot.target_attempt_generation = move.target_attempt_generation.value;
    set_source(slot, move.before.fence());
    set_target(slot, move.target());
    set_coordinator(slot, move.coordinator);
    // A provider's longer version has no room here; the batch itself is what fences by it.
    if (move.before.version.size() <= kSlotVersionBytesMax) {
        slot.coordinator_expected_store_version = move.before.version;
    }
    slot.phase = protocol::RelocationPhase::Committed;
    slot.application_version = move.application_version;

    row.operation_kind = protocol::AuthorityOperationKind::MaintenanceRelocation;
    row.relocation = std::move(slot);
    row.owner_generation.value += 1;  // design.md decision 15
    row.owner = move.target_owner;
    row.node = move.target_node;
    row.version.clear();
    if (auto* actor = std::get_if<ActorAuthority>(&row.object)) {
        if (move.membership) {
            actor->current_spot = move.membership->spot;
            actor->current_spot_kind = move.membership->kind;
        }
        return row;
    }
    // A Spot stays Relocating until the steady write.
    auto& spot = std::get<SpotAuthority>(row.object);
    if (auto* user = std::get_if<UserSpotAuthority>(&spot)) {
        user->state = protocol::EntryUserSpotAuthorityState::Relocating;
    } else if (auto* instance = std::get_if<InstanceSpotAuthority>(&spot)) {
        instance->authority_state = protocol::InstanceAuthorityState::Relocating;
    }
    return row;
}

Batch owner_change_batch(const OwnerMove& move) {
    SHUNT_ASSERT(!move.before.version.empty());
    SHUNT_ASSERT(!move.before.pending_creation);
    SHUNT_ASSERT(move.before.owner_generation.value < kIssuedMax);
    const Authority after = row_after(move);
    const Key row_key = authority_key(key_of(move.before.object));
    Batch batch;
    batch.conditions = {
        IfVersion{row_key, move.before.version},
        IfValue{owner_lease_key(move.target_owner.owner_id), encode_owner_lease(move.target_owner)},
    };
    batch.mutations = {Put{row_key, encode_authority(after), {}}};
    // Two Adds on one key are not allowed, and on one node life they would cancel out.
    if (move.before.node != move.target_node) {
        for (Mutation& add : capacity_adds(move.before, -1)) {
            batch.mutations.push_back(std::move(add));
        }
        for (Mutation& add : capacity_adds(after, 1)) batch.mutations.push_back(std::move(add));
    }
    return batch;
}

OwnerSeen seen_by_target(const OwnerMove& move, const std::optional<Authority>& row) {
    if (!row || row->object_generation != move.before.object_generation) return OwnerSeen::Other;
    if (row->version == move.before.version) return OwnerSeen::Source;
    if (!owns(move.target(), *row)) return OwnerSeen::Other;
    if (!row->relocation) {
        // Steady again: ours when the generation shows that an owner change lies between.
        return row->owner_generation > move.before.owner_generation ? OwnerSeen::Target
                                                                    : OwnerSeen::Other;
    }
    const bool this_attempt =
        row->relocation->relocation == move.relocation &&
        row->relocation->target_attempt_generation == move.target_attempt_generation.value;
    return this_attempt ? OwnerSeen::Target : OwnerSeen::Other;
}

OwnerSeen seen_by_source(const OwnerMove& move, const std::optional<Authority>& row) {
    if (!row || row->object_generation != move.before.object_generation) return OwnerSeen::Other;
    // An object that moved on and came home again is a later ownership of the same node.
    const bool unmoved = row->owner_generation == move.before.owner_generation;
    if (unmoved && owns(move.before.fence(), *row)) return OwnerSeen::Source;
    const bool moved =
        owns(move.target(), *row) && row->owner_generation > move.before.owner_generation;
    return moved ? OwnerSeen::Target : OwnerSeen::Other;
}

}  // namespace shunt::store
