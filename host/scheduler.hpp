#pragma once
// Which Actors may run next on this shard: a FIFO of cells with work, drained in bounded batches so
// that links, timers and relocation get their turn in between (spec/execution.md section 2.1).

#include <cstddef>
#include <deque>
#include <memory>

#include "host/job_permits.hpp"
#include "host/world.hpp"

namespace shunt::host {

class ActorCell;

class Scheduler {
  public:
    Scheduler(ShardId shard, ShardWorld& world, JobPermits& permits)
        : shard_(shard), world_(world), permits_(permits), alive_(std::make_shared<bool>(true)) {}
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;
    ~Scheduler() { *alive_ = false; }

    /// The cell has a runnable job; it is run once per call, in call order.
    void make_ready(std::shared_ptr<ActorCell> cell);
    /// The cell's next job is backlog and no permit is free: it becomes ready when one returns.
    void wait_for_permit(std::shared_ptr<ActorCell> cell);
    void permit_returned();
    /// No turn starts past `deadline`, which a renewed lease moves on (spec/stores.md section 7).
    void admit_until(TimePoint deadline);

  private:
    /// Turns per drain; about the batch of spec/execution.md section 2.2.
    static constexpr std::size_t kBatch = 64;

    void watch_permits();
    void schedule_drain();
    void drain();

    ShardId shard_;
    ShardWorld& world_;
    JobPermits& permits_;
    std::shared_ptr<bool> alive_;
    std::deque<std::shared_ptr<ActorCell>> ready_;
    std::deque<std::shared_ptr<ActorCell>> waiting_;
    bool drain_scheduled_ = false;
    TimePoint admitted_until_ = kNever;
};

}  // namespace shunt::host
