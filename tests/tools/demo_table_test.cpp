#include "tools/demo_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shunt::tools {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

DemoSummary good() {
    DemoSummary summary;
    summary.events_played = summary.events_total = 196'127;
    summary.restarts = summary.restarts_wanted = 3;
    summary.books.messages.messages = summary.books.messages.ran = 392'254;
    return summary;
}

TEST(DemoTable, GoodRunEndsWithZerosAndItsVerdict) {
    const std::vector<std::string> lines = table_of(good());

    EXPECT_THAT(lines, Contains(HasSubstr("196,127 in")));
    EXPECT_EQ(lines[lines.size() - 2], "  lost 0 · doubled 0 · reordered 0");
    EXPECT_THAT(lines.back(), HasSubstr("OK: every message ran exactly once"));
    EXPECT_EQ(exit_code_of(good()), 0);
}

TEST(DemoTable, RowsWithoutNewsAreLeftOut) {
    EXPECT_THAT(table_of(good()), Not(Contains(HasSubstr("refused"))));

    DemoSummary summary = good();
    summary.books.refused = 2;

    EXPECT_THAT(table_of(summary), Contains(HasSubstr("refused")));
}

TEST(DemoTable, LostMessageFailsEvenWhenInterrupted) {
    DemoSummary summary = good();
    summary.books.messages.lost = 1;
    summary.books.findings.push_back("never ran: a -> b #1");
    summary.interrupted = true;

    EXPECT_THAT(table_of(summary), Contains(HasSubstr("never ran: a -> b #1")));
    EXPECT_THAT(table_of(summary).back(), HasSubstr("FAILED"));
    EXPECT_EQ(exit_code_of(summary), 1);
}

// The account of a run that broke off does not hold either; the cause is what a reader needs.
TEST(DemoTable, CauseOfALossIsInTheVerdict) {
    DemoSummary summary = good();
    summary.books.messages.lost = 1;
    summary.failure = "host B lost its lease";

    EXPECT_EQ(table_of(summary).back(),
              "  FAILED: host B lost its lease; the account above does not hold.");
    EXPECT_EQ(exit_code_of(summary), 1);
}

TEST(DemoTable, StateFaultFails) {
    DemoSummary summary = good();
    summary.books.state_faults = 1;

    EXPECT_EQ(exit_code_of(summary), 1);
}

TEST(DemoTable, MissingRestartFails) {
    DemoSummary summary = good();
    summary.restarts = 2;

    EXPECT_THAT(table_of(summary).back(), HasSubstr("FAILED"));
    EXPECT_EQ(exit_code_of(summary), 1);
}

TEST(DemoTable, DemoThatCouldNotGoOnSaysWhy) {
    DemoSummary summary = good();
    summary.failure = "host B stays blocked: TargetUnavailable";

    EXPECT_THAT(table_of(summary).back(), HasSubstr("host B stays blocked"));
    EXPECT_EQ(exit_code_of(summary), 1);
}

TEST(DemoTable, InterruptionThatHoldsIs130) {
    DemoSummary summary = good();
    summary.events_played = 5;
    summary.restarts = 0;
    summary.interrupted = true;

    EXPECT_THAT(table_of(summary), Contains(HasSubstr("5 of 196,127")));
    EXPECT_EQ(exit_code_of(summary), 130);
}

}  // namespace
}  // namespace shunt::tools
