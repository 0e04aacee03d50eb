#pragma once
// What one shard of a host holds: the Actors at home on it, the messages to them and the moves that
// take them away or bring them. Host-wide things are on shard 0 (host/host_core.*).

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/cell_table.hpp"
#include "host/courier.hpp"
#include "host/follow.hpp"
#include "host/ingress.hpp"
#include "host/mesh_port.hpp"
#include "host/pending_requests.hpp"
#include "host/reply_router.hpp"
#include "host/room.hpp"
#include "host/router.hpp"
#include "host/rows.hpp"
#include "host/scheduler.hpp"
#include "host/source_moves.hpp"
#include "host/target_moves.hpp"

namespace shunt::host {

/// Host-wide things a shard uses. They outlive it; permits, probe, log, crew and desk may be used
/// by any shard, the hub is spoken to as MeshPort does.
struct ShardContext {
    Crew& crew;
    const HostOptions& options;
    const NodeIdentity& self;
    JobPermits& permits;
    Probe& probe;
    LogSink& log;
    RoomDesk& desk;
    MeshHub& hub;
    const Registry& registry;
};

/// What Relocate asks of a shard before it moves anything.
struct Inventory {
    std::size_t actors = 0;
    /// An Actor of a type that may not be moved is here.
    bool disabled = false;
    /// Creations and moves in that have not ended.
    std::size_t unfinished = 0;
    std::map<std::string, RelocationPolicy> types;
};

/// What a shard adds to HostStatus.
struct ShardCounts {
    std::uint64_t actors = 0;
    std::uint64_t moves_out = 0;
    std::uint64_t moves_in = 0;
    std::uint64_t pending_requests = 0;
    std::uint64_t unacknowledged_replies = 0;
    bool safe_to_shutdown = true;
};

/// Built anywhere; from open() on everything is for its own shard, and it must be destroyed there.
class ShardCore {
  public:
    ShardCore(ShardId shard, const ShardContext& context, store::LocationStore& store);
    ShardCore(const ShardCore&) = delete;
    ShardCore& operator=(const ShardCore&) = delete;
    ~ShardCore();

    /// From here Actors may be created.
    void open();

    Router& router() noexcept { return router_; }
    RoomPort& room() noexcept { return room_; }

    // --- what callers ask -------------------------------------------------------------------
    void create_actor(ActorId id, const std::string& stable_type,
                      UniqueFunction<void(result<void>)> done);
    bool has_actor(const ActorId& id) const { return cells_.find(id) != nullptr; }
    ShardCounts counts() const;

    // --- news from the hub and the desk -----------------------------------------------------
    void on_peer_ready(const Peer& peer, const PeerRoom& room);
    void on_peer_lost(const Peer& peer);
    void on_peer_updated(const Peer& peer);
    void on_arrival(const Arrival& arrival) { dispatch(arrival, JobPermit()); }
    /// A record that shard 0 received, with the permit it was accepted under, if it needs one.
    void on_foreign(LinkId link, const protocol::InRecord& record, JobPermit permit);
    void on_relay_ack(const protocol::ReplyRelayAck& ack) { replies_.on_relay_ack(ack); }
    void on_submitted(SubmitToken token, protocol::SubmitResult result) {
        sources_.on_submitted(token, result);
    }
    void on_link_writable(LinkId link) { router_.on_link_writable(link); }
    void on_taken(LinkId link, std::uint64_t charge);
    void admit_until(TimePoint deadline);
    /// The host holds its lease no more: nothing is created and nothing taken in from here.
    void stop_admitting();
    void permit_returned();

    // --- Relocate (host/relocate.cpp) -------------------------------------------------------
    Inventory inventory() const;
    /// Takes in nothing new from here, unless something is unfinished: then false, and nothing
    /// changes.
    bool try_seal();
    void unseal();
    using Concluded = UniqueFunction<void(relocation::SourceOutcome, protocol::FrameworkErrorCode)>;
    /// Moves every Actor to one of `targets`, drawn by weight. `concluded` answers a fresh callback
    /// per unit, which runs on this shard. Returns how many units that are.
    std::size_t start_units(const std::vector<MoveTarget>& targets, TimePoint deadline,
                            const std::function<Concluded()>& concluded);
    void abort_unstarted(protocol::FrameworkErrorCode code) { sources_.abort_unstarted(code); }

    // --- Shutdown (host/shutdown.cpp) -------------------------------------------------------
    /// Refuses new payload; accepted turns go on. `had_relocated`: routes and copies go at once.
    void seal_admission(bool had_relocated);
    /// No turn, move in, creation or unacknowledged reply is left.
    bool drained() const;
    /// Ends everything; `done` runs on this shard when the rows are removed.
    void dispose(UniqueFunction<void(std::error_code)> done);
    bool store_idle() const { return rows_.idle(); }

  private:
    /// Coroutines of this shard continue in a later step of it.
    class ShardResumer final : public Resumer {
      public:
        explicit ShardResumer(ShardWorld& world) : world_(world) {}
        ~ShardResumer() override { *alive_ = false; }
        void post(std::coroutine_handle<> coroutine) override;

      private:
        ShardWorld& world_;
        std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    };

    void dispatch(const Arrival& arrival, JobPermit permit);
    void opened(const ActorId& id, const ActorDefinition& definition,
                const ActorCell::Ownership& ownership, UniqueFunction<void(result<void>)> done);

    ShardContext context_;
    ShardWorld& world_;
    Scheduler scheduler_;
    ShardResumer resumer_;
    Courier courier_;
    Services services_;
    MeshPort port_;
    RoomPort room_;
    PendingRequests pending_;
    ReplyRouter replies_;
    Follow follow_;
    Rows rows_;
    CellTable cells_;
    Router router_;
    Ingress ingress_;
    SourceMoves sources_;
    TargetMoves targets_;
    bool admits_creations_ = false;
    std::size_t creating_ = 0;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace shunt::host
