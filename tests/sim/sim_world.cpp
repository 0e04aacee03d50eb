#include "tests/sim/sim_world.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "host/job_permits.hpp"

namespace shunt::sim {

SimWorld::SimWorld(Network& network, const NodeOptions& options, std::uint64_t seed,
                   std::uint64_t lifecycle)
    : network_(network),
      options_(options),
      lifecycle_(lifecycle),
      handle_(std::make_shared<SimWorld*>(this)),
      random_(Random(seed).split("host",
                                 lifecycle * host::JobPermits::kShardsMax + options.shard.value)),
      timing_random_(Random(seed).split(
          "world", lifecycle * host::JobPermits::kShardsMax + options.shard.value)) {}

SimWorld::~SimWorld() {
    kill();
}

// --- time and chance ------------------------------------------------------------------------

TimePoint SimWorld::now() const noexcept {
    return TimePoint(network_.scheduler().now() + options_.monotonic_offset);
}

UnixMillis SimWorld::unix_now() const noexcept {
    const auto elapsed =
        std::chrono::duration_cast<std::chrono::milliseconds>(network_.scheduler().now());
    const auto skewed =
        static_cast<std::int64_t>(kWallClockStart) + (elapsed + options_.wall_skew).count();
    return UnixMillis{static_cast<std::uint64_t>(skewed)};
}

SimTime SimWorld::to_sim(TimePoint at) const noexcept {
    const SimTime exact =
        std::max(at.time_since_epoch() - options_.monotonic_offset, network_.scheduler().now());
    if (options_.timer_tick == Duration(0)) return exact;
    const Duration past_tick = exact % options_.timer_tick;
    return past_tick == Duration(0) ? exact : exact + (options_.timer_tick - past_tick);
}

host::TimerId SimWorld::arm(TimePoint deadline, UniqueFunction<void()> fn) {
    const std::uint64_t id = ++last_timer_;
    if (killed_) return host::TimerId{id};
    EventId event;
    if (deadline != kNever) {
        event = network_.scheduler().at(
            to_sim(deadline),
            {.kind = EventKind::Timer, .what = "timer", .node = options_.node, .detail = id},
            [this, id] { run_timer(id); });
    }
    timers_.emplace(id, std::pair(event, std::move(fn)));
    return host::TimerId{id};
}

void SimWorld::cancel(host::TimerId timer) noexcept {
    const auto found = timers_.extract(timer.value);
    if (!found.empty()) network_.scheduler().cancel(found.mapped().first);
}

void SimWorld::run_timer(std::uint64_t id) {
    auto timer = timers_.extract(id);
    call([&] { timer.mapped().second(); });
}

void SimWorld::post(UniqueFunction<void()> fn) {
    if (killed_) return;
    posted_.push_back(std::move(fn));
    arm_post();
}

// One event per posted function: other events get in between, but their own order stays.
void SimWorld::arm_post() {
    if (post_event_ || posted_.empty()) return;
    post_event_ = network_.scheduler().after(
        timing_random_.between(Duration(0), std::chrono::microseconds(20)),
        {.kind = EventKind::Post, .what = "post", .node = options_.node}, [this] { run_posted(); });
}

void SimWorld::run_posted() {
    post_event_ = {};
    UniqueFunction<void()> fn = std::move(posted_.front());
    posted_.pop_front();
    call([&] { fn(); });
    arm_post();
}

// --- links ----------------------------------------------------------------------------------

result<std::string> SimWorld::listen(const host::ListenOptions& options, host::LinkEvents& events) {
    SHUNT_ASSERT(events_ == nullptr);
    SHUNT_ASSERT(options_.shard == ShardId{});
    SHUNT_ASSERT(!options.rid.empty());
    listen_options_ = options;
    BOOST_OUTCOME_TRY(std::string endpoint, network_.listen(*this, options.bind_address));
    events_ = &events;
    return endpoint;
}

host::DialId SimWorld::dial(const host::DialOptions& options) {
    // The handshake announces the rid that listen() was given.
    SHUNT_ASSERT(events_ != nullptr);
    if (killed_ || stopping_) return {};
    return network_.start_dial(*this, options);
}

void SimWorld::undial(host::DialId dial) noexcept {
    if (!killed_) network_.stop_dial(dial);
}

host::Admission SimWorld::send(host::LinkId link, protocol::OutRecord&& record, host::Gate gate,
                               host::SubmitToken token) {
    if (killed_) return host::Admission::NoLink;
    return network_.send(*this, link, std::move(record), gate, token);
}

void SimWorld::close_link(host::LinkId link, std::error_code reason) {
    if (!killed_) network_.close_link(*this, link, reason);
}

void SimWorld::set_receiving(bool receiving) {
    if (killed_ || receiving == receiving_) return;
    receiving_ = receiving;
    if (receiving) network_.receiving_changed(*this);
}

void SimWorld::stop_links(UniqueFunction<void()> done) {
    SHUNT_ASSERT(!stopping_);
    if (killed_) return;
    stopping_ = true;
    stopped_ = std::move(done);
    network_.stop_listening(*this);
    network_.stop_dials(*this);
    network_.close_all(*this, make_error_code(std::errc::operation_canceled));
    maybe_stopped();
}

void SimWorld::maybe_stopped() {
    if (!stopped_ || stop_event_ || network_.has_links(*this)) return;
    stop_event_ = network_.scheduler().after(
        Duration(0), {.kind = EventKind::Network, .what = "links stopped", .node = options_.node},
        [this] { run_stopped(); });
}

void SimWorld::run_stopped() {
    stop_event_ = {};
    UniqueFunction<void()> done = std::move(stopped_);
    call([&] { done(); });
}

// --- for the test ---------------------------------------------------------------------------

void SimWorld::kill(CutKind kind) {
    SHUNT_ASSERT(!inside_callback_);
    if (killed_) return;
    killed_ = true;
    *handle_ = nullptr;
    network_.stop_listening(*this);
    network_.stop_dials(*this);
    network_.forget_world(*this, kind);
    Scheduler& scheduler = network_.scheduler();
    scheduler.cancel(stop_event_);
    scheduler.cancel(post_event_);
    for (const auto& [id, timer] : timers_) scheduler.cancel(timer.first);
    // What the callables own may call back here while it is destroyed: the members are empty and
    // every call is ignored by then.
    const auto timers = std::move(timers_);
    const auto posted = std::move(posted_);
    const auto held = std::move(held_);
    const auto stopped = std::move(stopped_);
    timers_.clear();
    posted_.clear();
    held_.clear();
}

std::uint64_t SimWorld::hold(UniqueFunction<void()> fn) {
    const std::uint64_t id = ++last_held_;
    if (!killed_) held_.emplace(id, std::move(fn));
    return id;
}

void SimWorld::run_held(std::uint64_t held) {
    auto found = held_.extract(held);
    SHUNT_ASSERT(!found.empty());
    call([&] { found.mapped()(); });
}

}  // namespace shunt::sim
