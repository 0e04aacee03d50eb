// The target up to relay-ready: what joins its assembly, when the unit is restored, how an attempt
// fails.

#include "relocation/target.hpp"

#include <gtest/gtest.h>

#include "tests/relocation/bench.hpp"

namespace shunt::relocation::testing {
namespace {

constexpr char kFailed35[] =
    "CancelTimer RestoreValidity, RemovePrepared, SendFailed connection=1 code=35";
constexpr char kFailed16[] =
    "CancelTimer RestoreValidity, RemovePrepared, SendFailed connection=1 code=16";

// The queue comes before the owner lookup, the factory and the first chunk.
TEST(RelocationTarget, U60_TemporaryQueueComesFirst) {
    TargetBench bench = TargetBench::fresh();

    EXPECT_EQ(bench.step(std::string("PrepareReceived") + kManifest),
              "RegisterTemporaryQueue, ArmTimer RestoreValidity 30000, CheckOwner");
    EXPECT_EQ(bench.stage(), Stage::TargetRestoring);
}

TEST(RelocationTarget, U63_RestoreNeedsEveryChunkAndTheOwner) {
    TargetBench bench = TargetBench::restoring();

    EXPECT_EQ(bench.step("ChunkArrived"), "AssembleChunk");
    EXPECT_EQ(bench.step("ChunkAssembled ordinal=0 bytes=16 crc=1"), "-");
    EXPECT_EQ(bench.step("ChunkAssembled ordinal=1 bytes=24 crc=700221333"), "-");
    EXPECT_EQ(bench.step("OwnerChecked"), "RestoreUnit");
}

TEST(RelocationTarget, U63_ChunksMayComeAfterTheOwnerWasChecked) {
    TargetBench bench = TargetBench::restoring();

    EXPECT_EQ(bench.step("OwnerChecked"), "-");
    EXPECT_EQ(bench.step("ChunkAssembled ordinal=0 bytes=16 crc=1"), "-");
    EXPECT_EQ(bench.step("ChunkAssembled ordinal=1 bytes=24 crc=700221333"), "RestoreUnit");
}

// The reply says only that relay may come: no store write, no queue opened, the wait begins.
TEST(RelocationTarget, U66_U74_RelayReadyLeavesTheOwnerAndStartsTheWait) {
    TargetBench bench = TargetBench::restoring_unit();

    EXPECT_EQ(bench.at(100).step("UnitRestored"),
              "SendReady connection=1, ArmTimer CutoverWait 1100");
    EXPECT_EQ(bench.stage(), Stage::RelayReady);
}

TEST(RelocationTarget, U74_TheWaitIsASetting) {
    MoveSettings settings;
    settings.cutover_wait_timeout = std::chrono::milliseconds(10000);
    TargetBench bench = TargetBench::restoring_unit(settings);

    EXPECT_EQ(bench.at(100).step("UnitRestored"),
              "SendReady connection=1, ArmTimer CutoverWait 10100");
}

// --- identity ---------------------------------------------------------------------------------

TEST(RelocationTarget, U08_ForeignChunkNeverReachesTheAssembly) {
    TargetBench bench = TargetBench::restoring();

    EXPECT_EQ(bench.step("ChunkArrived identity=foreign"), "DropChunk, Report foreign_identity");
    EXPECT_EQ(bench.step("ChunkArrived connection=2"), "DropChunk, Report foreign_identity");
    EXPECT_EQ(bench.step("ChunkAssembled identity=foreign ordinal=1 bytes=24 crc=700221333"),
              "Report foreign_identity");
    EXPECT_EQ(bench.step("ChunkConflict identity=foreign"), "Report foreign_identity");
    EXPECT_EQ(bench.step(std::string("PrepareReceived identity=foreign") + kManifest),
              "Report foreign_identity");
    EXPECT_EQ(bench.stage(), Stage::TargetRestoring);
}

// The right identity on a connection that does not carry the move is foreign; the one that replaced
// it is not, and from then on the old one is.
TEST(RelocationTarget, U41_OnlyTheReestablishedConnectionCarriesTheMove) {
    TargetBench bench = TargetBench::restoring();
    bench.step("ConnectionLost");

    EXPECT_EQ(bench.step("ChunkArrived connection=2"), "DropChunk, Report foreign_identity");
    EXPECT_EQ(bench.step("ConnectionRestored connection=2"), "-");
    EXPECT_EQ(bench.step("ChunkArrived connection=2"), "AssembleChunk");
    EXPECT_EQ(bench.step("ChunkArrived connection=1"), "DropChunk, Report foreign_identity");
    EXPECT_EQ(bench.step("RelayArrived connection=1"), "DropRelay, Report foreign_identity");
    EXPECT_EQ(bench.step("CutoverArrived connection=1 declared=0:0 received=0:0"),
              "Report foreign_identity");
}

TEST(RelocationTargetDeathTest, U40_IdentityIsNeverZero) {
    RelocationIdentity without_id = test_identity();
    without_id.relocation = {};

    EXPECT_DEATH(Target(without_id, {}), "relocation");
}

// --- failures before relay-ready --------------------------------------------------------------

// Cleanup first, then the reply: the source may use the object again at once.
TEST(RelocationTarget, U10_ChecksumMismatchFailsWithoutRestore) {
    TargetBench bench = TargetBench::restoring();
    bench.step("OwnerChecked");

    EXPECT_EQ(bench.step("ChunkAssembled ordinal=1 bytes=24 crc=1"),
              std::string("Report payload_checksum_mismatch, ") + kFailed35);
    EXPECT_EQ(bench.stage(), Stage::TargetRemoved);
}

TEST(RelocationTarget, U10_LengthMismatchIsTheSameFailure) {
    TargetBench shorter = TargetBench::restoring();
    TargetBench longer = TargetBench::restoring();

    EXPECT_EQ(shorter.step("ChunkAssembled ordinal=1 bytes=23 crc=700221333"),
              std::string("Report payload_checksum_mismatch, ") + kFailed35);
    // Seen at once, not only with the last chunk: nothing above the declared length is kept.
    EXPECT_EQ(longer.step("ChunkAssembled ordinal=0 bytes=25 crc=1"),
              std::string("Report payload_checksum_mismatch, ") + kFailed35);
}

TEST(RelocationTarget, U09_ConflictingChunkFailsTheAttempt) {
    TargetBench bench = TargetBench::restoring();

    EXPECT_EQ(bench.step("ChunkConflict"), std::string("Report restore_conflict, ") + kFailed16);
}

TEST(RelocationTarget, U09_OtherManifestFailsTheAttempt) {
    for (const std::string other :
         {" total=25 chunks=2 crc=700221333", " total=24 chunks=3 crc=700221333",
          " total=24 chunks=2 crc=1"}) {
        TargetBench bench = TargetBench::restoring();

        EXPECT_EQ(bench.step("PrepareReceived" + other),
                  std::string("Report restore_conflict, ") + kFailed16);
    }
}

TEST(RelocationTarget, U09_RepeatedRequestJoinsTheAttempt) {
    TargetBench bench = TargetBench::restoring();

    EXPECT_EQ(bench.step(std::string("PrepareReceived") + kManifest), "Report repeated_prepare");
    EXPECT_EQ(bench.step("ChunkArrived"), "AssembleChunk");
}

TEST(RelocationTarget, U77_RefusedOwnerFails) {
    TargetBench bench = TargetBench::restoring();

    EXPECT_EQ(bench.step("OwnerRefused code=13"),
              "CancelTimer RestoreValidity, RemovePrepared, SendFailed connection=1 code=13");
}

TEST(RelocationTarget, U30_RestoreFailureIsExplicit) {
    TargetBench bench = TargetBench::restoring_unit();

    EXPECT_EQ(bench.step("UnitRestoreFailed code=17"),
              "CancelTimer RestoreValidity, RemovePrepared, SendFailed connection=1 code=17");
    // Whatever the restore still brings is inert.
    EXPECT_EQ(bench.step("UnitRestored"), "Report event_ignored");
    EXPECT_EQ(bench.stage(), Stage::TargetRemoved);
}

TEST(RelocationTarget, U79_ValidityEndsAnUnfinishedRestore) {
    TargetBench bench = TargetBench::restoring();

    EXPECT_EQ(bench.at(30000).step("TimerElapsed timer=RestoreValidity"),
              "CancelTimer RestoreValidity, RemovePrepared, SendFailed connection=1 code=19");
}

TEST(RelocationTarget, HostEndingFailsAnUnfinishedRestore) {
    TargetBench bench = TargetBench::restoring();

    EXPECT_EQ(bench.step("TargetAborted code=17"),
              "CancelTimer RestoreValidity, RemovePrepared, SendFailed connection=1 code=17");
}

// The 53 may have died with its connection: the repeated 40 gets it again (decision 3).
TEST(RelocationTarget, U30_RepeatedRequestAfterAFailureHearsItAgain) {
    TargetBench bench = TargetBench::failed();
    bench.step("ConnectionLost");
    bench.step("ConnectionRestored connection=2");

    EXPECT_EQ(bench.step(std::string("PrepareReceived connection=2") + kManifest),
              "Report repeated_prepare, SendFailed connection=2 code=35");
    EXPECT_EQ(bench.step("ChunkArrived connection=2"), "DropChunk, Report event_ignored");
}

// --- after relay-ready ------------------------------------------------------------------------

// Decision 3 and 4: the answer is given again from the progress there is, whatever it is by now.
TEST(RelocationTarget, U110_RepeatedRequestAfterRelayReadyHearsItAgain) {
    for (TargetBench bench : {TargetBench::relay_ready(), TargetBench::cutover_received(),
                              TargetBench::cutover_fallback(), TargetBench::store_retry(),
                              TargetBench::committed(), TargetBench::open()}) {
        const Stage before = bench.stage();
        bench.step("ConnectionLost");
        bench.step("ConnectionRestored connection=2");

        EXPECT_EQ(bench.step(std::string("PrepareReceived connection=2") + kManifest),
                  "Report repeated_prepare, SendReady connection=2");
        EXPECT_EQ(bench.step("ChunkArrived connection=2"), "DropChunk, Report event_ignored");
        EXPECT_EQ(bench.stage(), before);
    }
}

// After 30 no 53 is ever sent.
TEST(RelocationTarget, U09_ConflictAfterRelayReadyIsOnlyReported) {
    for (TargetBench bench : {TargetBench::relay_ready(), TargetBench::cutover_received(),
                              TargetBench::open(), TargetBench::stale()}) {
        const Stage before = bench.stage();

        EXPECT_EQ(bench.step("PrepareReceived total=1 chunks=1 crc=1"), "Report restore_conflict");
        EXPECT_EQ(bench.stage(), before);
    }
}

TEST(RelocationTarget, U63_SourceThatRelaysTooEarlyIsNotHeard) {
    TargetBench bench = TargetBench::restoring();

    EXPECT_EQ(bench.step("RelayArrived"), "DropRelay, Report out_of_turn");
    EXPECT_EQ(bench.step("CutoverArrived declared=0:0 received=0:0"), "Report out_of_turn");
    EXPECT_EQ(bench.stage(), Stage::TargetRestoring);
}

}  // namespace
}  // namespace shunt::relocation::testing
