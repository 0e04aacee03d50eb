// Contract rows about what a move survives, for the Actor kind, on whole hosts in the simulator:
// failures, limits, Message Follow and what is left afterwards.
#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/errc.hpp"
#include "tests/contract/move_bench.hpp"

namespace shunt::contract {
namespace {

BenchOptions short_follow() {
    BenchOptions options;
    options.host.message_follow_duration = seconds(6);
    options.host.route_cache_max_age = seconds(1);
    return options;
}

/// Flips a byte of the first chunk, so that the target refuses before it is ready.
void spoil_first_chunk(MoveBench& bench) {
    bench.network().set_filter(
        [spoiled = false](sim::NodeIndex, sim::NodeIndex, sim::FlatRecord& record) mutable {
            if (command_of(record) == CommandId::RelocationState && !std::exchange(spoiled, true)) {
                record.parts.front().back() ^= std::byte{1};
            }
            return sim::Verdict::Pass;
        });
}

void drop_all_of(MoveBench& bench, CommandId command) {
    bench.network().set_filter([command](sim::NodeIndex, sim::NodeIndex, sim::FlatRecord& record) {
        return command_of(record) == command ? sim::Verdict::Drop : sim::Verdict::Pass;
    });
}

/// Moves "x" after C has learned its route to A, and keeps C from hearing that it is another now.
void move_behind_the_back_of_c(MoveBench& bench) {
    bench.create("x");
    bench.send(kC, "x", "warm");
    EXPECT_TRUE(bench.until([&] { return bench.count("warm") == 1; }));
    drop_all_of(bench, CommandId::MessageFollow);
    bench.relocate();
    EXPECT_TRUE(bench.relocated());
}

TEST(ActorSurvives, U58_U82_Actor_AFailedPreparationRestoresTheQueueInItsOrder) {
    MoveBench bench;
    bench.create("x");
    bench.send(kC, "x", "warm");
    ASSERT_TRUE(bench.until([&] { return bench.count("warm") == 1; }));
    spoil_first_chunk(bench);
    bench.occupy("x", milliseconds(50));
    for (const char* text : {"s1", "s2"}) bench.send(kC, "x", text);

    bench.relocate();
    ASSERT_TRUE(bench.until([&] { return bench.point(kA, Point::S0).has_value(); }));
    for (const char* text : {"h1", "h2"}) bench.send(kC, "x", text);
    ASSERT_TRUE(bench.relocated());
    ASSERT_TRUE(bench.until([&] { return bench.count("h2") == 1; }));

    EXPECT_EQ(bench.relocation()->outcome, RelocationOutcome::Blocked);
    EXPECT_THAT(bench.texts_at(kA), ElementsAre("warm", "s1", "s2", "h1", "h2"));
    EXPECT_THAT(bench.texts_at(kB), IsEmpty());
    // Nothing of the attempt is left at the target, and everything came back at the source.
    EXPECT_EQ(bench.status(kB).actors, 0U);
    EXPECT_EQ(bench.status(kB).moves_in, 0U);
    EXPECT_EQ(bench.status(kA).permits_in_use, 0U);
    EXPECT_EQ(bench.status(kA).in_flight_payload_bytes, 0U);
}

// The state is far larger than the budget: at no time do more charged bytes lie in pipes.
TEST(ActorSurvives, H11_Actor_WhatIsInFlightIsBoundedWhateverTheState) {
    BenchOptions options;
    options.host.relocation_payload_chunk_limit = 8'000;
    options.host.relocation_in_flight_payload_budget = 20'000;
    MoveBench bench(options);
    bench.create("x", 400'000);
    std::uint64_t peak = 0;

    bench.relocate();
    ASSERT_TRUE(bench.until([&] {
        peak = std::max(peak, bench.status(kA).in_flight_payload_bytes);
        return bench.stage(kB, Stage::TargetOpen).has_value();
    }));

    EXPECT_GT(bench.wire(CommandId::RelocationState).size(), 50U);
    EXPECT_GT(peak, 8'000U);
    EXPECT_LE(peak, 20'000U);
    ASSERT_TRUE(bench.relocated());
    EXPECT_EQ(bench.status(kA).in_flight_payload_bytes, 0U);
}

// More saved work than permits: the backlog runs through all the same, one live permit at a time.
TEST(ActorSurvives, U64_Actor_ABacklogLargerThanThePermitsRunsInOrder) {
    BenchOptions options;
    options.host.max_queued_application_jobs = 2;
    MoveBench bench(options);
    bench.create("x");
    bench.send(kC, "x", "warm");
    ASSERT_TRUE(bench.until([&] { return bench.count("warm") == 1; }));
    bench.relocate();
    ASSERT_TRUE(bench.until([&] { return bench.point(kA, Point::S0).has_value(); }));
    std::vector<std::string> texts;
    for (int i = 0; i < 20; ++i) {
        texts.push_back("h" + std::to_string(i));
        bench.send(kA, "x", texts.back());
    }

    ASSERT_TRUE(bench.until([&] { return bench.count("h19") == 1; }));

    EXPECT_EQ(bench.texts_at(kB), texts);
    EXPECT_LE(bench.status(kB).permits_peak, 2U);
    EXPECT_EQ(bench.status(kB).permits_in_use, 0U);
}

TEST(ActorSurvives, U90_Actor_AFollowedRequestIsOneOperationAndEndsByItsCallersDeadline) {
    MoveBench bench(short_follow());
    bench.create("x");
    bench.occupy("x", milliseconds(30));
    drop_all_of(bench, CommandId::ReplyRelay);
    const std::size_t request = bench.ask(kC, "x", "asked", seconds(2));
    bench.relocate();
    ASSERT_TRUE(bench.opened(kB));
    ASSERT_TRUE(bench.until([&] { return bench.answers()[request].has_value(); }));
    bench.pass(seconds(5));

    // Its answer never came home, so the caller's deadline ended it; nobody asked again.
    EXPECT_EQ(bench.answers()[request]->error(), make_error_code(host::Errc::DeadlineExceeded));
    EXPECT_EQ(bench.count("asked"), 1U);
    EXPECT_EQ(bench.wire(CommandId::ActorRequest).size(), 1U);
}

TEST(ActorSurvives, U91_Actor_ManyUnitsMoveAtOnceWithoutACap) {
    MoveBench bench;
    constexpr int kActors = 100;
    for (int i = 0; i < kActors; ++i) bench.create("x" + std::to_string(i));
    // The target answers late: whatever the source starts is open at the same time.
    bench.network().silence(kB, kA, bench.scheduler().now() + seconds(2));

    bench.relocate();
    ASSERT_TRUE(
        bench.until([&] { return bench.wire(CommandId::RelocationPrepare).size() == kActors; }));

    EXPECT_THAT(bench.wire(CommandId::RelocationReady), IsEmpty());
    ASSERT_TRUE(bench.relocated());
    EXPECT_EQ(bench.relocation()->outcome, RelocationOutcome::Relocated);
    EXPECT_EQ(bench.status(kB).actors, static_cast<std::uint64_t>(kActors));
}

// The first unit fills the budget, and its chunks lie in a pipe that does not move: the others are
// not sealed, go on serving, and move when there is room again.
TEST(ActorSurvives, U92_U95_H22_Actor_WaitingForTheBudgetComesBeforeTheSeal) {
    BenchOptions options;
    options.host.relocation_in_flight_payload_budget = 10'000;
    MoveBench bench(options);
    std::vector<std::string> others;
    for (int i = 0; i < 10; ++i) others.push_back("b" + std::to_string(i));
    for (const std::string& other : others) bench.create(other, 10);
    bench.create("a", 600'000);
    bench.network().silence(kA, kB, bench.scheduler().now() + seconds(2));

    bench.relocate();
    bench.pass(seconds(1));
    for (const std::string& other : others) bench.send(kA, other, "while waiting");
    bench.pass(milliseconds(500));
    const std::size_t served = bench.texts_at(kA).size();
    const auto sealed = std::count_if(bench.marks().begin(), bench.marks().end(),
                                      [](const Marked& mark) { return mark.point == Point::S0; });
    ASSERT_TRUE(bench.relocated());
    ASSERT_TRUE(bench.until([&] { return bench.count("while waiting") == others.size(); }));

    // Who waited had not begun to stand still, and served.
    EXPECT_GE(sealed, 1);
    EXPECT_LT(sealed, static_cast<std::ptrdiff_t>(others.size()) + 1);
    EXPECT_EQ(served, others.size() + 1 - static_cast<std::size_t>(sealed));
    EXPECT_EQ(bench.relocation()->outcome, RelocationOutcome::Relocated);
    EXPECT_EQ(bench.status(kA).in_flight_payload_bytes, 0U);
}

TEST(ActorSurvives, U106_Actor_AShutdownThatSealedFirstStartsNoMove) {
    MoveBench bench;
    bench.create("x");

    bench.shut_down(kA);
    bench.relocate();
    ASSERT_TRUE(bench.relocated());

    EXPECT_EQ(bench.relocation()->outcome, RelocationOutcome::Blocked);
    EXPECT_EQ(bench.relocation()->reason, RelocationReason::ShutdownRequested);
    EXPECT_THAT(bench.wire(CommandId::RelocationPrepare), IsEmpty());
}

// Behind the cutover the object belongs to the target, whatever becomes of the source.
TEST(ActorSurvives, U106_Actor_AShutdownBehindTheCutoverLeavesTheObjectToTheTarget) {
    MoveBench bench;
    bench.create("x");
    bench.relocate();
    ASSERT_TRUE(bench.until([&] { return bench.point(kA, Point::S1).has_value(); }));

    bench.shut_down(kA);
    ASSERT_TRUE(bench.opened(kB));
    bench.pass(seconds(30));

    ASSERT_TRUE(bench.row("x").has_value());
    EXPECT_EQ(bench.row("x")->node.rid, bench.identity(kB).rid);
    bench.send(kC, "x", "after");
    ASSERT_TRUE(bench.until([&] { return bench.count("after") == 1; }));
    EXPECT_THAT(bench.texts_at(kB), ElementsAre("after"));
}

// --- Message Follow ---------------------------------------------------------------------------

TEST(ActorSurvives, U112_Actor_FollowKeepsTheOperationReadsNoStoreAndRunsNothing) {
    MoveBench bench(short_follow());
    move_behind_the_back_of_c(bench);
    const std::size_t reads = bench.store().reads_by(kA);

    const std::size_t request = bench.ask(kC, "x", "asked");
    ASSERT_TRUE(bench.until([&] { return bench.answers()[request].has_value(); }));

    const auto hops = bench.wire(CommandId::ActorRequest);
    ASSERT_EQ(hops.size(), 2U);
    const auto first = hops.front().as<protocol::ActorRequest>();
    const auto followed = hops.back().as<protocol::ActorRequest>();
    EXPECT_EQ(hops.back().from, kA);
    EXPECT_EQ(followed.operation, first.operation);
    EXPECT_EQ(followed.target_actor.actor, first.target_actor.actor);
    EXPECT_EQ(followed.correlation, first.correlation);
    EXPECT_EQ(followed.message_follow_hop_count, first.message_follow_hop_count + 1);
    EXPECT_TRUE(bench.answers()[request]->has_value());
    EXPECT_THAT(bench.texts_at(kB), ElementsAre("asked"));
    EXPECT_EQ(bench.store().reads_by(kA), reads);
}

TEST(ActorSurvives, U113_Actor_FollowHasNoVolumeCapOfItsOwn) {
    MoveBench bench(short_follow());
    move_behind_the_back_of_c(bench);

    for (int i = 0; i < 2'000; ++i) bench.send(kC, "x", "f" + std::to_string(i));
    ASSERT_TRUE(bench.until([&] { return bench.count("f1999") == 1; }));

    const auto texts = bench.texts_at(kB);
    ASSERT_EQ(texts.size(), 2'000U);
    for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i], "f" + std::to_string(i));
}

// A sender that believes its route for longer than the old address forwards, as none should.
TEST(ActorSurvives, U113_Actor_AnEndedRouteAnswersUnavailable) {
    BenchOptions options;
    options.host.message_follow_duration = seconds(2);
    options.host.route_cache_max_age = seconds(10);
    MoveBench bench(options);
    bench.create("x");
    bench.send(kC, "x", "warm");
    ASSERT_TRUE(bench.until([&] { return bench.count("warm") == 1; }));
    bench.relocate();
    ASSERT_TRUE(bench.relocated());
    ASSERT_TRUE(bench.until([&] { return bench.status(kA).safe_to_shutdown; }));

    const std::size_t request = bench.ask(kC, "x", "asked");
    ASSERT_TRUE(bench.until([&] { return bench.answers()[request].has_value(); }));

    EXPECT_EQ(bench.answers()[request]->error(), make_error_code(host::Errc::Unavailable));
    EXPECT_EQ(bench.count("asked"), 0U);
}

// The caller gives up long before the hop does: one answer, and the late one is only counted.
TEST(ActorSurvives, U114_Actor_TheCallersDeadlineAloneEndsAFollowedRequest) {
    MoveBench bench(short_follow());
    move_behind_the_back_of_c(bench);
    bench.network().slow_down(kB, kA, milliseconds(400), bench.scheduler().now() + seconds(2));

    const std::size_t request = bench.ask(kC, "x", "asked", milliseconds(100));
    ASSERT_TRUE(bench.until([&] { return bench.answers()[request].has_value(); }));
    bench.pass(seconds(3));

    EXPECT_EQ(bench.answers()[request]->error(), make_error_code(host::Errc::DeadlineExceeded));
    EXPECT_EQ(bench.count("asked"), 1U);
    EXPECT_EQ(bench.status(kA).pending_requests, 0U);
    EXPECT_EQ(bench.status(kC).pending_requests, 0U);
}

// --- afterwards -------------------------------------------------------------------------------

TEST(ActorSurvives, U116_Actor_TheSourceKeepsNothingButTheRoute) {
    MoveBench bench(short_follow());
    bench.create("x", 50'000);
    bench.relocate();
    ASSERT_TRUE(bench.relocated());

    EXPECT_EQ(bench.status(kA).actors, 0U);
    EXPECT_EQ(bench.status(kA).permits_in_use, 0U);
    EXPECT_FALSE(bench.status(kA).safe_to_shutdown);
    EXPECT_EQ(bench.status(kA).moves_out, 1U);
    ASSERT_TRUE(bench.until([&] { return bench.status(kA).safe_to_shutdown; }));
    EXPECT_TRUE(bench.until([&] { return bench.status(kA).moves_out == 0; }));
    EXPECT_EQ(bench.row("x")->node.rid, bench.identity(kB).rid);
}

// The cutover is lost, so for a while both ends might believe that the object is theirs.
TEST(ActorSurvives, U118_Actor_HandlersRunOnOneNodeAtATime) {
    MoveBench bench(short_follow());
    bench.create("x");
    drop_all_of(bench, CommandId::RelocationCutover);
    bench.relocate();
    for (int i = 0; i < 200; ++i) {
        bench.send(i % 2 == 0 ? kC : kA, "x", std::to_string(i));
        bench.pass(milliseconds(10));
    }
    ASSERT_TRUE(bench.until([&] { return bench.ran().size() == 200; }));

    const auto committed = bench.stage(kB, Stage::OwnerCommitted);
    ASSERT_TRUE(committed.has_value());
    for (const Ran& ran : bench.ran()) {
        EXPECT_EQ(ran.node, ran.at < *committed ? kA : kB) << ran.text;
        if (ran.node == kA) {
            EXPECT_LT(ran.at, *bench.point(kA, Point::S0));
        }
    }
}

// What the contract does not promise is shown and never hidden: two routes, two connections.
TEST(ActorSurvives, U33_Actor_AMessageOverTheNewRouteMayOvertakeAFollowedOneAndBothRun) {
    MoveBench bench(short_follow());
    bench.create("x");
    bench.send(kC, "x", "warm");
    ASSERT_TRUE(bench.until([&] { return bench.count("warm") == 1; }));
    bench.relocate();
    ASSERT_TRUE(bench.relocated());
    bench.network().slow_down(kA, kB, milliseconds(300), bench.scheduler().now() + seconds(1));

    bench.send(kC, "x", "followed");
    ASSERT_TRUE(bench.until([&] { return !bench.wire(CommandId::MessageFollow).empty(); }));
    bench.send(kC, "x", "direct");
    ASSERT_TRUE(bench.until([&] { return bench.ran().size() == 3; }));

    EXPECT_THAT(bench.texts_at(kB), ElementsAre("direct", "followed"));
}

}  // namespace
}  // namespace shunt::contract
