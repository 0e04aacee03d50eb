// Publishing and finding nodes (spec/stores.md section 8).

#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "repository_bed.hpp"
#include "store/keys.hpp"

namespace shunt::store::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> endpoints(const result<std::vector<ListedNode>>& listed) {
    std::vector<std::string> all;
    if (!listed) return {listed.error().message()};
    for (const ListedNode& node : listed.value()) all.push_back(node.descriptor.endpoint);
    return all;
}

TEST(Descriptors, HostsFindEachOther) {
    RepositoryBed bed;
    HostBed a(bed, "a");
    HostBed b(bed, "b");
    a.start();
    b.start();
    EXPECT_EQ(b.publish(b.descriptor(1)).value(), PublishAnswer::Published);
    EXPECT_EQ(a.publish(a.descriptor(1)).value(), PublishAnswer::Published);

    const result<std::vector<ListedNode>> listed = a.list();

    EXPECT_THAT(endpoints(listed), ElementsAre("tcp://a", "tcp://b"));
    EXPECT_EQ(listed.value()[1].descriptor.lease, b.lease);
    EXPECT_EQ(listed.value()[1].lease_valid_until, bed.time.now() + 15s);
    EXPECT_EQ(listed.value()[0].descriptor.updated_at, bed.time.store_now());
}

TEST(Descriptors, OnlyAHigherRevisionOfOneLifeIsWritten) {
    RepositoryBed bed;
    HostBed a(bed, "a");
    a.start();
    ASSERT_EQ(a.publish(a.descriptor(3)).value(), PublishAnswer::Published);
    NodeDescriptor next = a.descriptor(3);
    next.state = NodeState::Relocating;

    EXPECT_EQ(a.publish(next).value(), PublishAnswer::Unchanged);
    next.descriptor_revision = 2;
    EXPECT_EQ(a.publish(next).value(), PublishAnswer::Unchanged);
    EXPECT_EQ(a.list().value()[0].descriptor.state, NodeState::Serving);
    next.descriptor_revision = 4;
    EXPECT_EQ(a.publish(next).value(), PublishAnswer::Published);

    EXPECT_EQ(a.list().value()[0].descriptor.state, NodeState::Relocating);
}

TEST(Descriptors, ImmutableFieldsCannotChange) {
    RepositoryBed bed;
    HostBed a(bed, "a");
    a.start();
    ASSERT_EQ(a.publish(a.descriptor(1)).value(), PublishAnswer::Published);
    NodeDescriptor next = a.descriptor(2);
    next.endpoint = "tcp://elsewhere";

    EXPECT_EQ(a.publish(next).value(), PublishAnswer::Rejected);
}

// The place of a node that died is free once its lease is dead, not before.
TEST(Descriptors, ALivingOwnerIsNotReplacedADeadOneIs) {
    RepositoryBed bed;
    HostBed dead(bed, "a");
    HostBed next(bed, "b");
    dead.start();
    next.start();
    ASSERT_EQ(dead.publish(dead.descriptor(9)).value(), PublishAnswer::Published);
    NodeDescriptor same_place = next.descriptor(1);
    same_place.rid = dead.node().rid;
    EXPECT_EQ(next.publish(same_place).value(), PublishAnswer::Rejected);

    for (int i = 0; i < 2; ++i) {
        bed.time.advance(8s);
        ASSERT_TRUE(next.renew());
    }

    EXPECT_EQ(next.publish(same_place).value(), PublishAnswer::Published);
    EXPECT_THAT(endpoints(next.list()), ElementsAre("tcp://b"));
}

TEST(Descriptors, WithoutItsLeaseAHostPublishesNothing) {
    RepositoryBed bed;
    HostBed a(bed, "a");
    a.start();
    bed.time.advance(15s);

    EXPECT_EQ(a.publish(a.descriptor(1)).value(), PublishAnswer::LeaseLost);
    EXPECT_THAT(endpoints(a.list()), IsEmpty());
    EXPECT_FALSE(bed.text(mesh_node_key("main", a.node().rid)));
}

TEST(Descriptors, PublicationSurvivesLostAnswersAndLateRequests) {
    using enum Fault;
    for (const Fault fault : {FailBefore, LoseRequest, LoseAnswer}) {
        RepositoryBed bed;
        HostBed a(bed, "a");
        a.start();
        a.faults.plan_writes({fault});

        EXPECT_EQ(a.publish(a.descriptor(1)).value(), PublishAnswer::Published);
        EXPECT_THAT(endpoints(a.list()), ElementsAre("tcp://a"));
    }
}

TEST(Descriptors, DeadOwnersAreFilteredOutAndStayStored) {
    RepositoryBed bed;
    HostBed a(bed, "a");
    HostBed b(bed, "b");
    a.start();
    b.start();
    ASSERT_TRUE(a.publish(a.descriptor(1)));
    ASSERT_TRUE(b.publish(b.descriptor(1)));
    bed.time.advance(10s);
    ASSERT_TRUE(b.renew());
    bed.time.advance(5s);

    EXPECT_THAT(endpoints(b.list()), ElementsAre("tcp://b"));
    EXPECT_TRUE(bed.text(mesh_node_key("main", a.node().rid)));
}

TEST(Descriptors, AnotherClaimOfTheSameOwnerIsAnotherOwner) {
    RepositoryBed bed;
    HostBed a(bed, "a");
    a.start();
    ASSERT_TRUE(a.publish(a.descriptor(1)));
    bed.time.advance(15s);
    a.start();
    EXPECT_THAT(endpoints(a.list()), IsEmpty());

    EXPECT_EQ(a.publish(a.descriptor(1)).value(), PublishAnswer::Published);

    EXPECT_THAT(endpoints(a.list()), ElementsAre("tcp://a"));
}

TEST(Descriptors, OtherMeshesAreNotListed) {
    RepositoryBed bed;
    HostBed a(bed, "a");
    a.start();
    NodeDescriptor other = a.descriptor(1);
    other.mesh_name = "main2";

    ASSERT_EQ(a.publish(other).value(), PublishAnswer::Published);

    EXPECT_THAT(endpoints(a.list()), IsEmpty());
}

TEST(Descriptors, ListIsWholeOrNothing) {
    RepositoryBed bed;
    HostBed a(bed, "a");
    a.start();
    ASSERT_TRUE(a.publish(a.descriptor(1)));
    bed.put(mesh_node_key("main", NodeRid{"x"}), "{}");

    EXPECT_EQ(a.list().error(), Errc::Corrupt);
}

TEST(Descriptors, RemoveTakesOnlyThisLife) {
    using Answer = result<RemoveAnswer>;
    for (const Fault fault : {Fault::None, Fault::LoseRequest, Fault::LoseAnswer}) {
        RepositoryBed bed;
        HostBed a(bed, "a");
        a.start();
        ASSERT_TRUE(a.publish(a.descriptor(1)));
        const auto remove = [&](CapacityOwner node) {
            return a.ask<Answer>([&](auto done) {
                a.repository.remove_descriptor(node, a.lease, bed.in(3s), std::move(done));
            });
        };
        CapacityOwner other_life = a.node();
        other_life.lifecycle_generation = NodeGeneration{78};
        EXPECT_EQ(remove(other_life).value(), RemoveAnswer::NotOurs);
        a.faults.plan_writes({fault});

        EXPECT_EQ(remove(a.node()).value(), RemoveAnswer::Removed);

        EXPECT_THAT(endpoints(a.list()), IsEmpty());
        EXPECT_EQ(remove(a.node()).value(), RemoveAnswer::NotOurs);
    }
}

TEST(Descriptors, ListPagesThroughManyNodes) {
    RepositoryBed bed;
    HostBed a(bed, "a");
    a.start();
    for (int i = 0; i < 250; ++i) {
        NodeDescriptor d = a.descriptor(1);
        d.rid = NodeRid{"node-" + std::to_string(1000 + i)};
        ASSERT_TRUE(a.publish(d));
    }
    const std::size_t reads_before = a.faults.read_count();

    EXPECT_EQ(a.list().value().size(), 250U);

    EXPECT_EQ(a.faults.read_count() - reads_before, 1U) << "one lease read per owner";
}

}  // namespace
}  // namespace shunt::store::test
