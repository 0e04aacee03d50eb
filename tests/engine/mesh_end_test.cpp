#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/errc.hpp"
#include "mesh_bench.hpp"
#include "raw_peer.hpp"

namespace shunt::engine {
namespace {

using namespace std::chrono_literals;
using protocol::Leg;
using protocol::SubmitResult;

MeshOptions quick_redial() {
    return {.redial = {.shortest = 1ms, .longest = 20ms, .calm = 1h}};
}

// Each token once, in the order of sending, and never anything but Failed after the first record
// that did not make it whole.
void expect_orderly(const std::vector<Submitted>& submitted, std::size_t count) {
    ASSERT_EQ(submitted.size(), count);
    std::size_t unknown = 0;
    bool ended = false;
    for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(submitted[i].token, i + 1);
        const SubmitResult result = submitted[i].result;
        if (ended) {
            EXPECT_EQ(result, SubmitResult::Failed) << i;
        }
        if (result != SubmitResult::Sent) ended = true;
        if (result == SubmitResult::Unknown) ++unknown;
    }
    EXPECT_LE(unknown, 1U);
}

// The peer stops reading, so most of the queue stays here; then it dies. A record the kernel has a
// part of is Unknown, what it has no byte of Failed, and the link's end comes after all reports.
TEST(MeshEnd, SubmitResultsOnPeerDeathAreExact) {
    for (const bool reset : {true, false}) {
        MeshNode node("node-b");
        RawLink raw(node.port(), "node-a", {77, 1}, 4096);
        const LinkId link = node.await_link();
        constexpr std::size_t kCount = 40;
        for (std::size_t i = 0; i < kCount; ++i) {
            node.send(link, make_record({std::string(100'000, 'x')}), Gate::None, i + 1);
        }
        // Records leave until the kernel's buffers are full: wait for the first to be through.
        ASSERT_TRUE(node.await([](const Heard& h) { return !h.submitted.empty(); }));
        if (reset) {
            raw.application.reset();
        } else {
            raw.completion.close();
        }

        ASSERT_TRUE(node.await([](const Heard& h) { return h.downs.size() == 1; }));
        const Heard heard = node.heard();
        expect_orderly(heard.submitted, kCount);
        EXPECT_EQ(heard.submitted.front().result, SubmitResult::Sent);
        EXPECT_EQ(heard.submitted.back().result, SubmitResult::Failed);
        EXPECT_EQ(heard.downs[0].first, link);
        EXPECT_EQ(node.send(link, make_record({"late"})), Admission::NoLink);
    }
}

TEST(MeshEnd, ChargeIsTakenAtSendAndReleasedOnceAtTheResult) {
    MeshNode node("node-b");
    RawLink raw(node.port(), "node-a", {77, 1}, 4096);
    const LinkId link = node.await_link();
    const auto charge = [&] { return node.endpoint().charge_bytes(link); };
    std::uint64_t after_send = 0;
    node.call([&] {
        for (std::uint64_t i = 1; i <= 20; ++i) {
            (void)node.endpoint().send(link, make_record({std::string(99'900, 'x'), "12"}),
                                       Gate::None, SubmitToken{i});
        }
        // Replies ride the completion lane, which has no pipe.
        (void)node.endpoint().send(link, make_record({"r"}, Leg::Reply, 1), Gate::None, {});
        after_send = charge();
    });

    EXPECT_EQ(after_send, 20U * (99'900 + 2 + 2 * 64));
    const std::uint64_t per_record = 99'902 + 2 * 8;
    EXPECT_EQ(raw.application.hear(20 * per_record).size(), 20 * per_record);
    ASSERT_TRUE(node.await([](const Heard& h) { return h.submitted.size() == 20; }));
    EXPECT_EQ(node.call(charge), 0U);
    EXPECT_EQ(node.heard().submitted.size(), 20U);
}

TEST(MeshEnd, LossOfEitherLaneClosesBoth) {
    for (const bool application : {true, false}) {
        MeshNode node("node-b");
        RawLink raw(node.port(), "node-a");
        node.await_link();
        (application ? raw.application : raw.completion).close();

        EXPECT_TRUE((application ? raw.completion : raw.application).hear_to_end().empty());
        ASSERT_TRUE(node.await([](const Heard& h) { return h.downs.size() == 1; }));
        EXPECT_EQ(node.heard().downs[0].second, Errc::PeerClosed);
        EXPECT_TRUE(node.heard().offences.empty());
    }
}

TEST(MeshEnd, CloseLinkEndsBothSidesAndTheDialComesBackAsAnotherLink) {
    MeshPair pair(quick_redial());

    pair.b.call([&] {
        pair.b.endpoint().close_link(pair.at_b, Errc::ClosedHere);
        // No callback runs inside the call, and the link takes nothing more.
        EXPECT_TRUE(pair.b.heard().downs.empty());
        EXPECT_EQ(pair.b.endpoint().send(pair.at_b, make_record({"x"}), Gate::None, {}),
                  Admission::NoLink);
    });

    const LinkId again_at_a = pair.a.await_link(2);
    const LinkId again_at_b = pair.b.await_link(2);
    EXPECT_NE(again_at_a, pair.at_a);
    EXPECT_NE(again_at_b, pair.at_b);
    EXPECT_EQ(pair.b.heard().downs[0].second, Errc::ClosedHere);
    EXPECT_EQ(pair.a.heard().downs[0].second, Errc::PeerClosed);
    EXPECT_EQ(pair.a.send(again_at_a, make_record({"after"})), Admission::Queued);
    EXPECT_TRUE(pair.b.await([](const Heard& h) { return h.records.size() == 1; }));
    EXPECT_EQ(pair.b.heard().records[0].link, again_at_b);
}

TEST(MeshEnd, UndialKeepsTheLinkAndEndsTheWish) {
    MeshNode a("node-a", quick_redial());
    MeshNode b("node-b");
    const DialId dial = a.dial(b);
    const LinkId link = a.await_link();
    b.await_link();

    a.call([&] { a.endpoint().undial(dial); });
    EXPECT_EQ(a.send(link, make_record({"x"})), Admission::Queued);
    ASSERT_TRUE(b.await([](const Heard& h) { return h.records.size() == 1; }));
    a.call([&] { a.endpoint().close_link(link, Errc::ClosedHere); });
    ASSERT_TRUE(a.await([](const Heard& h) { return h.downs.size() == 1; }));

    EXPECT_EQ(a.counters().dial_attempts, 1U);
}

// Dialing somebody who answers wrongly in every way, until he answers right. The generation of the
// pair stays until it was up once, and then grows (zmp.md section 5).
TEST(MeshEnd, ADialOutlivesRefusalSilenceAndGarbage) {
    RawListener listener;
    MeshOptions options = quick_redial();
    options.handshake_timeout = 50ms;
    MeshNode node("node-a", options);
    node.call([&] { (void)node.endpoint().dial({.endpoint = listener.endpoint_text()}); });

    { RawPeer closed = listener.accept(); }
    { RawPeer closed = listener.accept(); }
    {
        RawPeer garbage = listener.accept();
        RawPeer sister = listener.accept();
        garbage.say("nonsense nonsense");
        garbage.hear_to_end();
    }
    {
        RawPeer silent = listener.accept();
        RawPeer sister = listener.accept();
        silent.hear_to_end();
    }
    const auto answer = [&] {
        std::vector<RawPeer> lanes;
        protocol::PairKey key;
        for (int i = 0; i < 2; ++i) {
            lanes.push_back(listener.accept());
            EXPECT_TRUE(std::holds_alternative<protocol::ZmpHello>(lanes.back().hear_control()));
            const auto ready = std::get<protocol::ZmpReady>(lanes.back().hear_control());
            key = ready.pair.value();
            lanes.back().say(hello_of("node-raw"));
            lanes.back().say(
                protocol::encode_control(ready_of("node-raw", key, ready.lane.value())));
        }
        return std::pair(std::move(lanes), key);
    };
    std::pair<std::vector<RawPeer>, protocol::PairKey> first = answer();
    EXPECT_TRUE(node.await_link(1));
    first.first.clear();
    const auto second = answer();
    EXPECT_TRUE(node.await_link(2));

    EXPECT_EQ(first.second.generation, 1U);
    EXPECT_EQ(second.second.generation, 2U);
    EXPECT_EQ(second.second.id, first.second.id);
    EXPECT_FALSE(node.heard().dial_failures.empty());
}

TEST(MeshEnd, ADialToNobodyReportsAndKeepsTrying) {
    std::string endpoint;
    {
        MeshNode gone("gone");
        endpoint = gone.endpoint_text();
    }
    MeshNode node("node-a", quick_redial());
    node.call([&] { (void)node.endpoint().dial({.endpoint = endpoint}); });

    ASSERT_TRUE(node.await([](const Heard& h) { return h.dial_failures.size() >= 3; }));
    EXPECT_EQ(node.heard().dial_failures[0], Errc::ConnectRefused);
}

TEST(MeshEnd, AnUnexpectedRidIsNotALink) {
    MeshNode a("node-a", quick_redial());
    MeshNode b("node-b");
    a.call([&] {
        (void)a.endpoint().dial({.endpoint = b.endpoint_text(), .expected_rid = NodeRid{"node-c"}});
        (void)a.endpoint().dial({.endpoint = "tcp://nowhere"});
    });

    ASSERT_TRUE(a.await([](const Heard& h) { return h.dial_failures.size() >= 3; }));
    const auto failures = a.heard().dial_failures;
    EXPECT_NE(std::find(failures.begin(), failures.end(), Errc::UnexpectedPeer), failures.end());
    EXPECT_NE(std::find(failures.begin(), failures.end(), Errc::BadAddress), failures.end());
    // The other side may have seen a link for a moment: it cannot know whom a dialer expects.
    EXPECT_TRUE(a.heard().ups.empty());
}

// Both dial each other: two links, each with its own id; the host picks.
TEST(MeshEnd, CrossingDialsAreTwoLinks) {
    MeshNode a("node-a");
    MeshNode b("node-b");
    a.dial(b);
    b.dial(a);

    EXPECT_TRUE(a.await_link(2));
    EXPECT_TRUE(b.await_link(2));
    std::set<bool> directions;
    for (const auto& [link, info] : a.heard().ups) directions.insert(info.dialed_here);
    EXPECT_EQ(directions.size(), 2U);
}

// Everything moves while both ends stop: each submitted record is reported once, each link goes
// down once, and nothing comes after `done`.
TEST(MeshEnd, StopWithTrafficInFlightSettlesEverything) {
    constexpr std::size_t kCount = 200;
    MeshPair pair;
    for (std::size_t i = 0; i < kCount; ++i) {
        pair.a.send(pair.at_a, make_record({std::string(50'000, 'x')}), Gate::None, i + 1);
        pair.b.send(pair.at_b, make_record({std::string(50'000, 'y')}), Gate::None, i + 1);
    }

    pair.a.stop();
    pair.b.stop();

    for (MeshNode* node : {&pair.a, &pair.b}) {
        const Heard heard = node->heard();
        expect_orderly(heard.submitted, kCount);
        EXPECT_EQ(heard.downs.size(), 1U);
    }
    EXPECT_EQ(pair.a.heard().downs[0].second, Errc::Stopped);
}

// A shard that stops under its endpoint still ends every connection and tells the link's end.
TEST(MeshEnd, AShardStoppedUnderTrafficEndsItsLinks) {
    // Redials at once, so a shard that waits for the dial to give up would not end.
    MeshPair pair({.redial = {.shortest = 1ns, .longest = 1ns}});
    for (std::size_t i = 0; i < 100; ++i) {
        pair.a.send(pair.at_a, make_record({std::string(100'000, 'x')}), Gate::None, i + 1);
    }

    pair.a.stop_shard();

    expect_orderly(pair.a.heard().submitted, 100);
    EXPECT_EQ(pair.a.heard().downs.size(), 1U);
    EXPECT_TRUE(pair.b.await([](const Heard& h) { return h.downs.size() == 1; }));
}

TEST(MeshEnd, StopWithHalfOpenConnectionsAndAttemptsUnderWay) {
    MeshNode node("node-b");
    RawListener silent;
    std::vector<RawPeer> idle;
    for (int i = 0; i < 5; ++i) {
        idle.push_back(RawPeer::connect(node.port()));
        idle.back().hear_control();
    }
    node.call([&] { (void)node.endpoint().dial({.endpoint = silent.endpoint_text()}); });

    node.stop();

    for (RawPeer& peer : idle) EXPECT_TRUE(peer.hear_to_end().empty());
    EXPECT_TRUE(node.heard().ups.empty());
}

TEST(MeshEnd, AnOccupiedPortIsOneClearError) {
    MeshNode node("node-b");
    MeshOptions options;
    Shard& shard = node.shard();
    const auto second = node.call([&] {
        MeshEndpoint endpoint(shard, options);
        return endpoint.listen(
            {.bind_address = "127.0.0.1:" + std::to_string(node.port()), .rid = NodeRid{"x"}},
            node);
    });

    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error(), Errc::AddressInUse);
}

// Links that come and go while they carry traffic; no id is used twice and nothing stays behind.
TEST(MeshEnd, ManyReconnectsUnderTraffic) {
    MeshPair pair(quick_redial());
    constexpr std::size_t kRounds = 30;
    pair.a.call([&] {
        pair.a.up_hook = [&](LinkId link) {
            for (int i = 0; i < 20; ++i) {
                (void)pair.a.endpoint().send(link, make_record({std::string(30'000, 'x')}),
                                             Gate::None, SubmitToken{1});
            }
        };
    });
    for (std::size_t round = 1; round <= kRounds; ++round) {
        // A link that is up at the dialer is up at the acceptor, and is its newest.
        const LinkId at_a = pair.a.await_link(round);
        const LinkId at_b = pair.b.heard().ups.back().first;
        MeshNode& closer = round % 2 == 0 ? pair.a : pair.b;
        const LinkId link = round % 2 == 0 ? at_a : at_b;
        closer.call([&] { closer.endpoint().close_link(link, Errc::ClosedHere); });
    }

    ASSERT_TRUE(pair.a.await([](const Heard& h) { return h.downs.size() >= kRounds; }));
    std::set<std::uint64_t> ids;
    for (const auto& [link, info] : pair.a.heard().ups) EXPECT_TRUE(ids.insert(link.value).second);
    pair.a.stop();
    const Heard heard = pair.a.heard();
    EXPECT_EQ(heard.ups.size(), heard.downs.size());
    EXPECT_EQ(heard.submitted.size(), (heard.ups.size() - 1) * 20);
}

}  // namespace
}  // namespace shunt::engine
