#pragma once
// One Actor on this host: its instance, its queue, its timers and the one turn that may be open
// (spec/execution.md section 2). Knows how to stop and to hold; when to do so is the relocation
// drivers' business.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "host/actor.hpp"
#include "host/job.hpp"
#include "host/services.hpp"
#include "host/timer_cursor.hpp"

namespace shunt::host {

/// A registered timer with its cursor (spec/wire.md section 7).
struct ActorTimer {
    TimerOptions options;
    TimerCursor cursor;
    std::uint64_t generation = 0;
    std::uint64_t last_delivery_index = 0;
    std::uint64_t last_scheduled_index = 0;
    TimerId armed;
};

class ActorCell : public std::enable_shared_from_this<ActorCell> {
  public:
    enum class Mode : std::uint8_t {
        Serving,  // Runs turns; arrivals queue.
        Pausing,  // As Serving until the current turn ends, then the driver seals.
        Sealed,   // No new turn; arrivals go to the ingress hold (seed unit section 4.2).
        Staged,   // Restored on a target, not open yet.
        Ended,    // Moved away or shut down: nothing runs here again.
    };

    /// What fences this Actor's ownership.
    struct Ownership {
        ObjectGeneration object_generation;
        AuthorityOwnerGeneration owner_generation;
        OwnerLeaseGeneration lease_generation;
        /// Version of the authority row as last seen here.
        std::string store_version;
    };

    ActorCell(Services& services, const ActorDefinition& definition, ActorId id,
              Ownership ownership, std::shared_ptr<void> instance, Mode mode);
    ActorCell(const ActorCell&) = delete;
    ActorCell& operator=(const ActorCell&) = delete;

    const ActorId& id() const noexcept { return id_; }
    const ActorDefinition& definition() const noexcept { return definition_; }
    const void* instance() const noexcept { return instance_.get(); }
    Mode mode() const noexcept { return mode_; }
    Services& services() noexcept { return services_; }
    protocol::ActorRef ref() const { return {id_, ownership_.object_generation}; }
    const Ownership& ownership() const noexcept { return ownership_; }
    void set_store_version(std::string version) { ownership_.store_version = std::move(version); }
    bool turn_open() const noexcept { return turn_ != nullptr; }

    // --- work -------------------------------------------------------------------------------
    /// Queues a job behind all earlier ones with a permit, or holds it while sealed. A job behind a
    /// backlog gets its permit when it becomes runnable (spec/execution.md section 3.1).
    void deliver(JobPtr job);
    /// Scheduler only: starts the next turn if one may start.
    void run_next();

    // --- moving away (driven by SourceDriver) -----------------------------------------------
    /// `sealed` runs when the current turn has ended; answers true when none is open, and then does
    /// not call it. Either way the caller seals.
    bool pause(UniqueFunction<void()> on_turn_end);
    /// Back to Serving; nothing was sealed.
    void cancel_pause();
    /// The admission seal: arrivals are held from here, timers stop.
    void seal();
    /// Jobs accepted before the seal, in order; they keep their permits.
    const std::deque<JobPtr>& queue() const noexcept { return queue_; }
    /// How many of them hold a permit.
    std::size_t permitted_jobs() const noexcept { return queue_.size() - unpermitted_; }
    const std::deque<JobPtr>& hold() const noexcept { return hold_; }
    /// Empties the hold into the caller's hands.
    std::deque<JobPtr> take_hold() { return std::exchange(hold_, {}); }
    /// Permits of the captured jobs come back; the jobs stay for nobody.
    void release_queue() { queue_.clear(); }
    /// Queue first, hold behind it, timers armed again: Serving as before the seal.
    void unseal();
    void end();
    /// No tick starts from here (shutdown); work in the queue goes on.
    void stop_timers() { disarm_timers(); }
    bool idle() const noexcept { return turn_ == nullptr && queue_.empty(); }

    // --- arriving (driven by TargetDriver) --------------------------------------------------
    /// Puts restored or relayed work behind what is staged already; holds no permit.
    void stage(JobPtr job) { queue_.push_back(std::move(job)); }
    /// Gives the timer a generation of this cell; ticks staged for it must carry that one.
    void stage_timer(ActorTimer timer);
    /// Starts serving under the ownership the store confirmed.
    void open(Ownership ownership);

    // --- timers -----------------------------------------------------------------------------
    result<void> start_timer(const TimerOptions& options);
    void stop_timer(const std::string& name);
    const std::map<std::string, ActorTimer, std::less<>>& timers() const noexcept {
        return timers_;
    }

  private:
    friend class TurnState;

    /// A brand-new Actor's first turn has no form on the wire, so it runs before any move.
    bool creation_waits() const noexcept;
    void start_turn(JobPtr job);
    void invoke(const std::shared_ptr<TurnState>& turn);
    void turn_ended();
    void schedule();
    void arm(ActorTimer& timer);
    void disarm_timers();
    void timer_due(const std::string& name, std::uint64_t generation);
    /// The tick of this timer that waits in the queue, if any.
    TickJob* find_tick(const ActorTimer& timer) const;
    void enqueue_tick(ActorTimer& timer, const DueTick& due);
    /// Settles the indices of a starting tick; nullopt when its timer is gone or newer.
    std::optional<Tick> begin_tick(const TickJob& job);
    void end_tick(const TickJob& job, bool failed);

    Services& services_;
    const ActorDefinition& definition_;
    ActorId id_;
    Ownership ownership_;
    std::shared_ptr<void> instance_;
    Mode mode_;
    bool scheduled_ = false;
    std::deque<JobPtr> queue_;
    std::deque<JobPtr> hold_;
    std::size_t unpermitted_ = 0;  // Jobs in queue_ without a permit: a backlog is draining.
    std::shared_ptr<TurnState> turn_;
    UniqueFunction<void()> on_turn_end_;
    std::map<std::string, ActorTimer, std::less<>> timers_;
    std::uint64_t timer_generations_ = 0;
};

}  // namespace shunt::host
