#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/errc.hpp"
#include "mesh_bench.hpp"
#include "protocol/errc.hpp"
#include "raw_peer.hpp"

namespace shunt::engine {
namespace {

using namespace std::chrono_literals;
using protocol::Lane;
using protocol::PairKey;
using protocol::ZmpError;
using protocol::ZmpHello;
using protocol::ZmpReady;

MeshOptions impatient() {
    return {.handshake_timeout = 50ms};
}

// What comes behind the acceptor's HELLO: the ERROR frame and then the end.
ZmpError hear_refusal(RawPeer& peer) {
    EXPECT_TRUE(std::holds_alternative<ZmpHello>(peer.hear_control()));
    const auto frame = peer.hear_control();
    const auto* error = std::get_if<ZmpError>(&frame);
    EXPECT_NE(error, nullptr);
    EXPECT_TRUE(peer.hear_to_end().empty());
    return error == nullptr ? ZmpError{} : *error;
}

// HELLO, and READY where it still got out.
void expect_no_error_frame(ByteView heard) {
    while (heard.size() >= protocol::kFrameHeaderBytes) {
        const std::size_t size_bytes = control_body_bytes(heard);
        ASSERT_LE(protocol::kFrameHeaderBytes + size_bytes, heard.size());
        const auto frame =
            protocol::decode_control(heard.subspan(protocol::kFrameHeaderBytes, size_bytes));
        ASSERT_TRUE(frame.has_value());
        EXPECT_FALSE(std::holds_alternative<ZmpError>(frame.value()));
        heard = heard.subspan(protocol::kFrameHeaderBytes + size_bytes);
    }
}

TEST(MeshHandshake, ARawPeerWithBothLanesIsALink) {
    MeshNode node("node-b");
    RawLink raw(node.port(), "node-a");

    const LinkId link = node.await_link();

    EXPECT_TRUE(link);
    const LinkInfo info = node.heard().ups[0].second;
    EXPECT_EQ(info.peer_rid.value, "node-a");
    EXPECT_FALSE(info.peer_is_shunt);
    EXPECT_EQ(info.peer_chunk_limit_bytes, 32U * 1024);
}

// A Gen B peer sends no pair key: its lanes are joined by their rid.
TEST(MeshHandshake, LanesWithoutPairKeyJoinByRid) {
    MeshNode node("node-b");
    std::vector<RawPeer> lanes;
    for (const Lane lane : {Lane::Completion, Lane::Application}) {
        lanes.push_back(RawPeer::connect(node.port()));
        ZmpReady ready = ready_of("node-a", {}, lane);
        ready.pair.reset();
        lanes.back().say(hello_of("node-a"));
        lanes.back().say(protocol::encode_control(ready));
    }

    EXPECT_TRUE(node.await_link());
    EXPECT_TRUE(std::holds_alternative<ZmpHello>(lanes[0].hear_control()));
    const auto answer = lanes[0].hear_control();
    ASSERT_TRUE(std::holds_alternative<ZmpReady>(answer));
    EXPECT_FALSE(std::get<ZmpReady>(answer).pair.has_value());
    EXPECT_EQ(std::get<ZmpReady>(answer).lane, Lane::Completion);
}

TEST(MeshHandshake, BytesCutOneByOneMakeTheSameLink) {
    MeshNode node("node-b");
    RawPeer application = RawPeer::connect(node.port());
    RawPeer completion = RawPeer::connect(node.port());
    for (const Lane lane : {Lane::Application, Lane::Completion}) {
        Bytes bytes = hello_of("node-a");
        const Bytes ready = protocol::encode_control(ready_of("node-a", {5, 1}, lane));
        bytes.insert(bytes.end(), ready.begin(), ready.end());
        RawPeer& peer = lane == Lane::Application ? application : completion;
        for (const std::byte& byte : bytes) peer.say(ByteView(&byte, 1));
    }

    EXPECT_TRUE(node.await_link());
}

struct Offence {
    const char* name;
    Bytes bytes;
    std::uint8_t code;
    std::string reason;
    std::error_code told;
};

Bytes join(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Bytes control(std::string_view body) {
    Bytes out = frame_of(body);
    out[2] = std::byte{protocol::frame_flag::kControl};
    return out;
}

std::vector<Offence> offences() {
    const Bytes hello = hello_of("node-a");
    ZmpReady no_lane = ready_of("node-a", {1, 1}, Lane::Application);
    no_lane.lane.reset();
    ZmpReady one_lane = ready_of("node-a", {1, 1}, Lane::Application);
    one_lane.lane_count = 1;
    return {
        {"garbage", copy_of(bytes_of("GET / HTTP/1.1\r\n\r\n")), 0x01, "invalid magic",
         protocol::Errc::FrameMagic},
        {"version", copy_of(bytes_of(std::string_view("\x5a\x02\x02\0\0\0\0\0", 8))), 0x02,
         "version mismatch", protocol::Errc::FrameVersion},
        {"ready first", protocol::encode_control(ready_of("node-a", {1, 1}, Lane::Application)),
         0x7F, "missing hello", Errc::ProtocolViolation},
        {"data first", frame_of("data"), 0x7F, "data before ready", Errc::ProtocolViolation},
        {"data before ready", join(hello, frame_of("data")), 0x7F, "data before ready",
         Errc::ProtocolViolation},
        {"unknown control", join(hello, control("\x09what")), 0x7F, "unknown control",
         Errc::ProtocolViolation},
        {"wrong socket type", hello_of("node-a", protocol::SocketType::Sub), 0x05,
         "socket type mismatch", Errc::ProtocolViolation},
        {"no lane key", join(hello, protocol::encode_control(no_lane)), 0x7F,
         "transport pair metadata invalid", protocol::Errc::ReadyLanes},
        {"one lane", join(hello, protocol::encode_control(one_lane)), 0x7F,
         "transport pair metadata invalid", protocol::Errc::ReadyLanes},
        {"an error frame", join(hello, protocol::encode_control(ZmpError{})), 0x7F,
         "internal error", Errc::PeerReportedError},
    };
}

TEST(MeshHandshake, EachOffenceIsToldReportedAndClosed) {
    for (const Offence& offence : offences()) {
        SCOPED_TRACE(offence.name);
        MeshNode node("node-b");
        RawPeer peer = RawPeer::connect(node.port());
        peer.say(offence.bytes);

        const ZmpError error = hear_refusal(peer);

        EXPECT_EQ(error.code, offence.code);
        EXPECT_EQ(error.reason, offence.reason);
        ASSERT_TRUE(node.await([](const Heard& h) { return h.offences.size() == 1; }));
        EXPECT_EQ(node.heard().offences[0], offence.told);
        EXPECT_TRUE(node.await_counters([](const MeshCounters& c) { return c.half_open == 0; }));
    }
}

TEST(MeshHandshake, SilenceIsClosedWithATimeoutError) {
    MeshNode node("node-b", impatient());
    RawPeer silent = RawPeer::connect(node.port());
    RawPeer half = RawPeer::connect(node.port());
    half.say(hello_of("node-a"));

    EXPECT_EQ(hear_refusal(silent).code, 0x06);
    EXPECT_EQ(hear_refusal(half).reason, "handshake timeout");
    EXPECT_TRUE(node.await([](const Heard& h) { return h.offences.size() == 2; }));
    EXPECT_EQ(node.heard().offences[0], Errc::HandshakeTimeout);
}

// A lane that did its own part gets no ERROR: that would keep an honest dialer from coming back.
TEST(MeshHandshake, AMissingSisterLaneIsClosedSilently) {
    MeshNode node("node-b", impatient());
    RawPeer peer = RawPeer::connect(node.port());
    RawLink::shake(peer, "node-a", {9, 1}, Lane::Application);

    EXPECT_TRUE(peer.hear_to_end().empty());
    ASSERT_TRUE(node.await([](const Heard& h) { return h.offences.size() == 1; }));
    EXPECT_EQ(node.heard().offences[0], Errc::SisterLaneMissing);
    EXPECT_TRUE(node.heard().ups.empty());
}

TEST(MeshHandshake, AFilledLaneOrAnotherRidClosesTheFormingSetSilently) {
    for (const bool same_lane : {true, false}) {
        MeshNode node("node-b");
        RawPeer first = RawPeer::connect(node.port());
        RawLink::shake(first, "node-a", {9, 1}, Lane::Application);
        RawPeer second = RawPeer::connect(node.port());
        const std::string rid = same_lane ? "node-a" : "node-x";
        second.say(hello_of(rid));
        second.say(protocol::encode_control(
            ready_of(rid, {9, 1}, same_lane ? Lane::Application : Lane::Completion)));

        EXPECT_TRUE(first.hear_to_end().empty());
        expect_no_error_frame(second.hear_to_end());
        ASSERT_TRUE(node.await([](const Heard& h) { return !h.offences.empty(); }));
        EXPECT_EQ(node.heard().offences[0], Errc::LaneMismatch);
    }
}

TEST(MeshHandshake, AStrayCopyOfAKeyDoesNotHarmAStandingLink) {
    MeshNode node("node-b");
    RawLink raw(node.port(), "node-a", {9, 1});
    const LinkId link = node.await_link();
    RawPeer stray = RawPeer::connect(node.port());
    stray.say(hello_of("node-a"));
    stray.say(protocol::encode_control(ready_of("node-a", {9, 1}, Lane::Application)));

    expect_no_error_frame(stray.hear_to_end());
    raw.application.say(frame_of("still here"));
    EXPECT_TRUE(node.await([](const Heard& h) { return h.records.size() == 1; }));
    EXPECT_EQ(node.heard().records[0].link, link);
    EXPECT_TRUE(node.heard().downs.empty());
}

// Before the link stands a peer's bytes are bounded: it is not read further, so its kernel
// buffers fill and it waits, and after the sister lane nothing of what it sent is missing.
TEST(MeshHandshake, DataGluedBehindReadyWaitsForTheSisterLane) {
    MeshNode node("node-b");
    RawPeer application = RawPeer::connect(node.port());
    RawLink::shake(application, "node-a", {9, 1}, Lane::Application);
    const std::string body(1000, 'z');
    for (int i = 0; i < 100; ++i) application.say(frame_of(body));
    RawPeer completion = RawPeer::connect(node.port());

    RawLink::shake(completion, "node-a", {9, 1}, Lane::Completion);

    ASSERT_TRUE(node.await([](const Heard& h) { return h.records.size() == 100; }));
    for (const Arrived& record : node.heard().records) {
        EXPECT_EQ(text_of(record.parts.at(0)), body);
    }
}

TEST(MeshHandshake, AnOlderGenerationIsRefusedSilently) {
    MeshNode node("node-b");
    RawPeer peer = RawPeer::connect(node.port());
    ZmpReady ready = ready_of("node-a", {1, 1}, Lane::Application);
    ready.lane_count.reset();
    peer.say(hello_of("node-a"));
    peer.say(protocol::encode_control(ready));

    EXPECT_TRUE(std::holds_alternative<ZmpHello>(peer.hear_control()));
    EXPECT_TRUE(peer.hear_to_end().empty());
    ASSERT_TRUE(node.await([](const Heard& h) { return h.offences.size() == 1; }));
    EXPECT_EQ(node.heard().offences[0], Errc::PeerGenerationUnsupported);
}

}  // namespace
}  // namespace shunt::engine
