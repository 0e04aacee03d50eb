#include "tests/sim/conservation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/ownership.hpp"

namespace shunt::conservation {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Duration kAt = milliseconds(1);

class LedgerTest : public testing::Test {
  protected:
    MessageRef send(Duration at = kAt) { return ledger.send(ann, room, at); }
    MessageRef ask() { return ledger.ask(ann, room, kAt); }
    void run(const MessageRef& message, std::string_view route = "direct") {
        ledger.ran(message, ledger.route(route), kAt);
    }

    Ledger ledger;
    Party ann = ledger.party("ann");
    Party room = ledger.party("room");
};

TEST_F(LedgerTest, NamesAreInternedOnce) {
    EXPECT_EQ(ledger.party("ann"), ann);
    EXPECT_NE(ann, room);
    EXPECT_EQ(ledger.name_of(room), "room");
}

TEST_F(LedgerTest, NumbersCountPerSenderAndReceiver) {
    EXPECT_EQ(send().sequence, 1U);
    EXPECT_EQ(send().sequence, 2U);
    EXPECT_EQ(ledger.send(room, ann, kAt).sequence, 1U);
}

TEST_F(LedgerTest, AnAccountThatAddsUpHolds) {
    const MessageRef first = send();
    const MessageRef second = ask();
    EXPECT_EQ(ledger.open(), 2U);

    run(first);
    run(second);
    EXPECT_EQ(ledger.open(), 1U);
    ledger.answered(second, Answer::Reply, kAt);

    const Report report = ledger.report();
    EXPECT_TRUE(report.holds());
    EXPECT_EQ(ledger.open(), 0U);
    EXPECT_EQ(report.messages, 2U);
    EXPECT_EQ(report.ran, 2U);
    EXPECT_EQ(report.requests, 1U);
    EXPECT_EQ(report.answered, 1U);
    EXPECT_EQ(report.verdict(), "lost 0 · doubled 0 · reordered 0");
}

TEST_F(LedgerTest, AMessageThatNeverRanIsLost) {
    send();

    const Report report = ledger.report();

    EXPECT_FALSE(report.holds());
    EXPECT_EQ(report.lost, 1U);
    EXPECT_THAT(report.findings.texts(), ElementsAre(HasSubstr("never ran: ann -> room #1")));
}

TEST_F(LedgerTest, AnExcusedMessageMayBeMissingButNotDoubled) {
    const MessageRef missing = send();
    const MessageRef doubled = send();
    ledger.may_be_missing(missing);
    ledger.may_be_missing(doubled);
    EXPECT_EQ(ledger.open(), 0U);

    run(doubled);
    run(doubled);

    const Report report = ledger.report();
    EXPECT_EQ(report.lost, 0U);
    EXPECT_EQ(report.allowed_missing, 1U);
    EXPECT_EQ(report.doubled, 1U);
}

TEST_F(LedgerTest, WhatRanWithoutBeingSentCountsAsDoubled) {
    run({ann, room, 7});

    EXPECT_EQ(ledger.report().doubled, 1U);
}

TEST_F(LedgerTest, OrderIsJudgedInsideOneRoute) {
    const MessageRef one = send();
    const MessageRef two = send();
    const MessageRef three = send();

    run(two);
    run(one);
    run(three);

    EXPECT_EQ(ledger.report().reordered, 1U);
    EXPECT_EQ(ledger.report().overtakes, 0U);
}

// A direct message may pass one that is still being followed (design.md section 4).
TEST_F(LedgerTest, OvertakingAcrossRoutesIsCountedApart) {
    const MessageRef followed = send();
    const MessageRef direct = send();

    run(direct, "direct");
    run(followed, "through the old owner");

    EXPECT_TRUE(ledger.report().holds());
    EXPECT_EQ(ledger.report().overtakes, 1U);
}

TEST_F(LedgerTest, OrderInsideARouteIsJudgedAcrossAnOvertakenOne) {
    const MessageRef one = send();
    const MessageRef two = send();
    const MessageRef three = send();

    run(three, "direct");
    run(two, "old");
    run(one, "old");

    EXPECT_EQ(ledger.report().overtakes, 1U);
    EXPECT_EQ(ledger.report().reordered, 1U);
}

TEST_F(LedgerTest, AFallbackExcusesOrderInItsWindowOnly) {
    const MessageRef early = send(milliseconds(1));
    const MessageRef inside = send(milliseconds(5));
    const MessageRef after = send(milliseconds(20));
    const MessageRef last = send(milliseconds(21));
    ledger.order_not_promised(room, milliseconds(4), milliseconds(10));

    run(last);
    run(inside);
    run(after);
    run(early);

    EXPECT_EQ(ledger.report().late_unordered, 1U);
    EXPECT_EQ(ledger.report().reordered, 2U);
}

TEST_F(LedgerTest, EveryRequestIsAnsweredExactlyOnce) {
    const MessageRef twice = ask();
    const MessageRef never = ask();
    const MessageRef unrun = ask();
    const MessageRef failed = ask();
    run(twice);
    ledger.answered(twice, Answer::Reply, kAt);
    ledger.answered(twice, Answer::Failure, kAt);
    run(never);
    ledger.answered(unrun, Answer::Reply, kAt);
    ledger.answered(failed, Answer::Failure, kAt);

    const Report report = ledger.report();

    EXPECT_EQ(report.answered_twice, 1U);
    EXPECT_EQ(report.unanswered, 1U);
    EXPECT_EQ(report.answered_unrun, 1U);
    EXPECT_EQ(report.failures, 1U);
    EXPECT_EQ(report.lost, 1U);  // The one that was answered as if it had run.
}

TEST_F(LedgerTest, ADeadNodeExcusesWhatItsPartiesHadOpen) {
    const MessageRef ran = send();
    run(ran);
    send();
    ledger.send(room, ann, kAt);
    const Party other = ledger.party("other");
    ledger.send(ann, other, kAt);

    ledger.receiver_gone(room);
    EXPECT_EQ(ledger.report().lost, 2U);
    ledger.party_died(room);

    EXPECT_EQ(ledger.report().lost, 1U);
    EXPECT_EQ(ledger.report().allowed_missing, 2U);
    EXPECT_TRUE(ledger.has_run(ran));
}

TEST_F(LedgerTest, ManyFindingsAreCountedButNotAllWritten) {
    for (int i = 0; i < 100; ++i) send();

    const Report report = ledger.report();

    EXPECT_EQ(report.findings.count(), 100U);
    EXPECT_EQ(report.findings.texts().size(), 20U);
}

class OwnerWatchTest : public testing::Test {
  protected:
    void turn(Node node, std::uint64_t generation) {
        watch.turn_started("x", node, generation, kAt);
        watch.turn_ended("x", node, kAt);
    }
    testing::AssertionResult found(const std::string& what) const {
        const auto& texts = watch.findings().texts();
        if (texts.size() == 1 && texts[0].find(what) == 0) return testing::AssertionSuccess();
        return testing::AssertionFailure() << texts.size() << " findings, not one " << what;
    }

    static constexpr Node kA{1};
    static constexpr Node kB{2};
    OwnerWatch watch;
};

TEST_F(OwnerWatchTest, ACleanMoveHasNothingToReport) {
    turn(kA, 1);
    watch.sealed("x", kA, kAt);
    EXPECT_FALSE(watch.owner_of("x").has_value());
    watch.opened("x", kB, kAt);
    turn(kB, 2);
    watch.sealed("x", kB, kAt);
    watch.unsealed("x", kB, kAt);
    turn(kB, 2);

    EXPECT_EQ(watch.findings().count(), 0U);
    EXPECT_EQ(watch.owner_of("x"), kB);
    EXPECT_EQ(watch.turns(), 3U);
    EXPECT_EQ(watch.opens(), 1U);
}

TEST_F(OwnerWatchTest, ATurnElsewhereIsFound) {
    turn(kA, 1);
    turn(kB, 1);
    EXPECT_TRUE(found("turn away from the owner"));
}

TEST_F(OwnerWatchTest, ATurnBehindTheSealIsFound) {
    turn(kA, 1);
    watch.sealed("x", kA, kAt);
    turn(kA, 1);
    EXPECT_TRUE(found("turn behind the seal"));
}

TEST_F(OwnerWatchTest, OverlappingTurnsAreFound) {
    watch.turn_started("x", kA, 1, kAt);
    watch.turn_started("x", kA, 1, kAt);
    EXPECT_TRUE(found("two turns at once"));
}

TEST_F(OwnerWatchTest, ASealInsideATurnIsFound) {
    watch.turn_started("x", kA, 1, kAt);
    watch.sealed("x", kA, kAt);
    EXPECT_TRUE(found("sealed inside a turn"));
}

TEST_F(OwnerWatchTest, OpeningBesideARunningOwnerIsFound) {
    turn(kA, 1);
    watch.opened("x", kB, kAt);
    EXPECT_TRUE(found("opened beside a running owner"));
}

TEST_F(OwnerWatchTest, AGenerationThatDoesNotGrowIsFound) {
    turn(kA, 5);
    watch.sealed("x", kA, kAt);
    watch.opened("x", kB, kAt);
    turn(kB, 5);
    EXPECT_TRUE(found("owner generation did not grow"));
}

TEST_F(OwnerWatchTest, AnotherGenerationOnTheSameNodeIsFound) {
    turn(kA, 5);
    turn(kA, 6);
    EXPECT_TRUE(found("turn of another owner generation"));
}

TEST_F(OwnerWatchTest, RestoringWhatWasNotSealedIsFound) {
    turn(kA, 1);
    watch.unsealed("x", kA, kAt);
    EXPECT_TRUE(found("restored without a seal"));
}

TEST_F(OwnerWatchTest, AfterAProcessDiedItsObjectsMayBeginAnew) {
    watch.turn_started("x", kA, 5, kAt);
    watch.node_gone(kA);
    turn(kB, 1);

    EXPECT_EQ(watch.findings().count(), 0U);
}

}  // namespace
}  // namespace shunt::conservation
