// Lifecycle, second half: Shutdown (seed host section 14, spec/execution.md section 7).
#include <algorithm>

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
    parts_.crew.post_all(
        [had_relocated](ShardCore& shard) { shard.seal_admission(had_relocated); });
    if (operation_ && operation_->step == Step::Waiting) {
        finish(RelocationOutcome::Blocked, RelocationReason::ShutdownRequested);
    } else {
        abort_unstarted(protocol::FrameworkErrorCode::RequestFailed);
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

void Lifecycle::drain_step() {
    if (disposing_ || asking_drained_) return;
    parts_.services.world.cancel(std::exchange(drain_timer_, TimerId{}));
    ask_drained();
}

void Lifecycle::ask_drained() {
    asking_drained_ = true;
    parts_.crew.gather<std::uint8_t>(
        [](ShardCore& shard) { return static_cast<std::uint8_t>(shard.drained()); },
        [this, alive = alive_](const std::vector<std::uint8_t>& answers) {
            if (!*alive) return;
            asking_drained_ = false;
            const bool empty = std::all_of(answers.begin(), answers.end(),
                                           [](auto answer) { return answer != 0; });
            const bool drained = flushed_ && !operation_ && empty;
            const bool over = parts_.services.world.now() >= shutdown_deadline_;
            if (!drained && !over) {
                drain_timer_ = parts_.services.world.arm(
                    deadline_after(parts_.services.world.now(), kDrainLook),
                    [this] { drain_step(); });
                return;
            }
            deadline_passed_ = !drained;
            disposing_ = true;
            dispose_actors();
        });
}

void Lifecycle::dispose_actors() {
    if (operation_) finish(RelocationOutcome::Blocked, RelocationReason::ShutdownRequested);
    shards_to_dispose_ = parts_.crew.size();
    const auto disposed = [this, alive = alive_](std::error_code error) {
        if (!*alive) return;
        if (error) teardown_failed_ = true;
        if (--shards_to_dispose_ == 0) release_store();
    };
    ShardWorld& here = parts_.services.world;
    parts_.crew.post_all([&here, disposed](ShardCore& shard) {
        shard.dispose([&here, disposed](std::error_code error) {
            here.post([disposed, error] { disposed(error); });
        });
    });
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
        if (*alive) await_store();
    });
}

// No store callback outlives the runtime (spec/stores.md section 16).
void Lifecycle::await_store() {
    parts_.crew.gather<std::uint8_t>(
        [](ShardCore& shard) { return static_cast<std::uint8_t>(shard.store_idle()); },
        [this, alive = alive_](const std::vector<std::uint8_t>& answers) {
            if (!*alive) return;
            const bool idle =
                parts_.directory.idle() && std::all_of(answers.begin(), answers.end(),
                                                       [](auto answer) { return answer != 0; });
            const TimePoint now = parts_.services.world.now();
            if (!idle && now < deadline_after(shutdown_deadline_, kTeardownMax)) {
                drain_timer_ = parts_.services.world.arm(deadline_after(now, kDrainLook),
                                                         [this] { await_store(); });
                return;
            }
            parts_.close_shards([this, still = alive] {
                if (*still) stopped();
            });
        });
}

void Lifecycle::stopped() {
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
