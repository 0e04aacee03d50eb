#pragma once
// The one write that moves an object (spec/stores.md section 10), and what a later read of the row
// says about it (section 13). Computed here; Repository performs it.

#include <cstdint>
#include <optional>

#include "base/ids.hpp"
#include "protocol/enums.hpp"
#include "protocol/shared.hpp"
#include "store/authority.hpp"

namespace shunt::store {

/// Which Spot an Actor belongs to.
struct Membership {
    protocol::SpotRef spot;
    protocol::ActorSpotKind kind = protocol::ActorSpotKind::Entry;
    bool operator==(const Membership&) const = default;
};

/// A move of a single-row unit as its commit needs it. `before.version` is V of command 40.
struct OwnerMove {
    /// The row as it stood before the move, owned by the source.
    Authority before;
    RelocationId relocation;
    TargetAttemptGeneration target_attempt_generation;
    /// The initiating source owner, usually the owner in `before`.
    NodeFence coordinator;
    OwnerLease target_owner;
    CapacityOwner target_node;
    /// The Actor's Spot after the move, when it changes.
    std::optional<Membership> membership;
    std::uint64_t application_version = 0;

    NodeFence target() const {
        return {target_node.rid, target_node.lifecycle_generation, target_owner};
    }
};

/// R': the row after the commit.
Authority row_after(const OwnerMove& move);
/// Conditions K and mutations M. The row must be active and its generation not exhausted.
Batch owner_change_batch(const OwnerMove& move);

/// Answer to one attempt. The words are the target machine's.
enum class CasOwnerAnswer : std::uint8_t {
    Applied,
    Conflict,
    /// Certainly not applied: try again within the validity.
    Transient,
    /// Unknown: read before trying again.
    Indeterminate,
    /// Certainly not applied, and trying again cannot help: a count of capacity or a stored record
    /// breaks its format, or the owner generation is exhausted.
    Corrupt,
};

enum class OwnerSeen : std::uint8_t { Source, Target, Other, Unreadable };

/// Target: this move is committed. Source: the row is as before, so the same batch may be sent
/// again. Other: stale, the move is over.
OwnerSeen seen_by_target(const OwnerMove& move, const std::optional<Authority>& row);
/// Target: the target named in the move owns the same incarnation. Source: the source still does,
/// whatever the version. Other: anything else, an object that has come back included.
OwnerSeen seen_by_source(const OwnerMove& move, const std::optional<Authority>& row);

}  // namespace shunt::store
