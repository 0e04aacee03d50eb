#include "host/job_permits.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace shunt::host {
namespace {

using Pressure = JobPermits::Pressure;

TEST(JobPermits, CountsExactlyAndGivesBackOnce) {
    JobPermits permits({.max = 4}, nullptr);
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
    JobPermits permits({.max = 10}, [&](Pressure pressure) { seen.push_back(pressure); });
    std::vector<JobPermit> held;

    for (int i = 0; i < 8; ++i) held.push_back(permits.acquire());
    held.pop_back();
    EXPECT_EQ(seen, std::vector{Pressure::Paused});
    held.pop_back();

    EXPECT_EQ(permits.in_use(), 6U);
    EXPECT_EQ(seen, (std::vector{Pressure::Paused, Pressure::Running}));
}

// A record that is here already is never refused: the count passes the maximum and says so.
TEST(JobPermits, AnAcceptedJobAlwaysGetsItsPermit) {
    JobPermits permits({.max = 1}, nullptr);
    const JobPermit first = permits.acquire();
    EXPECT_FALSE(permits.has_room());

    const JobPermit second = permits.acquire();
    EXPECT_EQ(permits.in_use(), 2U);
}

TEST(JobPermits, EachReleaseIsTold) {
    JobPermits permits({.max = 2}, nullptr);
    int told = 0;
    permits.on_release([&] { ++told; });

    { const JobPermit permit = permits.acquire(); }

    EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace shunt::host
