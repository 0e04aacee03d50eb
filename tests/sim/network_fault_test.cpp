// What cuts, silence, pauses and deaths do to records in flight.

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/link_bench.hpp"
#include "tests/sim/network.hpp"

namespace shunt::sim {
namespace {

using protocol::Leg;
using protocol::SubmitResult;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

constexpr int kSent = 40;

std::vector<std::string> prefix(std::size_t count) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) texts.push_back(std::to_string(i));
    return texts;
}

struct CutOutcome {
    std::set<std::size_t> arrived_counts;
    std::set<SubmitResult> results;
    bool unknown_arrived = false;
    bool unknown_was_lost = false;
    bool sent_was_lost = false;
};

// One run: records on both lanes, then a cut somewhere among them. Checks what must hold for any
// cut and collects what may happen.
void cut_once(std::uint64_t seed, CutOutcome& outcome) {
    LinkBench bench(seed);
    bench.connect();
    std::size_t lost = 0;
    bench.network.on_loss([&](const RecordNotice&) { ++lost; });
    for (int i = 0; i < kSent; ++i) {
        bench.node(0).send(std::to_string(i), static_cast<std::uint64_t>(i) + 1);
        bench.node(0).send(std::to_string(i), 0, Leg::Reply);
    }
    bench.run_for(microseconds(seed * 10));

    bench.network.cut_between(NodeIndex{0}, NodeIndex{1}, CutKind::Reset);
    bench.run_until([&] {
        return bench.node(0).events.downs.size() == 1 && bench.node(1).events.downs.size() == 1;
    });

    const LinkRecorder& sender = bench.node(0).events;
    const LinkRecorder& receiver = bench.node(1).events;
    const std::size_t arrived = receiver.records.size();
    EXPECT_EQ(receiver.records, prefix(arrived)) << "seed " << seed;
    EXPECT_EQ(receiver.replies, prefix(receiver.replies.size())) << "seed " << seed;
    EXPECT_EQ(lost, 2 * kSent - arrived - receiver.replies.size()) << "seed " << seed;
    EXPECT_EQ(sender.submitted.size(), static_cast<std::size_t>(kSent));
    EXPECT_EQ(sender.downs.at(0).submitted_before, static_cast<std::size_t>(kSent));
    EXPECT_EQ(bench.network.charged_bytes(), 0U);
    for (const auto& [token, result] : sender.submitted) {
        const bool here = token <= arrived;
        outcome.results.insert(result);
        EXPECT_FALSE(here && result == SubmitResult::Failed) << "seed " << seed;
        if (result == SubmitResult::Unknown) {
            (here ? outcome.unknown_arrived : outcome.unknown_was_lost) = true;
        }
        if (result == SubmitResult::Sent && !here) outcome.sent_was_lost = true;
    }
    outcome.arrived_counts.insert(arrived);
}

// A TCP connection loses a suffix, never something in the middle; a failed submit was never sent;
// an unknown one may be either (design.md decision 23).
TEST(NetworkFault, ACutLeavesAPrefixOfEachLaneAndHonestResults) {
    CutOutcome outcome;

    for (std::uint64_t seed = 0; seed < 100; ++seed) cut_once(seed, outcome);

    EXPECT_GT(outcome.arrived_counts.size(), 10U);
    EXPECT_EQ(outcome.results.size(), 3U);
    EXPECT_TRUE(outcome.unknown_arrived);
    EXPECT_TRUE(outcome.unknown_was_lost);
    EXPECT_TRUE(outcome.sent_was_lost);
}

TEST(NetworkFault, TheSidesNoticeACutAtDifferentTimes) {
    LinkBench bench;
    bench.connect();
    bench.network.cut_between(NodeIndex{0}, NodeIndex{1}, CutKind::Reset);

    bench.run_until(
        [&] { return bench.node(0).events.downs.size() + bench.node(1).events.downs.size() == 1; });
    BenchNode& unaware = bench.node(0).events.downs.empty() ? bench.node(0) : bench.node(1);

    EXPECT_EQ(unaware.send("into the void"), host::Admission::Queued);
}

TEST(NetworkFault, ASilentCutIsNoticedByNobody) {
    LinkBench bench;
    bench.connect();

    bench.network.cut_between(NodeIndex{0}, NodeIndex{1}, CutKind::Silent);
    bench.node(0).send("lost", 1);
    bench.run_for(seconds(60));
    EXPECT_TRUE(bench.node(0).events.downs.empty());
    EXPECT_TRUE(bench.node(1).events.downs.empty());
    EXPECT_TRUE(bench.node(1).events.records.empty());
    EXPECT_EQ(bench.node(0).events.submitted.at(0).second, SubmitResult::Sent);

    bench.node(0).world->close_link(bench.node(0).link(), {});
    bench.run_until([&] { return !bench.node(0).events.downs.empty(); });
    bench.run_for(seconds(60));
    EXPECT_TRUE(bench.node(1).events.downs.empty());
    bench.network.heal();
    bench.run_until([&] { return !bench.node(1).events.downs.empty(); });
    EXPECT_EQ(bench.node(1).events.downs.size(), 1U);
}

TEST(NetworkFault, CutBeforeAndAfterARecordAreExact) {
    for (const Verdict verdict : {Verdict::CutBefore, Verdict::CutAfter}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            LinkBench bench(seed);
            bench.connect();
            bench.network.set_filter([verdict](NodeIndex, NodeIndex, FlatRecord& record) {
                return text_of(record.parts[0]) == "5" ? verdict : Verdict::Pass;
            });
            for (int i = 0; i < 10; ++i) bench.node(0).send(std::to_string(i));

            bench.run_until([&] { return !bench.node(1).events.downs.empty(); });

            const std::vector<std::string>& arrived = bench.node(1).events.records;
            EXPECT_EQ(arrived, prefix(arrived.size()));
            EXPECT_LE(arrived.size(), verdict == Verdict::CutBefore ? 5U : 6U);
            EXPECT_GE(arrived.size(), verdict == Verdict::CutBefore ? 0U : 6U);
        }
    }
}

TEST(NetworkFault, ClosingLetsSentRecordsArriveAndFailsTheRest) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        LinkBench bench(seed);
        bench.connect();
        for (std::uint64_t i = 0; i < 10; ++i) bench.node(0).send(std::to_string(i), i + 1);
        bench.run_for(microseconds(seed * 5));
        bench.node(1).send("towards the closer");

        bench.node(0).world->close_link(bench.node(0).link(),
                                        make_error_code(std::errc::timed_out));
        EXPECT_EQ(bench.node(0).send("too late"), host::Admission::NoLink);
        EXPECT_TRUE(bench.node(0).events.downs.empty());
        bench.run_until([&] { return !bench.node(1).events.downs.empty(); });

        std::size_t sent = 0;
        for (const auto& [token, result] : bench.node(0).events.submitted) {
            sent += result == SubmitResult::Sent ? 1U : 0U;
        }
        EXPECT_EQ(bench.node(1).events.records, prefix(sent));
        EXPECT_TRUE(bench.node(0).events.records.empty());
        EXPECT_EQ(bench.node(0).events.downs.at(0).reason, std::errc::timed_out);
    }
}

TEST(NetworkFault, SilenceHoldsOneDirectionAndLosesNothing) {
    LinkBench bench;
    bench.connect();

    bench.network.silence(NodeIndex{0}, NodeIndex{1}, bench.scheduler.now() + seconds(3));
    bench.node(0).send("held");
    bench.node(1).send("free");
    bench.run_for(seconds(2));
    EXPECT_TRUE(bench.node(1).events.records.empty());
    EXPECT_THAT(bench.node(0).events.records, ElementsAre("free"));

    bench.run_for(seconds(2));
    EXPECT_THAT(bench.node(1).events.records, ElementsAre("held"));
}

TEST(NetworkFault, HealingEndsASilenceAtOnce) {
    LinkBench bench;
    bench.connect();
    bench.network.silence(NodeIndex{0}, NodeIndex{1}, bench.scheduler.now() + seconds(300));
    bench.node(0).send("held");
    bench.run_for(seconds(1));

    bench.network.heal();
    bench.run_for(milliseconds(1));

    EXPECT_THAT(bench.node(1).events.records, ElementsAre("held"));
}

TEST(NetworkFault, SlownessDelaysButKeepsTheOrder) {
    LinkBench bench;
    bench.connect();
    bench.network.slow_down(NodeIndex{0}, NodeIndex{1}, seconds(5),
                            bench.scheduler.now() + seconds(1));

    for (int i = 0; i < 10; ++i) bench.node(0).send(std::to_string(i));
    bench.run_for(milliseconds(100));
    EXPECT_LT(bench.node(1).events.records.size(), 10U);
    bench.run_for(seconds(6));

    EXPECT_EQ(bench.node(1).events.records, prefix(10));
}

TEST(NetworkFault, RefusedDialsSucceedLater) {
    LinkBench bench;
    bench.network.refuse_dials(NodeIndex{1}, NodeIndex{0}, seconds(20));

    bench.node(0).world->dial({bench.node(1).endpoint, {}});
    bench.run_for(seconds(19));
    EXPECT_TRUE(bench.node(0).events.ups.empty());
    bench.run_for(seconds(5));

    EXPECT_EQ(bench.node(0).events.ups.size(), 1U);
}

TEST(NetworkFault, APausedPeerEndsTheHandshakeAndIsDialedAgain) {
    LinkBench bench;
    bench.scheduler.pause(NodeIndex{1}, seconds(30));

    bench.node(0).world->dial({bench.node(1).endpoint, {}});
    bench.run_for(seconds(29));
    EXPECT_TRUE(bench.node(0).events.ups.empty());
    bench.run_for(seconds(5));

    EXPECT_EQ(bench.node(0).events.ups.size(), 1U);
    EXPECT_EQ(bench.node(1).events.ups.size(), 1U);
}

TEST(NetworkFault, AKilledNodeHearsNothingMoreAndItsPeersSeeTheLinkFall) {
    LinkBench bench;
    bench.connect();
    bench.node(0).send("was taken or not", 1);
    bench.node(0).world->post([] { FAIL() << "ran after the kill"; });
    bench.node(0).world->arm(bench.node(0).world->now(), [] { FAIL() << "ran after the kill"; });

    bench.node(0).world->kill();
    EXPECT_EQ(bench.node(0).send("ignored"), host::Admission::NoLink);
    bench.run_until([&] { return !bench.node(1).events.downs.empty(); });
    bench.run_for(seconds(5));

    EXPECT_TRUE(bench.node(0).events.downs.empty());
    EXPECT_TRUE(bench.node(0).events.submitted.empty());
    EXPECT_TRUE(bench.network.live_links().empty());
}

TEST(NetworkFault, ANewLifecycleTakesTheEndpointOver) {
    LinkBench bench(1, {}, 1);
    bench.add(1, "fixed:1");
    bench.node(0).world->dial({"tcp://fixed:1", {}});
    bench.run_until([&] { return !bench.node(0).events.ups.empty(); });

    bench.node(1).world->kill();
    BenchNode& reborn = bench.add(1, "fixed:1");
    bench.run_until([&] { return !reborn.events.ups.empty(); });
    bench.run_for(seconds(1));

    EXPECT_EQ(bench.node(0).events.ups.size(), 2U);
    EXPECT_EQ(bench.node(0).events.downs.size(), 1U);
}

}  // namespace
}  // namespace shunt::sim
