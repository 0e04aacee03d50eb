// A peer scripted in the bytes of spec/zmp.md sections 4 and 18 against a real listener: whatever
// our encoders think, these are the bytes that others send.
#include <map>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "script_bytes.hpp"
#include "tests/engine/mesh_bench.hpp"
#include "tests/engine/raw_peer.hpp"

namespace shunt::wire_test {
namespace {

using engine::MeshNode;
using engine::RawPeer;
using testing::ElementsAre;

constexpr std::uint64_t kPairId = 0x1122334455667788;
constexpr std::uint64_t kPairGeneration = 1;
constexpr std::size_t kFrameHeadBytes = 8;

Bytes frame(unsigned flags, const ScriptWriter& body) {
    ScriptWriter out;
    out.u8(0x5A).u8(1).u8(flags).u8(0).body(body, 4);
    return out.bytes();
}

Bytes hello_of(std::string_view rid) {
    ScriptWriter body;
    body.u8(1).u8(6).text8(rid);
    return frame(2, body);
}

/// Name, four bytes of length, value.
void put_property(ScriptWriter& out, std::string_view name, const ScriptWriter& value) {
    out.text8(name).body(value, 4);
}

/// The library's ROUTER names its pair only; a superset peer (section 15) the lane count too.
enum class Keys : std::uint8_t { PairOnly, Superset };

Bytes ready_of(std::string_view rid, unsigned lane, Keys keys) {
    ScriptWriter body;
    body.u8(4);
    put_property(body, "Socket-Type", ScriptWriter().raw("ROUTER"));
    put_property(body, "Routing-Id", ScriptWriter().raw(rid));
    put_property(body, "Zlink-Max-Message-Size", ScriptWriter().u64(0));
    put_property(body, "Zlink-Pair-Id", ScriptWriter().u64(kPairId));
    put_property(body, "Zlink-Pair-Generation", ScriptWriter().u64(kPairGeneration));
    put_property(body, "Zlink-Lane", ScriptWriter().u8(lane));
    if (keys == Keys::Superset) put_property(body, "Zlink-Lane-Count", ScriptWriter().u8(2));
    return frame(2, body);
}

/// The body of the next frame, which must be a control frame.
Bytes hear_control_body(RawPeer& peer) {
    const Bytes head = peer.hear(kFrameHeadBytes);
    ScriptReader in(head);
    EXPECT_EQ(in.u16(), 0x5A01U);
    EXPECT_EQ(in.u16(), 0x0200U);
    return peer.hear(in.u32());
}

std::map<std::string, Bytes> hear_ready(RawPeer& peer) {
    const Bytes body = hear_control_body(peer);
    ScriptReader in(body);
    EXPECT_EQ(in.u8(), 4U);
    std::map<std::string, Bytes> properties;
    while (!in.left().empty()) {
        std::string name = in.text8();
        properties[std::move(name)] = copy_of(in.raw(in.u32()));
    }
    return properties;
}

/// One lane through the handshake, as the library does it: HELLO and READY in one write.
RawPeer dial(const MeshNode& node, unsigned lane) {
    RawPeer peer = RawPeer::connect(node.port());
    ScriptWriter both;
    both.raw(hello_of("node-b")).raw(ready_of("node-b", lane, Keys::Superset));
    peer.say(both.bytes());

    const Bytes hello = peer.hear(hello_of("node-m").size());
    EXPECT_EQ(hello, hello_of("node-m"));
    const auto ready = hear_ready(peer);
    // A dialing library gives the endpoint up when one of the three is not its own.
    EXPECT_EQ(ready.at("Zlink-Pair-Id"), ScriptWriter().u64(kPairId).bytes());
    EXPECT_EQ(ready.at("Zlink-Pair-Generation"), ScriptWriter().u64(kPairGeneration).bytes());
    EXPECT_EQ(ready.at("Zlink-Lane"), ScriptWriter().u8(lane).bytes());
    EXPECT_EQ(ready.at("Socket-Type"), ScriptWriter().raw("ROUTER").bytes());
    return peer;
}

/// Three parts, one of them empty, with MORE on all but the last.
Bytes three_parts() {
    ScriptWriter out;
    out.raw(frame(1, ScriptWriter().raw("aa"))).raw(frame(1, ScriptWriter()));
    out.raw(frame(0, ScriptWriter().raw("cc")));
    return out.bytes();
}

std::vector<std::string> texts_of(const engine::Arrived& record) {
    std::vector<std::string> texts;
    for (const Bytes& part : record.parts) texts.emplace_back(text_of(part));
    return texts;
}

TEST(ZmpPeer, SupersetBytesMakeALinkWhicheverLaneComesFirst) {
    for (const unsigned first : {0U, 1U}) {
        MeshNode node("node-m");
        const RawPeer one = dial(node, first);
        const RawPeer other = dial(node, 1 - first);

        EXPECT_TRUE(node.await_link());
        EXPECT_EQ(node.heard().ups[0].second.peer_rid.value, "node-b");
        EXPECT_FALSE(node.heard().ups[0].second.peer_is_shunt);
    }
}

// The transport does not speak the older request form, so it takes no such link. An ERROR would
// make a dialing library give the endpoint up for good; it must stay free to come back later.
TEST(ZmpPeer, APeerOfTheOlderGenerationIsClosedWithoutAnError) {
    MeshNode node("node-m");
    RawPeer peer = RawPeer::connect(node.port());
    ScriptWriter both;
    both.raw(hello_of("node-b")).raw(ready_of("node-b", 0, Keys::PairOnly));
    peer.say(both.bytes());

    EXPECT_EQ(peer.hear_to_end(), hello_of("node-m"));
}

TEST(ZmpPeer, RecordsAreTheSameBytesInBothDirections) {
    MeshNode node("node-m");
    RawPeer application = dial(node, 0);
    const RawPeer completion = dial(node, 1);
    const auto link = node.await_link();

    application.say(three_parts());
    ASSERT_TRUE(node.await([](const engine::Heard& heard) { return heard.record_count == 1; }));
    EXPECT_THAT(texts_of(node.heard().records[0]), ElementsAre("aa", "", "cc"));

    node.send(link, engine::make_record({"aa", "", "cc"}));
    EXPECT_EQ(application.hear(three_parts().size()), three_parts());
}

TEST(ZmpPeer, AWeightAndAnUnknownControlAreNoOps) {
    MeshNode node("node-m");
    RawPeer application = dial(node, 0);
    const RawPeer completion = dial(node, 1);
    ASSERT_TRUE(node.await_link());

    application.say(frame(2, ScriptWriter().raw("WEIGHT").u32(300)));
    application.say(frame(2, ScriptWriter().raw("\x09whatever")));
    application.say(three_parts());

    EXPECT_TRUE(node.await([](const engine::Heard& heard) { return heard.record_count == 1; }));
    EXPECT_TRUE(node.heard().downs.empty());
}

TEST(ZmpPeer, AnErrorFrameEndsTheLinkAtAnyTime) {
    MeshNode node("node-m");
    RawPeer application = dial(node, 0);
    RawPeer completion = dial(node, 1);
    ASSERT_TRUE(node.await_link());

    application.say(frame(2, ScriptWriter().u8(5).u8(1).text8("invalid magic")));

    EXPECT_TRUE(node.await([](const engine::Heard& heard) { return heard.downs.size() == 1; }));
    // Both lanes close together.
    static_cast<void>(completion.hear_to_end());
}

}  // namespace
}  // namespace shunt::wire_test
