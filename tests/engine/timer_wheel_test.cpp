#include "engine/timer_wheel.hpp"

#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shunt::engine {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr TimePoint at(Duration since_zero) {
    return TimePoint(since_zero);
}

TEST(TimerWheel, NeverRunsEarlyAndAtMostOneTickLate) {
    TimerWheel wheel(at(5s));
    int runs = 0;
    wheel.arm(at(5s + 10ms), [&] { ++runs; });

    wheel.run_due(at(5s + 10ms - 1ns));
    EXPECT_EQ(runs, 0);
    wheel.run_due(at(5s + 10ms) + TimerWheel::kTick);
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(wheel.armed_count(), 0U);
}

TEST(TimerWheel, RunsInDeadlineOrderAndTiesInArmingOrder) {
    TimerWheel wheel(at(0s));
    std::vector<int> order;
    wheel.arm(at(3s), [&] { order.push_back(3); });
    wheel.arm(at(1s), [&] { order.push_back(1); });
    wheel.arm(at(1s), [&] { order.push_back(2); });

    wheel.run_due(at(10s));

    EXPECT_THAT(order, ElementsAre(1, 2, 3));
}

TEST(TimerWheel, CancelledTimersDoNotRunEvenWhenDueInTheSameBatch) {
    TimerWheel wheel(at(0s));
    std::vector<int> order;
    TimerId second;
    const TimerId gone = wheel.arm(at(1s), [&] { order.push_back(0); });
    wheel.arm(at(1s), [&] {
        order.push_back(1);
        wheel.cancel(second);
    });
    second = wheel.arm(at(1s), [&] { order.push_back(2); });
    wheel.cancel(gone);
    wheel.cancel(gone);

    wheel.run_due(at(2s));

    EXPECT_THAT(order, ElementsAre(1));
    EXPECT_EQ(wheel.armed_count(), 0U);
}

TEST(TimerWheel, ASpentIdDoesNotCancelItsSuccessor) {
    TimerWheel wheel(at(0s));
    int runs = 0;
    const TimerId spent = wheel.arm(at(1ms), [&] { ++runs; });
    wheel.run_due(at(10ms));
    wheel.arm(at(20ms), [&] { ++runs; });

    wheel.cancel(spent);
    wheel.run_due(at(30ms));

    EXPECT_EQ(runs, 2);
}

TEST(TimerWheel, WhatATimerArmsForThePastWaitsForTheNextCall) {
    TimerWheel wheel(at(0s));
    int runs = 0;
    wheel.arm(at(1ms), [&] { wheel.arm(at(0s), [&] { ++runs; }); });

    wheel.run_due(at(5ms));
    EXPECT_EQ(runs, 0);
    EXPECT_LE(wheel.next_wake(), at(5ms) + TimerWheel::kTick);
    wheel.run_due(at(5ms) + TimerWheel::kTick);
    EXPECT_EQ(runs, 1);
}

TEST(TimerWheel, NextWakeIsNeverLate) {
    TimerWheel wheel(at(0s));
    EXPECT_EQ(wheel.next_wake(), kNever);
    wheel.arm(kNever, [] {});
    wheel.arm(at(1h), [] {});
    const TimerId soon = wheel.arm(at(7s), [] {});

    EXPECT_LE(wheel.next_wake(), at(7s) + TimerWheel::kTick);
    wheel.cancel(soon);
    EXPECT_LE(wheel.next_wake(), at(1h) + TimerWheel::kTick);
}

// Cascading between levels is where wheels go wrong, so random deadlines over seven decades run
// against the plain statement of the rule.
TEST(TimerWheel, RandomDeadlinesRunOnTimeAcrossAllLevels) {
    std::mt19937_64 random(7);
    TimePoint now = at(123456789ns);
    TimePoint previous = now;
    TimerWheel wheel(now);
    std::vector<TimePoint> late;
    std::size_t armed = 0;
    std::size_t run = 0;
    for (int i = 0; i < 20000; ++i) {
        const auto wait = Duration(random() % (std::uint64_t{1} << (random() % 46)));
        const TimePoint deadline = now + wait;
        wheel.arm(deadline, [&, deadline] {
            ++run;
            // The run before this one was past the tick of the deadline: it should have run it.
            if (now < deadline || previous > deadline + TimerWheel::kTick) late.push_back(deadline);
        });
        ++armed;
        const TimePoint wake = wheel.next_wake();
        // Jump to where the wheel wants to run next, or a little further.
        if (random() % 4 == 0) now = std::max(now, wake) + Duration(random() % 1000000);
        wheel.run_due(now);
        previous = now;
    }
    while (wheel.armed_count() > 0) {
        now = std::max(now, wheel.next_wake());
        wheel.run_due(now);
        previous = now;
    }

    EXPECT_EQ(run, armed);
    EXPECT_THAT(late, IsEmpty());
}

}  // namespace
}  // namespace shunt::engine
