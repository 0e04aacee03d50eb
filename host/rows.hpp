#pragma once
// The rows of the Location Store that one shard's Actors need: creating and deleting them, finding
// their owner, and the changes of a move (spec/stores.md sections 8 to 10).

#include <memory>
#include <string>

#include "host/actor_cell.hpp"
#include "host/move_store.hpp"
#include "host/services.hpp"
#include "host/store_environment.hpp"
#include "store/repository.hpp"

namespace shunt::host {

/// The owner the store names for one Actor, with everything that fences it.
struct Located {
    protocol::ActorRouteFence fence;
    /// How long the owner's lease lets a reader believe this, on the local clock.
    TimePoint valid_until;
};

class Locator {
  public:
    virtual ~Locator() = default;
    using Found = UniqueFunction<void(result<Located>)>;
    /// NotFound when no row exists; Unavailable when its owner cannot be used or the store fails.
    virtual void locate(const ActorId& actor, Found done) = 0;
};

class Rows final : public Locator, public MoveStore {
  public:
    using Done = UniqueFunction<void(std::error_code)>;

    Rows(Services& services, store::LocationStore& store);
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;
    ~Rows() override;

    /// Rows may be created until then (spec/stores.md section 7).
    void admit_until(TimePoint deadline) noexcept { admitted_until_ = deadline; }
    /// The host leaves: nothing is tried again in the background.
    void stop() noexcept { stopped_ = true; }
    /// Nothing asked of the store is unanswered.
    bool idle() const noexcept { return repository_.pending() == 0; }

    using CreatedDone = UniqueFunction<void(result<ActorCell::Ownership>)>;
    /// Writes the row of a new Actor of this node's Entry Spot.
    void create(const ActorId& actor, const std::string& stable_type, CreatedDone done);
    /// Deletes the row of an Actor that ends here, if this host still owns it.
    void remove(const ActorId& actor, Done done);

    // --- Locator, MoveStore -----------------------------------------------------------------
    void locate(const ActorId& actor, Found done) override;
    void check(const MoveFence& fence, Checked done) override;
    void commit(RowMove move, Committed done) override;
    void look_as_target(RowMove move, Seen done) override;
    void look_as_source(const MoveFence& fence, const std::string& stable_type, Seen done) override;
    void settle(RowMove move, Settled done) override;

  private:
    bool may_admit() const noexcept { return services_.world.now() < admitted_until_; }
    TimePoint operation_deadline() const noexcept;
    store::OwnerLease lease() const {
        return {services_.self.owner_id, services_.self.lease_generation};
    }
    store::CapacityOwner node() const {
        return {services_.self.mesh_name, services_.self.rid, services_.self.generation};
    }
    store::AuthorityObject actor_object(const ActorId& actor, const std::string& stable_type) const;

    Services& services_;
    StoreEnvironment environment_;
    store::Repository repository_;
    TimePoint admitted_until_{};
    bool stopped_ = false;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace shunt::host
