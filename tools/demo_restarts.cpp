#include "tools/demo_restarts.hpp"

#include <utility>

namespace shunt::tools {
namespace {

constexpr std::chrono::milliseconds kPauseBetween{500};
constexpr std::chrono::milliseconds kLook{25};
constexpr std::chrono::milliseconds kRelocateDeadline{120'000};
constexpr std::chrono::milliseconds kShutdownDeadline{10'000};
/// A Blocked relocation is tried again that often before the demo gives up.
constexpr int kBlockedMax = 5;

template <class T>
bool is_ready(const std::future<T>& future) {
    return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

void Restarts::say(const std::string& text) {
    console_.line("  " + shown_clock(Clock::now() - begun_) + "  host " + host_name(index_) + " " +
                  text);
}

void Restarts::fail(std::string why) {
    say(why);
    failure_ = "host " + host_name(index_) + " " + std::move(why);
    phase_ = Phase::Resting;
}

void Restarts::step(Clock::time_point now, Begin begin) {
    if (now < look_at_ || failure_) return;
    switch (phase_) {
        case Phase::Resting:
            if (begin == Begin::Yes) begin_relocation(now);
            return;
        case Phase::Relocating:
            if (is_ready(relocation_)) relocated(now);
            return;
        case Phase::Following:
            return follow(now);
        case Phase::Emptying:
            if (fleet_.unadmitted(index_) == 0) shut_down();
            return;
        case Phase::Stopping:
            if (is_ready(termination_)) start_again();
            return;
        case Phase::Joining:
            look_at_ = now + kLook;
            if (!fleet_.joined()) {
                if (now - phase_began_ > kJoinMax) fail("does not find the others again");
                return;
            }
            say("serves again");
            ++done_;
            index_ = (index_ + 1) % kDemoHosts;
            phase_ = Phase::Resting;
            look_at_ = now + kPauseBetween;
            return;
    }
}

void Restarts::begin_relocation(Clock::time_point now) {
    host::Host& host = fleet_.at(index_);
    moving_ = host.status().actors;
    host::RelocateOptions options(host::RelocationMode::PlannedMaintenance);
    options.deadline = kRelocateDeadline;
    std::promise<result<host::RelocationResult>> answer;
    relocation_ = answer.get_future();
    host.relocate(options,
                  [answer = std::move(answer)](result<host::RelocationResult> outcome) mutable {
                      answer.set_value(std::move(outcome));
                  });
    phase_ = Phase::Relocating;
    phase_began_ = now;
}

void Restarts::relocated(Clock::time_point now) {
    const result<host::RelocationResult> answer = relocation_.get();
    if (!answer) return fail("refused to relocate: " + answer.error().message());
    if (answer.value().outcome == host::RelocationOutcome::Relocated) {
        blocked_ = 0;
        say("moved " + grouped(moving_) + " Actors away in " + shown(now - phase_began_));
        phase_ = Phase::Following;
        return;
    }
    const std::string reason(host::name_of(answer.value().reason));
    if (++blocked_ > kBlockedMax) return fail("stays blocked: " + reason);
    say("could not move everything (" + reason + "); it serves on and is tried again");
    phase_ = Phase::Resting;
    look_at_ = now + kPauseBetween;
}

void Restarts::follow(Clock::time_point now) {
    look_at_ = now + kLook;
    if (!fleet_.at(index_).status().safe_to_shutdown) return;
    fleet_.close(index_);
    phase_ = Phase::Emptying;
}

void Restarts::shut_down() {
    std::promise<host::TerminationResult> answer;
    termination_ = answer.get_future();
    fleet_.at(index_).shutdown(
        kShutdownDeadline, [answer = std::move(answer)](host::TerminationResult outcome) mutable {
            answer.set_value(outcome);
        });
    phase_ = Phase::Stopping;
}

void Restarts::start_again() {
    const host::TerminationResult ended = termination_.get();
    if (ended.outcome != host::TerminationOutcome::Stopped) {
        say("was stopped by force: " + std::string(host::name_of(ended.reason)));
    }
    fleet_.remove(index_);
    std::string why;
    if (!fleet_.start(index_, &why)) return fail("cannot start again: " + why);
    phase_ = Phase::Joining;
    phase_began_ = Clock::now();
}

std::string Restarts::doing() const {
    const std::string name = "host " + host_name(index_);
    switch (phase_) {
        case Phase::Resting:
            break;
        case Phase::Relocating:
            return name + " hands over " + grouped(moving_) + " Actors";
        case Phase::Following:
            return name + " forwards what still arrives";
        case Phase::Emptying:
        case Phase::Stopping:
            return name + " shuts down";
        case Phase::Joining:
            return name + " starts";
    }
    return "all hosts serve";
}

}  // namespace shunt::tools
