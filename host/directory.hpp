#pragma once
// What this host knows of the Location Store: its own lease and descriptor, the other nodes, where
// an Actor is, and the row changes of a move (spec/stores.md sections 7 to 10). Keeps the mesh
// dialed to the nodes it discovers.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/actor_cell.hpp"
#include "host/mesh.hpp"
#include "host/move_store.hpp"
#include "host/services.hpp"
#include "store/environment.hpp"
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

class DirectoryEvents {
  public:
    virtual ~DirectoryEvents() = default;
    /// The list of nodes was read again.
    virtual void on_nodes_changed() = 0;
    /// Work may be admitted until then (spec/stores.md section 7).
    virtual void on_admission_deadline(TimePoint deadline) = 0;
    /// Another process holds this host's lease, or its generation is over.
    virtual void on_lease_lost() = 0;
};

class Directory final : public Locator, public MoveStore {
  public:
    using Done = UniqueFunction<void(std::error_code)>;

    Directory(Services& services, NodeIdentity& self, const Registry& registry,
              store::LocationStore& store, Mesh& mesh, DirectoryEvents& events);
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;
    ~Directory() override;

    /// Claims the lease and fills in self.lease_generation.
    void claim(Done done);
    /// Publishes the descriptor in `state`, to the store and to admitted peers.
    void publish(store::NodeState state, Done done);
    void start_polling();
    /// Descriptor first, then the lease (seed host section 14). Later calls do nothing.
    void release(Done done);
    /// Nothing asked of the store is unanswered.
    bool idle() const noexcept { return repository_.pending() == 0; }

    /// Nodes whose lease lives, this one included, by routing id; as of the last complete read.
    const std::vector<store::ListedNode>& nodes() const noexcept { return nodes_; }
    bool may_admit() const noexcept { return services_.world.now() < admission_deadline_; }

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
    /// The World under the name the store knows it by.
    class WorldEnvironment final : public store::Environment {
      public:
        explicit WorldEnvironment(World& world) : world_(world) {}
        TimePoint now() const noexcept override { return world_.now(); }
        void arm(TimePoint deadline, UniqueFunction<void()> fn) override {
            world_.arm(deadline, std::move(fn));
        }
        std::uint64_t random() noexcept override { return world_.random(); }

      private:
        World& world_;
    };

    TimePoint operation_deadline() const noexcept;
    store::LeaseTimings timings() const;
    store::OwnerLease lease() const { return {self_.owner_id, self_.lease_generation}; }
    store::CapacityOwner node() const { return {self_.mesh_name, self_.rid, self_.generation}; }
    store::NodeDescriptor descriptor(store::NodeState state) const;
    protocol::RouteMeshAdmission admission(store::NodeState state) const;
    void held(const store::LeaseHeld& lease);
    void schedule_renewal(TimePoint started);
    void renew();
    void poll();
    void dial_discovered();
    store::AuthorityObject actor_object(const ActorId& actor, const std::string& stable_type) const;

    Services& services_;
    NodeIdentity& self_;
    const Registry& registry_;
    WorldEnvironment environment_;
    store::Repository repository_;
    Mesh& mesh_;
    DirectoryEvents& events_;
    std::uint64_t revision_ = 0;
    TimePoint admission_deadline_{};
    std::vector<store::ListedNode> nodes_;
    std::map<std::pair<NodeRid, NodeGeneration>, DialId> dials_;
    TimerId poll_timer_;
    TimerId renew_timer_;
    bool released_ = false;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace shunt::host
