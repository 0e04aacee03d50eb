// Whole runs: real hosts on the simulated world, one seed each.

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/seed_runner.hpp"

namespace shunt::sim {
namespace {

// Seeds that found a defect once. They keep their meaning as long as nothing draws differently;
// after that they are ordinary seeds, which does no harm.
TEST(Simulation, SeedsThatFoundDefectsHold) {
    std::ifstream file(SHUNT_SOURCE_ROOT "/fixtures/seeds.txt");
    ASSERT_TRUE(file.is_open());
    std::size_t count = 0;
    for (std::string line; std::getline(file, line);) {
        std::uint64_t seed = 0;
        if (!(std::istringstream(line) >> seed)) continue;
        ++count;
        const RunReport report = run_seed(seed);
        EXPECT_TRUE(report.passed()) << describe(FailedSeed{seed, report}) << line;
    }
    EXPECT_GT(count, 10U);
}

/// SHUNT_SIM_SEEDS makes it fewer where every step is slow (`./dev sanitize`).
std::uint64_t seeds_wanted() {
    const char* wanted = std::getenv("SHUNT_SIM_SEEDS");
    return wanted == nullptr ? 2'000 : std::strtoull(wanted, nullptr, 10);
}

TEST(Simulation, TwoThousandSeedsConserveTheirMessages) {
    const std::uint64_t seeds = seeds_wanted();
    const SeedSummary summary = run_seeds({.from = 1, .count = seeds, .jobs = 2}, nullptr);

    for (const FailedSeed& failed : summary.failed) ADD_FAILURE() << describe(failed);
    EXPECT_EQ(summary.runs, seeds);
    EXPECT_GT(summary.moves, seeds);
    EXPECT_GT(summary.restarts, seeds * 2 / 5);
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
