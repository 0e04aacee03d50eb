#pragma once
// What this host is in the Location Store: its own lease and descriptor, and the other nodes
// (spec/stores.md sections 7 to 9). Keeps the mesh dialed to the nodes it discovers.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/actor.hpp"
#include "host/mesh.hpp"
#include "host/services.hpp"
#include "host/store_environment.hpp"
#include "store/repository.hpp"

namespace shunt::host {

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

class Directory {
  public:
    using Done = UniqueFunction<void(std::error_code)>;

    Directory(HostServices& services, NodeIdentity& self, const Registry& registry,
              store::LocationStore& store, Mesh& mesh, DirectoryEvents& events);
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;
    ~Directory();

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

  private:
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

    HostServices& services_;
    NodeIdentity& self_;
    const Registry& registry_;
    StoreEnvironment environment_;
    store::Repository repository_;
    Mesh& mesh_;
    DirectoryEvents& events_;
    std::uint64_t revision_ = 0;
    std::vector<store::ListedNode> nodes_;
    std::map<std::pair<NodeRid, NodeGeneration>, DialId> dials_;
    TimerId poll_timer_;
    TimerId renew_timer_;
    bool released_ = false;
};

}  // namespace shunt::host
