#include "tests/sim/walker.hpp"

#include <utility>

#include "host/errc.hpp"
#include "tests/sim/sim_app.hpp"

namespace shunt::sim {
namespace {

constexpr std::size_t kCountBytes = sizeof(std::uint64_t);

}  // namespace

void Walker::count(const host::Turn& turn) {
    SHUNT_ASSERT(turn.self() == id_);
    app_.check_state(id_, handled_);
    ++handled_;
}

void Walker::created(host::Turn turn) {
    count(turn);
    Random& random = app_.random_;
    ballast_.resize(random.below(app_.options_.state_bytes_max + 1));
    for (std::byte& b : ballast_) b = static_cast<std::byte>(ballast_.size());
    host::TimerOptions timer("beat", "beat", std::chrono::milliseconds(random.between(150, 1500)));
    timer.overrun = static_cast<host::TimerOverrun>(random.below(3));
    timer.max_catch_up_ticks = static_cast<std::uint32_t>(random.between(1, 4));
    if (random.chance(700)) SHUNT_ASSERT(turn.start_timer(timer).has_value());
}

void Walker::note(host::Turn turn, host::Message message) {
    std::uint32_t hops = 0;
    app_.note_run(turn, message, hops);
    count(turn);
    act(std::move(turn), hops);
}

void Walker::act(host::Turn turn, std::uint32_t hops) {
    if (hops == 0 || !app_.lively_) return;
    Random& random = app_.random_;
    const std::uint64_t sends = random.below(3);
    for (std::uint64_t i = 0; i < sends; ++i) {
        const ActorId receiver = random.chance(150) ? id_ : app_.any_actor();
        SimApp::Outgoing out = app_.next_note(id_.value, receiver, hops - 1);
        turn.send(receiver, std::move(out.packet),
                  [&app = app_, ref = out.ref](result<void> answer) { app.admitted(ref, answer); });
    }
    if (random.chance(200)) ask_on(turn, hops, [](host::Turn) {});
    if (random.chance(100)) {
        turn.after(std::chrono::microseconds(random.below(20'000)),
                   [this, turn, hops] { act(turn, hops - 1); });
    }
}

// Only towards higher numbers: two Actors that ask each other would wait until both give up.
void Walker::ask_on(host::Turn turn, std::uint32_t hops, UniqueFunction<void(host::Turn)> then) {
    const ActorId receiver = app_.any_actor();
    if (app_.number_of(receiver) <= app_.number_of(id_)) return then(std::move(turn));
    SimApp::Outgoing out = app_.next_ask(id_.value, receiver, hops - 1);
    turn.request(receiver, std::move(out.packet), app_.options_.request_timeout,
                 [&app = app_, ref = out.ref, turn,
                  then = std::move(then)](result<host::Packet> answer) mutable {
                     app.answered(ref, answer);
                     then(std::move(turn));
                 });
}

void Walker::ask(host::Turn turn, host::Message message) {
    std::uint32_t hops = 0;
    const conservation::MessageRef ref = app_.note_run(turn, message, hops);
    count(turn);
    const auto reply = [sequence = ref.sequence](host::Turn open) {
        static_cast<void>(open.reply(host::Packet("answer", std::to_string(sequence))));
    };
    Random& random = app_.random_;
    const std::uint64_t choice = random.below(10);
    if (choice == 0) {
        static_cast<void>(turn.fail(host::Errc::Rejected));
    } else if (choice < 3) {
        const auto wait = std::chrono::microseconds(random.below(30'000));
        turn.after(wait, [turn, reply] { reply(turn); });
    } else if (choice < 6 && hops > 0 && app_.lively_) {
        ask_on(turn, hops, reply);
    } else {
        reply(turn);
    }
}

host::Task<> Walker::ask_slowly(host::Turn turn, host::Message message) {
    std::uint32_t hops = 0;
    const conservation::MessageRef ref = app_.note_run(turn, message, hops);
    count(turn);
    const auto wait = std::chrono::microseconds(app_.random_.below(10'000));
    co_await turn.after(wait);
    const ActorId receiver = app_.any_actor();
    const bool asks_on = hops > 0 && app_.lively_ && app_.number_of(receiver) > app_.number_of(id_);
    if (asks_on) {
        SimApp::Outgoing out = app_.next_ask(id_.value, receiver, hops - 1);
        const result<host::Packet> answer = co_await turn.request(receiver, std::move(out.packet));
        app_.answered(out.ref, answer);
    }
    static_cast<void>(turn.reply(host::Packet("answer", std::to_string(ref.sequence))));
}

void Walker::beat(host::Turn turn, host::Tick tick) {
    count(turn);
    app_.check_tick(id_, tick);
    if (app_.random_.chance(300)) act(std::move(turn), 1);
}

// The count first, then ballast whose every byte follows from its length: a restored state that is
// cut short or mixed up cannot pass.
result<Segments> Walker::capture() const {
    Bytes head(kCountBytes);
    std::memcpy(head.data(), &handled_, kCountBytes);
    Segments segments;
    segments.emplace_back(std::move(head));
    if (!ballast_.empty()) segments.emplace_back(Bytes(ballast_));
    return segments;
}

result<void> Walker::restore(ByteView state) {
    if (state.size() < kCountBytes) return host::Errc::DataLost;
    std::memcpy(&handled_, state.data(), kCountBytes);
    ballast_ = copy_of(state.subspan(kCountBytes));
    for (const std::byte b : ballast_) {
        if (b != static_cast<std::byte>(ballast_.size())) return host::Errc::DataLost;
    }
    return outcome::success();
}

}  // namespace shunt::sim
