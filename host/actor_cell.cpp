#include "host/actor_cell.hpp"

#include "host/errc.hpp"
#include "host/scheduler.hpp"
#include "host/turn_state.hpp"

namespace shunt::host {

ActorCell::ActorCell(Services& services, const ActorDefinition& definition, ActorId id,
                     Ownership ownership, std::shared_ptr<void> instance, Mode mode)
    : services_(services),
      definition_(definition),
      id_(std::move(id)),
      ownership_(std::move(ownership)),
      instance_(std::move(instance)),
      mode_(mode) {}

// --- work -------------------------------------------------------------------------------------

void ActorCell::deliver(JobPtr job) {
    SHUNT_ASSERT(mode_ != Mode::Ended);
    if (mode_ == Mode::Sealed) {
        // The seeds give the hold no bound; a held record keeps no permit (spec/execution.md 3.1).
        job->permit.release();
        hold_.push_back(std::move(job));
        return;
    }
    if (unpermitted_ > 0) {
        // Behind a backlog a job must not sit on a permit the backlog needs to drain.
        job->permit.release();
        ++unpermitted_;
    } else if (!job->permit) {
        job->permit = services_.permits.acquire();
    }
    queue_.push_back(std::move(job));
    schedule();
}

void ActorCell::schedule() {
    const bool may_run = mode_ == Mode::Serving || mode_ == Mode::Pausing;
    if (scheduled_ || turn_ != nullptr || queue_.empty() || !may_run) return;
    scheduled_ = true;
    services_.scheduler.make_ready(shared_from_this());
}

void ActorCell::run_next() {
    scheduled_ = false;
    if (turn_ != nullptr || queue_.empty()) return;
    const bool may_run = mode_ == Mode::Serving || (mode_ == Mode::Pausing && creation_waits());
    if (!may_run) return;
    if (!queue_.front()->permit) {
        queue_.front()->permit = services_.permits.try_acquire();
        if (!queue_.front()->permit) {
            scheduled_ = true;
            return services_.scheduler.wait_for_permit(shared_from_this());
        }
        SHUNT_ASSERT(unpermitted_ > 0);
        --unpermitted_;
    }
    JobPtr job = std::move(queue_.front());
    queue_.pop_front();
    start_turn(std::move(job));
}

void ActorCell::start_turn(JobPtr job) {
    auto turn = std::make_shared<TurnState>(shared_from_this(), std::move(job));
    turn_ = turn;
    turn->job()->permit.release();
    services_.probe.on_turn_started(id_, ownership_.owner_generation);
    turn->hold();
    invoke(turn);
    turn->drop();
}

void ActorCell::invoke(const std::shared_ptr<TurnState>& turn) {
    const JobPtr& job = turn->job();
    if (const auto* tick = std::get_if<TickJob>(&job->work)) {
        std::optional<Tick> starting = begin_tick(*tick);
        if (!starting) return;
        const auto handler =
            definition_.timer_handlers.find(timers_.find(tick->timer)->second.options.handler);
        if (handler == definition_.timer_handlers.end()) return;
        turn->run([&] { handler->second(instance_.get(), Turn(turn), std::move(*starting)); });
        return;
    }
    if (std::holds_alternative<CreateJob>(job->work)) {
        if (definition_.on_create) {
            turn->run([&] { definition_.on_create(instance_.get(), Turn(turn)); });
        }
        return;
    }
    const auto& message = std::get<MessageJob>(job->work);
    const auto handler = definition_.handlers.find(message.packet.name);
    if (handler == definition_.handlers.end()) {
        services_.probe.on_dropped("no_handler");
        if (job->is_request()) static_cast<void>(turn->reply(Errc::NotFound));
        return;
    }
    turn->run([&] { handler->second(instance_.get(), Turn(turn), Message(job)); });
}

void ActorCell::turn_ended() {
    const std::shared_ptr<TurnState> turn = std::exchange(turn_, nullptr);
    if (const auto* tick = std::get_if<TickJob>(&turn->job()->work)) {
        end_tick(*tick, turn->failed());
    }
    services_.probe.on_turn_ended(id_, ownership_.owner_generation);
    if (mode_ == Mode::Pausing) {
        auto ended = std::exchange(on_turn_end_, nullptr);
        return ended();
    }
    schedule();
}

// --- moving away ------------------------------------------------------------------------------

bool ActorCell::creation_waits() const noexcept {
    return !queue_.empty() && std::holds_alternative<CreateJob>(queue_.front()->work);
}

bool ActorCell::pause(UniqueFunction<void()> on_turn_end) {
    SHUNT_ASSERT(mode_ == Mode::Serving);
    mode_ = Mode::Pausing;
    if (turn_ == nullptr && !creation_waits()) return true;
    on_turn_end_ = std::move(on_turn_end);
    return false;
}

void ActorCell::cancel_pause() {
    SHUNT_ASSERT(mode_ == Mode::Pausing);
    mode_ = Mode::Serving;
    on_turn_end_ = nullptr;
    schedule();
}

void ActorCell::seal() {
    SHUNT_ASSERT(mode_ == Mode::Pausing);
    SHUNT_ASSERT(turn_ == nullptr);
    mode_ = Mode::Sealed;
    disarm_timers();
}

void ActorCell::unseal() {
    SHUNT_ASSERT(mode_ == Mode::Sealed);
    mode_ = Mode::Serving;
    for (JobPtr& job : hold_) {
        queue_.push_back(std::move(job));
        ++unpermitted_;
    }
    hold_.clear();
    for (auto& [name, timer] : timers_) arm(timer);
    schedule();
}

void ActorCell::end() {
    disarm_timers();
    mode_ = Mode::Ended;
    queue_.clear();
    unpermitted_ = 0;
}

// --- arriving ---------------------------------------------------------------------------------

void ActorCell::open(Ownership ownership) {
    SHUNT_ASSERT(mode_ == Mode::Staged);
    ownership_ = std::move(ownership);
    mode_ = Mode::Serving;
    unpermitted_ = queue_.size();
    for (auto& [name, timer] : timers_) arm(timer);
    schedule();
}

// --- timers -----------------------------------------------------------------------------------

result<void> ActorCell::start_timer(const TimerOptions& options) {
    if (!is_valid_id(options.name) || options.period.count() < 1 ||
        options.max_catch_up_ticks < 1 || !definition_.timer_handlers.contains(options.handler)) {
        return Errc::InvalidArgument;
    }
    stop_timer(options.name);
    const auto period = static_cast<std::uint64_t>(options.period.count());
    const UnixMillis first{services_.world.unix_now().value + period};
    ActorTimer timer{options,
                     TimerCursor(period, options.overrun, options.max_catch_up_ticks, 1, first),
                     ++timer_generations_,
                     0,
                     0,
                     {}};
    auto& placed = timers_.insert_or_assign(options.name, std::move(timer)).first->second;
    arm(placed);
    return outcome::success();
}

void ActorCell::stop_timer(const std::string& name) {
    const auto found = timers_.find(name);
    if (found == timers_.end()) return;
    services_.world.cancel(found->second.armed);
    timers_.erase(found);
}

void ActorCell::arm(ActorTimer& timer) {
    if (mode_ != Mode::Serving && mode_ != Mode::Pausing) return;
    if (timer.options.overrun == TimerOverrun::DelayNextTick && find_tick(timer) != nullptr) return;
    const UnixMillis now = services_.world.unix_now();
    const UnixMillis due = timer.cursor.next_at();
    const auto wait =
        due > now ? std::chrono::milliseconds(due.value - now.value) : std::chrono::milliseconds(0);
    timer.armed = services_.world.arm(
        deadline_after(services_.world.now(), wait),
        [self = weak_from_this(), name = timer.options.name, generation = timer.generation] {
            if (const auto cell = self.lock()) cell->timer_due(name, generation);
        });
}

void ActorCell::disarm_timers() {
    for (auto& [name, timer] : timers_) {
        services_.world.cancel(timer.armed);
        timer.armed = TimerId{};
    }
}

void ActorCell::timer_due(const std::string& name, std::uint64_t generation) {
    const auto found = timers_.find(name);
    if (found == timers_.end() || found->second.generation != generation) return;
    ActorTimer& timer = found->second;
    timer.armed = TimerId{};
    for (const DueTick& due : timer.cursor.advance(services_.world.unix_now())) {
        enqueue_tick(timer, due);
    }
    if (timer.options.overrun != TimerOverrun::DelayNextTick) arm(timer);
}

TickJob* ActorCell::find_tick(const ActorTimer& timer) const {
    for (const JobPtr& job : queue_) {
        auto* tick = std::get_if<TickJob>(&job->work);
        if (tick != nullptr && tick->timer == timer.options.name &&
            tick->timer_generation == timer.generation) {
            return tick;
        }
    }
    return nullptr;
}

void ActorCell::stage_timer(ActorTimer timer) {
    timer.generation = ++timer_generations_;
    timers_.insert_or_assign(timer.options.name, std::move(timer));
}

void ActorCell::enqueue_tick(ActorTimer& timer, const DueTick& due) {
    if (timer.options.overrun == TimerOverrun::SkipLateTicks) {
        // A tick that still waits merges with the newer one: only the newest due tick is delivered.
        if (TickJob* waiting = find_tick(timer)) {
            waiting->scheduled_index = due.scheduled_index;
            waiting->scheduled_at = due.scheduled_at;
            return;
        }
    }
    auto job = std::make_shared<Job>();
    job->work =
        TickJob{timer.options.name, timer.generation, due.scheduled_index, due.scheduled_at};
    deliver(std::move(job));
}

std::optional<Tick> ActorCell::begin_tick(const TickJob& job) {
    const auto found = timers_.find(job.timer);
    if (found == timers_.end() || found->second.generation != job.timer_generation) {
        return std::nullopt;
    }
    ActorTimer& timer = found->second;
    const std::uint64_t skipped = job.scheduled_index - timer.last_scheduled_index - 1;
    timer.last_scheduled_index = job.scheduled_index;
    ++timer.last_delivery_index;
    return Tick{job.timer, timer.last_delivery_index, job.scheduled_index, skipped};
}

void ActorCell::end_tick(const TickJob& job, bool failed) {
    const auto found = timers_.find(job.timer);
    if (found == timers_.end() || found->second.generation != job.timer_generation) return;
    if (failed && found->second.options.stop_on_unhandled_exception) return stop_timer(job.timer);
    if (found->second.options.overrun == TimerOverrun::DelayNextTick) {
        found->second.cursor.handler_ended(services_.world.unix_now());
        arm(found->second);
    }
}

}  // namespace shunt::host
