// The source behind its boundary: the one cutover, the retransmission window, Message Follow, and
// the search for the owner when the cutover's result is unknown.

#include <gtest/gtest.h>

#include "relocation/source.hpp"
#include "tests/relocation/bench.hpp"

namespace shunt::relocation::testing {
namespace {

TEST(RelocationSourceFollow, U70_U71_U76_SentCutoverEndsDispatchAndOpensTheRoute) {
    SourceBench bench = SourceBench::relay_ready();

    EXPECT_EQ(bench.at(1000).step("CutoverTerminal result=Sent"),
              "Mark S1, EndDispatch, ReleasePermits, BeginFollow, DrainHold, "
              "ArmTimer RetransmissionWindow 2000, ArmTimer FollowEnd 31000, "
              "Conclude Detached code=0");
    EXPECT_EQ(bench.stage(), Stage::FollowOnly);
    EXPECT_EQ(bench.ingress(), "Follow");
}

// Success or failure: dispatch ends for good and S1 is this instant.
TEST(RelocationSourceFollow, U70_U107_FailedSubmitEndsDispatchAndHolds) {
    for (const std::string result : {"Failed", "Unknown"}) {
        SourceBench bench = SourceBench::relay_ready();

        EXPECT_EQ(bench.at(1000).step("CutoverTerminal result=" + result),
                  "Mark S1, EndDispatch, ReleasePermits, Report cutover_result_unknown, "
                  "ArmTimer ReconcileSweep 2000, ArmTimer RetransmissionWindow 2000, "
                  "ArmTimer FollowEnd 31000, Conclude Detached code=0");
        EXPECT_EQ(bench.ingress(), "Hold");
    }
}

TEST(RelocationSourceFollow, U30_NothingBehindTheBoundaryRestores) {
    for (SourceBench bench : {SourceBench::relay_ready(), SourceBench::following("Sent"),
                              SourceBench::following("Failed")}) {
        const Stage before = bench.stage();

        EXPECT_EQ(bench.step("RelocationFailedReceived code=35"), "Report late_reply");
        EXPECT_EQ(bench.step("TimerElapsed timer=OperationDeadline"), "Report event_ignored");
        bench.step("AbortRequested code=17");
        bench.step("ConnectionLost");

        EXPECT_EQ(bench.stage(), before);
    }
}

// --- the retransmission window ----------------------------------------------------------------

TEST(RelocationSourceFollow, U13_ReconnectInTheWindowResendsTheWholeBatch) {
    SourceBench bench = SourceBench::following("Unknown");

    EXPECT_EQ(bench.at(1100).step("ConnectionLost"), "-");
    EXPECT_EQ(bench.at(1500).step("ConnectionRestored connection=2"),
              "Report batch_retransmitted, ResendBatch connection=2");
    // The retransmitted cutover left: the hold follows it, on the same terms as after the first.
    EXPECT_EQ(bench.step("CutoverTerminal result=Sent"),
              "CancelTimer ReconcileSweep, BeginFollow, DrainHold");
    EXPECT_EQ(bench.ingress(), "Follow");
}

// A cutover the kernel took may still have died with its connection.
TEST(RelocationSourceFollow, U13_SentCutoverIsResentToo) {
    SourceBench bench = SourceBench::following("Sent");
    bench.step("ConnectionLost");

    EXPECT_EQ(bench.step("ConnectionRestored connection=2"),
              "Report batch_retransmitted, ResendBatch connection=2");
    EXPECT_EQ(bench.step("CutoverTerminal result=Sent"), "Report event_ignored");
}

// The link layer may reconnect before it reports what became of the send.
TEST(RelocationSourceFollow, U13_ReconnectBeforeTheTerminalResendsWithIt) {
    SourceBench bench = SourceBench::relay_ready();
    bench.step("ConnectionLost");
    EXPECT_EQ(bench.step("ConnectionRestored connection=2"), "-");

    EXPECT_EQ(bench.at(1000).step("CutoverTerminal result=Unknown"),
              "Mark S1, EndDispatch, ReleasePermits, Report batch_retransmitted, "
              "ResendBatch connection=2, Report cutover_result_unknown, "
              "ArmTimer ReconcileSweep 2000, ArmTimer RetransmissionWindow 2000, "
              "ArmTimer FollowEnd 31000, Conclude Detached code=0");
}

TEST(RelocationSourceFollow, U14_U71_CopiesGoOnceAtTheWindowsEndAndNothingIsResentLater) {
    SourceBench bench = SourceBench::following("Unknown");
    bench.step("ConnectionLost");

    EXPECT_EQ(bench.at(2000).step("TimerElapsed timer=RetransmissionWindow"), "ReleaseCopies");
    EXPECT_EQ(bench.step("TimerElapsed timer=RetransmissionWindow"), "Report event_ignored");
    EXPECT_EQ(bench.at(2001).step("ConnectionRestored connection=2"), "-");
}

// Permits and S1 belong to the first terminal; later ones are of retransmissions.
TEST(RelocationSourceFollow, U71_PermitsAreReleasedOnce) {
    SourceBench bench = SourceBench::following("Failed");
    bench.step("ConnectionLost");
    bench.step("ConnectionRestored connection=2");

    EXPECT_EQ(bench.step("CutoverTerminal result=Failed"), "Report event_ignored");
    EXPECT_EQ(bench.ingress(), "Hold");
}

TEST(RelocationSourceFollow, U14_WindowHasTheLengthOfTheCutoverWait) {
    MoveSettings settings;
    settings.cutover_wait_timeout = std::chrono::milliseconds(250);
    settings.message_follow_duration = Duration::zero();

    SourceBench bench = SourceBench::relay_ready(settings);

    EXPECT_EQ(bench.at(1000).step("CutoverTerminal result=Sent"),
              "Mark S1, EndDispatch, ReleasePermits, BeginFollow, DrainHold, "
              "ArmTimer RetransmissionWindow 1250, ArmTimer FollowEnd 1000, "
              "Conclude Detached code=0");
    // With follow off the route ends at once; the copies keep their own time.
    EXPECT_EQ(bench.step("TimerElapsed timer=FollowEnd"), "EndFollow");
    EXPECT_FALSE(bench.machine().finished());
    EXPECT_EQ(bench.step("TimerElapsed timer=RetransmissionWindow"), "ReleaseCopies");
    EXPECT_TRUE(bench.machine().finished());
}

// --- Message Follow ---------------------------------------------------------------------------

TEST(RelocationSourceFollow, U83_U115_FollowEndsAtItsOwnTime) {
    SourceBench bench = SourceBench::following("Sent");
    bench.at(2000).step("TimerElapsed timer=RetransmissionWindow");

    EXPECT_EQ(bench.at(31000).step("TimerElapsed timer=FollowEnd"), "EndFollow");
    EXPECT_EQ(bench.ingress(), "Unavailable");
    EXPECT_EQ(bench.stage(), Stage::FollowOnly);
    EXPECT_TRUE(bench.machine().finished());
}

// --- reconciliation ---------------------------------------------------------------------------

TEST(RelocationSourceFollow, U107_SweepAdoptsAVisibleCommit) {
    SourceBench bench = SourceBench::following("Unknown");

    EXPECT_EQ(bench.at(2000).step("TimerElapsed timer=ReconcileSweep"), "ReadSourceOwner");
    EXPECT_EQ(bench.step("OwnerRead owner=Source"), "ArmTimer ReconcileSweep 3000");
    EXPECT_EQ(bench.at(3000).step("TimerElapsed timer=ReconcileSweep"), "ReadSourceOwner");
    EXPECT_EQ(bench.step("OwnerRead owner=Target"),
              "Report route_adopted, CancelTimer ReconcileSweep, BeginFollow, DrainHold");
    EXPECT_EQ(bench.ingress(), "Follow");
}

TEST(RelocationSourceFollow, U110_UnansweredRelayReadyIsReconciledLikeACutover) {
    SourceBench bench = SourceBench::boundary_unknown();

    EXPECT_EQ(bench.at(31000).step("TimerElapsed timer=ReconcileSweep"), "ReadSourceOwner");
    EXPECT_EQ(bench.step("OwnerRead owner=Target"),
              "Report route_adopted, CancelTimer ReconcileSweep, BeginFollow, DrainHold");
    // There is no batch that could be resent.
    bench.step("ConnectionLost");
    EXPECT_EQ(bench.step("ConnectionRestored connection=2"), "-");
}

TEST(RelocationSourceFollow, U108_U109_UnresolvedAtTheDeadlineFailsTheHoldAndKeepsLooking) {
    for (const std::string owner : {"Source", "Unreadable"}) {
        SourceBench bench = SourceBench::following("Unknown");
        bench.at(2000).step("TimerElapsed timer=RetransmissionWindow");

        EXPECT_EQ(bench.at(31000).step("TimerElapsed timer=FollowEnd"),
                  "CancelTimer ReconcileSweep, ReadSourceOwner");
        EXPECT_EQ(bench.step("OwnerRead owner=" + owner),
                  "FailHold, Report reconciliation_unresolved, ArmTimer ReconcileSweep 32000");
        EXPECT_EQ(bench.ingress(), "Unavailable");
        EXPECT_FALSE(bench.machine().finished());

        EXPECT_EQ(bench.at(32000).step("TimerElapsed timer=ReconcileSweep"), "ReadSourceOwner");
        EXPECT_EQ(bench.step("OwnerRead owner=" + owner), "ArmTimer ReconcileSweep 33000");
        EXPECT_EQ(bench.at(33000).step("TimerElapsed timer=ReconcileSweep"), "ReadSourceOwner");
        EXPECT_EQ(bench.step("OwnerRead owner=Target"),
                  "Report route_adopted, CancelTimer ReconcileSweep");
        EXPECT_EQ(bench.stage(), Stage::FollowOnly);
        EXPECT_TRUE(bench.machine().finished());
    }
}

TEST(RelocationSourceFollow, U107_DecisiveReadAdoptsAndDrainsThoughThePeriodIsOver) {
    SourceBench bench = SourceBench::following("Unknown");
    bench.at(31000).step("TimerElapsed timer=FollowEnd");

    EXPECT_EQ(bench.step("OwnerRead owner=Target"),
              "Report route_adopted, CancelTimer ReconcileSweep, BeginFollow, DrainHold, "
              "EndFollow");
    EXPECT_EQ(bench.ingress(), "Unavailable");
}

// A read asked before the deadline says nothing about the owner at the deadline.
TEST(RelocationSourceFollow, U108_ReadUnderWayAtTheDeadlineIsNotTheDecisiveOne) {
    SourceBench bench = SourceBench::following("Unknown");
    bench.at(30999).step("TimerElapsed timer=ReconcileSweep");

    EXPECT_EQ(bench.at(31000).step("TimerElapsed timer=FollowEnd"), "CancelTimer ReconcileSweep");
    EXPECT_EQ(bench.step("OwnerRead owner=Source"), "ReadSourceOwner");
    EXPECT_EQ(bench.step("OwnerRead owner=Source"),
              "FailHold, Report reconciliation_unresolved, ArmTimer ReconcileSweep 32000");
}

TEST(RelocationSourceFollow, U108_AnotherOwnerEndsTheSearch) {
    SourceBench bench = SourceBench::following("Unknown");
    bench.at(2000).step("TimerElapsed timer=RetransmissionWindow");
    bench.step("TimerElapsed timer=ReconcileSweep");

    EXPECT_EQ(bench.step("OwnerRead owner=Other"),
              "Report stale_owner, CancelTimer ReconcileSweep, FailHold, CancelTimer FollowEnd");
    EXPECT_EQ(bench.ingress(), "Unavailable");
    EXPECT_TRUE(bench.machine().finished());
}

// The retransmission got through while a read was under way: its answer decides nothing any more.
TEST(RelocationSourceFollow, U107_AnswerAfterTheRetransmissionGotThroughIsIgnored) {
    SourceBench bench = SourceBench::following("Unknown");
    bench.step("TimerElapsed timer=ReconcileSweep");
    bench.step("ConnectionLost");
    bench.step("ConnectionRestored connection=2");
    bench.step("CutoverTerminal result=Sent");

    EXPECT_EQ(bench.step("OwnerRead owner=Source"), "Report late_store_answer");
    EXPECT_EQ(bench.ingress(), "Follow");
}

TEST(RelocationSourceFollow, U109_NoReadReopensAnything) {
    SourceBench bench = SourceBench::relay_ready();

    EXPECT_EQ(bench.step("OwnerRead owner=Source"), "Report late_store_answer");
    EXPECT_EQ(bench.stage(), Stage::RelayReady);
}

}  // namespace
}  // namespace shunt::relocation::testing
