#include <exception>

#include "host/actor.hpp"
#include "host/errc.hpp"
#include "host/turn_state.hpp"

namespace shunt::host {

// --- TurnState --------------------------------------------------------------------------------

void TurnState::drop() {
    SHUNT_ASSERT(holds_ > 0);
    if (--holds_ == 0) finish();
}

void TurnState::run(UniqueFunction<void()> step) {
    if (ended_) return;
    try {
        step();
    } catch (const std::exception& thrown) {
        failed_with_exception(thrown.what());
    } catch (...) {
        failed_with_exception("an exception of unknown type");
    }
}

void TurnState::failed_with_exception(const char* what) {
    failed_ = true;
    cell_->services().log(
        relocation::LogLevel::Error, "handler_failed",
        std::string("A handler of type ") + cell_->definition().stable_type + " threw: " + what);
    if (job_->is_request() && !replied_) {
        replied_ = true;
        cell_->services().outbound.reply(std::get<MessageJob>(job_->work), Errc::InternalFailure);
    }
}

result<void> TurnState::reply(result<Packet> answer) {
    if (ended_ || replied_ || !job_->is_request()) return Errc::InvalidOperation;
    replied_ = true;
    cell_->services().outbound.reply(std::get<MessageJob>(job_->work), std::move(answer));
    return outcome::success();
}

void TurnState::adopt(Task<> task) {
    SHUNT_ASSERT(!task_);
    hold();
    task_.emplace(std::move(task));
    task_->start(cell_->services().resumer, &TurnState::task_done, this);
}

void TurnState::task_done(void* self) {
    auto* turn = static_cast<TurnState*>(self);
    const std::shared_ptr<TurnState> keep = turn->shared_from_this();
    turn->run([turn] { turn->task_->take(); });
    // The frame cannot be destroyed from inside its own final suspension: the next step does it.
    turn->cell_->services().world.post([keep] { keep->drop(); });
}

void TurnState::finish() {
    SHUNT_ASSERT(!ended_);
    if (job_->is_request() && !replied_) {
        replied_ = true;
        cell_->services().outbound.reply(std::get<MessageJob>(job_->work), Errc::InternalFailure);
    }
    ended_ = true;
    task_.reset();
    cell_->turn_ended();
}

// --- Turn -------------------------------------------------------------------------------------

const ActorId& Turn::self() const noexcept {
    return state_->cell().id();
}

TimePoint Turn::now() const noexcept {
    return state_->cell().services().world.now();
}

void Turn::send(ActorId target, Packet packet) {
    send(std::move(target), std::move(packet), nullptr);
}

void Turn::send(ActorId target, Packet packet, UniqueFunction<void(result<void>)> admitted) {
    if (state_->ended()) {
        if (admitted) admitted(Errc::InvalidOperation);
        return;
    }
    const protocol::ActorRef from = state_->cell().ref();
    state_->cell().services().outbound.send(&from, std::move(target), std::move(packet),
                                            std::move(admitted));
}

void Turn::request(ActorId target, Packet packet, Continuation then) {
    const auto timeout = state_->cell().services().options.default_request_timeout;
    request(std::move(target), std::move(packet), timeout, std::move(then));
}

void Turn::request(ActorId target, Packet packet, std::chrono::milliseconds timeout,
                   Continuation then) {
    if (state_->ended()) return then(Errc::InvalidOperation);
    Services& services = state_->cell().services();
    state_->hold();
    auto resume = [state = state_, then = std::move(then)](result<Packet> answer) mutable {
        state->run([&] { then(std::move(answer)); });
        state->drop();
    };
    if (target == self()) {
        // The turn would wait for itself (spec/execution.md section 2).
        services.world.post(
            [resume = std::move(resume)]() mutable { resume(Errc::InvalidOperation); });
        return;
    }
    const protocol::ActorRef from = state_->cell().ref();
    services.outbound.request(&from, std::move(target), std::move(packet), timeout,
                              std::move(resume));
}

result<void> Turn::reply(Packet packet) {
    return state_->reply(std::move(packet));
}

result<void> Turn::fail(std::error_code error) {
    return state_->reply(error);
}

void Turn::after(Duration wait, UniqueFunction<void()> then) {
    if (state_->ended()) return;
    ShardWorld& world = state_->cell().services().world;
    state_->hold();
    world.arm(deadline_after(world.now(), wait),
              [state = state_, then = std::move(then)]() mutable {
                  state->run(std::move(then));
                  state->drop();
              });
}

result<void> Turn::start_timer(const TimerOptions& options) {
    if (state_->ended()) return Errc::InvalidOperation;
    return state_->cell().start_timer(options);
}

void Turn::stop_timer(const std::string& name) {
    if (!state_->ended()) state_->cell().stop_timer(name);
}

void Turn::adopt(Task<> task) {
    state_->adopt(std::move(task));
}

}  // namespace shunt::host
