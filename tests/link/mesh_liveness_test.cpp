// Liveness on the simulated network and its virtual clock: a probe each 5 s, and a peer that
// answers none is lost 15 s after its last answer (spec/zmp.md section 17.6).
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mesh_bench.hpp"

namespace shunt::link_test {
namespace {

using namespace std::chrono_literals;
using host::LinkEnd;
using protocol::LivenessAck;
using protocol::LivenessProbe;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::uint64_t> probes(const ScriptedPeer& peer) {
    std::vector<std::uint64_t> out;
    for (const protocol::Command& command : peer.heard) {
        if (const auto* probe = std::get_if<LivenessProbe>(&command)) {
            out.push_back(probe->probe_id);
        }
    }
    return out;
}

TEST(MeshLiveness, APeerThatAnswersStays) {
    SimBench bench;
    ScriptedPeer& peer = bench.add("node-a");
    bench.join(peer);

    bench.pass(600s);

    EXPECT_THAT(peer.downs, IsEmpty());
    EXPECT_EQ(probes(peer).size(), 120U);
    EXPECT_THAT(bench.node.lost, IsEmpty());
}

TEST(MeshLiveness, ASilentPeerIsLostAfterFifteenSeconds) {
    SimBench bench;
    ScriptedPeer& peer = bench.add("node-a");
    peer.answers = false;
    bench.join(peer);

    bench.pass(14'500ms);
    EXPECT_THAT(bench.node.lost, IsEmpty());
    // One id at a time, sent again unchanged.
    EXPECT_THAT(probes(peer), SizeIs(2));
    EXPECT_EQ(probes(peer).front(), probes(peer).back());
    bench.pass(600ms);

    EXPECT_THAT(bench.node.lost, SizeIs(1));
    EXPECT_THAT(peer.downs, SizeIs(1));
    EXPECT_EQ(bench.node.closed_for(LinkEnd::LivenessExpired), 1U);
    EXPECT_EQ(bench.node.logged(LinkEnd::LivenessExpired), 1U);
}

// Only the first answer to the outstanding id on this connection proves the way there and back.
TEST(MeshLiveness, OldForeignAndRepeatedAnswersRefreshNothing) {
    SimBench bench;
    ScriptedPeer& peer = bench.add("node-a");
    ScriptedPeer& other = bench.add("node-b");
    peer.answers = false;
    bench.join(peer);
    bench.join(other);
    bench.until([&] { return peer.count<LivenessProbe>() == 1; });
    const std::uint64_t first = probes(peer)[0];
    peer.say(LivenessAck{first});
    const auto answered_at = bench.scheduler.now();
    while (bench.node.lost.empty()) {
        // All of them at once, again and again, and ordinary traffic besides.
        peer.say(LivenessAck{first});
        peer.say(LivenessAck{first + 1'000'000});
        if (!probes(other).empty()) peer.say(LivenessAck{probes(other).back()});
        peer.say(LivenessProbe{77});
        bench.pass(500ms);
        ASSERT_LT(bench.scheduler.now() - answered_at, 20s);
    }

    EXPECT_GE(bench.scheduler.now() - answered_at, 15s);
    EXPECT_THAT(other.downs, IsEmpty());
}

/// Two whole meshes, to see what each makes of the other's silence.
struct Two {
    Two()
        : first_world(network, {.node = sim::NodeIndex{0}}, 3, 1),
          second_world(network, {.node = sim::NodeIndex{1}}, 3, 2),
          first(first_world, NodeRid{"node-a"}),
          second(second_world, NodeRid{"node-b"}) {
        first_world.dial({second.endpoint, NodeRid{"node-b"}});
        scheduler.run_until([&] { return first.ready.size() == 1 && second.ready.size() == 1; },
                            scheduler.now() + 10s);
    }
    ~Two() {
        // One after the other: the second one hears of the first one's end.
        first_world.kill();
        scheduler.run_until(scheduler.now() + 1s);
    }
    sim::SimTime lost_at(const MeshNode& node, sim::SimTime limit) {
        scheduler.run_until([&] { return !node.lost.empty(); }, limit);
        return scheduler.now();
    }
    sim::Scheduler scheduler{5};
    sim::Network network{scheduler, 5};
    sim::SimWorld first_world;
    sim::SimWorld second_world;
    MeshNode first;
    MeshNode second;
};

// Nothing gets through in one direction, which neither kernel notices: both ends miss answers, one
// because its probes do not arrive, the other because its answers do not.
TEST(MeshLiveness, OneWaySilenceIsNoticedAtBothEnds) {
    for (const std::uint32_t from : {0U, 1U}) {
        Two two;
        two.scheduler.run_until(two.scheduler.now() + 2s);
        const auto start = two.scheduler.now();
        two.network.silence(sim::NodeIndex{from}, sim::NodeIndex{1 - from}, start + 1h);

        const auto first_at = two.lost_at(two.first, start + 60s) - start;
        const auto second_at = two.lost_at(two.second, start + 60s) - start;

        EXPECT_LE(first_at, 20s);
        EXPECT_LE(second_at, 21s);
        EXPECT_GE(std::max(first_at, second_at), 10s);
        // Whoever is second may hear of the first one's close instead.
        EXPECT_GE(two.first.closed_for(LinkEnd::LivenessExpired) +
                      two.second.closed_for(LinkEnd::LivenessExpired),
                  1U);

        // The dial stands: once the silence ends they find each other again.
        two.network.heal();
        two.scheduler.run_until(
            [&] { return two.first.ready.size() == 2 && two.second.ready.size() == 2; },
            two.scheduler.now() + 60s);
        EXPECT_THAT(two.first.ready, SizeIs(2));
        EXPECT_THAT(two.second.ready, SizeIs(2));
    }
}

TEST(MeshLiveness, ACutThatNobodySeesIsFoundWithinTheDeadline) {
    Two two;
    const auto start = two.scheduler.now();
    two.network.cut_between(sim::NodeIndex{0}, sim::NodeIndex{1}, sim::CutKind::Silent);

    EXPECT_LE(two.lost_at(two.first, start + 60s) - start, 20s);
    EXPECT_LE(two.lost_at(two.second, start + 60s) - start, 20s);
}

TEST(MeshLiveness, AResetIsNoticedAtOnce) {
    Two two;
    const auto start = two.scheduler.now();
    two.network.cut_between(sim::NodeIndex{0}, sim::NodeIndex{1}, sim::CutKind::Reset);

    EXPECT_LE(two.lost_at(two.first, start + 60s) - start, 1s);
    EXPECT_LE(two.lost_at(two.second, start + 60s) - start, 1s);
    EXPECT_EQ(two.first.closed_for(LinkEnd::LivenessExpired), 0U);
}

}  // namespace
}  // namespace shunt::link_test
