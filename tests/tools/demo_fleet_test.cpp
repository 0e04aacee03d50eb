#include "tools/demo_fleet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shunt::tools {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr HostLog::Clock::time_point kStart{std::chrono::hours(1)};

void fill(HostLog& log, std::size_t count) {
    for (std::size_t index = 0; index < count; ++index) log.add("line");
}

// The screen asks every few milliseconds; a bound per call let a stranger at the mesh port write
// ten thousand lines a second.
TEST(HostLog, LinesAreBoundedPerSecondAndNotPerCall) {
    HostLog log;
    ASSERT_THAT(log.take(kStart), IsEmpty());
    fill(log, HostLog::kLinesMax);
    ASSERT_THAT(log.take(kStart), SizeIs(HostLog::kLinesMax));

    fill(log, 7);

    EXPECT_THAT(log.take(kStart + std::chrono::milliseconds(2)), IsEmpty());
    EXPECT_THAT(log.take(kStart + HostLog::kPeriod), ElementsAre("... and 7 more lines"));
}

TEST(HostLog, NextSecondHasRoomAgain) {
    HostLog log;
    static_cast<void>(log.take(kStart));
    fill(log, HostLog::kLinesMax);
    static_cast<void>(log.take(kStart + HostLog::kPeriod));

    log.add("later");

    EXPECT_THAT(log.take(kStart + HostLog::kPeriod), ElementsAre("later"));
}

TEST(HostLog, RestTellsWhatWasNotKept) {
    HostLog log;
    static_cast<void>(log.take(kStart));
    fill(log, HostLog::kLinesMax + 1);

    EXPECT_EQ(log.take_rest().back(), "... and 1 more lines");
}

}  // namespace
}  // namespace shunt::tools
