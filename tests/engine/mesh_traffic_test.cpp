#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/errc.hpp"
#include "mesh_bench.hpp"
#include "patterned.hpp"
#include "protocol/errc.hpp"
#include "raw_peer.hpp"

namespace shunt::engine {
namespace {

using namespace std::chrono_literals;
using protocol::Leg;
using protocol::SubmitResult;

TEST(MeshTraffic, RecordsOfAllSizesArriveInOrder) {
    MeshPair pair;
    expect_all_sizes_arrive(pair);
}

// Kernel buffers of a few KiB: every gather comes back in pieces or waits, every record straddles.
TEST(MeshTraffic, TinyKernelBuffersChangeNothing) {
    MeshPair pair({.socket = {.send_buffer_bytes = 4096, .receive_buffer_bytes = 4096}});
    expect_all_sizes_arrive(pair);
}

// Receive buffers smaller than most records and only four of them, so the ring runs dry again and
// again and each record is put together from many buffers.
TEST(MeshTraffic, AStarvingBufferRingChangesNothing) {
    ShardOptions shard;
    shard.bulk_buffers = {.buffer_bytes = 512, .buffer_count = 4};
    shard.small_buffers = {.buffer_bytes = 64, .buffer_count = 1};
    MeshPair pair({}, shard);
    expect_all_sizes_arrive(pair);
    const auto counters = pair.b.call([&] { return pair.b.shard().counters(); });
    EXPECT_GT(counters.buffers_starved, 0U);

    pair.b.send(pair.at_b, make_record({std::string(5000, 'r')}, Leg::Reply, 4));
    EXPECT_TRUE(pair.a.await([](const Heard& h) { return h.records.size() == 1; }));
}

// Many small records leave in few gathers; both directions and both lanes at once.
TEST(MeshTraffic, SmallRecordsOfBothDirectionsKeepTheirOrder) {
    constexpr std::uint64_t kCount = 20000;
    MeshPair pair;
    std::atomic<std::uint64_t> disorder = 0;
    const auto check = [&disorder](std::uint64_t& expected, const protocol::InRecord& record) {
        if (text_of(record.parts[0]) != std::to_string(expected++)) ++disorder;
    };
    std::uint64_t next_at_a = 0;
    std::uint64_t next_at_b = 0;
    pair.a.call([&] {
        pair.a.record_hook = [&](LinkId, const protocol::InRecord& r) { check(next_at_a, r); };
    });
    pair.b.call([&] {
        pair.b.record_hook = [&](LinkId link, const protocol::InRecord& r) {
            check(next_at_b, r);
            // Answered from inside the callback, as a host does.
            const std::uint64_t number = next_at_b;
            (void)pair.b.endpoint().send(
                link, make_record({std::to_string(number - 1)}, Leg::Reply, number), Gate::None,
                {});
        };
    });
    pair.a.call([&] {
        for (std::uint64_t i = 0; i < kCount; ++i) {
            EXPECT_EQ(
                pair.a.endpoint().send(pair.at_a, make_record({std::to_string(i)}), Gate::None, {}),
                Admission::Queued);
        }
    });

    EXPECT_TRUE(pair.b.await([&](const Heard& h) { return h.record_count == kCount; }));
    EXPECT_TRUE(pair.a.await([&](const Heard& h) { return h.record_count == kCount; }));
    EXPECT_EQ(disorder.load(), 0U);
}

TEST(MeshTraffic, FragmentsOfOneByteMakeWholeRecords) {
    MeshNode node("node-b");
    RawLink raw(node.port(), "node-a");
    Bytes bytes = frame_of("first", true);
    for (const Bytes& frame : {frame_of("", true), frame_of("last"), frame_of(""),
                               frame_of(bytes_of("ask"), false, protocol::FrameKind::Request, 9)}) {
        bytes.insert(bytes.end(), frame.begin(), frame.end());
    }
    for (const std::byte& byte : bytes) raw.application.say(ByteView(&byte, 1));

    ASSERT_TRUE(node.await([](const Heard& h) { return h.records.size() == 3; }));
    const auto records = node.heard().records;
    EXPECT_EQ(records[0].parts.size(), 3U);
    EXPECT_EQ(text_of(records[0].parts[0]), "first");
    EXPECT_EQ(text_of(records[0].parts[2]), "last");
    EXPECT_TRUE(records[1].parts[0].empty());
    EXPECT_EQ(records[2].leg, Leg::Request);
    EXPECT_EQ(records[2].sequence, 9U);
}

TEST(MeshTraffic, ControlFramesAfterReadyAreNoOps) {
    MeshNode node("node-b");
    RawLink raw(node.port(), "node-a");
    raw.application.say(hello_of("node-z"));
    raw.application.say(
        protocol::encode_control(protocol::ZmpFlowState{.paused = true, .epoch = 1}));
    Bytes unknown = frame_of("\x33new");
    unknown[2] = std::byte{protocol::frame_flag::kControl};
    raw.application.say(unknown);
    raw.application.say(frame_of("data"));

    ASSERT_TRUE(node.await([](const Heard& h) { return h.records.size() == 1; }));
    EXPECT_TRUE(node.heard().offences.empty());
}

struct LateOffence {
    const char* name;
    bool on_completion;
    Bytes bytes;
    std::uint8_t code;
    std::error_code told;
};

// After the handshake an offence ends the link: both lanes, with an ERROR on the guilty one.
TEST(MeshTraffic, AnOffenceEndsTheWholeLink) {
    const std::vector<LateOffence> offences = {
        {"garbage", false, copy_of(bytes_of("garbage!")), 0x01, protocol::Errc::FrameMagic},
        {"second ready", false,
         protocol::encode_control(ready_of("node-a", {77, 1}, protocol::Lane::Application)), 0x7F,
         Errc::ProtocolViolation},
        {"error frame", true, protocol::encode_control(protocol::ZmpError{}), 0x7F,
         Errc::PeerReportedError},
        {"data on the completion lane", true, frame_of("x"), 0x7F, Errc::ProtocolViolation},
        {"reply on the application lane", false,
         frame_of(bytes_of("x"), false, protocol::FrameKind::Reply, 3), 0x7F,
         Errc::ProtocolViolation},
    };
    for (const LateOffence& offence : offences) {
        SCOPED_TRACE(offence.name);
        MeshNode node("node-b");
        RawLink raw(node.port(), "node-a");
        node.await_link();
        RawPeer& guilty = offence.on_completion ? raw.completion : raw.application;
        RawPeer& sister = offence.on_completion ? raw.application : raw.completion;
        guilty.say(offence.bytes);

        const auto frame = guilty.hear_control();
        ASSERT_TRUE(std::holds_alternative<protocol::ZmpError>(frame));
        EXPECT_EQ(std::get<protocol::ZmpError>(frame).code, offence.code);
        EXPECT_TRUE(guilty.hear_to_end().empty());
        EXPECT_TRUE(sister.hear_to_end().empty());
        ASSERT_TRUE(node.await([](const Heard& h) { return h.downs.size() == 1; }));
        EXPECT_EQ(node.heard().downs[0].second, offence.told);
        EXPECT_EQ(node.heard().offences.size(), 1U);
    }
}

TEST(MeshTraffic, ARecordAboveTheMaximumEndsTheLink) {
    MeshNode node("node-b", {.record_bytes_max = 1000});
    RawLink raw(node.port(), "node-a");
    raw.application.say(frame_of(std::string(1000, 'x')));
    ASSERT_TRUE(node.await([](const Heard& h) { return h.records.size() == 1; }));

    // One byte more, as the sum of two parts: the second header gives it away.
    raw.application.say(frame_of(std::string(600, 'x'), true));
    raw.application.say(frame_of(std::string(401, 'x')));

    ASSERT_TRUE(node.await([](const Heard& h) { return h.downs.size() == 1; }));
    EXPECT_EQ(node.heard().downs[0].second, protocol::Errc::FrameTooLarge);
    EXPECT_EQ(node.heard().records.size(), 1U);
}

// The peer announced its maximum, so the record that would cost the link is refused here.
TEST(MeshTraffic, ARecordAboveThePeersMaximumIsNotSent) {
    MeshPair pair({.record_bytes_max = 1000});

    EXPECT_EQ(pair.a.send(pair.at_a, make_record({std::string(600, 'x'), std::string(401, 'x')})),
              Admission::NoLink);
    EXPECT_EQ(pair.a.send(pair.at_a, make_record({std::string(600, 'x'), std::string(400, 'x')})),
              Admission::Queued);

    EXPECT_TRUE(pair.b.await([](const Heard& h) { return h.records.size() == 1; }));
    EXPECT_EQ(pair.a.counters().refused_too_large, 1U);
    EXPECT_TRUE(pair.a.heard().downs.empty());
}

// The mark refuses gated records above it, lets ungated ones and replies pass, and tells once it
// is worth trying again.
TEST(MeshTraffic, TheHighWaterMarkRefusesAndLaterInvites) {
    MeshNode node("node-b", {.high_water_bytes = 1'000'000});
    RawLink raw(node.port(), "node-a", {77, 1}, 4096);
    const LinkId link = node.await_link();
    const std::string body(100'000 - 64, 'x');

    std::vector<Admission> answers;
    node.call([&] {
        for (int i = 0; i < 11; ++i) {
            answers.push_back(
                node.endpoint().send(link, make_record({body}), Gate::HighWaterMark, {}));
        }
        answers.push_back(node.endpoint().send(link, make_record({body}), Gate::None, {}));
        answers.push_back(
            node.endpoint().send(link, make_record({"r"}, Leg::Reply, 1), Gate::HighWaterMark, {}));
    });

    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(answers[i], Admission::Queued);
    EXPECT_EQ(answers[10], Admission::Full);
    EXPECT_EQ(answers[11], Admission::Queued);
    EXPECT_EQ(answers[12], Admission::Queued);
    EXPECT_TRUE(node.heard().writable.empty());
    EXPECT_EQ(raw.application.hear(11 * (body.size() + 8)).size(), 11 * (body.size() + 8));
    ASSERT_TRUE(node.await([](const Heard& h) { return h.writable.size() == 1; }));
    EXPECT_EQ(node.send(link, make_record({body}), Gate::HighWaterMark), Admission::Queued);
}

TEST(MeshTraffic, APauseHoldsRecordsBackAndRepliesPass) {
    MeshPair pair;
    pair.b.call([&] { pair.b.endpoint().set_receiving(false); });
    constexpr std::size_t kCount = 300;
    for (std::size_t i = 0; i < kCount; ++i) {
        pair.a.send(pair.at_a, patterned_record(i, 20000));
    }
    pair.a.send(pair.at_a, make_record({"reply"}, Leg::Reply, 5));

    ASSERT_TRUE(pair.b.await([](const Heard& h) { return h.record_count == 1; }));
    EXPECT_EQ(pair.b.heard().records[0].leg, Leg::Reply);
    pair.b.call([&] { pair.b.endpoint().set_receiving(true); });

    ASSERT_TRUE(pair.b.await([](const Heard& h) { return h.record_count == kCount + 1; }));
    const auto records = pair.b.heard().records;
    for (std::size_t i = 0; i < kCount; ++i) {
        EXPECT_TRUE(same_bytes(records[i + 1].parts[0], patterned(i, 20000)));
    }
}

// Paused from inside the callback after every single record: not one more may be delivered.
TEST(MeshTraffic, APauseFromTheCallbackIsExact) {
    MeshPair pair;
    constexpr std::uint64_t kCount = 500;
    std::atomic<std::uint64_t> beyond = 0;
    bool paused = false;
    std::uint64_t next = 0;
    pair.b.call([&] {
        pair.b.record_hook = [&](LinkId, const protocol::InRecord& record) {
            if (paused || text_of(record.parts[0]) != std::to_string(next++)) ++beyond;
            paused = true;
            pair.b.endpoint().set_receiving(false);
            pair.b.shard().post([&] {
                paused = false;
                pair.b.endpoint().set_receiving(true);
            });
        };
    });
    for (std::uint64_t i = 0; i < kCount; ++i)
        pair.a.send(pair.at_a, make_record({std::to_string(i)}));

    EXPECT_TRUE(pair.b.await([](const Heard& h) { return h.record_count == kCount; }));
    EXPECT_EQ(beyond.load(), 0U);
}

// Strangers that connect and talk nonsense, all at once, while a link carries traffic.
TEST(MeshTraffic, TwoHundredGarbageConnectionsHarmNoLink) {
    MeshPair pair;
    constexpr std::uint64_t kCount = 2000;
    std::vector<RawPeer> strangers;
    for (int i = 0; i < 200; ++i) {
        strangers.push_back(RawPeer::connect(pair.b.port()));
        strangers.back().say(std::string(static_cast<std::size_t>(i) * 10 + 8, 'g'));
        for (std::uint64_t k = 0; k < kCount / 200; ++k) {
            pair.a.send(pair.at_a, make_record({std::to_string(k)}));
        }
    }

    for (RawPeer& stranger : strangers) EXPECT_FALSE(stranger.hear_to_end().empty());
    EXPECT_TRUE(pair.b.await(
        [](const Heard& h) { return h.records.size() == kCount && h.offences.size() == 200; }));
    EXPECT_TRUE(pair.b.heard().downs.empty());
    EXPECT_TRUE(pair.b.await_counters([](const MeshCounters& c) { return c.half_open == 0; }));
}

}  // namespace
}  // namespace shunt::engine
