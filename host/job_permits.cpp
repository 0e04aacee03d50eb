#include "host/job_permits.hpp"

#include <bit>

namespace shunt::host {

JobPermit JobPermits::try_acquire() noexcept {
    std::uint64_t used = in_use_.load();
    while (used < max_) {
        if (in_use_.compare_exchange_weak(used, used + 1)) {
            added(used + 1);
            return JobPermit(*this);
        }
    }
    return {};
}

bool JobPermits::try_capture(std::uint64_t jobs) noexcept {
    std::uint64_t captured = captured_.load();
    while (jobs == 0 || captured + jobs <= resume_at_) {
        if (captured_.compare_exchange_weak(captured, captured + jobs)) return true;
    }
    return false;
}

void JobPermits::added(std::uint64_t in_use) noexcept {
    std::uint64_t peak = peak_.load(std::memory_order_relaxed);
    while (in_use > peak && !peak_.compare_exchange_weak(peak, in_use)) {
    }
    if (in_use >= pause_at_ && !paused_.load() && !paused_.exchange(true)) {
        // Whoever removes below the lower threshold meanwhile still sees Running and reports
        // nothing: look again, or reception would stay stopped for ever.
        bool paused = true;
        if (in_use_.load() <= resume_at_) paused_.compare_exchange_strong(paused, false);
        on_pressure_();
    }
}

void JobPermits::remove() noexcept {
    const std::uint64_t before = in_use_.fetch_sub(1);
    SHUNT_ASSERT(before > 0);
    if (before - 1 <= resume_at_ && paused_.load() && paused_.exchange(false)) on_pressure_();
    if (watching_.load() == 0) return;
    std::uint64_t shards = watching_.exchange(0);
    while (shards != 0) {
        const auto shard = static_cast<std::uint32_t>(std::countr_zero(shards));
        shards &= shards - 1;
        wake_(ShardId{shard});
    }
}

}  // namespace shunt::host
