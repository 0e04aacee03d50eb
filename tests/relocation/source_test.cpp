// The source up to its boundary: what stops the unit, what brings it back, what leaves when.

#include "relocation/source.hpp"

#include <gtest/gtest.h>

#include "tests/relocation/bench.hpp"

namespace shunt::relocation::testing {
namespace {

TEST(RelocationSource, ServesUntilTheTurnEnds) {
    SourceBench bench = SourceBench::idle();

    EXPECT_EQ(bench.step("MoveRequested deadline=30000"),
              "ArmTimer OperationDeadline 30000, PauseAtTurnEnd");
    EXPECT_EQ(bench.ingress(), "Queue");
    EXPECT_EQ(bench.stage(), Stage::SourceRunning);
}

// S0 is the instant of the admission seal, before the adapter is called.
TEST(RelocationSource, TurnEndIsS0AndStartsTheCapture) {
    SourceBench bench = SourceBench::awaiting_turn_end();

    EXPECT_EQ(bench.step("TurnEnded"), "Mark S0, CaptureUnit");
    EXPECT_EQ(bench.stage(), Stage::SourcePaused);
    EXPECT_EQ(bench.ingress(), "Hold");
}

// §4.2: command 40, then every chunk in order, one request for room at a time.
TEST(RelocationSource, ChunksFollowTheRestoreRequestAsRoomIsGranted) {
    SourceBench bench = SourceBench::capturing();

    EXPECT_EQ(bench.step(std::string("CaptureSucceeded") + kManifest),
              "SendPrepare connection=1, RequestChunkRoom connection=1 ordinal=0");
    EXPECT_EQ(bench.step("ChunkRoomGranted ordinal=0"),
              "SubmitChunk connection=1 ordinal=0, RequestChunkRoom connection=1 ordinal=1");
    EXPECT_EQ(bench.step("ChunkRoomGranted ordinal=1"), "SubmitChunk connection=1 ordinal=1");
}

// A started unit waits for room and does not fail; a grant nobody waits for goes back.
TEST(RelocationSource, U94_NoChunkLeavesWithoutRoomAndStaleRoomIsReturned) {
    SourceBench bench = SourceBench::transferring();

    EXPECT_EQ(bench.step("ChunkRoomGranted ordinal=1"), "ReturnChunkRoom connection=1 ordinal=1");
    EXPECT_EQ(bench.step("ChunkRoomGranted connection=9 ordinal=0"),
              "ReturnChunkRoom connection=9 ordinal=0");
    EXPECT_EQ(bench.stage(), Stage::SourcePaused);
    EXPECT_EQ(bench.step("ChunkRoomGranted ordinal=0"),
              "SubmitChunk connection=1 ordinal=0, RequestChunkRoom connection=1 ordinal=1");
}

// §4.4: only now may the hold leave, on the connection of the move, with cutover right behind it.
TEST(RelocationSource, U03_U67_RelayAndCutoverLeaveOnlyAfterRelayReady) {
    SourceBench bench = SourceBench::transferred();

    EXPECT_EQ(bench.step("RelayReadyReceived"),
              "CancelTimer OperationDeadline, RelayHold connection=1, SubmitCutover connection=1");
    EXPECT_EQ(bench.stage(), Stage::RelayReady);
    // What arrives while cutover is on its way falls behind the boundary.
    EXPECT_EQ(bench.ingress(), "Hold");
}

// Arrival order attributes nothing: identity and connection do.
TEST(RelocationSource, U41_ReplyOfAnotherMoveOrConnectionChangesNothing) {
    SourceBench bench = SourceBench::transferred();

    EXPECT_EQ(bench.step("RelayReadyReceived identity=foreign"), "Report foreign_identity");
    EXPECT_EQ(bench.step("RelayReadyReceived connection=2"), "Report foreign_identity");
    EXPECT_EQ(bench.step("RelocationFailedReceived identity=foreign code=35"),
              "Report foreign_identity");
    EXPECT_EQ(bench.stage(), Stage::SourcePaused);
}

TEST(RelocationSourceDeathTest, U40_IdentityIsNeverZero) {
    RelocationIdentity without_id = test_identity();
    without_id.relocation = {};
    RelocationIdentity without_attempt = test_identity();
    without_attempt.attempt = {};

    EXPECT_DEATH(Source(without_id, {}), "relocation");
    EXPECT_DEATH(Source(without_attempt, {}), "attempt");
}

// --- explicit failure before the boundary -----------------------------------------------------

// The queue stands again before anybody is told.
TEST(RelocationSource, U10_U30_ExplicitFailureRestoresTheSourceFirst) {
    SourceBench bench = SourceBench::transferred();

    EXPECT_EQ(bench.step("RelocationFailedReceived code=35"),
              "RestoreQueue, ReleaseCopies, CancelTimer OperationDeadline, "
              "Conclude Restored code=35");
    EXPECT_EQ(bench.stage(), Stage::SourceRunning);
    EXPECT_EQ(bench.ingress(), "Queue");
    EXPECT_TRUE(bench.machine().finished());
}

TEST(RelocationSource, U30_CaptureFailureRestores) {
    SourceBench bench = SourceBench::capturing();

    EXPECT_EQ(bench.step("CaptureFailed code=17"),
              "RestoreQueue, ReleaseCopies, CancelTimer OperationDeadline, "
              "Conclude Restored code=17");
}

// The adapter still reads the unit while it captures, so no turn may start before it has answered.
TEST(RelocationSource, AbortDuringCaptureRestoresWithItsAnswer) {
    SourceBench bench = SourceBench::capturing();

    EXPECT_EQ(bench.step("AbortRequested code=17"), "-");
    EXPECT_EQ(bench.step("TimerElapsed timer=OperationDeadline"), "-");
    EXPECT_EQ(bench.stage(), Stage::SourcePaused);
    EXPECT_EQ(bench.step(std::string("CaptureSucceeded") + kManifest),
              "RestoreQueue, ReleaseCopies, CancelTimer OperationDeadline, "
              "Conclude Restored code=17");
}

TEST(RelocationSource, U43_FailureBeforeTheSealLeavesTheUnitServing) {
    SourceBench lost = SourceBench::awaiting_turn_end();
    SourceBench late = SourceBench::awaiting_turn_end();
    SourceBench aborted = SourceBench::awaiting_turn_end();

    EXPECT_EQ(lost.step("ConnectionLost"),
              "CancelPause, CancelTimer OperationDeadline, Conclude Restored code=13");
    EXPECT_EQ(late.step("TimerElapsed timer=OperationDeadline"),
              "CancelPause, CancelTimer OperationDeadline, Conclude Restored code=19");
    EXPECT_EQ(aborted.step("AbortRequested code=17"),
              "CancelPause, CancelTimer OperationDeadline, Conclude Restored code=17");
    EXPECT_EQ(lost.ingress(), "Queue");
}

// Decision 3: before the last chunk has left, the target cannot be ready, so silence is a failure.
TEST(RelocationSource, U30_DeadlineBeforeTheLastChunkIsAnExplicitFailure) {
    SourceBench bench = SourceBench::transferring();
    bench.step("ChunkRoomGranted ordinal=0");

    EXPECT_EQ(bench.step("TimerElapsed timer=OperationDeadline"),
              "RestoreQueue, ReleaseCopies, CancelTimer OperationDeadline, "
              "Conclude Restored code=19");
    // The room asked for meanwhile is of no use any more.
    EXPECT_EQ(bench.step("ChunkRoomGranted ordinal=1"), "ReturnChunkRoom connection=1 ordinal=1");
}

TEST(RelocationSource, U105_SafeAbortExistsOnlyBeforeTheLastChunk) {
    SourceBench early = SourceBench::transferring();
    SourceBench late = SourceBench::transferred();
    SourceBench ready = SourceBench::relay_ready();

    EXPECT_EQ(early.step("AbortRequested code=17"),
              "RestoreQueue, ReleaseCopies, CancelTimer OperationDeadline, "
              "Conclude Restored code=17");
    EXPECT_EQ(late.step("AbortRequested code=17"), "Report abort_too_late");
    EXPECT_EQ(ready.step("AbortRequested code=17"), "Report abort_too_late");
    EXPECT_EQ(late.stage(), Stage::SourcePaused);
}

// --- no reply ---------------------------------------------------------------------------------

// Decision 3: the same attempt again, whole, on the new connection.
TEST(RelocationSource, LostConnectionResendsTheWholeAttempt) {
    SourceBench bench = SourceBench::transferred();

    EXPECT_EQ(bench.step("ConnectionLost"), "-");
    EXPECT_EQ(bench.step("RelayReadyReceived"), "Report late_reply");
    EXPECT_EQ(bench.step("ConnectionRestored connection=2"),
              "Report attempt_resent, SendPrepare connection=2, "
              "RequestChunkRoom connection=2 ordinal=0");
    EXPECT_EQ(bench.step("ChunkRoomGranted connection=2 ordinal=0"),
              "SubmitChunk connection=2 ordinal=0, RequestChunkRoom connection=2 ordinal=1");
    // The target may answer from progress it already has.
    EXPECT_EQ(bench.step("RelayReadyReceived connection=2"),
              "CancelTimer OperationDeadline, RelayHold connection=2, SubmitCutover connection=2");
    EXPECT_EQ(bench.step("ChunkRoomGranted connection=2 ordinal=1"),
              "ReturnChunkRoom connection=2 ordinal=1");
}

TEST(RelocationSource, ConnectionLostDuringCaptureSendsOnTheNextOne) {
    SourceBench bench = SourceBench::capturing();

    bench.step("ConnectionLost");
    EXPECT_EQ(bench.step(std::string("CaptureSucceeded") + kManifest), "-");
    EXPECT_EQ(bench.step("ConnectionRestored connection=2"),
              "Report attempt_resent, SendPrepare connection=2, "
              "RequestChunkRoom connection=2 ordinal=0");
}

// §11: no guessed rollback. The unit stays closed and its owner is looked up.
TEST(RelocationSource, U110_SilenceAfterTheLastChunkNeverRestores) {
    SourceBench bench = SourceBench::transferred();

    EXPECT_EQ(bench.at(30000).step("TimerElapsed timer=OperationDeadline"),
              "Report boundary_unknown, EndDispatch, ReleasePermits, ReleaseCopies, "
              "ArmTimer ReconcileSweep 31000, ArmTimer FollowEnd 60000, "
              "Conclude Unavailable code=13");
    EXPECT_EQ(bench.stage(), Stage::FollowOnly);
    EXPECT_EQ(bench.ingress(), "Hold");
}

// A chunk that left on any connection may have been the last the target needed.
TEST(RelocationSource, U110_AResentAttemptKeepsTheDoubt) {
    SourceBench bench = SourceBench::transferred();
    bench.step("ConnectionLost");
    bench.step("ConnectionRestored connection=2");

    bench.at(30000).step("TimerElapsed timer=OperationDeadline");

    EXPECT_EQ(bench.stage(), Stage::FollowOnly);
}

// A reply that lost to the deadline is indeterminate (decision 2), whatever it says.
TEST(RelocationSource, U110_LateReplyAfterTheVerdictChangesNothing) {
    SourceBench bench = SourceBench::boundary_unknown();

    EXPECT_EQ(bench.step("RelayReadyReceived"), "Report late_reply");
    EXPECT_EQ(bench.step("RelocationFailedReceived code=35"), "Report late_reply");
    EXPECT_EQ(bench.stage(), Stage::FollowOnly);
    EXPECT_EQ(bench.ingress(), "Hold");
}

// Decision 4: the repeated 40 is answered with ready although the target has fallen back already.
// The source cannot know and need not: the hold leaves as relay.
TEST(RelocationSource, U110_LateRelayReadyStillRelaysTheHold) {
    SourceBench bench = SourceBench::transferred();
    bench.step("ConnectionLost");
    bench.at(9000).step("ConnectionRestored connection=2");

    EXPECT_EQ(bench.step("RelayReadyReceived connection=2"),
              "CancelTimer OperationDeadline, RelayHold connection=2, SubmitCutover connection=2");
}

}  // namespace
}  // namespace shunt::relocation::testing
