// Thousands of random moves. Each seed gives one run with faults of random kinds, then a calm in
// which everything must come to an end; a failure prints the seed that repeats it.

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/relocation/toy_move.hpp"

namespace shunt::relocation::testing {
namespace {

constexpr std::uint64_t kSeeds = 4000;
constexpr int kActions = 250;

ToyFaults faults_of(std::uint64_t seed) {
    // Whole kinds are left out at random, so that each also meets the others alone.
    ToyFaults faults;
    if ((seed & 1U) != 0) faults.cut = 25;
    if ((seed & 2U) != 0) faults.corrupt = 30;
    if ((seed & 4U) != 0) faults.store = 400;
    if ((seed & 8U) != 0) faults.failing_step = 60;
    if ((seed & 16U) != 0) faults.impatience = 60;
    return faults;
}

ToyMove run(std::uint64_t seed, const ToyFaults& faults) {
    ToyMove move(seed, faults);
    for (int i = 0; i < kActions && move.broken.empty(); ++i) move.act();
    move.settle();
    return move;
}

void expect_nothing_doubled(const ToyMove& move) {
    std::set<int> seen;
    for (const auto* ran : {&move.run_at_source, &move.run_at_target}) {
        for (const int message : *ran) EXPECT_TRUE(seen.insert(message).second) << message;
    }
}

void expect_accounts_closed(const ToyMove& move) {
    const bool restored = move.source().stage() == Stage::SourceRunning;
    EXPECT_EQ(move.concluded, 1);
    EXPECT_EQ(move.copies_released, move.sealed ? 1 : 0);
    EXPECT_EQ(move.permits_released, restored ? 0 : 1);
    EXPECT_TRUE(move.hold.empty());
    EXPECT_LE(move.opened, 1);
    EXPECT_FALSE(restored && move.target_open());
    EXPECT_TRUE(move.source().finished() || !(restored || move.target_open()));
}

/// Without a broken connection no message that a living owner was meant to get may be missing.
void expect_nothing_lost(const ToyMove& move) {
    const std::size_t ran = move.run_at_source.size() + move.run_at_target.size();
    const bool restored = move.source().stage() == Stage::SourceRunning;
    if (restored || (move.target_open() && !move.cut_happened())) {
        EXPECT_EQ(ran + move.refused.size(), static_cast<std::size_t>(move.arrived));
    }
}

TEST(RelocationWalk, U117_U71_U109_RandomMovesKeepTheContract) {
    std::uint64_t opened = 0;
    std::uint64_t restored = 0;
    std::uint64_t undecided = 0;
    std::set<LogCode> reported;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));

        const ToyMove move = run(seed, faults_of(seed));

        ASSERT_EQ(move.broken, "");
        expect_nothing_doubled(move);
        expect_accounts_closed(move);
        expect_nothing_lost(move);
        if (HasFailure()) return;
        reported.insert(move.reported.begin(), move.reported.end());
        opened += move.target_open() ? 1U : 0U;
        restored += move.source().stage() == Stage::SourceRunning ? 1U : 0U;
        undecided += move.target_open() || !move.boundary_passed ? 0U : 1U;
    }
    // The walk is worth something only when it reaches every kind of end.
    EXPECT_GT(opened, kSeeds / 4);
    EXPECT_GT(restored, kSeeds / 50);
    EXPECT_GT(undecided, kSeeds / 200);
    for (const LogCode code :
         {LogCode::CutoverTimeout, LogCode::LateCutover, LogCode::LocationUpdateFailed,
          LogCode::PayloadChecksumMismatch, LogCode::CutoverResultUnknown,
          LogCode::ReconciliationUnresolved, LogCode::RepeatedPrepare, LogCode::LateRelay,
          LogCode::StaleOwner, LogCode::CasRetried, LogCode::LateStoreAnswer,
          LogCode::BatchRetransmitted, LogCode::AttemptResent, LogCode::RouteAdopted,
          LogCode::BoundaryUnknown, LogCode::AbortTooLate}) {
        EXPECT_TRUE(reported.contains(code)) << name_of(code);
    }
}

// U-119's half that the machines decide: without faults every message runs once and in order.
TEST(RelocationWalk, U119_CalmMovesKeepOrder) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));

        const ToyMove move = run(seed, {});

        ASSERT_EQ(move.broken, "");
        ASSERT_TRUE(move.target_open());
        ToyMove::Messages ran = move.run_at_source;
        ran.insert(ran.end(), move.run_at_target.begin(), move.run_at_target.end());
        EXPECT_TRUE(std::is_sorted(ran.begin(), ran.end()));
        EXPECT_EQ(ran.size() + move.refused.size(), static_cast<std::size_t>(move.arrived));
    }
}

}  // namespace
}  // namespace shunt::relocation::testing
