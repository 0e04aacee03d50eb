#include "store/lease.hpp"

#include <algorithm>

namespace shunt::store {
namespace {

constexpr std::uint64_t kUsableMsMax = std::uint64_t{1'000'000'000'000};

}  // namespace

bool is_valid(const LeaseTimings& timings) noexcept {
    using std::chrono::milliseconds;
    const auto [interval, ttl, timeout, margin] = timings;
    const bool positive = std::min({interval, ttl, timeout, margin}) > milliseconds::zero();
    // Written as differences of positive values, which cannot overflow.
    return positive && margin < ttl && timeout < ttl - margin &&
           std::max(interval, timeout) < ttl - margin - timeout;
}

TimePoint admission_deadline(const LeaseLife& life,
                             std::chrono::milliseconds fencing_margin) noexcept {
    const auto margin_ms = static_cast<std::uint64_t>(fencing_margin.count());
    const std::uint64_t left_ms =
        life.expires_at > life.store_now ? life.expires_at.value - life.store_now.value : 0;
    if (left_ms <= margin_ms) return life.observed_from;
    // No lease lasts years; the bound keeps nanoseconds from overflowing on a foreign expiry.
    const std::uint64_t usable_ms = std::min(left_ms - margin_ms, kUsableMsMax);
    return deadline_after(life.observed_from,
                          std::chrono::milliseconds(static_cast<std::int64_t>(usable_ms)));
}

TimePoint valid_until(const LeaseLife& life) noexcept {
    return admission_deadline(life, std::chrono::milliseconds::zero());
}

}  // namespace shunt::store
