#include "host/job_permits.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace shunt::host {
namespace {

using Pressure = JobPermits::Pressure;

TEST(JobPermits, CountsExactlyAndGivesBackOnce) {
    JobPermits permits({.max = 4}, [] {});
    {
        JobPermit first = permits.acquire();
        JobPermit moved = std::move(first);
        first.release();
        EXPECT_EQ(permits.in_use(), 1U);
        moved.release();
        moved.release();
        EXPECT_EQ(permits.in_use(), 0U);
    }
    EXPECT_EQ(permits.peak(), 1U);
}

// Pause at ceil(10 * 80 %) = 8, resume at floor(10 * 60 %) = 6; nothing flutters in between.
TEST(JobPermits, PressureHasHysteresis) {
    std::vector<Pressure> seen;
    const JobPermits* looked_at = nullptr;
    JobPermits permits({.max = 10}, [&] { seen.push_back(looked_at->pressure()); });
    looked_at = &permits;
    std::vector<JobPermit> held;

    for (int i = 0; i < 8; ++i) held.push_back(permits.acquire());
    held.pop_back();
    EXPECT_EQ(seen, std::vector{Pressure::Paused});
    held.pop_back();

    EXPECT_EQ(permits.in_use(), 6U);
    EXPECT_EQ(seen, (std::vector{Pressure::Paused, Pressure::Running}));
}

// A record that is here already is never refused: the count passes the maximum and says so. A
// backlog turn waits instead.
TEST(JobPermits, AnAcceptedJobAlwaysGetsItsPermitAndABacklogTurnWaits) {
    JobPermits permits({.max = 1}, [] {});
    const JobPermit first = permits.acquire();
    EXPECT_EQ(permits.room(), 0U);

    const JobPermit second = permits.acquire();
    EXPECT_EQ(permits.in_use(), 2U);
    EXPECT_FALSE(permits.try_acquire());
    EXPECT_EQ(permits.in_use(), 2U);
}

TEST(JobPermits, AReleaseWakesEveryShardThatWatchesOnce) {
    JobPermits permits({.max = 2}, [] {});
    std::vector<std::uint32_t> woken;
    permits.on_wake([&](ShardId shard) { woken.push_back(shard.value); });
    permits.watch(ShardId{3});
    permits.watch(ShardId{1});

    { const JobPermit permit = permits.acquire(); }
    { const JobPermit permit = permits.acquire(); }

    EXPECT_EQ(woken, (std::vector<std::uint32_t>{1, 3}));
}

TEST(JobPermits, CapturedJobsStayBelowWhereReceptionGoesOn) {
    JobPermits permits({.max = 10}, [] {});  // Resumes at 6.

    EXPECT_TRUE(permits.try_capture(6));
    EXPECT_FALSE(permits.try_capture(1));
    EXPECT_TRUE(permits.try_capture(0));
    permits.release_captured(6);
    EXPECT_TRUE(permits.try_capture(1));
    permits.release_captured(1);
}

// Threads take and give back at once: the count is exact, the pressure ends where it must.
TEST(JobPermits, ThreadsLeaveAnExactCountAndNoPressure) {
    JobPermits permits({.max = 8}, [] {});
    permits.on_wake([](ShardId) {});
    std::vector<std::thread> threads;
    for (std::uint32_t shard = 0; shard < 4; ++shard) {
        threads.emplace_back([&permits, shard] {
            for (int round = 0; round < 20'000; ++round) {
                const JobPermit sure = permits.acquire();
                const JobPermit perhaps = permits.try_acquire();
                if (!perhaps) permits.watch(ShardId{shard});
            }
        });
    }
    for (std::thread& thread : threads) thread.join();

    EXPECT_EQ(permits.in_use(), 0U);
    EXPECT_EQ(permits.pressure(), Pressure::Running);
}

}  // namespace
}  // namespace shunt::host
