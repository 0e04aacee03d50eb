#pragma once
// The open turn behind a Turn handle: what keeps it open, and what it still owes.

#include <cstdint>
#include <memory>
#include <optional>

#include "host/actor_cell.hpp"

namespace shunt::host {

class TurnState : public std::enable_shared_from_this<TurnState> {
  public:
    TurnState(std::shared_ptr<ActorCell> cell, JobPtr job)
        : cell_(std::move(cell)), job_(std::move(job)) {}

    ActorCell& cell() noexcept { return *cell_; }
    const JobPtr& job() const noexcept { return job_; }
    bool ended() const noexcept { return ended_; }

    /// One reason for the turn to stay open; drop() may end it.
    void hold() noexcept { ++holds_; }
    void drop();

    /// Runs `step` as part of this turn unless it has ended; what it throws fails the turn's
    /// request and goes no further.
    void run(UniqueFunction<void()> step);
    void failed_with_exception(const char* what);
    bool failed() const noexcept { return failed_; }

    result<void> reply(result<Packet> answer);
    void adopt(Task<> task);

  private:
    void finish();
    static void task_done(void* self);

    std::shared_ptr<ActorCell> cell_;
    JobPtr job_;
    std::uint32_t holds_ = 0;
    bool replied_ = false;
    bool failed_ = false;
    bool ended_ = false;
    std::optional<Task<>> task_;
};

}  // namespace shunt::host
