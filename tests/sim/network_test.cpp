// The network while nothing is wrong: dialing, lanes, admission, borrowed bytes.

#include "tests/sim/network.hpp"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/link_bench.hpp"

namespace shunt::sim {
namespace {

using protocol::Leg;
using protocol::SubmitResult;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Each;
using testing::ElementsAre;
using testing::Pair;

std::vector<std::string> numbers(int count) {
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i) texts.push_back(std::to_string(i));
    return texts;
}

TEST(Network, BothSidesLearnWhoThePeerIs) {
    LinkBench bench;

    bench.connect();

    const auto& dialer = bench.node(0).events.ups.at(0).info;
    const auto& acceptor = bench.node(1).events.ups.at(0).info;
    EXPECT_EQ(dialer.peer_rid, LinkBench::rid_of(1));
    EXPECT_TRUE(dialer.dialed_here);
    EXPECT_EQ(dialer.peer_chunk_limit_bytes, 2048U);
    EXPECT_TRUE(dialer.peer_is_shunt);
    EXPECT_EQ(acceptor.peer_rid, LinkBench::rid_of(0));
    EXPECT_FALSE(acceptor.dialed_here);
    EXPECT_EQ(acceptor.peer_chunk_limit_bytes, 1024U);
}

TEST(Network, ADialWaitsForTheListenerToExist) {
    LinkBench bench(1, {}, 1);
    bench.node(0).world->dial({"tcp://late:7", {}});
    bench.run_for(seconds(10));
    EXPECT_TRUE(bench.node(0).events.ups.empty());

    bench.add(1, "late:7");
    bench.run_until([&] { return !bench.node(0).events.ups.empty(); });

    EXPECT_EQ(bench.node(0).events.ups.size(), 1U);
}

TEST(Network, ADialRefusesAnotherPeerThanTheExpectedOne) {
    LinkBench bench;

    bench.node(0).world->dial({bench.node(1).endpoint, NodeRid{"somebody else"}});
    bench.run_for(seconds(10));

    EXPECT_TRUE(bench.node(0).events.ups.empty());
    EXPECT_TRUE(bench.node(1).events.ups.empty());
}

TEST(Network, AnEndpointIsListenedOnOnce) {
    LinkBench bench(1, {}, 1);
    LinkRecorder events;
    bench.add(1, "fixed:1");
    SimWorld second(bench.network, {.node = NodeIndex{2}}, 1, 9);

    const auto answer = second.listen({"fixed:1", NodeRid{"x"}, 1024}, events);

    EXPECT_EQ(answer.error(), std::errc::address_in_use);
}

TEST(Network, ALostLinkIsDialedAgainUnderANewId) {
    LinkBench bench;
    bench.connect();
    const host::LinkId first = bench.node(0).link();

    bench.network.cut_between(NodeIndex{0}, NodeIndex{1}, CutKind::Reset);
    bench.run_until([&] {
        return bench.node(0).events.ups.size() == 2 && bench.node(1).events.ups.size() == 2;
    });

    EXPECT_NE(bench.node(0).link(), first);
    EXPECT_EQ(bench.node(0).events.downs.at(0).link, first);
    EXPECT_EQ(bench.node(1).events.downs.size(), 1U);
}

TEST(Network, UndialEndsTheWishButNotTheLink) {
    LinkBench bench;
    const host::DialId dial = bench.node(0).world->dial({bench.node(1).endpoint, {}});
    bench.run_until([&] { return !bench.node(0).events.ups.empty(); });

    bench.node(0).world->undial(dial);
    bench.run_for(seconds(1));
    EXPECT_TRUE(bench.node(0).events.downs.empty());

    bench.network.cut_between(NodeIndex{0}, NodeIndex{1}, CutKind::Reset);
    bench.run_for(seconds(10));
    EXPECT_EQ(bench.node(0).events.downs.size(), 1U);
    EXPECT_EQ(bench.node(0).events.ups.size(), 1U);
}

TEST(Network, EachLaneKeepsItsOrder) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        LinkBench bench(seed);
        bench.connect();

        for (const std::string& text : numbers(50)) {
            EXPECT_EQ(bench.node(0).send(text), host::Admission::Queued);
            EXPECT_EQ(bench.node(0).send(text, 0, Leg::Reply), host::Admission::Queued);
        }
        bench.run_until([&] { return bench.node(1).events.replies.size() == 50; });
        bench.run_for(seconds(1));

        EXPECT_EQ(bench.node(1).events.records, numbers(50));
        EXPECT_EQ(bench.node(1).events.replies, numbers(50));
    }
}

TEST(Network, AReplyMayOvertakeAndBeOvertaken) {
    int reply_first = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        LinkBench bench(seed);
        bench.connect();
        bench.node(0).send("send");
        bench.node(0).send("reply", 0, Leg::Reply);
        bench.run_until([&] { return bench.node(1).events.views.size() == 1; });
        reply_first += bench.node(1).events.replies.empty() ? 0 : 1;
    }
    EXPECT_GT(reply_first, 5);
    EXPECT_LT(reply_first, 35);
}

TEST(Network, TheKernelTakesRecordsInOrderAndSaysSo) {
    LinkBench bench;
    bench.connect();

    bench.node(0).send("a", 11);
    bench.node(0).send("b", 0);
    bench.node(0).send("c", 13);
    EXPECT_TRUE(bench.node(0).events.submitted.empty());
    bench.run_for(seconds(1));

    EXPECT_THAT(bench.node(0).events.submitted,
                ElementsAre(Pair(11U, SubmitResult::Sent), Pair(13U, SubmitResult::Sent)));
}

// The pipe's charge is body plus 64 per part; one record above the whole mark passes when the pipe
// is empty (spec/zmp.md section 16).
TEST(Network, TheHighWaterMarkCountsChargesAndLetsOneGiantThrough) {
    NetworkOptions options;
    options.high_water_mark = 1000;
    LinkBench bench(1, options);
    bench.connect();
    BenchNode& sender = bench.node(0);

    EXPECT_EQ(sender.send(std::string(436, 'a')), host::Admission::Queued);
    EXPECT_EQ(sender.send(std::string(436, 'b')), host::Admission::Queued);
    EXPECT_EQ(sender.send(""), host::Admission::Full);
    EXPECT_EQ(sender.send("control", 0, Leg::Send, host::Gate::None), host::Admission::Queued);
    EXPECT_EQ(sender.send("answer", 0, Leg::Reply), host::Admission::Queued);
    bench.run_until([&] { return sender.events.writable == 1; });
    bench.run_for(seconds(1));
    EXPECT_EQ(bench.network.charged_bytes(), 0U);
    EXPECT_EQ(sender.send(std::string(5000, 'c')), host::Admission::Queued);
    bench.run_for(seconds(1));

    EXPECT_EQ(bench.node(1).events.records.size(), 4U);
    EXPECT_EQ(sender.events.writable, 1);
}

// A receiver that does not read fills the wire, then the sender's pipe; replies are not affected.
TEST(Network, AReceiverThatStopsReadingHoldsItsSendersBack) {
    NetworkOptions options;
    options.high_water_mark = 4000;
    options.wire_bytes_max = 2000;
    LinkBench bench(1, options);
    bench.connect();
    bench.node(1).world->set_receiving(false);

    int queued = 0;
    for (int i = 0; i < 100; ++i) {
        if (bench.node(0).send(std::string(136, 'x')) == host::Admission::Queued) ++queued;
        bench.run_for(milliseconds(1));
    }
    bench.node(0).send("reply", 0, Leg::Reply);
    bench.run_for(seconds(1));
    EXPECT_EQ(queued, 2000 / 136 + 4000 / 200);
    EXPECT_TRUE(bench.node(1).events.records.empty());
    EXPECT_THAT(bench.node(1).events.replies, ElementsAre("reply"));

    bench.node(1).world->set_receiving(true);
    bench.run_for(seconds(1));
    EXPECT_EQ(bench.node(1).events.records.size(), static_cast<std::size_t>(queued));
    EXPECT_EQ(bench.node(0).events.writable, 1);
}

TEST(Network, RecordsWaitUntilTheirReceiverIsUp) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        LinkBench bench(seed);
        bench.node(0).world->dial({bench.node(1).endpoint, {}});
        BenchNode& dialer = bench.node(0);
        bench.run_until([&] { return !dialer.events.ups.empty(); });

        dialer.send("early");
        bench.run_until([&] { return !bench.node(1).events.records.empty(); });

        EXPECT_EQ(bench.node(1).events.ups.size(), 1U);
    }
}

#if !defined(__SANITIZE_ADDRESS__)  // There the buffers are gone, and reading them is the report.
TEST(Network, BorrowedBytesTurnToPoisonAfterTheCall) {
    LinkBench bench;
    bench.connect();

    bench.node(0).send("keep me");
    bench.run_until([&] { return !bench.node(1).events.views.empty(); });

    EXPECT_EQ(bench.node(1).events.records.at(0), "keep me");
    EXPECT_THAT(bench.node(1).events.views.at(0), Each(kPoison));
}
#endif

TEST(Network, SegmentsAndHeadsArriveAsOneBody) {
    LinkBench bench;
    bench.connect();
    protocol::OutRecord record = text_record("head ");
    record.parts[0].tail = {Segment(copy_of(bytes_of("one "))), Segment(copy_of(bytes_of("two")))};

    EXPECT_EQ(
        bench.node(0).world->send(bench.node(0).link(), std::move(record), host::Gate::None, {}),
        host::Admission::Queued);
    bench.run_for(seconds(1));

    EXPECT_THAT(bench.node(1).events.records, ElementsAre("head one two"));
}

// Bytes shared with a record belong to the kernel until it has taken them.
TEST(NetworkDeathTest, ChangingSharedBytesBeforeTheyLeaveIsCaught) {
    LinkBench bench;
    bench.connect();
    auto shared = std::make_shared<Bytes>(copy_of(bytes_of("state")));
    protocol::OutRecord record = text_record("");
    record.parts[0].tail = {Segment(shared, ByteView(*shared))};
    EXPECT_EQ(
        bench.node(0).world->send(bench.node(0).link(), std::move(record), host::Gate::None, {}),
        host::Admission::Queued);

    (*shared)[0] = std::byte{'X'};

    EXPECT_DEATH(bench.run_for(seconds(1)), "same_record");
}

TEST(Network, AFilterSeesEveryRecordAndMayChangeIt) {
    LinkBench bench;
    bench.connect();
    bench.network.set_filter([](NodeIndex from, NodeIndex to, FlatRecord& record) {
        EXPECT_EQ(from, NodeIndex{0});
        EXPECT_EQ(to, NodeIndex{1});
        if (text_of(record.parts[0]) == "drop") return Verdict::Drop;
        record.parts[0][0] ^= std::byte{1};
        return Verdict::Pass;
    });

    for (const char* text : {"a", "drop", "c"}) bench.node(0).send(text);
    bench.run_for(seconds(1));

    EXPECT_THAT(bench.node(1).events.records, ElementsAre("`", "b"));
}

TEST(Network, ARunRepeatsItselfExactly) {
    const auto run = [](std::uint64_t seed) {
        LinkBench bench(seed, {.rude_close_per_mille = 500}, 3);
        bench.connect();
        bench.node(2).world->dial({bench.node(1).endpoint, {}});
        bench.run_for(seconds(1));
        for (int i = 0; i < 50; ++i) {
            bench.node(0).send(std::to_string(i), 1);
            bench.node(2).send(std::to_string(i), 1);
            if (i == 25) bench.network.cut_between(NodeIndex{0}, NodeIndex{1}, CutKind::Reset);
            bench.run_for(milliseconds(1));
        }
        bench.node(2).world->close_link(bench.node(2).link(), {});
        bench.run_for(seconds(5));
        return bench.scheduler.hash();
    };

    EXPECT_EQ(run(1), run(1));
    EXPECT_EQ(run(2), run(2));
    EXPECT_NE(run(1), run(2));
}

}  // namespace
}  // namespace shunt::sim
