// The target behind relay-ready: relay span, cutover or its fallback, the one owner change, and the
// queue that opens only after it.

#include <gtest/gtest.h>

#include "relocation/target.hpp"
#include "tests/relocation/bench.hpp"

namespace shunt::relocation::testing {
namespace {

constexpr char kRemoved[] = "CancelTimer RestoreValidity, CancelTimer CasRetry, RemovePrepared";
constexpr char kCommitted[] = "CancelTimer RestoreValidity, Mark S2, OrderBacklog";

// --- relay and cutover ------------------------------------------------------------------------

TEST(RelocationTargetCommit, U72_MatchingCutoverGoesStraightToTheOwnerChange) {
    TargetBench bench = TargetBench::relay_ready();

    EXPECT_EQ(bench.step("RelayArrived"), "StageRelay");
    EXPECT_EQ(bench.step("RelayArrived"), "StageRelay");
    EXPECT_EQ(bench.step("CutoverArrived declared=2:77 received=2:77"),
              "CancelTimer CutoverWait, CasOwner");
    EXPECT_EQ(bench.stage(), Stage::CutoverReceived);
}

// Decision 1: on one ordered connection a difference is a defect; nothing is acted on.
TEST(RelocationTargetCommit, U73_DifferingCutoverIsReportedAndTheTargetStays) {
    TargetBench bench = TargetBench::relay_ready();
    bench.step("RelayArrived");

    EXPECT_EQ(bench.step("CutoverArrived declared=2:77 received=1:77"),
              "Report cutover_verification_failed");
    EXPECT_EQ(bench.step("CutoverArrived declared=1:78 received=1:77"),
              "Report cutover_verification_failed");
    EXPECT_EQ(bench.stage(), Stage::RelayReady);
    EXPECT_EQ(bench.step("TimerElapsed timer=CutoverWait"), "Report cutover_timeout, CasOwner");
}

TEST(RelocationTargetCommit, U75_WaitWithoutCutoverFallsBack) {
    TargetBench bench = TargetBench::relay_ready();

    EXPECT_EQ(bench.at(1100).step("TimerElapsed timer=CutoverWait"),
              "Report cutover_timeout, CasOwner");
    EXPECT_EQ(bench.stage(), Stage::CutoverFallback);
}

TEST(RelocationTargetCommit, U27_U75_LateOrDuplicateCutoverOnlyWarns) {
    for (TargetBench bench : {TargetBench::cutover_received(), TargetBench::cutover_fallback(),
                              TargetBench::store_retry(), TargetBench::committed(),
                              TargetBench::open(), TargetBench::stale()}) {
        const Stage before = bench.stage();

        EXPECT_EQ(bench.step("CutoverArrived declared=0:0 received=0:0"), "Report late_cutover");
        EXPECT_EQ(bench.step("TimerElapsed timer=CutoverWait"), "Report event_ignored");
        EXPECT_EQ(bench.stage(), before);
    }
}

// §4.4: the batch replaces what came of it before, wholly and in its own order.
TEST(RelocationTargetCommit, U13_RetransmittedBatchReplacesThePartialSpan) {
    TargetBench bench = TargetBench::relay_ready();
    bench.step("RelayArrived");
    bench.step("RelayArrived");
    bench.step("ConnectionLost");
    bench.step("ConnectionRestored connection=2");

    EXPECT_EQ(bench.step("RelayArrived connection=2"), "DiscardRelaySpan, StageRelay");
    EXPECT_EQ(bench.step("RelayArrived connection=2"), "StageRelay");
    EXPECT_EQ(bench.step("RelayArrived connection=2"), "StageRelay");
    EXPECT_EQ(bench.step("CutoverArrived connection=2 declared=3:5 received=3:5"),
              "CancelTimer CutoverWait, CasOwner");
}

// Decision 5: what the fallback merged is a prefix of the batch.
TEST(RelocationTargetCommit, U75_RetransmissionAfterTheFallbackSkipsWhatWasMerged) {
    TargetBench bench = TargetBench::relay_ready();
    bench.step("RelayArrived");
    bench.step("RelayArrived");
    bench.at(1100).step("TimerElapsed timer=CutoverWait");
    bench.step("CasAnswered answer=Applied");
    bench.step("ConnectionLost");
    bench.step("ConnectionRestored connection=2");

    EXPECT_EQ(bench.step("RelayArrived connection=2"), "SkipRelay");
    EXPECT_EQ(bench.step("RelayArrived connection=2"), "SkipRelay");
    EXPECT_EQ(bench.step("RelayArrived connection=2"), "StageLateRelay, Report late_relay");
    EXPECT_EQ(bench.step("CutoverArrived connection=2 declared=3:5 received=3:5"),
              "Report late_cutover");
}

// The rest of a slow batch on its own connection is late, not repeated.
TEST(RelocationTargetCommit, U75_RelayBehindTheFallbackIsStagedLate) {
    TargetBench bench = TargetBench::relay_ready();
    bench.step("RelayArrived");
    bench.at(1100).step("TimerElapsed timer=CutoverWait");

    EXPECT_EQ(bench.step("RelayArrived"), "StageLateRelay, Report late_relay");
    bench.step("CasAnswered answer=Applied");
    EXPECT_EQ(bench.step("RelayArrived"), "StageLateRelay, Report late_relay");
    bench.step("BacklogReady");
    EXPECT_EQ(bench.step("RelayArrived"), "StageLateRelay, Report late_relay");
}

TEST(RelocationTargetCommit, U18_RelayForARemovedUnitIsDropped) {
    TargetBench bench = TargetBench::stale();

    EXPECT_EQ(bench.step("RelayArrived"), "DropRelay, Report late_relay");
}

// --- the owner change -------------------------------------------------------------------------

TEST(RelocationTargetCommit, U77_NoOwnerChangeWithoutCutoverOrWait) {
    TargetBench bench = TargetBench::relay_ready();

    EXPECT_EQ(bench.step("CasAnswered answer=Applied"), "Report late_store_answer");
    EXPECT_EQ(bench.step("TargetOwnerRead owner=Target"), "Report late_store_answer");
    EXPECT_EQ(bench.step("RelayArrived"), "StageRelay");
    EXPECT_EQ(bench.step("TimerElapsed timer=CasRetry"), "Report event_ignored");
    EXPECT_EQ(bench.stage(), Stage::RelayReady);
}

TEST(RelocationTargetCommit, U16_QueueOpensOnlyAfterTheChangeAndTheBacklog) {
    TargetBench bench = TargetBench::cutover_received();

    EXPECT_EQ(bench.step("CasAnswered answer=Applied"), kCommitted);
    EXPECT_EQ(bench.stage(), Stage::OwnerCommitted);
    EXPECT_EQ(bench.step("BacklogReady"), "OpenQueue, Mark S3, WriteSteady");
    EXPECT_EQ(bench.stage(), Stage::TargetOpen);
    EXPECT_TRUE(bench.machine().finished());
}

TEST(RelocationTargetCommit, U18_ConflictWithAnotherOwnerRemovesTheUnit) {
    TargetBench bench = TargetBench::cutover_received();

    EXPECT_EQ(bench.step("CasAnswered answer=Conflict"), "ReadTargetOwner");
    EXPECT_EQ(bench.step("TargetOwnerRead owner=Other"),
              std::string("Report stale_owner, ") + kRemoved);
    EXPECT_EQ(bench.stage(), Stage::TargetRemoved);
}

// A conflict may be with an earlier try of our own that went through unheard.
TEST(RelocationTargetCommit, U80_ConflictWithOurselvesIsACommit) {
    TargetBench bench = TargetBench::cutover_received();
    bench.step("CasAnswered answer=Conflict");

    EXPECT_EQ(bench.step("TargetOwnerRead owner=Target"), kCommitted);
}

TEST(RelocationTargetCommit, U18_ConflictOverAnUnchangedRowDoesNotSpin) {
    TargetBench bench = TargetBench::cutover_received();
    bench.step("CasAnswered answer=Conflict");

    EXPECT_EQ(bench.at(200).step("TargetOwnerRead owner=Source"),
              "Report cas_retried, ArmTimer CasRetry 210");
    EXPECT_EQ(bench.at(210).step("TimerElapsed timer=CasRetry"), "ReadTargetOwner");
    EXPECT_EQ(bench.step("TargetOwnerRead owner=Source"), "CasOwner");
}

TEST(RelocationTargetCommit, U19_U80_UnansweredChangeIsReadBeforeItIsTriedAgain) {
    for (const std::string answer : {"Transient", "Indeterminate"}) {
        TargetBench bench = TargetBench::cutover_received();

        EXPECT_EQ(bench.at(200).step("CasAnswered answer=" + answer),
                  "Report cas_retried, ArmTimer CasRetry 210");
        EXPECT_EQ(bench.stage(), Stage::StoreRetry);
        EXPECT_EQ(bench.at(210).step("TimerElapsed timer=CasRetry"), "ReadTargetOwner");
        EXPECT_EQ(bench.step("TargetOwnerRead owner=Source"), "CasOwner");
        EXPECT_EQ(bench.step("CasAnswered answer=Applied"), kCommitted);
    }
}

// The unheard try had been applied: no second write.
TEST(RelocationTargetCommit, U19_U80_ReadThatShowsUsIsTheCommit) {
    TargetBench bench = TargetBench::store_retry();
    bench.step("TimerElapsed timer=CasRetry");

    EXPECT_EQ(bench.step("TargetOwnerRead owner=Target"), kCommitted);
    EXPECT_EQ(bench.step("CasAnswered answer=Applied"), "Report late_store_answer");
}

TEST(RelocationTargetCommit, U19_PausesDoubleUpToTheMaximum) {
    MoveSettings settings;
    settings.cas_retry_jitter = std::chrono::milliseconds(3);
    TargetBench bench = TargetBench::cutover_received(settings);
    bench.at(0).step("CasAnswered answer=Transient");
    std::string pauses;

    for (int i = 0; i < 7; ++i) {
        bench.step("TimerElapsed timer=CasRetry");
        pauses += bench.step("TargetOwnerRead owner=Unreadable") + "; ";
    }

    EXPECT_EQ(pauses,
              "Report cas_retried, ArmTimer CasRetry 23; "
              "Report cas_retried, ArmTimer CasRetry 43; "
              "Report cas_retried, ArmTimer CasRetry 83; "
              "Report cas_retried, ArmTimer CasRetry 163; "
              "Report cas_retried, ArmTimer CasRetry 253; "
              "Report cas_retried, ArmTimer CasRetry 253; "
              "Report cas_retried, ArmTimer CasRetry 253; ");
}

TEST(RelocationTargetCommit, U81_AnotherOwnerEndsTheRetriesAtOnce) {
    TargetBench bench = TargetBench::store_retry();
    bench.at(1110).step("TimerElapsed timer=CasRetry");

    EXPECT_EQ(bench.step("TargetOwnerRead owner=Other"),
              std::string("Report stale_owner, ") + kRemoved);
}

TEST(RelocationTargetCommit, U20_U79_ValidityEndRemovesTheUnit) {
    TargetBench waiting = TargetBench::relay_ready();
    TargetBench asking = TargetBench::cutover_received();
    TargetBench retrying = TargetBench::store_retry();

    EXPECT_EQ(waiting.step("TimerElapsed timer=RestoreValidity"),
              "Report location_update_failed, CancelTimer RestoreValidity, "
              "CancelTimer CutoverWait, RemovePrepared");
    for (TargetBench* bench : {&asking, &retrying}) {
        EXPECT_EQ(bench->at(30000).step("TimerElapsed timer=RestoreValidity"),
                  std::string("Report location_update_failed, ") + kRemoved);
        EXPECT_EQ(bench->stage(), Stage::TargetRemoved);
    }
}

// Counted from the first 40; nothing arms that timer a second time.
TEST(RelocationTargetCommit, U79_ValidityIsNeverRestarted) {
    TargetBench bench = TargetBench::fresh();
    std::string effects = bench.at(5).step(std::string("PrepareReceived") + kManifest);
    EXPECT_NE(effects.find("ArmTimer RestoreValidity 30005"), std::string::npos);
    effects.clear();

    bench.at(1000);
    effects += bench.step(std::string("PrepareReceived") + kManifest);
    effects += bench.step("OwnerChecked");
    effects += bench.step("ChunkAssembled ordinal=1 bytes=24 crc=700221333");
    effects += bench.step("UnitRestored");
    effects += bench.step(std::string("PrepareReceived") + kManifest);
    effects += bench.step("TimerElapsed timer=CutoverWait");
    effects += bench.step("CasAnswered answer=Transient");
    effects += bench.step("TimerElapsed timer=CasRetry");
    effects += bench.step("TargetOwnerRead owner=Source");

    EXPECT_EQ(effects.find("RestoreValidity"), std::string::npos) << effects;
}

TEST(RelocationTargetCommit, U21_LateStoreAnswerRevivesNothing) {
    TargetBench bench = TargetBench::store_retry();
    bench.step("TimerElapsed timer=RestoreValidity");

    EXPECT_EQ(bench.step("CasAnswered answer=Applied"), "Report late_store_answer");
    EXPECT_EQ(bench.step("TargetOwnerRead owner=Target"), "Report late_store_answer");
    EXPECT_EQ(bench.step("OwnerChecked"), "Report late_store_answer");
    EXPECT_EQ(bench.step("OwnerRefused code=13"), "Report late_store_answer");
    EXPECT_EQ(bench.step("TimerElapsed timer=CasRetry"), "Report event_ignored");
    EXPECT_EQ(bench.stage(), Stage::TargetRemoved);
}

TEST(RelocationTargetCommit, HostEndingRemovesWhatIsNotCommitted) {
    TargetBench waiting = TargetBench::relay_ready();
    TargetBench retrying = TargetBench::store_retry();
    TargetBench committed = TargetBench::committed();

    EXPECT_EQ(waiting.step("TargetAborted code=17"),
              "CancelTimer RestoreValidity, CancelTimer CutoverWait, RemovePrepared");
    EXPECT_EQ(retrying.step("TargetAborted code=17"), kRemoved);
    // §6: after the change nothing returns ownership.
    EXPECT_EQ(committed.step("TargetAborted code=17"), "Report event_ignored");
    EXPECT_EQ(committed.stage(), Stage::OwnerCommitted);
}

TEST(RelocationTargetCommit, U97_NothingLeadsBackFromACommit) {
    for (TargetBench bench : {TargetBench::committed(), TargetBench::open()}) {
        const Stage before = bench.stage();

        EXPECT_EQ(bench.step("TimerElapsed timer=RestoreValidity"), "Report event_ignored");
        EXPECT_EQ(bench.step("TargetOwnerRead owner=Other"), "Report late_store_answer");
        EXPECT_EQ(bench.step("CasAnswered answer=Conflict"), "Report late_store_answer");
        EXPECT_EQ(bench.stage(), before);
    }
}

}  // namespace
}  // namespace shunt::relocation::testing
