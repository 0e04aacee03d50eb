#pragma once
// The runtime's side of the Location Store (spec/stores.md section 19.2): leases, descriptors and
// authority rows as conditional batches over any provider.
//
// Every operation answers exactly once, never inside the call, on the store handle's shard, at the
// latest a provider's answer after `deadline`. Its result's error says what the store did, and
// every operation resolves its own unknown results first (section 13):
//
//     Transient      the deadline came first; certainly nothing was changed
//     Indeterminate  the deadline came first; nobody knows whether the change happened
//     Unavailable    the store does not serve; nothing was changed
//     Corrupt        a record breaks its format; nothing was changed
//
// None of them looks at the host's admission deadline: that is the caller's duty (section 7).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/assert.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "base/unique_function.hpp"
#include "protocol/authority_key.hpp"
#include "store/access.hpp"
#include "store/authority.hpp"
#include "store/counters.hpp"
#include "store/environment.hpp"
#include "store/lease.hpp"
#include "store/location_store.hpp"
#include "store/node_descriptor.hpp"
#include "store/owner_change.hpp"

namespace shunt::store {

// --- answers ----------------------------------------------------------------------------------

/// Somebody else holds a lease under this OwnerId.
struct LeaseTaken {};
/// The store shows another lease or none: this host no longer is who it was.
struct LeaseLost {};
/// Another version, owner or incarnation stands in the row, or none.
struct RowChanged {};

using ClaimAnswer = std::variant<LeaseHeld, LeaseTaken, GenerationExhausted>;
using RenewAnswer = std::variant<LeaseHeld, LeaseLost>;
enum class ReleaseAnswer : std::uint8_t { Released, Stale };

enum class PublishAnswer : std::uint8_t {
    Published,
    /// The stored revision is not older: a replay, nothing to do.
    Unchanged,
    /// A live owner stands in the way, or a field changed that may not.
    Rejected,
    LeaseLost,
};
enum class RemoveAnswer : std::uint8_t { Removed, NotOurs };

/// A descriptor whose owner's lease was just seen alive.
struct ListedNode {
    NodeDescriptor descriptor;
    TimePoint lease_valid_until;
};

/// The row is active and its owner alive.
struct ReadyRoute {
    Authority authority;
    TimePoint lease_valid_until;
};
struct RouteMissing {};
/// The row exists and its owner cannot be used: dead, or still creating.
struct OwnerUnusable {};
using RouteAnswer = std::variant<ReadyRoute, RouteMissing, OwnerUnusable>;

/// An object its owner creates on its own node, without a reservation.
struct NewObject {
    AuthorityObject object;
    CapacityOwner node;
    OwnerLease owner;
};
struct Created {
    Authority authority;
};
struct AlreadyExists {
    Authority authority;
};
using CreateAnswer = std::variant<Created, AlreadyExists, LeaseLost, GenerationExhausted>;

struct Preserved {
    Authority authority;
};
using PreserveAnswer = std::variant<Preserved, RowChanged, LeaseLost>;
enum class DeleteAnswer : std::uint8_t { Deleted, RowChanged, LeaseLost };

// --- the repository ---------------------------------------------------------------------------

/// One per shard. Must outlive its operations: destroy it when pending() is zero, or together with
/// a store handle that answers nothing any more.
class Repository {
  public:
    template <class T>
    using Done = UniqueFunction<void(result<T>)>;

    Repository(LocationStore& store, Environment& environment)
        : access_(store, environment), counters_(access_) {}
    Repository(const Repository&) = delete;
    Repository& operator=(const Repository&) = delete;

    /// Operations that have not answered yet.
    std::size_t pending() const noexcept { return pending_; }

    // --- leases (section 7) ---

    /// Takes the lease of `owner` in a generation issued for this claim.
    void claim_lease(OwnerId owner, LeaseTimings timings, TimePoint deadline,
                     Done<ClaimAnswer> done);
    /// Gives the lease a fresh life. Held is also the answer when an unknown renewal turns out to
    /// have happened.
    void renew_lease(OwnerLease lease, LeaseTimings timings, TimePoint deadline,
                     Done<RenewAnswer> done);
    void release_lease(OwnerLease lease, TimePoint deadline, Done<ReleaseAnswer> done);
    /// The lease of `owner`, or nothing when there is none that lives.
    void read_lease(OwnerId owner, TimePoint deadline, Done<std::optional<LeaseSeen>> done);

    // --- descriptors (section 8) ---

    /// Publishes under `descriptor.lease`, over nothing, over an older revision of this lifecycle,
    /// or over a descriptor whose owner is dead. `updated_at` is set to store time.
    void publish_descriptor(NodeDescriptor descriptor, TimePoint deadline,
                            Done<PublishAnswer> done);
    /// Removes the descriptor of this node life; another's stays.
    void remove_descriptor(CapacityOwner node, OwnerLease lease, TimePoint deadline,
                           Done<RemoveAnswer> done);
    /// Every descriptor of the mesh whose owner's lease lives, ordered by routing id; all or an
    /// error. Corrupt when any of them or of their leases is unreadable.
    void list_descriptors(std::string mesh_name, TimePoint deadline,
                          Done<std::vector<ListedNode>> done);

    // --- authority rows (sections 9, 10) ---
    // Changes of a row that is still a reservation are refused as if it had changed.

    void read_authority(protocol::AuthorityKey object, TimePoint deadline,
                        Done<std::optional<Authority>> done);
    /// Row and owner's lease together, as a route needs them.
    void resolve_owner(protocol::AuthorityKey object, TimePoint deadline, Done<RouteAnswer> done);
    /// Writes the row active at once and counts the capacity. For objects their own node creates;
    /// running a factory twice is excluded because the row must be missing.
    void create_active(NewObject object, TimePoint deadline, Done<CreateAnswer> done);
    /// Writes `next` over the version it carries. Owner, generations and capacity must be those of
    /// that version: progress, membership and state may differ.
    void preserve(Authority next, TimePoint deadline, Done<PreserveAnswer> done);
    /// Clears the relocation slot that the commit of `relocation` left in the row, if the owner is
    /// still `lease`. Preserved, without a write, when the slot is empty already: the answer of an
    /// earlier attempt was lost. RowChanged for another owner or another move's slot.
    void preserve_steady(protocol::AuthorityKey object, OwnerLease lease, RelocationId relocation,
                         TimePoint deadline, Done<PreserveAnswer> done);
    /// Deletes the row at the version `authority` carries and gives its capacity back.
    void delete_authority(Authority authority, TimePoint deadline, Done<DeleteAnswer> done);

    // --- one attempt of an owner change; the target machine decides about the next ---

    /// The commit of section 10.
    void cas_owner(OwnerMove move, TimePoint deadline, UniqueFunction<void(CasOwnerAnswer)> done);
    /// The re-read of section 13, as the prepared target understands it.
    void read_owner_as_target(OwnerMove move, TimePoint deadline,
                              UniqueFunction<void(OwnerSeen)> done);
    /// The same read as the source understands it after an unknown cutover.
    void read_owner_as_source(OwnerMove move, TimePoint deadline,
                              UniqueFunction<void(OwnerSeen)> done);

  private:
    struct ClaimCall;
    struct RenewCall;
    struct ReleaseCall;
    struct PublishCall;
    struct RemoveCall;
    struct ListCall;
    struct CreateCall;
    struct PreserveCall;
    struct DeleteCall;

    /// Counts the operation until its answer is given.
    template <class T>
    Done<T> counted(Done<T> done) {
        ++pending_;
        return [this, done = std::move(done)](result<T> answer) mutable {
            --pending_;
            done(std::move(answer));
        };
    }

    void write_claim(std::shared_ptr<ClaimCall> call);
    void look_at_claim(std::shared_ptr<ClaimCall> call);
    void read_renewal(std::shared_ptr<RenewCall> call);
    void write_renewal(std::shared_ptr<RenewCall> call);
    void release(std::shared_ptr<ReleaseCall> call);
    void look_at_published(std::shared_ptr<PublishCall> call);
    void judge_published(std::shared_ptr<PublishCall> call, const Found& stored);
    void publish_over(std::shared_ptr<PublishCall> call, Condition stored, UnixMillis store_now);
    void remove(std::shared_ptr<RemoveCall> call);
    void check_next_lease(std::shared_ptr<ListCall> call, std::size_t index);
    void write_created(std::shared_ptr<CreateCall> call);
    void look_at_created(std::shared_ptr<CreateCall> call);
    void write_preserved(std::shared_ptr<PreserveCall> call);
    void delete_row(std::shared_ptr<DeleteCall> call);

    /// After a Conflict on `Value(lease)`: whether the lease still stands as this host holds it.
    void check_own_lease(OwnerLease lease, TimePoint deadline, Done<bool> done);

    Access access_;
    Counters counters_;
    std::size_t pending_ = 0;
};

}  // namespace shunt::store
