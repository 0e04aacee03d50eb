#include "relocation/chunk_plan.hpp"

#include <gtest/gtest.h>

namespace shunt::relocation {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;

TEST(RelocationChunkPlan, U55_TheSmallestLimitBinds) {
    const std::uint64_t total = 10 * kMiB;

    EXPECT_EQ(plan_chunks(total, {256 * kKiB, kMiB, 16 * kMiB}), (ChunkPlan{256 * kKiB, 40}));
    EXPECT_EQ(plan_chunks(total, {256 * kKiB, 128 * kKiB, 16 * kMiB}), (ChunkPlan{128 * kKiB, 80}));
    EXPECT_EQ(plan_chunks(total, {256 * kKiB, kMiB, 64 * kKiB}), (ChunkPlan{64 * kKiB, 160}));
    EXPECT_EQ(plan_chunks(total, {256 * kKiB, kMiB, std::nullopt}), (ChunkPlan{256 * kKiB, 40}));
}

TEST(RelocationChunkPlan, U56_WithoutNegotiationChunksHave32KiB) {
    EXPECT_EQ(plan_chunks(100 * kKiB, {}), (ChunkPlan{32 * kKiB, 4}));
}

TEST(RelocationChunkPlan, OneByteOneChunk) {
    EXPECT_EQ(plan_chunks(1, {}), (ChunkPlan{32 * kKiB, 1}));
    EXPECT_EQ(plan_chunks(32 * kKiB, {}), (ChunkPlan{32 * kKiB, 1}));
    EXPECT_EQ(plan_chunks(32 * kKiB + 1, {}), (ChunkPlan{32 * kKiB, 2}));
}

// No payload is stopped by the budget: it yields as far as 4096 chunks demand, and no further.
TEST(RelocationChunkPlan, U12_BudgetYieldsToTheChunkCount) {
    const std::uint64_t total = 64 * kMiB;

    const auto plan = plan_chunks(total, {256 * kKiB, 256 * kKiB, kKiB});

    EXPECT_EQ(plan, (ChunkPlan{16 * kKiB, 4096}));
}

TEST(RelocationChunkPlan, LimitsThatNeedTooManyChunksHaveNoPlan) {
    EXPECT_EQ(plan_chunks(128 * kMiB, {}), (ChunkPlan{32 * kKiB, 4096}));
    EXPECT_EQ(plan_chunks(128 * kMiB + 1, {}), std::nullopt);
    EXPECT_EQ(plan_chunks(1, {.setting_bytes = 0}), std::nullopt);
}

}  // namespace
}  // namespace shunt::relocation
