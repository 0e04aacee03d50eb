#include "bench/hosts.hpp"

#include <thread>

#include "bench/harness.hpp"

namespace shunt::bench {

using host::Host;
using host::HostOptions;
using host::RelocateOptions;
using host::RelocationMode;
using host::RelocationOutcome;
using relocation::Point;

void PointClock::on_point(const ActorId& actor, Point point, TimePoint) {
    const Clock::time_point now = Clock::now();
    const std::lock_guard lock(mutex_);
    points_[actor][point] = now;
}

bool PointClock::passed(const ActorId& actor, Point point) const {
    const std::lock_guard lock(mutex_);
    const auto found = points_.find(actor);
    return found != points_.end() && found->second.contains(point);
}

PointClock::Clock::time_point PointClock::at(const ActorId& actor, Point point) const {
    const std::lock_guard lock(mutex_);
    const auto found = points_.find(actor);
    if (found == points_.end() || !found->second.contains(point)) fail("a point was not passed");
    return found->second.at(point);
}

std::vector<double> PointClock::stops() const {
    const std::lock_guard lock(mutex_);
    std::vector<double> stops;
    for (const auto& [actor, points] : points_) {
        const auto s0 = points.find(Point::S0);
        const auto s1 = points.find(Point::S1);
        if (s0 == points.end() || s1 == points.end()) continue;
        stops.push_back(std::chrono::duration<double>(s1->second - s0->second).count());
    }
    return stops;
}

void PointClock::clear() {
    const std::lock_guard lock(mutex_);
    points_.clear();
}

void Ballast::echo(host::Turn turn, host::Message message) {
    static_cast<void>(turn.reply(host::Packet("echo", message.text())));
}

HostPair::HostPair(std::uint32_t shards, std::size_t state_bytes) : shards_(shards) {
    auto type = host::ActorType<Ballast>("ballast");
    const auto first_state = std::make_shared<const Bytes>(state_bytes, std::byte{'x'});
    type.factory([first_state](const host::ActorContext& context) {
        auto actor = std::make_shared<Ballast>();
        if (!context.relocated) actor->state = first_state;
        return actor;
    });
    type.on("echo", &Ballast::echo);
    type.preserve_state(
        [](const Ballast& actor) -> result<Segments> {
            return Segments{Segment(actor.state, ByteView(*actor.state))};
        },
        [first_state](Ballast& actor, ByteView state) -> result<void> {
            // What an application does with its bytes is not measured.
            if (state.size() != first_state->size()) fail("a state arrived with another length");
            actor.state = first_state;
            return outcome::success();
        });
    if (!types_.add(type)) fail("the type was not taken");
    source_ = start("bench-a");
    target_ = start("bench-b");
    await_peers();
}

std::unique_ptr<Host> HostPair::start(const char* prefix) {
    HostOptions options;
    options.node_prefix = prefix;
    options.shards = shards_;
    options.message_follow_duration = std::chrono::milliseconds(1'000);
    options.route_cache_max_age = std::chrono::milliseconds(200);
    options.polling_interval = std::chrono::milliseconds(20);
    host::HostExtras extras;
    extras.probe = &clock_;
    auto started = Host::start(options, types_, store_, std::move(extras));
    if (!started) fail("a host did not start: " + started.error().message());
    return std::move(started.value());
}

void HostPair::await_peers() {
    for (const Host* host : {source_.get(), target_.get()}) {
        while (host->status().ready_peers != 1) std::this_thread::yield();
    }
}

void HostPair::create(const ActorId& actor) {
    const auto created = host::block_on(source().create_actor(actor, "ballast"));
    if (!created) fail("an Actor was not created: " + created.error().message());
}

void HostPair::relocate() {
    const auto moved =
        host::block_on(source().relocate(RelocateOptions(RelocationMode::PlannedMaintenance)));
    if (!moved || moved.value().outcome != RelocationOutcome::Relocated) {
        fail("the source was not emptied: " +
             std::string(moved ? name_of(moved.value().reason) : moved.error().message()));
    }
}

}  // namespace shunt::bench
