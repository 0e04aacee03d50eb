#pragma once
// What `shunt demo` can be told.

#include <chrono>
#include <cstdint>
#include <string>

namespace shunt::tools {

/// A target that falls back owns the unit only after the cutover wait, and senders believe an old
/// route for a second longer: the old address must forward until then and a little beyond.
inline constexpr std::chrono::milliseconds kFollowMargin{2'000};
inline constexpr std::chrono::milliseconds kFollowBeyondCutover{5'000};

/// Bounds are checked where the options are read (main.cpp).
struct DemoOptions {
    DemoOptions() {}

    /// Empty plays the built-in sample.
    std::string trace_path;
    /// Trace time per real time; above zero.
    double speed = 1.0;
    /// Full rounds of restarts at the least. More restarts follow while the trace still plays.
    std::uint32_t rounds_min = 1;
    /// relocation_cutover_wait_timeout of every host.
    std::chrono::milliseconds cutover_wait{1'000};
    /// message_follow_duration of every host; a restart takes a little longer than this. Zero is
    /// kFollowBeyondCutover more than the cutover wait; otherwise at least kFollowMargin more.
    std::chrono::milliseconds follow{0};
    /// Where each Actor starts, and through which host each person's events come in.
    std::uint64_t seed = 1;
    /// Host A listens here, B one above, C two above; 0 takes free ports.
    std::uint16_t port = 0;
};

}  // namespace shunt::tools
