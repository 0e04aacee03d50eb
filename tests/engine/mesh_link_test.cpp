#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/errc.hpp"
#include "mesh_bench.hpp"

namespace shunt::engine {
namespace {

using namespace std::chrono_literals;
using protocol::Leg;
using protocol::SubmitResult;
using ::testing::ElementsAre;

std::vector<std::string> texts(const Arrived& arrived) {
    std::vector<std::string> out;
    for (const Bytes& part : arrived.parts) out.emplace_back(text_of(part));
    return out;
}

TEST(MeshLink, ComesUpOnBothSidesWithWhatThePeerSaid) {
    MeshPair pair;

    const LinkInfo at_a = pair.a.heard().ups[0].second;
    const LinkInfo at_b = pair.b.heard().ups[0].second;
    EXPECT_EQ(at_a.peer_rid.value, "node-b");
    EXPECT_EQ(at_b.peer_rid.value, "node-a");
    EXPECT_TRUE(at_a.dialed_here);
    EXPECT_FALSE(at_b.dialed_here);
    EXPECT_TRUE(at_a.peer_is_shunt);
    EXPECT_EQ(at_b.peer_chunk_limit_bytes, 256U * 1024);
    EXPECT_EQ(pair.b.counters().half_open, 0U);
}

TEST(MeshLink, RecordsKeepPartsLegsAndSequences) {
    MeshPair pair;

    pair.a.send(pair.at_a, make_record({"one", "", "three"}));
    pair.a.send(pair.at_a, make_record({"ask"}, Leg::Request, 77));
    pair.a.send(pair.at_a, make_record({""}));
    pair.b.send(pair.at_b, make_record({"answer", "body"}, Leg::Reply, 77));

    ASSERT_TRUE(pair.b.await([](const Heard& h) { return h.records.size() == 3; }));
    ASSERT_TRUE(pair.a.await([](const Heard& h) { return h.records.size() == 1; }));
    const auto at_b = pair.b.heard().records;
    EXPECT_THAT(texts(at_b[0]), ElementsAre("one", "", "three"));
    EXPECT_EQ(at_b[0].leg, Leg::Send);
    EXPECT_EQ(at_b[1].leg, Leg::Request);
    EXPECT_EQ(at_b[1].sequence, 77U);
    EXPECT_THAT(texts(at_b[2]), ElementsAre(""));
    const Arrived reply = pair.a.heard().records[0];
    EXPECT_EQ(reply.leg, Leg::Reply);
    EXPECT_EQ(reply.sequence, 77U);
    EXPECT_THAT(texts(reply), ElementsAre("answer", "body"));
}

}  // namespace
}  // namespace shunt::engine
