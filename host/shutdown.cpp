// Lifecycle, second half: Shutdown (seed host section 14, spec/execution.md section 7).
#include "host/errc.hpp"
#include "host/lifecycle.hpp"

namespace shunt::host {

using relocation::LogLevel;

namespace {

constexpr std::chrono::milliseconds kDrainLook{2};
/// How long tear-down may take once the deadline is over.
constexpr std::chrono::seconds kTeardownMax{5};

}  // namespace

void Lifecycle::shutdown(std::chrono::milliseconds deadline, Terminated done) {
    if (terminated_) {
        parts_.services.world.post(
            [done = std::move(done), result = *terminated_]() mutable { done(result); });
        return;
    }
    shutdown_waiters_.push_back(std::move(done));
    if (shutting_down_) return;
    shutting_down_ = true;
    const bool had_relocated = state_ == HostState::Relocated;
    shutdown_deadline_ = deadline_after(parts_.services.world.now(), deadline);
    state_ = HostState::Draining;

    // The admission seal (spec/execution.md section 7.1).
    parts_.mesh.stop_admitting();
    parts_.ingress.close();
    parts_.targets.refuse_new();
    for (const auto& cell : parts_.cells.sorted()) cell->stop_timers();
    if (had_relocated) parts_.sources.clear();
    if (operation_ && operation_->step == Step::Waiting) {
        finish(RelocationOutcome::Blocked, RelocationReason::ShutdownRequested);
    } else {
        parts_.sources.abort_unstarted(protocol::FrameworkErrorCode::RequestFailed);
    }
    parts_.directory.publish(store::NodeState::Draining, [this, alive = alive_](std::error_code e) {
        if (e) parts_.services.log(LogLevel::Warning, "draining_publication_failed", e.message());
        if (*alive) flush();
    });
}

// A peer may have chosen this node for a unit before it heard that this node leaves. Its request is
// answered with a failure now; a connection that just ended would leave the unit undecided.
void Lifecycle::flush() {
    parts_.mesh.flush([this, alive = alive_] {
        if (*alive) flushed_ = true;
    });
    drain_step();
}

bool Lifecycle::drained() const {
    if (!flushed_ || operation_ || creating_ > 0 || parts_.targets.running() > 0) return false;
    if (parts_.replies.unacknowledged() > 0) return false;
    for (const auto& cell : parts_.cells.sorted()) {
        if (!cell->idle()) return false;
    }
    return true;
}

void Lifecycle::drain_step() {
    if (disposing_) return;
    const bool over = parts_.services.world.now() >= shutdown_deadline_;
    if (!drained() && !over) {
        parts_.services.world.cancel(drain_timer_);
        drain_timer_ = parts_.services.world.arm(
            deadline_after(parts_.services.world.now(), kDrainLook), [this] { drain_step(); });
        return;
    }
    disposing_ = true;
    deadline_passed_ = over && !drained();
    dispose_actors();
}

void Lifecycle::dispose_actors() {
    if (operation_) finish(RelocationOutcome::Blocked, RelocationReason::ShutdownRequested);
    parts_.targets.abort_all(protocol::FrameworkErrorCode::RequestFailed);
    parts_.router.close(Errc::ShuttingDown);
    parts_.pending.fail_all(Errc::ShuttingDown);
    parts_.sources.clear();
    const auto cells = parts_.cells.sorted();
    // Held until every row is answered, so that an empty list ends here too.
    rows_to_remove_ = 1;
    const auto removed = [this, alive = alive_](std::error_code error) {
        if (!*alive) return;
        if (error) teardown_failed_ = true;
        if (--rows_to_remove_ == 0) release_store();
    };
    for (const auto& cell : cells) {
        // Behind the seal a target may hold the unit and be about to take the row over: deleting it
        // would lose the object (seed unit section 9). A row that nobody takes names a dead lease.
        const bool was_here =
            cell->mode() == ActorCell::Mode::Serving || cell->mode() == ActorCell::Mode::Pausing;
        cell->end();
        parts_.cells.remove(*cell);
        if (!was_here) continue;
        ++rows_to_remove_;
        parts_.directory.remove(cell->id(), removed);
    }
    removed({});
}

void Lifecycle::release_store() {
    parts_.directory.release([this, alive = alive_](std::error_code error) {
        if (!*alive) return;
        if (error) teardown_failed_ = true;
        stop_mesh();
    });
}

void Lifecycle::stop_mesh() {
    parts_.mesh.stop([this, alive = alive_] {
        if (*alive) stopped();
    });
}

void Lifecycle::stopped() {
    if (!parts_.directory.idle() &&
        parts_.services.world.now() < deadline_after(shutdown_deadline_, kTeardownMax)) {
        // No store callback outlives the runtime (spec/stores.md section 16).
        drain_timer_ = parts_.services.world.arm(
            deadline_after(parts_.services.world.now(), kDrainLook), [this] { stopped(); });
        return;
    }
    state_ = HostState::Stopped;
    TerminationResult result;
    if (deadline_passed_) {
        result = {TerminationOutcome::ForceStopped, TerminationReason::DeadlineExceeded};
    } else if (teardown_failed_) {
        result = {TerminationOutcome::ForceStopped, TerminationReason::TeardownFailed};
    }
    terminated_ = result;
    for (Terminated& waiter : shutdown_waiters_) {
        parts_.services.world.post([done = std::move(waiter), result]() mutable { done(result); });
    }
    shutdown_waiters_.clear();
}

}  // namespace shunt::host
