#pragma once
// One host: its shards, and what is host-wide on shard 0. Runs on the engine and in the simulator
// alike; host.hpp is the face applications see.

#include <memory>
#include <string>
#include <vector>

#include "host/crew.hpp"
#include "host/directory.hpp"
#include "host/lifecycle.hpp"
#include "host/mesh_hub.hpp"
#include "host/room.hpp"
#include "host/shard_core.hpp"

namespace shunt::host {

/// A further shard of a host, beside shard 0: its World and its handle on the store.
struct FurtherShard {
    ShardWorld* world;
    store::LocationStore* store;
};

class HostCore final : private DirectoryEvents, private MeshHubEvents {
  public:
    /// Worlds, stores, registry and probe outlive this. `options` must be valid. Probe and log are
    /// called by every shard, possibly at once. Build it before any of its shards runs, or on
    /// shard 0; destroy it only after shutdown() has answered and the other shards have ended, or
    /// together with Worlds that call nothing back any more.
    HostCore(World& world, store::LocationStore& store, const std::vector<FurtherShard>& further,
             const Registry& registry, HostOptions options, Probe& probe, LogSink log);
    HostCore(const HostCore&) = delete;
    HostCore& operator=(const HostCore&) = delete;
    ~HostCore() override;

    // --- on shard 0 -------------------------------------------------------------------------
    /// Listener, lease, descriptor, discovery; Serving when `done` gets no error.
    void start(UniqueFunction<void(std::error_code)> done);
    void relocate(const RelocateOptions& options, Lifecycle::Relocated done) {
        lifecycle_.relocate(options, std::move(done));
    }
    void shutdown(std::chrono::milliseconds deadline, Lifecycle::Terminated done) {
        lifecycle_.shutdown(deadline, std::move(done));
    }
    /// Asks every shard; `done` runs on shard 0.
    void ask_status(UniqueFunction<void(HostStatus)> done);

    // --- any thread -------------------------------------------------------------------------
    /// A new Actor in this node's Entry Spot. AlreadyExists, NotFound (unknown type), Unavailable.
    /// Callbacks of all three run on the shard the Actor is at home on.
    void create_actor(ActorId id, std::string stable_type, UniqueFunction<void(result<void>)> done);
    void send(ActorId target, Packet packet, Outbound::Admitted admitted);
    void request(ActorId target, Packet packet, std::chrono::milliseconds timeout,
                 Outbound::Answered answered);
    /// Settled when start() has answered.
    const NodeIdentity& identity() const noexcept { return self_; }

    // --- where one thread runs all shards, as in the simulator ------------------------------
    HostStatus status() const;
    bool has_actor(const ActorId& id) const;

  private:
    void on_peers_changed() override { lifecycle_.poke(); }
    std::optional<ExpectedPeer> expected_peer(const NodeRid& rid) const override;
    void on_nodes_changed() override;
    void on_admission_deadline(TimePoint deadline) override;
    void on_lease_lost() override;

    void published(std::error_code error, UniqueFunction<void(std::error_code)> done);
    void apply_pressure();
    HostStatus status_of(const std::vector<ShardCounts>& shards) const;
    void close_shards(UniqueFunction<void()> done);

    World& world_;
    HostOptions options_;
    NodeIdentity self_;
    LogSink log_;
    Probe& probe_;
    Crew crew_;
    JobPermits permits_;
    bool receiving_ = true;
    RoomDesk desk_;
    HostServices services_;
    MeshHub hub_;
    Directory directory_;
    std::vector<std::unique_ptr<ShardCore>> shards_;
    /// What the shards counted when they closed.
    std::vector<ShardCounts> closed_counts_;
    Lifecycle lifecycle_;
};

}  // namespace shunt::host
