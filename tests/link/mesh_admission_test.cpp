// Who becomes a peer, on the simulated network: every way an admission goes wrong ends its own
// connection with a counted, logged reason, and nobody else notices (spec/zmp.md section 17).
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/mesh.hpp"
#include "mesh_bench.hpp"

namespace shunt::link_test {
namespace {

using namespace std::chrono_literals;
using host::ExpectedPeer;
using host::LinkEnd;
using protocol::Admit;
using protocol::Hello;
using protocol::Reject;
using protocol::RejectReason;
using protocol::RouteMeshAdmission;
using protocol::Update;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

RouteMeshAdmission changed(RouteMeshAdmission admission,
                           const std::function<void(RouteMeshAdmission&)>& change) {
    change(admission);
    return admission;
}

protocol::OutRecord on_leg(protocol::OutRecord record, protocol::Leg leg) {
    record.leg = leg;
    record.sequence = leg == protocol::Leg::Send ? 0 : 9;
    return record;
}

protocol::OutRecord actor_send() {
    protocol::ActorSend message;
    message.operation = OperationId{1, 2};
    message.target_actor.actor = {ActorId{"a"}, ObjectGeneration{1}};
    message.target_actor.target_node_rid = SimBench::rid();
    message.target_actor.target_node_generation = NodeGeneration{1};
    message.target_actor.expected_authority_owner_generation = AuthorityOwnerGeneration{1};
    message.target_actor.expected_owner_lease_generation = OwnerLeaseGeneration{1};
    const protocol::TypedPayload payload{"note", "text/plain", Segments{}};
    return protocol::encode_record(message, payload);
}

TEST(MeshAdmission, BothSidesSayHelloAndAdmit) {
    SimBench bench;
    ScriptedPeer& peer = bench.add("node-a");

    bench.join(peer);

    EXPECT_EQ(peer.count<Hello>(), 1U);
    EXPECT_EQ(peer.count<Admit>(), 1U);
    ASSERT_THAT(bench.node.ready, SizeIs(1));
    EXPECT_EQ(bench.node.mesh().find(NodeRid{"node-a"})->generation, NodeGeneration{7});
    EXPECT_FALSE(bench.node.mesh().find(NodeRid{"node-a"})->admits_us);
    peer.say(Admit{descriptor_of(7)});
    bench.settle();
    EXPECT_TRUE(bench.node.mesh().find(NodeRid{"node-a"})->admits_us);
    EXPECT_THAT(bench.node.ready, SizeIs(1));
}

struct Misfit {
    const char* name;
    std::function<void(RouteMeshAdmission&)> change;
    RejectReason reason;
};

// Each is told why before its connection closes, and the peer that was there stays.
TEST(MeshAdmission, AMisfitIsToldWhyAndClosed) {
    const std::vector<Misfit> misfits = {
        {"mesh", [](auto& a) { a.mesh_name = "other"; }, RejectReason::TopologyMismatch},
        {"security", [](auto& a) { a.security_identity = "mallory"; },
         RejectReason::SecurityIdentityMismatch},
        {"run", [](auto& a) { a.lifecycle_generation = NodeGeneration{8}; },
         RejectReason::IdentityMismatch},
        {"endpoint", [](auto& a) { a.advertised_endpoint = "tcp://127.0.0.1:2"; },
         RejectReason::IdentityMismatch},
    };
    for (const bool by_hello : {true, false}) {
        for (const Misfit& misfit : misfits) {
            SCOPED_TRACE(misfit.name);
            SimBench bench;
            ScriptedPeer& good = bench.add("node-a");
            bench.join(good);
            ScriptedPeer& bad = bench.add("node-b");
            bench.node.expected[NodeRid{"node-b"}] =
                ExpectedPeer{NodeGeneration{7}, "tcp://127.0.0.1:1", "default"};
            bench.dial_in(bad);

            const RouteMeshAdmission wrong = changed(descriptor_of(7), misfit.change);
            if (by_hello) {
                bad.say(Hello{wrong});
            } else {
                bad.say(Admit{wrong});
            }
            bench.settle();

            ASSERT_EQ(bad.count<Reject>(), 1U);
            EXPECT_EQ(bad.last<Reject>()->reason, misfit.reason);
            EXPECT_EQ(bad.count<Admit>(), 0U);
            EXPECT_THAT(bad.downs, SizeIs(1));
            EXPECT_EQ(bench.node.closed_for(LinkEnd::AdmissionRefused), 1U);
            EXPECT_EQ(bench.node.logged(LinkEnd::AdmissionRefused), 1U);
            EXPECT_THAT(bench.node.ready, SizeIs(1));
            EXPECT_THAT(good.downs, IsEmpty());
        }
    }
}

TEST(MeshAdmission, APeerWithThisNodesOwnRidIsClosed) {
    SimBench bench;
    ScriptedPeer& twin = bench.add("node-m");

    bench.dial_in(twin);
    bench.settle();

    // Its dial may have come back once before it was withdrawn.
    EXPECT_EQ(twin.downs.size(), twin.ups.size());
    EXPECT_GE(bench.node.closed_for(LinkEnd::OwnRid), 1U);
    EXPECT_EQ(bench.node.logged(LinkEnd::OwnRid), bench.node.closed_for(LinkEnd::OwnRid));
    EXPECT_THAT(twin.heard, IsEmpty());
}

struct Misplaced {
    const char* name;
    protocol::OutRecord record;
    LinkEnd end;
    bool admitted;
};

std::vector<Misplaced> misplaced() {
    using protocol::encode_record;
    using protocol::Leg;
    const Hello hello{descriptor_of(7)};
    std::vector<Misplaced> out;
    const auto early = [&](const char* name, protocol::OutRecord record) {
        out.push_back({name, std::move(record), LinkEnd::BeforeAdmission, false});
    };
    early("probe first", encode_record(protocol::LivenessProbe{4}));
    early("ack first", encode_record(protocol::LivenessAck{4}));
    early("update first", encode_record(Update{descriptor_of(7)}));
    early("message first", actor_send());
    for (const bool admitted : {false, true}) {
        const auto misled = [&](const char* name, protocol::OutRecord record, Leg leg) {
            out.push_back({name, on_leg(std::move(record), leg), LinkEnd::WrongLeg, admitted});
        };
        misled("hello as request", encode_record(hello), Leg::Request);
        misled("probe as reply", encode_record(protocol::LivenessProbe{4}), Leg::Reply);
        misled("message as request", actor_send(), Leg::Request);
        misled("reply as data", encode_record(protocol::Reply{.correlation = 3}), Leg::Send);
        protocol::OutRecord garbage;
        garbage.parts.push_back({.head = copy_of(bytes_of("garbage")), .tail = {}});
        out.push_back({"garbage", std::move(garbage), LinkEnd::Undecodable, admitted});
        protocol::OutRecord cut = encode_record(hello);
        cut.parts.begin()->head.resize(cut.parts.begin()->head.size() - 1);
        out.push_back({"a hello without its end", std::move(cut), LinkEnd::Undecodable, admitted});
        protocol::OutRecord longer = encode_record(protocol::LivenessProbe{4});
        longer.parts.begin()->head.push_back(std::byte{0});
        out.push_back({"a probe with more", std::move(longer), LinkEnd::Undecodable, admitted});
    }
    return out;
}

// Wrong time, wrong direction, wrong bytes: relocation and Actors never see any of it.
TEST(MeshAdmission, U36_WhatDoesNotBelongEndsItsConnectionAlone) {
    for (Misplaced& record : misplaced()) {
        SCOPED_TRACE(std::string(record.name) + (record.admitted ? ", admitted" : ""));
        SimBench bench;
        ScriptedPeer& good = bench.add("node-a");
        bench.join(good);
        ScriptedPeer& bad = bench.add("node-b");
        if (record.admitted) {
            bench.join(bad);
        } else {
            bench.dial_in(bad);
        }

        bad.send(std::move(record.record));
        bench.settle();

        EXPECT_THAT(bad.downs, SizeIs(1));
        EXPECT_EQ(bench.node.closed_for(record.end), 1U);
        EXPECT_EQ(bench.node.logged(record.end), 1U);
        EXPECT_THAT(bench.node.arrivals, IsEmpty());
        EXPECT_THAT(bench.node.lost, SizeIs(record.admitted ? 1 : 0));
        EXPECT_THAT(good.downs, IsEmpty());
        good.send(actor_send());
        bench.settle();
        EXPECT_THAT(bench.node.arrivals, ElementsAre(protocol::CommandId::ActorSend));
    }
}

TEST(MeshAdmission, ASilentLinkIsClosedAfterTheAdmissionTimeout) {
    SimBench bench;
    ScriptedPeer& silent = bench.add("node-a");
    bench.dial_in(silent);

    bench.pass(host::Mesh::kAdmissionTimeout - 1s);
    EXPECT_THAT(silent.downs, IsEmpty());
    bench.pass(2s);

    EXPECT_THAT(silent.downs, SizeIs(1));
    EXPECT_EQ(bench.node.closed_for(LinkEnd::AdmissionTimeout), 1U);
    EXPECT_EQ(bench.node.logged(LinkEnd::AdmissionTimeout), 1U);
}

TEST(MeshAdmission, ARepeatedHelloIsAnsweredAndChangesNothing) {
    SimBench bench;
    ScriptedPeer& peer = bench.add("node-a");
    bench.join(peer);

    peer.say(Hello{descriptor_of(7)});
    peer.say(Hello{descriptor_of(7)});
    bench.settle();

    EXPECT_EQ(peer.count<Admit>(), 3U);
    EXPECT_THAT(bench.node.ready, SizeIs(1));
    EXPECT_THAT(bench.node.lost, IsEmpty());
}

struct Change {
    const char* name;
    std::function<void(RouteMeshAdmission&)> change;
    RejectReason reason;
};

std::vector<Change> forbidden_changes() {
    const auto next = [](auto& a) { a.descriptor_revision = 6; };
    return {
        {"another run", [](auto& a) { a.lifecycle_generation = NodeGeneration{8}; },
         RejectReason::LifecycleGenerationStale},
        {"older", [](auto& a) { a.descriptor_revision = 4; },
         RejectReason::DescriptorRevisionStale},
        {"same revision, other content", [](auto& a) { a.extension.placement_weight = 1; },
         RejectReason::DescriptorRevisionStale},
        {"endpoint",
         [next](auto& a) {
             next(a);
             a.advertised_endpoint = "tcp://127.0.0.1:2";
         },
         RejectReason::InvalidDescriptor},
        {"version",
         [next](auto& a) {
             next(a);
             a.extension.application_version = 9;
         },
         RejectReason::InvalidDescriptor},
        {"channels",
         [next](auto& a) {
             next(a);
             a.channels.push_back({"new", 3});
         },
         RejectReason::InvalidDescriptor},
        {"types",
         [next](auto& a) {
             next(a);
             a.extension.stateful_capabilities.emplace();
         },
         RejectReason::InvalidDescriptor},
    };
}

// A peer that admits itself a second time as somebody else, by any of the three records.
TEST(MeshAdmission, U36_AnAdmittedPeerCannotBecomeAnother) {
    for (const Change& change : forbidden_changes()) {
        for (const int by : {0, 1, 2}) {
            SCOPED_TRACE(std::string(change.name) + " by " + std::to_string(by));
            SimBench bench;
            ScriptedPeer& peer = bench.add("node-a");
            bench.dial_in(peer);
            peer.say(Hello{descriptor_of(7, 5)});
            bench.settle();

            const RouteMeshAdmission other = changed(descriptor_of(7, 5), change.change);
            if (by == 0) peer.say(Hello{other});
            if (by == 1) peer.say(Admit{other});
            if (by == 2) peer.say(Update{other});
            bench.settle();

            const LinkEnd end = by == 2 ? LinkEnd::UpdateRefused : LinkEnd::AdmissionRefused;
            EXPECT_EQ(bench.node.closed_for(end), 1U);
            EXPECT_EQ(bench.node.logged(end), 1U);
            EXPECT_THAT(peer.downs, SizeIs(1));
            EXPECT_THAT(bench.node.lost, SizeIs(1));
            EXPECT_EQ(peer.count<Reject>(), by == 2 ? 0U : 1U);
            if (by != 2) {
                EXPECT_EQ(peer.last<Reject>()->reason, change.reason);
            }
        }
    }
}

TEST(MeshAdmission, AnUpdateMayChangeWhatMoves) {
    SimBench bench;
    ScriptedPeer& peer = bench.add("node-a");
    bench.join(peer);

    peer.say(Update{changed(descriptor_of(7, 2), [](auto& a) {
        a.extension.runtime_state = protocol::RuntimeState::Draining;
        a.extension.placement_weight = 0;
        a.extension.maintenance_wave = "blue";
        a.extension.active_capacity_used = 12;
    })});
    bench.settle();
    // The same once more says nothing new.
    peer.say(Update{bench.node.mesh().find(NodeRid{"node-a"})->descriptor});
    bench.settle();

    EXPECT_THAT(bench.node.updated, ElementsAre(2));
    EXPECT_EQ(bench.node.mesh().find(NodeRid{"node-a"})->descriptor.extension.runtime_state,
              protocol::RuntimeState::Draining);
    EXPECT_THAT(peer.downs, IsEmpty());
}

// Under another's id: the rid is a live peer's, the run is not.
TEST(MeshAdmission, U36_AnotherRunOfALivePeerNeedsDiscoverysWord) {
    for (const bool expected : {false, true}) {
        SimBench bench;
        ScriptedPeer& first = bench.add("node-a");
        bench.join(first, 7);
        if (expected) {
            bench.node.expected[NodeRid{"node-a"}] =
                ExpectedPeer{NodeGeneration{8}, "tcp://127.0.0.1:1", "default"};
        }
        ScriptedPeer& second = bench.add("node-a");
        bench.join(second, 8);

        const host::Peer* peer = bench.node.mesh().find(NodeRid{"node-a"});
        ASSERT_NE(peer, nullptr);
        EXPECT_EQ(peer->generation, NodeGeneration{expected ? 8U : 7U});
        EXPECT_THAT(first.downs, SizeIs(expected ? 1 : 0));
        EXPECT_THAT(second.downs, SizeIs(expected ? 0 : 1));
        if (expected) {
            EXPECT_EQ(bench.node.closed_for(LinkEnd::Replaced), 1U);
            EXPECT_THAT(bench.node.ready, SizeIs(2));
            EXPECT_THAT(bench.node.lost, SizeIs(1));
        } else {
            EXPECT_EQ(second.last<Reject>()->reason, RejectReason::LifecycleGenerationStale);
            EXPECT_THAT(bench.node.lost, IsEmpty());
        }
    }
}

TEST(MeshAdmission, AnotherRunAfterTheFirstIsGoneIsWelcome) {
    SimBench bench;
    ScriptedPeer& first = bench.add("node-a");
    bench.join(first, 7);
    first.world().kill();
    bench.settle();

    ScriptedPeer& second = bench.add("node-a");
    bench.join(second, 8);

    EXPECT_EQ(bench.node.mesh().find(NodeRid{"node-a"})->generation, NodeGeneration{8});
}

TEST(MeshAdmission, OfTheSameDirectionTheNewestCounts) {
    SimBench bench;
    ScriptedPeer& peer = bench.add("node-a");
    bench.join(peer);
    bench.join(peer);

    ASSERT_THAT(bench.node.ready, SizeIs(2));
    EXPECT_EQ(bench.node.mesh().find(NodeRid{"node-a"})->link, bench.node.ready[1]);
    EXPECT_EQ(bench.node.closed_for(LinkEnd::Replaced), 1U);
    EXPECT_THAT(bench.node.lost, ElementsAre(bench.node.ready[0]));
}

// Of different directions the one dialed by the smaller rid counts, whichever came first; the
// other one stays and still delivers, so its dial does not come back again and again.
TEST(MeshAdmission, OfCrossingDialsTheSmallerRidsCounts) {
    for (const char* rid : {"node-a", "node-z"}) {
        for (const bool in_first : {true, false}) {
            SCOPED_TRACE(std::string(rid) + (in_first ? " dials first" : " is dialed first"));
            SimBench bench;
            ScriptedPeer& peer = bench.add(rid);
            host::LinkId in;
            host::LinkId out;
            for (const bool dial_in : {in_first, !in_first}) {
                (dial_in ? in : out) = dial_in ? bench.dial_in(peer) : bench.dial_out(peer);
                peer.say(Hello{descriptor_of(7)});
                bench.settle();
            }

            const bool peer_is_smaller = std::string(rid) < "node-m";
            const bool first_counts = in_first == peer_is_smaller;
            EXPECT_THAT(bench.node.ready, SizeIs(first_counts ? 1 : 2));
            EXPECT_EQ(peer.count<Admit>(), 2U);
            for (const host::LinkId link : {in, out}) peer.send(actor_send(), link);
            bench.pass(60s);
            EXPECT_THAT(bench.node.arrivals, SizeIs(2));
            EXPECT_THAT(peer.ups, SizeIs(2));
            EXPECT_THAT(peer.downs, IsEmpty());

            // The end of the one that counts ends both: the next hellos choose anew.
            peer.world().close_link(peer_is_smaller ? in : out, {});
            bench.until([&] { return peer.downs.size() == 2; });
            EXPECT_EQ(bench.node.mesh().find(NodeRid{rid}), nullptr);
        }
    }
}

// The seal: no hello, no admit, only the draining update; probes are answered until the end.
TEST(MeshAdmission, H123_ASealedNodeAdmitsNobody) {
    SimBench bench;
    ScriptedPeer& peer = bench.add("node-a");
    bench.join(peer);
    bench.node.mesh().stop_admitting();
    bench.node.mesh().set_descriptor(changed(descriptor_of(1, 2), [](auto& a) {
        a.extension.runtime_state = protocol::RuntimeState::Draining;
    }));
    ScriptedPeer& late = bench.add("node-b");
    bench.join(late);
    peer.say(Hello{descriptor_of(7)});
    peer.say(protocol::LivenessProbe{5});
    bench.settle();

    EXPECT_THAT(late.heard, IsEmpty());
    EXPECT_EQ(peer.count<Admit>(), 1U);
    ASSERT_EQ(peer.count<Update>(), 1U);
    EXPECT_EQ(std::get<RouteMeshAdmission>(peer.last<Update>()->admission).extension.runtime_state,
              protocol::RuntimeState::Draining);
    EXPECT_EQ(peer.last<protocol::LivenessAck>()->probe_id, 5U);
    EXPECT_THAT(bench.node.ready, SizeIs(1));
}

}  // namespace
}  // namespace shunt::link_test
