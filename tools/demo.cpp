#include "tools/demo.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <random>
#include <sstream>
#include <thread>

#include "tools/console.hpp"
#include "tools/demo_actors.hpp"
#include "tools/demo_feed.hpp"
#include "tools/demo_restarts.hpp"
#include "tools/demo_table.hpp"
#include "tools/file_limit.hpp"
#include "tools/sample_trace.hpp"
#include "tools/signal_wait.hpp"

namespace shunt::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTurn{2};
/// Traffic alone, before the first restart.
constexpr std::chrono::milliseconds kUndisturbed{2'000};
/// How often the hosts are asked whether they still serve.
constexpr std::chrono::milliseconds kHealthEvery{250};
/// Creations under way at once.
constexpr std::uint64_t kCreatingMax = 512;
/// The demo ends when nothing has changed for so long although messages are open.
constexpr std::chrono::seconds kSettleMax{35};

constexpr int kBadInput = 2;
constexpr int kInterrupted = 130;

/// Per processor each host has a shard, and a shard three files and some connections; the rest is
/// for the trace, the terminal and strangers who connect.
std::size_t files_needed() {
    return 32 + std::size_t{16} * std::max(1U, std::thread::hardware_concurrency());
}

int refuse(const std::string& why) {
    std::fprintf(stderr, "shunt demo: %s\n", why.c_str());
    return kBadInput;
}

TraceReader open_trace(const DemoOptions& options) {
    if (!options.trace_path.empty()) return TraceReader::open(options.trace_path);
    return TraceReader(std::make_unique<std::istringstream>(std::string(kSampleTrace)),
                       "built-in sample");
}

/// One run, from the hosts' start to the table.
class Demo {
  public:
    Demo(const DemoOptions& options, const Cast& cast, TraceReader trace)
        : options_(options),
          cast_(cast),
          trace_(std::move(trace)),
          console_(stdout),
          fleet_(options_, types_, books_, measurements_) {}

    int run();

  private:
    bool create_actors(std::string* why);
    void play();
    void settle();
    void look(Clock::time_point now);
    void check_health(Clock::time_point now);
    bool restarts_due(Clock::time_point now) const;
    int finish();

    const DemoOptions& options_;
    const Cast& cast_;
    TraceReader trace_;
    SignalWait signals_;  // Before the hosts: their threads inherit the mask.
    Console console_;
    Books books_;
    Measurements measurements_;
    host::Registry types_;
    Fleet fleet_;
    Clock::time_point begun_ = Clock::now();
    std::optional<Restarts> restarts_;
    std::optional<Feed> feed_;
    bool interrupted_ = false;
    std::optional<std::string> failure_;
    Clock::time_point health_due_{};
    bool broken_ = false;
};

int Demo::run() {
    if (!add_demo_types(types_, books_)) return refuse("the Actor types are not accepted");
    for (std::size_t index = 0; index < kDemoHosts; ++index) {
        std::string why;
        if (!fleet_.start(index, &why)) {
            fleet_.stop();
            return refuse(why);
        }
    }
    const Clock::time_point join_by = Clock::now() + kJoinMax;
    while (!fleet_.joined() && !interrupted_) {
        interrupted_ = signals_.wait_for(kTurn);
        if (Clock::now() < join_by) continue;
        for (const std::string& line : fleet_.log().take_rest()) console_.line("  " + line);
        fleet_.stop();
        return refuse("the hosts do not find each other on loopback");
    }
    std::string why;
    if (!interrupted_ && !create_actors(&why)) failure_ = why;
    if (interrupted_ && !failure_) {
        fleet_.stop();
        return kInterrupted;
    }
    begun_ = Clock::now();
    restarts_.emplace(fleet_, console_, begun_);
    feed_.emplace(std::move(trace_), options_, fleet_, books_);
    feed_->begin(begun_);
    if (!failure_) play();
    settle();
    return finish();
}

bool Demo::create_actors(std::string* why) {
    struct Progress {
        std::atomic<std::uint64_t> asked{0};
        std::atomic<std::uint64_t> answered{0};
        std::atomic<int> error{0};
    };
    std::vector<std::pair<std::string, const char*>> actors;
    for (const std::string& person : cast_.people) {
        actors.emplace_back(person_id(person), kPersonType);
    }
    for (const std::string& room : cast_.rooms) actors.emplace_back(room_id(room), kRoomType);
    std::shuffle(actors.begin(), actors.end(), std::mt19937_64(options_.seed));

    const auto progress = std::make_shared<Progress>();
    const auto open = [&progress] { return progress->asked - progress->answered; };
    for (const auto& [id, type] : actors) {
        while (open() >= kCreatingMax && !interrupted_) interrupted_ = signals_.wait_for(kTurn);
        if (interrupted_ || progress->error != 0) break;
        const std::size_t index = progress->asked++ % kDemoHosts;
        fleet_.at(index).create_actor(ActorId{id}, type, [progress](result<void> created) {
            if (!created) progress->error = created.error().value();
            ++progress->answered;
        });
        console_.status("  creating Actors: " + grouped(progress->answered) + " of " +
                        grouped(actors.size()));
    }
    while (open() > 0) static_cast<void>(signals_.wait_for(kTurn));
    if (progress->error == 0) {
        console_.line("  hosts A, B and C serve " + grouped(cast_.people.size()) + " people and " +
                      grouped(cast_.rooms.size()) + " rooms");
        return true;
    }
    *why = "an Actor could not be created: " +
           make_error_code(static_cast<host::Errc>(progress->error.load())).message();
    return false;
}

bool Demo::restarts_due(Clock::time_point now) const {
    if (now - begun_ < kUndisturbed && !feed_->finished()) return false;
    if (restarts_->done() < std::uint64_t{options_.rounds_min} * kDemoHosts) return true;
    // One more only while there is trace left to play through most of it.
    const auto played = std::chrono::duration<double>(now - begun_) * options_.speed;
    const auto left = std::chrono::duration<double>(cast_.duration) - played;
    return !feed_->finished() &&
           left > std::chrono::duration<double>(options_.follow) * options_.speed;
}

void Demo::look(Clock::time_point now) {
    for (const std::string& line : fleet_.log().take(now)) console_.line("  " + line);
    console_.status("  " + shown_clock(now - begun_) + "  " + grouped(feed_->played()) + " of " +
                    grouped(cast_.event_count) + " events · " + grouped(books_.delivered()) +
                    " delivered · " + grouped(books_.open()) + " open · " +
                    grouped(measurements_.units()) + " moved · " + restarts_->doing());
}

void Demo::check_health(Clock::time_point now) {
    if (broken_ || now < health_due_) return;
    health_due_ = now + kHealthEvery;
    const std::optional<std::size_t> index = fleet_.broken();
    if (!index) return;
    broken_ = true;
    failure_ = "host " + host_name(*index) +
               " lost its lease, as after a stop of this program for ten seconds or longer";
}

void Demo::play() {
    while (!interrupted_ && !failure_) {
        const Clock::time_point now = Clock::now();
        if (!feed_->pump(now)) failure_ = feed_->problem();
        const bool due = restarts_due(now);
        restarts_->step(now, due ? Restarts::Begin::Yes : Restarts::Begin::No);
        if (restarts_->failure()) failure_ = restarts_->failure();
        check_health(now);
        look(now);
        const bool resting = restarts_->phase() == Restarts::Phase::Resting;
        if (feed_->finished() && resting && !due) return;
        interrupted_ = signals_.wait_for(kTurn) || console_.failed();
    }
}

void Demo::settle() {
    std::uint64_t open = books_.open();
    Clock::time_point changed_at = Clock::now();
    for (;;) {
        const Clock::time_point now = Clock::now();
        restarts_->step(now, Restarts::Begin::No);
        check_health(now);
        look(now);
        // What such a host has taken in, nobody answers any more.
        if (broken_) return;
        const std::uint64_t open_now = books_.open();
        if (open_now != open) changed_at = now;
        open = open_now;
        // Whoever asks twice to end does not want to wait; then what is open counts as lost.
        if (signals_.wait_for(kTurn) && std::exchange(interrupted_, true)) return;
        const bool relocating = restarts_->phase() == Restarts::Phase::Relocating;
        if ((open == 0 && !relocating) || now - changed_at > kSettleMax) return;
    }
}

int Demo::finish() {
    DemoSummary summary;
    summary.elapsed = Clock::now() - begun_;
    fleet_.stop();
    for (const std::string& line : fleet_.log().take_rest()) console_.line("  " + line);
    summary.events_played = feed_->played();
    summary.events_total = cast_.event_count;
    summary.restarts = restarts_->done();
    summary.restarts_wanted = std::uint64_t{options_.rounds_min} * kDemoHosts;
    summary.books = books_.report();
    summary.moves = measurements_.report();
    summary.interrupted = interrupted_;
    summary.failure = failure_;
    for (const std::string& line : table_of(summary)) console_.line(line);
    std::string why;
    if (!console_.finish(&why)) return refuse("the output cannot be written: " + why);
    return exit_code_of(summary);
}

}  // namespace

int run_demo(const DemoOptions& options) {
    // Read once before anything starts, so that a bad line shows now and not in the middle. What
    // cannot be read twice is refused before its writer is kept waiting.
    TraceReader reader = open_trace(options);
    if (!reader.rewind()) return refuse(reader.problem());
    const result<Cast> cast = read_cast(reader);
    if (!cast || !reader.rewind()) return refuse(reader.problem());
    if (cast.value().event_count == 0) return refuse(options.trace_path + ": holds no event");
    std::string why;
    if (!allow_open_files(files_needed(), &why)) return refuse(why);
    return Demo(options, cast.value(), std::move(reader)).run();
}

}  // namespace shunt::tools
