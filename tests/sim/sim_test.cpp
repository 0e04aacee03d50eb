// Whole runs: real hosts on the simulated world, one seed each.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/seed_runner.hpp"

namespace shunt::sim {
namespace {

TEST(Simulation, FiveHundredSeedsConserveTheirMessages) {
    const SeedSummary summary = run_seeds({.from = 1, .count = 500, .jobs = 2}, nullptr);

    for (const FailedSeed& failed : summary.failed) ADD_FAILURE() << describe(failed);
    EXPECT_EQ(summary.runs, 500U);
    EXPECT_GT(summary.moves, 500U);
    EXPECT_GT(summary.restarts, 200U);
}

// A seed in a report is worth nothing unless it brings the same run back.
TEST(Simulation, ASeedBringsTheSameRunBack) {
    for (const std::uint64_t seed : {3U, 4U, 5U}) {
        EXPECT_EQ(run_seed(seed).hash, run_seed(seed).hash) << "seed " << seed;
    }
    EXPECT_NE(run_seed(3).hash, run_seed(4).hash);
}

}  // namespace
}  // namespace shunt::sim
