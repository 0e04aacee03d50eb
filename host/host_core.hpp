#pragma once
// One host on one shard: puts the parts together and hands news from one to the other. Runs on the
// engine and in the simulator alike; host.hpp is the face applications see.

#include <memory>
#include <string>

#include "host/actor_cell.hpp"
#include "host/cell_table.hpp"
#include "host/directory.hpp"
#include "host/follow.hpp"
#include "host/ingress.hpp"
#include "host/lifecycle.hpp"
#include "host/mesh.hpp"
#include "host/pending_requests.hpp"
#include "host/reply_router.hpp"
#include "host/router.hpp"
#include "host/scheduler.hpp"
#include "host/source_moves.hpp"
#include "host/target_moves.hpp"

namespace shunt::host {

class HostCore final : private MeshEvents, private DirectoryEvents {
  public:
    /// World, store, registry and probe outlive this. `options` must be valid. Destroy it only
    /// after shutdown() has answered, or together with a World that calls nothing back any more.
    HostCore(World& world, store::LocationStore& store, const Registry& registry,
             HostOptions options, Probe& probe, LogSink log);
    HostCore(const HostCore&) = delete;
    HostCore& operator=(const HostCore&) = delete;
    ~HostCore() override;

    /// Listener, lease, descriptor, discovery; Serving when `done` gets no error.
    void start(UniqueFunction<void(std::error_code)> done);

    /// A new Actor in this node's Entry Spot. AlreadyExists, NotFound (unknown type), Unavailable.
    void create_actor(ActorId id, const std::string& stable_type,
                      UniqueFunction<void(result<void>)> done);
    void send(ActorId target, Packet packet, Outbound::Admitted admitted);
    void request(ActorId target, Packet packet, std::chrono::milliseconds timeout,
                 Outbound::Answered answered);
    void relocate(const RelocateOptions& options, Lifecycle::Relocated done) {
        lifecycle_.relocate(options, std::move(done));
    }
    void shutdown(std::chrono::milliseconds deadline, Lifecycle::Terminated done) {
        lifecycle_.shutdown(deadline, std::move(done));
    }

    HostStatus status() const;
    const NodeIdentity& identity() const noexcept { return self_; }
    bool has_actor(const ActorId& id) const;
    World& world() noexcept { return world_; }

  private:
    /// Coroutines of this shard continue in a later step of it.
    class ShardResumer final : public Resumer {
      public:
        explicit ShardResumer(World& world) : world_(world) {}
        ~ShardResumer() override { *alive_ = false; }
        void post(std::coroutine_handle<> coroutine) override;

      private:
        World& world_;
        std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    };

    void on_peer_ready(const Peer& peer) override;
    void on_peer_lost(const Peer& peer) override;
    void on_peer_updated(const Peer& peer) override;
    void on_arrival(const Arrival& arrival) override;
    void on_link_submitted(LinkId link, SubmitToken token, protocol::SubmitResult result) override;
    void on_link_writable(LinkId link) override;
    std::optional<ExpectedPeer> expected_peer(const NodeRid& rid) const override;
    void on_nodes_changed() override;
    void on_admission_deadline(TimePoint deadline) override;
    void on_lease_lost() override;

    void opened(const ActorId& id, const ActorDefinition& definition,
                const ActorCell::Ownership& ownership, UniqueFunction<void(result<void>)> done);

    World& world_;
    const Registry& registry_;
    HostOptions options_;
    NodeIdentity self_;
    LogSink log_;
    Probe& probe_;
    Scheduler scheduler_;
    JobPermits permits_;
    ShardResumer resumer_;
    Services services_;
    Mesh mesh_;
    PendingRequests pending_;
    ReplyRouter replies_;
    Follow follow_;
    Directory directory_;
    CellTable cells_;
    Router router_;
    Ingress ingress_;
    SourceMoves sources_;
    TargetMoves targets_;
    Lifecycle lifecycle_;
};

}  // namespace shunt::host
