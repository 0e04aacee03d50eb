#pragma once
// Many runs, one seed each, on as many threads as asked for: runs share nothing. Adds up what they
// covered and tells how to replay the ones that failed.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/sim/cluster.hpp"

namespace shunt::sim {

struct SeedRange {
    std::uint64_t from = 1;
    std::uint64_t count = 500;
    unsigned jobs = 1;
    Telling telling = Telling::Nothing;
    /// Stops beginning new runs after this long; zero is no limit.
    std::chrono::seconds limit{0};
};

struct FailedSeed {
    std::uint64_t seed = 0;
    RunReport report;
};

struct SeedSummary {
    std::uint64_t runs = 0;
    std::vector<FailedSeed> failed;  // By seed.
    Coverage coverage;
    std::uint64_t steps = 0;
    std::uint64_t turns = 0;
    std::uint64_t messages = 0;
    std::uint64_t ran = 0;
    std::uint64_t requests = 0;
    std::uint64_t moves = 0;
    std::uint64_t restarts = 0;
    std::uint64_t objects_lost = 0;
    std::uint64_t leases_lost = 0;
    std::uint64_t overtakes = 0;
    std::uint64_t allowed_missing = 0;
    std::uint64_t late_unordered = 0;
    std::uint64_t link_breaks = 0;
    std::chrono::seconds virtual_time{0};
    /// Over all runs, whatever their order: equal for equal ranges.
    std::uint64_t hash = 0;
};

/// `progress` is told about finished runs now and then, from any of the threads, one at a time.
SeedSummary run_seeds(
    const SeedRange& range,
    const std::function<void(std::uint64_t runs, std::uint64_t failed)>& progress);

/// A failing seed in words, with its replay command.
std::string describe(const FailedSeed& failed);
/// Totals, and every transition, effect, log code and result with how often it occurred.
std::string describe(const SeedSummary& summary);

}  // namespace shunt::sim
