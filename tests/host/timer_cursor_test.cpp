#include "host/timer_cursor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shunt::host {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kPeriod = 100;

TimerCursor cursor(TimerOverrun overrun, std::uint64_t catch_up = 1) {
    return TimerCursor(kPeriod, overrun, catch_up, 1, UnixMillis{1'100});
}

TEST(TimerCursor, NothingIsDueBeforeItsTime) {
    TimerCursor timer = cursor(TimerOverrun::SkipLateTicks);

    EXPECT_THAT(timer.advance(UnixMillis{1'099}), IsEmpty());
    EXPECT_THAT(timer.advance(UnixMillis{1'100}), ElementsAre(DueTick{1, UnixMillis{1'100}}));
    EXPECT_EQ(timer.next_at(), UnixMillis{1'200});
}

// Late by three periods: only the newest of the passed ticks is delivered (spec/objects.md 6).
TEST(TimerCursor, SkipLateTicksDeliversTheNewestOnly) {
    TimerCursor timer = cursor(TimerOverrun::SkipLateTicks);

    EXPECT_THAT(timer.advance(UnixMillis{1'450}), ElementsAre(DueTick{4, UnixMillis{1'400}}));
    EXPECT_EQ(timer.next_index(), 5U);
    EXPECT_EQ(timer.next_at(), UnixMillis{1'500});
}

TEST(TimerCursor, CatchUpBoundedDeliversTheLastFewInOrder) {
    TimerCursor timer = cursor(TimerOverrun::CatchUpBounded, 2);

    EXPECT_THAT(timer.advance(UnixMillis{1'450}),
                ElementsAre(DueTick{3, UnixMillis{1'300}}, DueTick{4, UnixMillis{1'400}}));
    EXPECT_EQ(timer.next_index(), 5U);
}

TEST(TimerCursor, CatchUpNeverReachesBehindTheFirstTick) {
    TimerCursor timer = cursor(TimerOverrun::CatchUpBounded, 100);

    EXPECT_THAT(timer.advance(UnixMillis{1'250}),
                ElementsAre(DueTick{1, UnixMillis{1'100}}, DueTick{2, UnixMillis{1'200}}));
}

TEST(TimerCursor, DelayNextTickCountsFromTheHandlersEnd) {
    TimerCursor timer = cursor(TimerOverrun::DelayNextTick);

    EXPECT_THAT(timer.advance(UnixMillis{1'450}), ElementsAre(DueTick{1, UnixMillis{1'100}}));
    timer.handler_ended(UnixMillis{1'500});
    EXPECT_EQ(timer.next_at(), UnixMillis{1'600});
    EXPECT_THAT(timer.advance(UnixMillis{1'600}), ElementsAre(DueTick{2, UnixMillis{1'600}}));
}

}  // namespace
}  // namespace shunt::host
