#pragma once
// `shunt sim`: runs the simulator over a range of seeds and says how to replay what failed.

#include <chrono>
#include <cstdint>

namespace shunt::tools {

struct SimOptions {
    /// How many seeds, one run each.
    std::uint64_t seeds = 500;
    /// The first one.
    std::uint64_t from = 1;
    /// Runs at once; 0 takes one per processor.
    unsigned jobs = 0;
    /// Stops beginning new runs after this long; 0 is no limit.
    std::chrono::seconds limit{0};
    /// Prints every run's news as it happens; sets jobs to 1.
    bool verbose = false;
};

/// Prints to stdout. 0 when every run held, 1 when one failed, 2 when all held and the output
/// cannot be written. `from` and `seeds` together stay within 64 bits.
int run_sim(const SimOptions& options);

}  // namespace shunt::tools
