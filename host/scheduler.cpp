#include "host/scheduler.hpp"

#include "host/actor_cell.hpp"

namespace shunt::host {

void Scheduler::make_ready(std::shared_ptr<ActorCell> cell) {
    ready_.push_back(std::move(cell));
    schedule_drain();
}

void Scheduler::wait_for_permit(std::shared_ptr<ActorCell> cell) {
    waiting_.push_back(std::move(cell));
    watch_permits();
}

void Scheduler::watch_permits() {
    permits_.watch(shard_);
    if (permits_.room() == 0) return;
    // It came back before anybody watched.
    world_.post([this, alive = alive_] {
        if (*alive) permit_returned();
    });
}

void Scheduler::permit_returned() {
    for (std::uint64_t room = permits_.room(); room > 0 && !waiting_.empty(); --room) {
        std::shared_ptr<ActorCell> next = std::move(waiting_.front());
        waiting_.pop_front();
        make_ready(std::move(next));
    }
    if (!waiting_.empty()) watch_permits();
}

void Scheduler::admit_until(TimePoint deadline) {
    admitted_until_ = deadline;
    if (!ready_.empty()) schedule_drain();
}

void Scheduler::schedule_drain() {
    if (drain_scheduled_) return;
    drain_scheduled_ = true;
    world_.post([this, alive = alive_] {
        if (*alive) drain();
    });
}

void Scheduler::drain() {
    drain_scheduled_ = false;
    if (world_.now() >= admitted_until_) return;
    for (std::size_t turns = 0; turns < kBatch && !ready_.empty(); ++turns) {
        const std::shared_ptr<ActorCell> cell = std::move(ready_.front());
        ready_.pop_front();
        cell->run_next();
    }
    if (!ready_.empty()) schedule_drain();
}

}  // namespace shunt::host
