#include "tools/demo_fleet.hpp"

#include <future>
#include <utility>

namespace shunt::tools {

std::string host_name(std::size_t index) {
    return std::string(1, static_cast<char>('A' + index));
}

// --- HostLog ----------------------------------------------------------------------------------

void HostLog::add(std::string line) {
    const std::lock_guard lock(mutex_);
    if (kept_ < kLinesMax) {
        ++kept_;
        lines_.push_back(std::move(line));
    } else {
        ++unkept_;
    }
}

std::vector<std::string> HostLog::take(Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    const bool is_over = now >= period_end_;
    if (is_over) period_end_ = now + kPeriod;
    return take_locked(is_over);
}

std::vector<std::string> HostLog::take_rest() {
    const std::lock_guard lock(mutex_);
    return take_locked(true);
}

std::vector<std::string> HostLog::take_locked(bool period_is_over) {
    std::vector<std::string> lines = std::exchange(lines_, {});
    if (!period_is_over) return lines;
    kept_ = 0;
    if (const std::uint64_t unkept = std::exchange(unkept_, 0); unkept > 0) {
        lines.push_back("... and " + std::to_string(unkept) + " more lines");
    }
    return lines;
}

// --- Fleet ------------------------------------------------------------------------------------

Fleet::Fleet(const DemoOptions& options, const host::Registry& types, Books& books,
             Measurements& measurements)
    : options_(options), types_(types), books_(books), measurements_(measurements) {}

host::HostOptions Fleet::options_of(std::size_t index) const {
    host::HostOptions options;
    options.node_prefix = host_name(index);
    options.mesh_name = "demo";
    if (options_.port != 0) {
        options.listen_address = "127.0.0.1:" + std::to_string(options_.port + index);
    }
    options.relocation_cutover_wait_timeout = options_.cutover_wait;
    options.message_follow_duration = options_.follow;
    options.route_cache_max_age = std::chrono::seconds(1);
    options.polling_interval = std::chrono::milliseconds(100);
    // The feed paces itself by what is still open; a sender here waits rather than gives up.
    options.send_timeout = std::chrono::seconds(20);
    options.max_queued_application_jobs = 16'384;
    options.stamp_routes = true;
    return options;
}

result<void> Fleet::start(std::size_t index, std::string* why) {
    Slot& slot = slots_[index];
    slot.probe = std::make_unique<MoveProbe>(measurements_, books_, options_.follow);
    host::HostExtras extras;
    extras.probe = slot.probe.get();
    extras.logger = [this, name = host_name(index)](host::LogLevel level, std::string_view what,
                                                    const std::string& text) {
        if (level < host::LogLevel::Warning) return;
        log_.add("host " + name + ": " + std::string(what) + ": " + text);
    };
    const host::HostOptions options = options_of(index);
    auto started = host::Host::start(options, types_, store_, std::move(extras));
    if (!started) {
        const bool named_port = options_.port != 0;
        *why = "host " + host_name(index) + " does not start" +
               (named_port ? " on " + options.listen_address : "") + ": " +
               started.error().message();
        return started.error();
    }
    slot.host = std::move(started.value());
    slot.open = true;
    return outcome::success();
}

void Fleet::remove(std::size_t index) {
    slots_[index].open = false;
    slots_[index].host.reset();
}

void Fleet::stop() {
    constexpr std::chrono::milliseconds kDeadline{5'000};
    std::vector<std::future<void>> ended;
    for (Slot& slot : slots_) {
        slot.open = false;
        if (slot.host == nullptr) continue;
        std::promise<void> done;
        ended.push_back(done.get_future());
        slot.host->shutdown(kDeadline, [done = std::move(done)](host::TerminationResult) mutable {
            done.set_value();
        });
    }
    for (std::future<void>& one : ended) one.wait();
    for (Slot& slot : slots_) slot.host.reset();
}

void Fleet::send(std::size_t index, ActorId target, host::Packet packet,
                 UniqueFunction<void()> refused) {
    Slot& slot = slots_[index];
    slot.unadmitted->fetch_add(1);
    slot.host->send(std::move(target), std::move(packet),
                    [refused = std::move(refused),
                     unadmitted = slot.unadmitted](result<void> admitted) mutable {
                        if (!admitted) refused();
                        unadmitted->fetch_sub(1);
                    });
}

std::optional<std::size_t> Fleet::broken() {
    for (std::size_t index = 0; index < slots_.size(); ++index) {
        const Slot& slot = slots_[index];
        if (slot.host == nullptr) continue;
        if (slot.host->status().state == host::HostState::Error) return index;
    }
    return std::nullopt;
}

bool Fleet::joined() {
    for (Slot& slot : slots_) {
        if (slot.host == nullptr) return false;
        const host::HostStatus status = slot.host->status();
        if (!status.is_ready || status.ready_peers != kDemoHosts - 1) return false;
    }
    return true;
}

}  // namespace shunt::tools
