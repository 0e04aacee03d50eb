#pragma once
// What `shunt demo` can be told.

#include <chrono>
#include <cstdint>
#include <string>

namespace shunt::tools {

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
    /// message_follow_duration of every host; a restart takes a little longer than this.
    std::chrono::milliseconds follow{6'000};
    /// Where each Actor starts, and through which host each person's events come in.
    std::uint64_t seed = 1;
    /// Host A listens here, B one above, C two above; 0 takes free ports.
    std::uint16_t port = 0;
};

}  // namespace shunt::tools
