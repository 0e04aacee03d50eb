#pragma once
// The two clocks of the protocol. Deadlines, windows and S0..S4 use a node's monotonic clock;
// only timers that travel and store expiry use wall time (spec/stores.md section 7). Neither type
// can read a clock: time comes in through the World (design.md section 3).

#include <chrono>
#include <compare>
#include <cstdint>

namespace shunt {

using Duration = std::chrono::nanoseconds;

/// Tag clock: has no now() on purpose.
struct MonotonicClock {
    using rep = std::int64_t;
    using period = std::nano;
    using duration = Duration;
    using time_point = std::chrono::time_point<MonotonicClock, Duration>;
    static constexpr bool is_steady = true;
};

/// An instant of one node's monotonic clock. Never comparable between nodes.
using TimePoint = MonotonicClock::time_point;

inline constexpr TimePoint kNever = TimePoint::max();

/// `at + wait`, held at kNever instead of overflowing.
constexpr TimePoint deadline_after(TimePoint at, Duration wait) noexcept {
    if (wait >= kNever - at) return kNever;
    return at + wait;
}

/// Milliseconds since the Unix epoch, as timers and store records carry them.
struct UnixMillis {
    std::uint64_t value = 0;
    constexpr auto operator<=>(const UnixMillis&) const noexcept = default;
};

}  // namespace shunt
