// Peers nobody has admitted: how many there may be, what they may hold, and that links which are
// admitted do not notice (spec/zmp.md section 4, issue 3 "caps before admission").
#include <algorithm>
#include <cstdio>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <gtest/gtest.h>

#include "engine/errc.hpp"
#include "mesh_bench.hpp"
#include "raw_peer.hpp"

namespace shunt::engine {
namespace {

using namespace std::chrono_literals;
using protocol::ZmpHello;

// How many more descriptors this process may open after its limit is as high as it goes.
std::size_t descriptors_left() {
    rlimit limit{};
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    const UniqueFd next(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return limit.rlim_cur - static_cast<std::size_t>(next.get());
}

UniqueFd connect_silently(std::uint16_t port) {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0)
        << std::strerror(errno);
    return fd;
}

// A flood that refused newcomers would lock the port for the whole handshake time.
TEST(MeshStrangers, TheOldestMakesRoomForTheNewest) {
    MeshNode node("node-b", {.half_open_max = 3});
    std::vector<RawPeer> idle;
    for (int i = 0; i < 4; ++i) {
        idle.push_back(RawPeer::connect(node.port()));
        EXPECT_TRUE(std::holds_alternative<ZmpHello>(idle.back().hear_control()));
    }

    EXPECT_TRUE(idle.front().hear_to_end().empty());
    EXPECT_EQ(node.counters().half_open, 3U);
    EXPECT_EQ(node.counters().evicted_half_open, 1U);
    ASSERT_TRUE(node.await([](const Heard& h) { return h.offences.size() == 1; }));
    EXPECT_EQ(node.heard().offences[0], Errc::TooManyHalfOpen);

    RawLink honest(node.port(), "node-a");
    EXPECT_TRUE(node.await_link());
}

// A link that is up and was never admitted is no better than a half-open connection.
TEST(MeshStrangers, LinksWithoutAdmissionCountAndAreEvicted) {
    MeshNode node("node-b", {.half_open_max = 4});
    node.trusts = false;
    RawLink first(node.port(), "node-1", {1, 1});
    ASSERT_TRUE(node.await_link(1));
    RawLink second(node.port(), "node-2", {2, 1});
    const LinkId admitted = node.await_link(2);
    node.call([&] { node.endpoint().trust(admitted); });
    EXPECT_EQ(node.counters().half_open, 2U);

    RawLink third(node.port(), "node-3", {3, 1});
    RawLink fourth(node.port(), "node-4", {4, 1});

    ASSERT_TRUE(node.await([](const Heard& h) { return h.downs.size() == 1; }));
    EXPECT_EQ(node.heard().downs[0].first, node.heard().ups[0].first);
    EXPECT_EQ(node.heard().downs[0].second, Errc::TooManyHalfOpen);
    second.application.say(frame_of("still here"));
    EXPECT_TRUE(node.await([](const Heard& h) { return h.records.size() == 1; }));
}

// As many silent connections as the process may open, twenty thousand at most, while a link works.
TEST(MeshStrangers, ThousandsOfSilentConnectionsHarmNoLink) {
    const MeshOptions options{.redial = {.shortest = 1ms}};
    const std::size_t spare = options.half_open_max + 500;
    const std::size_t left = descriptors_left();
    const std::size_t count = left > 2 * spare ? std::min<std::size_t>(20000, left - spare) : 500;
    std::printf("%zu silent connections\n", count);
    MeshPair pair(options);
    std::vector<UniqueFd> silent;
    std::uint64_t sent = 0;
    for (std::size_t i = 0; i < count; ++i) {
        silent.push_back(connect_silently(pair.b.port()));
        if (i % 100 != 0) continue;
        // Both ends live in this process, so what the kernel has accepted and the node has not
        // seen yet must not eat the descriptors of the flood.
        ASSERT_TRUE(pair.b.await_counters([&](const MeshCounters& c) { return c.accepted > i; }));
        ASSERT_EQ(pair.a.send(pair.at_a, make_record({std::to_string(i)})), Admission::Queued);
        ++sent;
        ASSERT_TRUE(pair.b.await([&](const Heard& h) { return h.records.size() == sent; }));
    }
    ASSERT_TRUE(
        pair.b.await_counters([&](const MeshCounters& c) { return c.accepted == count + 2; }));

    const MeshCounters counters = pair.b.counters();
    EXPECT_LE(counters.half_open_peak, options.half_open_max);
    EXPECT_EQ(counters.evicted_half_open + counters.half_open, count);
    EXPECT_LE(counters.stranger_bytes_peak, options.stranger_bytes_max / 2);
    EXPECT_TRUE(pair.b.heard().downs.empty());
    // Told, but not once for each.
    EXPECT_LT(pair.b.heard().offences.size(), count / 10);
    RawLink honest(pair.b.port(), "node-c");
    EXPECT_TRUE(pair.b.await_link(2));
}

TEST(MeshStrangers, AStrangersRecordsAreBoundedUntilItIsTrusted) {
    const std::string most(RecordReader::kStrangerRecordBytesMax, 'x');
    for (const bool over : {false, true}) {
        MeshNode node("node-b");
        node.trusts = false;
        RawLink raw(node.port(), "node-a");
        const LinkId link = node.await_link();
        raw.application.say(frame_of(over ? most + 'x' : most));
        if (over) {
            ASSERT_TRUE(node.await([](const Heard& h) { return h.downs.size() == 1; }));
            EXPECT_EQ(node.heard().downs[0].second, Errc::RecordTooLarge);
            EXPECT_EQ(node.call([&] { return node.endpoint().closed_for(Errc::RecordTooLarge); }),
                      1U);
            continue;
        }
        ASSERT_TRUE(node.await([](const Heard& h) { return h.records.size() == 1; }));
        node.call([&] { node.endpoint().trust(link); });
        raw.application.say(frame_of(most + most));
        EXPECT_TRUE(node.await([](const Heard& h) { return h.records.size() == 2; }));
        EXPECT_EQ(node.counters().stranger_bytes, 0U);
    }
}

TEST(MeshStrangers, AStrangersPartsAreBounded) {
    MeshNode node("node-b");
    node.trusts = false;
    RawLink raw(node.port(), "node-a");
    node.await_link();
    for (std::size_t i = 0; i <= RecordReader::kStrangerPartsMax; ++i) {
        raw.application.say(frame_of("", true));
    }

    ASSERT_TRUE(node.await([](const Heard& h) { return h.downs.size() == 1; }));
    EXPECT_EQ(node.heard().downs[0].second, Errc::RecordTooLarge);
}

// Every one of them stays below its own bound, and all together would be ten times what strangers
// may hold. Lying lengths alone cost nothing: memory follows the bytes.
TEST(MeshStrangers, TheirMemoryIsBoundedAsAWhole) {
    constexpr std::uint64_t kMax = 4ULL * 1024 * 1024;
    MeshNode node("node-b", {.stranger_bytes_max = kMax});
    RawLink admitted(node.port(), "node-a");
    ASSERT_TRUE(node.await_link());
    node.call([&] { node.trusts = false; });
    const Bytes whole = frame_of(std::string(RecordReader::kStrangerRecordBytesMax, 'x'));
    std::vector<RawLink> greedy;
    for (std::uint64_t i = 0; i < 40; ++i) {
        greedy.emplace_back(node.port(), "greedy-" + std::to_string(i),
                            protocol::PairKey{.id = 1000 + i, .generation = 1});
        // One byte is missing, so the record is held. False when it was evicted meanwhile.
        (void)greedy.back().application.say(ByteView(whole).first(whole.size() - 1));
    }
    ASSERT_TRUE(
        node.await_counters([](const MeshCounters& c) { return c.evicted_for_memory >= 30; }));

    const MeshCounters counters = node.counters();
    // One of them may pass the bound by what it grew before it was looked at.
    EXPECT_LE(counters.stranger_bytes_peak, kMax + 2 * RecordReader::kStrangerRecordBytesMax);
    EXPECT_LE(counters.stranger_bytes, kMax);
    admitted.application.say(frame_of("still here"));
    EXPECT_TRUE(node.await([](const Heard& h) { return h.records.size() == 1; }));
}

}  // namespace
}  // namespace shunt::engine
