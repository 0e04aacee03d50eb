// Contract rows of spec/contract-matrix.md for the Actor kind, on whole hosts in the simulator.
#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/crc32c.hpp"
#include "tests/contract/move_bench.hpp"

namespace shunt::contract {
namespace {

/// Moves one Actor with a queue that was accepted, and messages that were held.
void move_with_work(MoveBench& bench) {
    bench.create("x");
    bench.send(kC, "x", "warm");
    EXPECT_TRUE(bench.until([&] { return bench.count("warm") == 1; }));
    bench.occupy("x", milliseconds(50));
    for (const char* text : {"s1", "s2", "s3"}) bench.send(kC, "x", text);
    bench.relocate();
    EXPECT_TRUE(bench.until([&] { return bench.point(kA, Point::S0).has_value(); }));
    for (const char* text : {"h1", "h2"}) bench.send(kA, "x", text);
    EXPECT_TRUE(bench.opened(kB));
}

TEST(ActorMove, U34_U01_Actor_OwnerChangesOnceByThePreparedTargetAndGrowsByOne) {
    MoveBench bench;
    bench.create("x");
    const store::Authority before = *bench.row("x");

    bench.relocate();
    ASSERT_TRUE(bench.opened(kB));
    bench.pass(seconds(1));

    std::vector<MoveBench::RowWrite> owner_changes;
    OwnerId owner = before.owner.owner_id;
    for (const auto& write : bench.row_writes("x")) {
        if (write.row.owner.owner_id != owner) owner_changes.push_back(write);
        owner = write.row.owner.owner_id;
    }
    ASSERT_EQ(owner_changes.size(), 1U);
    EXPECT_EQ(owner_changes.front().writer, kB);
    const store::Authority after = *bench.row("x");
    EXPECT_EQ(after.object_generation, before.object_generation);
    EXPECT_EQ(after.owner_generation.value, before.owner_generation.value + 1);
    EXPECT_EQ(after.node.rid, bench.identity(kB).rid);
}

TEST(ActorMove, U17_Actor_TheSourceNeverWritesAnOwner) {
    MoveBench bench;
    move_with_work(bench);
    bench.pass(seconds(2));

    for (const auto& write : bench.row_writes("x")) {
        if (write.writer == kB) continue;
        EXPECT_EQ(write.row.node.rid, bench.identity(kA).rid);
        EXPECT_LT(write.at, *bench.point(kA, Point::S0));
    }
}

// The sender never pauses, so the mailbox is never empty; the move ends all the same.
TEST(ActorMove, U02_Actor_TheSourceForwardsWithoutDraining) {
    MoveBench bench;
    bench.create("x");
    std::uint64_t sent = 0;
    const auto produce = [&](Duration time) {
        for (Duration passed{0}; passed < time; passed += milliseconds(1)) {
            bench.send(kC, "x", std::to_string(++sent));
            bench.pass(milliseconds(1));
        }
    };
    produce(milliseconds(20));

    bench.relocate();
    produce(milliseconds(200));

    ASSERT_TRUE(bench.relocation().has_value());
    EXPECT_EQ(bench.relocation()->outcome, RelocationOutcome::Relocated);
    ASSERT_TRUE(bench.until([&] { return bench.ran().size() == sent; }));
    for (std::uint64_t i = 1; i <= sent; ++i) EXPECT_EQ(bench.count(std::to_string(i)), 1U) << i;
    EXPECT_GT(bench.texts_at(kB).size(), 100U);
}

TEST(ActorMove, U03_U67_Actor_NoRelayLeavesBeforeRelayReady) {
    MoveBench bench;
    move_with_work(bench);

    const auto ready = bench.wire(CommandId::RelocationReady);
    const auto relay = bench.wire(CommandId::RelocationData);
    ASSERT_EQ(ready.size(), 1U);
    ASSERT_EQ(relay.size(), 2U);
    for (const Tapped& record : relay) {
        EXPECT_GT(record.at, ready.front().at);
        EXPECT_EQ(record.link, ready.front().link);
    }
}

TEST(ActorMove, U04_Actor_SavedWorkTravelsInThePayloadOnly) {
    MoveBench bench;
    move_with_work(bench);
    ASSERT_TRUE(bench.until([&] { return bench.ran().size() == 6; }));

    Bytes stream;
    for (const Tapped& chunk : bench.wire(CommandId::RelocationState)) {
        const auto state = chunk.as<protocol::RelocationState>();
        const ByteView bytes = state.chunk_data.view();
        stream.insert(stream.end(), bytes.begin(), bytes.end());
    }
    const auto envelope = protocol::decode_envelope(stream);
    ASSERT_TRUE(envelope);
    EXPECT_EQ(envelope.value().saved_work.size(), 3U);
    for (const Tapped& relay : bench.wire(CommandId::RelocationData)) {
        for (const auto& saved : envelope.value().saved_work) {
            EXPECT_NE(relay.as<protocol::RelocationData>().record.operation_id,
                      saved.record.operation_id);
        }
    }
    for (const char* text : {"s1", "s2", "s3", "h1", "h2"}) EXPECT_EQ(bench.count(text), 1U);
}

TEST(ActorMove, U05_U88_Actor_OnlyRelayReadyIsAReply) {
    MoveBench bench;
    move_with_work(bench);
    bench.pass(seconds(2));

    std::size_t replies = 0;
    for (const Tapped& record : bench.wire()) {
        if (record.leg != protocol::Leg::Reply) continue;
        ++replies;
        EXPECT_EQ(record.command, CommandId::RelocationReady);
    }
    EXPECT_EQ(replies, 1U);
    EXPECT_FALSE(bench.wire(CommandId::RelocationState).empty());
    EXPECT_EQ(bench.wire(CommandId::RelocationCutover).size(), 1U);
}

std::vector<std::string> run_with_chunk_limit(std::uint32_t limit, std::size_t* chunks) {
    BenchOptions options;
    options.host.relocation_payload_chunk_limit = limit;
    MoveBench bench(options);
    move_with_work(bench);
    EXPECT_TRUE(bench.until([&] { return bench.ran().size() == 6; }));
    *chunks = bench.wire(CommandId::RelocationState).size();
    EXPECT_EQ(bench.row("x")->node.rid, bench.identity(kB).rid);
    return bench.texts_at(kB);
}

TEST(ActorMove, U06_Actor_OneChunkAndManyChunksEndAlike) {
    std::size_t one = 0;
    std::size_t many = 0;

    const auto whole = run_with_chunk_limit(256 * 1024, &one);
    const auto split = run_with_chunk_limit(16, &many);

    EXPECT_EQ(one, 1U);
    EXPECT_GT(many, 10U);
    EXPECT_EQ(whole, split);
}

// Each chunk size cuts the stream at other bytes, inside records and fields as well.
TEST(ActorMove, U54_Actor_AChunkMayEndAtAnyByte) {
    for (std::uint32_t limit = 1; limit <= 40; ++limit) {
        std::size_t chunks = 0;
        EXPECT_THAT(run_with_chunk_limit(limit, &chunks), ElementsAre("s1", "s2", "s3", "h1", "h2"))
            << limit;
    }
}

TEST(ActorMove, U10_Actor_AFlippedByteIsAnExplicitFailureAndTheSourceServesOn) {
    MoveBench bench;
    bench.create("x", 1000);
    const store::Authority before = *bench.row("x");
    bool flipped = false;
    bench.network().set_filter([&](sim::NodeIndex, sim::NodeIndex, sim::FlatRecord& record) {
        if (command_of(record) == CommandId::RelocationState && !flipped) {
            flipped = true;
            record.parts.front().back() ^= std::byte{1};
        }
        return sim::Verdict::Pass;
    });

    bench.relocate();
    ASSERT_TRUE(bench.relocated());
    bench.send(kC, "x", "after");
    ASSERT_TRUE(bench.until([&] { return bench.count("after") == 1; }));

    EXPECT_TRUE(flipped);
    EXPECT_EQ(bench.relocation()->reason, RelocationReason::RelocationFailed);
    const auto failed = bench.wire(CommandId::RelocationFailed);
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_EQ(failed.front().as<protocol::RelocationFailed>().failure_code,
              protocol::FrameworkErrorCode::RelocationDataLost);
    EXPECT_EQ(bench.factories_at(kB), 0U);
    EXPECT_EQ(bench.row("x")->version, before.version);
    EXPECT_THAT(bench.texts_at(kA), ElementsAre("after"));
    EXPECT_EQ(bench.wire(CommandId::RelocationPrepare).size(), 1U);
}

TEST(ActorMove, U15_U66_Actor_TheTargetWritesNothingBeforeItIsRestored) {
    MoveBench bench;
    move_with_work(bench);

    const sim::SimTime restored = *bench.stage(kB, Stage::RelayReady);
    for (const auto& write : bench.row_writes("x")) {
        if (write.writer == kB) {
            EXPECT_GT(write.at, restored);
        }
    }
    for (const Ran& ran : bench.ran()) {
        if (ran.node == kB) {
            EXPECT_GT(ran.at, *bench.stage(kB, Stage::OwnerCommitted));
        }
    }
}

// Cutover is held back on the wire: until the wait is over nothing changes; then the fallback.
TEST(ActorMove, U16_U75_Actor_NothingChangesBeforeCutoverOrTheWait) {
    MoveBench bench;
    bench.create("x");
    bench.network().set_filter([&](sim::NodeIndex, sim::NodeIndex, sim::FlatRecord& record) {
        return command_of(record) == CommandId::RelocationCutover ? sim::Verdict::Drop
                                                                  : sim::Verdict::Pass;
    });

    bench.relocate();
    ASSERT_TRUE(bench.until([&] { return bench.stage(kB, Stage::RelayReady).has_value(); }));
    bench.send(kC, "x", "direct");
    bench.pass(milliseconds(950));

    EXPECT_EQ(bench.row("x")->node.rid, bench.identity(kA).rid);
    EXPECT_THAT(bench.texts_at(kB), IsEmpty());
    ASSERT_TRUE(bench.opened(kB));
    const Duration waited =
        *bench.stage(kB, Stage::CutoverFallback) - *bench.stage(kB, Stage::RelayReady);
    EXPECT_GE(waited, milliseconds(1000));
    EXPECT_LE(waited, milliseconds(1002));
    EXPECT_EQ(bench.logged(LogCode::CutoverTimeout), 1U);
    ASSERT_TRUE(bench.until([&] { return bench.count("direct") == 1; }));
    EXPECT_THAT(bench.texts_at(kA), IsEmpty());
}

TEST(ActorMove, U22_U84_Actor_SavedWorkRunsBeforeRelay) {
    MoveBench bench;
    move_with_work(bench);
    ASSERT_TRUE(bench.until([&] { return bench.ran().size() == 6; }));

    EXPECT_THAT(bench.texts_at(kA), ElementsAre("warm"));
    EXPECT_THAT(bench.texts_at(kB), ElementsAre("s1", "s2", "s3", "h1", "h2"));
}

TEST(ActorMove, U24_Actor_AMovedRequestKeepsItsOperationAndIsAnsweredOnce) {
    MoveBench bench;
    bench.create("x");
    bench.occupy("x", milliseconds(50));
    const std::size_t saved = bench.ask(kC, "x", "saved");
    bench.send(kC, "x", "one-way");
    bench.relocate();
    ASSERT_TRUE(bench.until([&] { return bench.point(kA, Point::S0).has_value(); }));
    const std::size_t held = bench.ask(kC, "x", "held");
    const std::size_t local = bench.ask(kA, "x", "local");

    ASSERT_TRUE(bench.until(
        [&] { return bench.answers()[saved] && bench.answers()[held] && bench.answers()[local]; }));
    bench.pass(seconds(3));

    for (const std::size_t request : {saved, held, local}) {
        EXPECT_TRUE(bench.answers()[request]->has_value());
    }
    const auto requests = bench.wire(CommandId::ActorRequest);
    const auto relayed = bench.wire(CommandId::ReplyRelay);
    ASSERT_GE(requests.size(), 2U);
    ASSERT_FALSE(relayed.empty());
    const OperationId operation = requests.front().as<protocol::ActorRequest>().operation;
    const auto answer = std::find_if(relayed.begin(), relayed.end(), [&](const Tapped& record) {
        return record.as<protocol::ReplyRelay>().operation == operation;
    });
    ASSERT_NE(answer, relayed.end());
    EXPECT_EQ(answer->as<protocol::ReplyRelay>().reply_route_id,
              requests.front().as<protocol::ActorRequest>().correlation);
    const auto ran = std::find_if(bench.ran().begin(), bench.ran().end(),
                                  [](const Ran& r) { return r.text == "saved"; });
    EXPECT_EQ(ran->operation, operation);
    EXPECT_EQ(ran->node, kB);
    // The one-way message is answered by nobody.
    EXPECT_TRUE(bench.wire(CommandId::Reply).empty());
    EXPECT_EQ(bench.status(kB).unacknowledged_replies, 0U);
}

// The reply is lost and nobody knows: the source must not guess, the target falls back and owns.
TEST(ActorMove, U30_U110_Actor_ALostRelayReadyNeverReopensTheSource) {
    BenchOptions options;
    options.host.message_follow_duration = seconds(6);
    options.host.route_cache_max_age = seconds(1);
    MoveBench bench(options);
    bench.create("x");
    bench.network().set_filter([&](sim::NodeIndex, sim::NodeIndex, sim::FlatRecord& record) {
        return command_of(record) == CommandId::RelocationReady ? sim::Verdict::Drop
                                                                : sim::Verdict::Pass;
    });

    bench.relocate(seconds(3));
    ASSERT_TRUE(bench.until([&] { return bench.point(kA, Point::S0).has_value(); }));
    bench.send(kC, "x", "held");
    ASSERT_TRUE(bench.opened(kB));
    ASSERT_TRUE(bench.until([&] { return bench.count("held") == 1; }));

    EXPECT_EQ(bench.row("x")->node.rid, bench.identity(kB).rid);
    EXPECT_THAT(bench.texts_at(kA), IsEmpty());
    EXPECT_THAT(bench.texts_at(kB), ElementsAre("held"));
    ASSERT_TRUE(bench.relocated());
    EXPECT_EQ(bench.relocation()->outcome, RelocationOutcome::Blocked);
}

TEST(ActorMove, U40_Actor_OneIdentityBindsRestoreChunksAndCutover) {
    MoveBench bench;
    move_with_work(bench);

    const auto prepare =
        bench.wire(CommandId::RelocationPrepare).front().as<protocol::RelocationPrepare>();
    EXPECT_TRUE(prepare.relocation);
    EXPECT_TRUE(prepare.target_attempt_generation);
    for (const Tapped& record : bench.wire(CommandId::RelocationState)) {
        const auto chunk = record.as<protocol::RelocationState>();
        EXPECT_EQ(chunk.relocation, prepare.relocation);
        EXPECT_EQ(chunk.target_attempt_generation, prepare.target_attempt_generation);
        EXPECT_EQ(chunk.coordinator, prepare.coordinator);
    }
    const auto cutover =
        bench.wire(CommandId::RelocationCutover).front().as<protocol::RelocationCutover>();
    EXPECT_EQ(cutover.relocation, prepare.relocation);
    const auto writes = bench.row_writes("x");
    const auto committed = std::find_if(writes.begin(), writes.end(),
                                        [](const auto& write) { return write.writer == kB; });
    ASSERT_NE(committed, writes.end());
    EXPECT_EQ(committed->row.relocation->relocation, prepare.relocation);
    EXPECT_EQ(committed->row.relocation->target_attempt_generation,
              prepare.target_attempt_generation.value);
}

// The same bytes before and after the seal are two messages (seed §3): nothing deduplicates.
TEST(ActorMove, U42_U57_Actor_EqualPayloadsAroundTheSealRunTwice) {
    MoveBench bench;
    bench.create("x");
    bench.occupy("x", milliseconds(30));
    bench.send(kC, "x", "same");
    bench.relocate();
    ASSERT_TRUE(bench.until([&] { return bench.point(kA, Point::S0).has_value(); }));
    bench.send(kC, "x", "same");

    ASSERT_TRUE(bench.until([&] { return bench.count("same") == 2; }));
    bench.pass(seconds(2));

    EXPECT_EQ(bench.count("same"), 2U);
}

TEST(ActorMove, U46_Actor_TheTurnEndsAndNoOtherStartsAtTheSource) {
    MoveBench bench;
    bench.create("x");
    bench.occupy("x", milliseconds(500));
    bench.send(kC, "x", "behind");
    bench.relocate();
    bench.pass(milliseconds(400));
    EXPECT_FALSE(bench.point(kA, Point::S0).has_value());

    ASSERT_TRUE(bench.opened(kB));
    ASSERT_TRUE(bench.until([&] { return bench.count("behind") == 1; }));

    EXPECT_THAT(bench.texts_at(kA), IsEmpty());
    EXPECT_THAT(bench.texts_at(kB), ElementsAre("behind"));
}

TEST(ActorMove, U53_U52_U68_Actor_ChunksFollowTheManifestOnTheRelayConnection) {
    BenchOptions options;
    options.host.relocation_payload_chunk_limit = 100;
    MoveBench bench(options);
    move_with_work(bench);

    const auto prepares = bench.wire(CommandId::RelocationPrepare);
    ASSERT_EQ(prepares.size(), 1U);
    const auto prepare = prepares.front().as<protocol::RelocationPrepare>();
    const auto chunks = bench.wire(CommandId::RelocationState);
    ASSERT_EQ(chunks.size(), prepare.payload_chunk_count);
    protocol::Crc32c crc;
    std::uint64_t total = 0;
    for (std::uint32_t ordinal = 0; ordinal < chunks.size(); ++ordinal) {
        const auto chunk = chunks[ordinal].as<protocol::RelocationState>();
        EXPECT_EQ(chunk.chunk_ordinal, ordinal);
        EXPECT_EQ(chunks[ordinal].link, prepares.front().link);
        EXPECT_GE(chunks[ordinal].at, prepares.front().at);
        EXPECT_EQ(chunks[ordinal].leg, protocol::Leg::Send);
        crc.update(chunk.chunk_data.view());
        total += chunk.chunk_data.size();
    }
    EXPECT_EQ(total, prepare.payload_total_length);
    EXPECT_EQ(crc.value(), prepare.payload_checksum_crc32c);
    const auto cutover = bench.wire(CommandId::RelocationCutover).front();
    EXPECT_EQ(cutover.link, prepares.front().link);
    EXPECT_EQ(cutover.as<protocol::RelocationCutover>().boundary_record_count, 2U);
}

std::size_t largest_chunk(const BenchOptions& options) {
    MoveBench bench(options);
    bench.create("x", 600 * 1024);
    bench.relocate();
    EXPECT_TRUE(bench.opened(kB));
    std::size_t largest = 0;
    for (const Tapped& record : bench.wire(CommandId::RelocationState)) {
        const auto chunk = record.as<protocol::RelocationState>();
        largest = std::max(largest, chunk.chunk_data.size());
    }
    return largest;
}

TEST(ActorMove, U55_Actor_TheSmallestLimitBindsTheChunk) {
    EXPECT_EQ(largest_chunk({}), 256U * 1024);
    BenchOptions setting;
    setting.host.relocation_payload_chunk_limit = 10'000;
    EXPECT_EQ(largest_chunk(setting), 10'000U);
    BenchOptions budget;
    budget.host.relocation_in_flight_payload_budget = 5'000;
    EXPECT_LE(largest_chunk(budget), 5'000U);
}

TEST(ActorMove, U56_Actor_WithoutAnAdvertisedLimitChunksAre32KiB) {
    BenchOptions options;
    options.b_is_shunt = false;
    EXPECT_EQ(largest_chunk(options), 32U * 1024);
}

// B's answers take half a second: meanwhile A reads on, holds what comes, and deadlines still act.
TEST(ActorMove, U59_Actor_ReceptionStaysOpenWhileTheTargetPrepares) {
    MoveBench bench;
    bench.create("x");
    bench.send(kC, "x", "warm");
    ASSERT_TRUE(bench.until([&] { return bench.count("warm") == 1; }));
    bench.network().silence(kB, kA, bench.scheduler().now() + milliseconds(500));
    bench.relocate();
    ASSERT_TRUE(bench.until([&] { return bench.point(kA, Point::S0).has_value(); }));
    const std::size_t expiring = bench.ask(kC, "x", "late", milliseconds(100));
    bench.send(kC, "x", "held");

    ASSERT_TRUE(bench.until([&] { return bench.answers()[expiring].has_value(); }));

    EXPECT_FALSE(bench.answers()[expiring]->has_value());
    const auto arrived = bench.wire(CommandId::ActorRequest);
    ASSERT_FALSE(arrived.empty());
    EXPECT_EQ(arrived.back().to, kA);
    EXPECT_THAT(bench.texts_at(kA), ElementsAre("warm"));
    ASSERT_TRUE(bench.until([&] { return bench.count("held") == 1; }));
    EXPECT_THAT(bench.texts_at(kB), ElementsAre("late", "held"));
    bench.pass(seconds(3));
}

}  // namespace
}  // namespace shunt::contract
