#include "engine/pipe.hpp"

#include <gtest/gtest.h>

#include "engine/backoff.hpp"

namespace shunt::engine {
namespace {

using namespace std::chrono_literals;

TEST(Pipe, RefusesAtAndAboveTheMark) {
    Pipe pipe(1000);

    EXPECT_EQ(pipe.take(400, Gate::HighWaterMark), Admission::Queued);
    EXPECT_EQ(pipe.take(601, Gate::HighWaterMark), Admission::Full);
    EXPECT_EQ(pipe.take(600, Gate::HighWaterMark), Admission::Queued);
    EXPECT_EQ(pipe.take(0, Gate::HighWaterMark), Admission::Full);
    EXPECT_EQ(pipe.take(500, Gate::None), Admission::Queued);
    EXPECT_EQ(pipe.in_flight(), 1500U);
}

TEST(Pipe, AnOversizeRecordPassesAlone) {
    Pipe pipe(1000);

    EXPECT_EQ(pipe.take(5000, Gate::HighWaterMark), Admission::Queued);
    EXPECT_EQ(pipe.take(1, Gate::HighWaterMark), Admission::Full);
    EXPECT_TRUE(pipe.release(5000));
    EXPECT_EQ(pipe.take(5000, Gate::HighWaterMark), Admission::Queued);
}

TEST(Pipe, InvitesOncePerRefusalAtHalfTheMark) {
    Pipe pipe(1000);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(pipe.take(100, Gate::HighWaterMark), Admission::Queued);
    EXPECT_EQ(pipe.take(100, Gate::HighWaterMark), Admission::Full);

    for (int i = 0; i < 4; ++i) EXPECT_FALSE(pipe.release(100));
    EXPECT_TRUE(pipe.release(100));
    EXPECT_FALSE(pipe.release(100));
}

TEST(Pipe, ZeroIsNoLimit) {
    Pipe pipe(0);

    EXPECT_EQ(pipe.take(1ULL << 40U, Gate::HighWaterMark), Admission::Queued);
    EXPECT_EQ(pipe.take(1ULL << 40U, Gate::HighWaterMark), Admission::Queued);
}

TEST(Backoff, DoublesWithJitterUpToTheLongest) {
    Backoff lowest({.shortest = 100ms, .longest = 5s});
    Backoff highest({.shortest = 100ms, .longest = 5s});
    for (const Duration base : {100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 5000ms, 5000ms}) {
        EXPECT_EQ(lowest.next(0), base);
        const auto most = static_cast<std::uint64_t>(base.count());
        EXPECT_EQ(highest.next(most), std::min<Duration>(2 * base, 5s));
    }
}

TEST(Backoff, OnlyALinkThatLastedMakesItShortAgain) {
    Backoff backoff({.shortest = 100ms, .longest = 5s, .calm = 1s});
    (void)backoff.next(0);
    backoff.on_link_lasted(999ms);
    EXPECT_EQ(backoff.next(0), 200ms);

    backoff.on_link_lasted(1s);

    EXPECT_EQ(backoff.next(0), 100ms);
}

}  // namespace
}  // namespace shunt::engine
