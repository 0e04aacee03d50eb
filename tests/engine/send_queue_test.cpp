#include "engine/send_queue.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shunt::engine {
namespace {

using protocol::Leg;
using protocol::OutRecord;
using protocol::SubmitResult;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

OutRecord record_of(std::vector<Bytes> parts, Leg leg = Leg::Send, std::uint64_t sequence = 0) {
    OutRecord out;
    out.leg = leg;
    out.sequence = sequence;
    for (Bytes& part : parts) out.parts.push_back({.head = std::move(part), .tail = {}});
    return out;
}

Bytes drain(SendQueue& queue, std::size_t step_bytes) {
    Bytes out;
    std::vector<iovec> pieces;
    while (!queue.empty()) {
        Bytes gathered;
        const std::size_t size_bytes = queue.gather(pieces);
        for (const iovec& piece : pieces) {
            const auto* bytes = static_cast<const std::byte*>(piece.iov_base);
            gathered.insert(gathered.end(), bytes, bytes + piece.iov_len);
        }
        EXPECT_EQ(gathered.size(), size_bytes);
        const std::size_t taken = std::min(step_bytes, size_bytes);
        out.insert(out.end(), gathered.begin(),
                   gathered.begin() + static_cast<std::ptrdiff_t>(taken));
        queue.advance(taken, [](const SettledRecord&) {});
    }
    return out;
}

TEST(SendQueue, FramesPartsWithMoreAndTheSequenceInFront) {
    SendQueue queue;
    queue.push(record_of({copy_of(bytes_of("aa")), {}, copy_of(bytes_of("cc"))}), {});
    queue.push(record_of({copy_of(bytes_of("q")), copy_of(bytes_of("r"))}, Leg::Request, 0x4d), {});

    // The three-part record is golden: spec/zmp.md section 18.
    const unsigned char expected[] = {
        0x5a, 1, 1, 0, 0, 0, 0, 2, 'a', 'a', 0x5a, 1, 1, 0, 0, 0,    0,   0,  //
        0x5a, 1, 0, 0, 0, 0, 0, 2, 'c', 'c',                                  //
        0x5a, 1, 1, 1, 0, 0, 0, 1, 0,   0,   0,    0, 0, 0, 0, 0x4d, 'q',     //
        0x5a, 1, 0, 0, 0, 0, 0, 1, 'r'};
    EXPECT_TRUE(same_bytes(drain(queue, 1 << 20), std::as_bytes(std::span(expected))));
}

// However short the kernel's answers are, the stream is the same bytes.
TEST(SendQueue, ShortResultsContinueAtTheSameByte) {
    const auto fill = [](SendQueue& queue) {
        for (int i = 0; i < 40; ++i) {
            OutRecord record = record_of({copy_of(bytes_of("head" + std::to_string(i))), {}});
            record.parts[1].tail.push_back(
                Segment(Bytes(static_cast<std::size_t>(i) * 7, static_cast<std::byte>(i))));
            record.parts[1].tail.push_back(Segment());
            record.parts[1].tail.push_back(Segment(Bytes(3, std::byte{0xEE})));
            queue.push(std::move(record), {});
        }
        queue.push_control(copy_of(bytes_of("control")));
    };
    SendQueue whole;
    fill(whole);
    const Bytes expected = drain(whole, 1 << 20);

    for (const std::size_t step : {1U, 7U, 100U, 2500U}) {
        SendQueue queue;
        fill(queue);
        EXPECT_TRUE(same_bytes(drain(queue, step), expected)) << step;
    }
}

TEST(SendQueue, AGatherIsBoundedInBytesAndPieces) {
    std::vector<iovec> pieces;
    SendQueue many;
    OutRecord record = record_of({{}});
    for (int i = 0; i < 2000; ++i) record.parts[0].tail.push_back(Segment(Bytes(8)));
    many.push(std::move(record), {});
    EXPECT_EQ(many.gather(pieces), 8 + 1023U * 8);
    EXPECT_EQ(pieces.size(), SendQueue::kGatherPiecesMax);

    SendQueue large;
    large.push(record_of({Bytes(1 << 20)}), {});
    EXPECT_EQ(large.gather(pieces), SendQueue::kGatherBytesMax);
}

// Packing must neither move what is being sent nor mix up whose bytes were sent.
TEST(SendQueue, SmallRecordsPackBehindWhatIsBeingSent) {
    SendQueue queue;
    std::vector<iovec> pieces;
    std::vector<std::uint64_t> sent;
    const auto settled = [&](const SettledRecord& record) { sent.push_back(record.token.value); };
    for (std::uint64_t token = 1; token <= 3; ++token) queue.push(record_of({Bytes(4)}), {token});
    EXPECT_EQ(queue.gather(pieces), 36U);
    EXPECT_EQ(pieces.size(), 1U);
    const void* base = pieces[0].iov_base;

    for (std::uint64_t token = 4; token <= 2000; ++token)
        queue.push(record_of({Bytes(4)}), {token});
    queue.advance(36 + 5, settled);
    EXPECT_THAT(sent, ElementsAre(1, 2, 3));

    queue.gather(pieces);
    EXPECT_EQ(pieces[0].iov_base, static_cast<const std::byte*>(base) + 41);
    queue.advance(7, settled);
    EXPECT_THAT(sent, ElementsAre(1, 2, 3, 4));
    while (!queue.empty()) queue.advance(queue.gather(pieces), settled);
    EXPECT_EQ(sent.size(), 2000U);
    EXPECT_TRUE(std::is_sorted(sent.begin(), sent.end()));
}

// Records nobody asks about are settled together; their charge is not lost.
TEST(SendQueue, ChargeOfRecordsWithoutTokenAddsUp) {
    SendQueue queue;
    std::uint64_t charge = 0;
    const auto settled = [&](const SettledRecord& record) { charge += record.charge; };
    for (int i = 0; i < 1000; ++i) queue.push(record_of({Bytes(4)}), {});
    std::vector<iovec> pieces;

    while (!queue.empty()) {
        queue.advance(std::min<std::size_t>(queue.gather(pieces), 1000), settled);
        if (charge == 0) queue.push(record_of({Bytes(4)}), {});
    }

    EXPECT_EQ(charge % 68, 0U);
    EXPECT_GE(charge, 1000U * 68);
}

TEST(SendQueue, SettlesWhatTheLastByteCovers) {
    SendQueue queue;
    std::vector<std::uint64_t> sent;
    const auto settled = [&](const SettledRecord& record) {
        EXPECT_EQ(record.result, SubmitResult::Sent);
        sent.push_back(record.token.value);
    };
    queue.push(record_of({Bytes(10)}), {1});
    queue.push(record_of({Bytes(10), Bytes(2)}), {2});

    queue.advance(17, settled);
    EXPECT_THAT(sent, IsEmpty());
    queue.advance(1, settled);
    EXPECT_THAT(sent, ElementsAre(1));
    queue.advance(28, settled);
    EXPECT_THAT(sent, ElementsAre(1, 2));
    EXPECT_TRUE(queue.empty());
}

TEST(SendQueue, DroppingTellsUnknownFromFailed) {
    // Once packed, once as they lie.
    for (const std::size_t size_bytes : {10U, 5000U}) {
        SendQueue queue;
        for (std::uint64_t token = 1; token <= 4; ++token) {
            queue.push(record_of({Bytes(size_bytes)}), {token});
        }
        std::vector<SubmitResult> results;
        const auto settled = [&](const SettledRecord& record) {
            EXPECT_EQ(record.token.value, results.size() + 1);
            EXPECT_EQ(record.charge, size_bytes + 64);
            results.push_back(record.result);
        };
        queue.advance(8 + size_bytes + 1, settled);

        queue.drop_all(settled);

        EXPECT_THAT(results, ElementsAre(SubmitResult::Sent, SubmitResult::Unknown,
                                         SubmitResult::Failed, SubmitResult::Failed));
        EXPECT_TRUE(queue.empty());
    }
}

TEST(BlockQueue, ElementsStayWhereTheyAre) {
    BlockQueue<std::string, 4> queue;
    std::vector<const std::string*> places;
    for (int i = 0; i < 50; ++i) {
        std::string& element = queue.emplace_back();
        element = std::to_string(i);
        places.push_back(&element);
    }
    std::size_t visited = 0;
    queue.visit_while([&](std::string& element) {
        EXPECT_EQ(&element, places[visited]);
        return ++visited < 30;
    });
    EXPECT_EQ(visited, 30U);

    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(queue.front(), std::to_string(i));
        queue.pop_front();
        if (i % 3 == 0) queue.emplace_back() = std::to_string(50 + i / 3);
    }
    EXPECT_EQ(queue.size(), 17U);
    EXPECT_EQ(queue.front(), "50");
}

}  // namespace
}  // namespace shunt::engine
