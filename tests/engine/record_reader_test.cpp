#include "engine/record_reader.hpp"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/errc.hpp"
#include "protocol/errc.hpp"

namespace shunt::engine {
namespace {

using protocol::FrameHeader;
using protocol::FrameKind;
using protocol::Leg;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Recorder final : RecordSink {
    Next on_record(const protocol::InRecord& record) override {
        std::string line =
            std::to_string(static_cast<int>(record.leg)) + ':' + std::to_string(record.sequence);
        for (const ByteView part : record.parts) {
            line += '|';
            line += text_of(part);
            borrowed = part.data();
        }
        lines.push_back(line);
        return stop_after_each ? Next::Stop : Next::Continue;
    }
    Next on_control(ByteView body) override {
        lines.push_back("control:" + std::string(text_of(body)));
        return Next::Continue;
    }
    std::error_code may_receive(const FrameHeader&) override { return refusal; }

    std::vector<std::string> lines;
    const std::byte* borrowed = nullptr;
    std::error_code refusal;
    bool stop_after_each = false;
};

Bytes frame(std::string_view body, std::uint8_t flags = 0, FrameKind kind = FrameKind::Data,
            std::uint64_t sequence = 0) {
    const auto header =
        protocol::encode_frame_header({.flags = flags,
                                       .kind = kind,
                                       .body_bytes = static_cast<std::uint32_t>(body.size()),
                                       .sequence = sequence});
    Bytes out = copy_of(header.view());
    const ByteView bytes = bytes_of(body);
    out.insert(out.end(), bytes.begin(), bytes.end());
    return out;
}

Bytes stream(std::initializer_list<Bytes> frames) {
    Bytes out;
    for (const Bytes& frame : frames) out.insert(out.end(), frame.begin(), frame.end());
    return out;
}

constexpr std::uint8_t kMore = protocol::frame_flag::kMore;
constexpr std::uint8_t kControl = protocol::frame_flag::kControl;

Bytes sample() {
    return stream({frame("one"), frame("a", kMore), frame("", kMore), frame("c"),
                   frame("control", kControl), frame("", 0), frame("ask", 0, FrameKind::Request, 7),
                   frame("re", kMore, FrameKind::Reply, 8), frame(std::string(300, 'p'))});
}

const std::vector<std::string>& sample_lines() {
    static const std::vector<std::string> lines = {
        "0:0|one", "0:0|a||c", "control:control",
        "0:0|",    "1:7|ask",  "2:8|re|" + std::string(300, 'p')};
    return lines;
}

TEST(RecordReader, AWholeRecordIsBorrowedFromTheInput) {
    RecordReader reader(1000);
    Recorder sink;
    const Bytes bytes = stream({frame("x", kMore), frame("whole")});
    ByteView input(bytes);

    ASSERT_TRUE(reader.feed(input, sink).has_value());

    EXPECT_EQ(sink.borrowed, bytes.data() + 17);
    EXPECT_EQ(reader.held_bytes(), 0U);
    EXPECT_TRUE(reader.at_record_boundary());
}

TEST(RecordReader, EverySplitGivesTheSameRecords) {
    const Bytes bytes = sample();
    for (std::size_t step = 1; step <= bytes.size(); ++step) {
        RecordReader reader(1000);
        Recorder sink;
        for (std::size_t at = 0; at < bytes.size(); at += step) {
            // A copy of its own, so that a borrowed view outliving its input is a sanitizer report.
            const Bytes piece(
                bytes.begin() + static_cast<std::ptrdiff_t>(at),
                bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at + step, bytes.size())));
            ByteView input(piece);
            ASSERT_TRUE(reader.feed(input, sink).has_value());
            ASSERT_TRUE(input.empty());
        }
        EXPECT_EQ(sink.lines, sample_lines()) << "step " << step;
    }
}

TEST(RecordReader, RandomSplitsGiveTheSameRecords) {
    std::mt19937 random(11);
    const Bytes bytes = sample();
    for (int round = 0; round < 300; ++round) {
        RecordReader reader(1000);
        Recorder sink;
        sink.stop_after_each = round % 2 == 0;
        for (std::size_t at = 0; at < bytes.size();) {
            const std::size_t step = std::min<std::size_t>(random() % 60 + 1, bytes.size() - at);
            const Bytes piece(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                              bytes.begin() + static_cast<std::ptrdiff_t>(at + step));
            ByteView input(piece);
            do {
                ASSERT_TRUE(reader.feed(input, sink).has_value());
            } while (!input.empty());
            at += step;
        }
        EXPECT_EQ(sink.lines, sample_lines());
    }
}

TEST(RecordReader, StopLeavesTheRestUnread) {
    RecordReader reader(1000);
    Recorder sink;
    sink.stop_after_each = true;
    const Bytes bytes = stream({frame("1"), frame("2")});
    ByteView input(bytes);

    ASSERT_TRUE(reader.feed(input, sink).has_value());

    EXPECT_THAT(sink.lines, ElementsAre("0:0|1"));
    EXPECT_EQ(input.size(), 9U);
}

// A header that promises much makes the reader wait, not allocate.
TEST(RecordReader, AnAnnouncedLengthIsNotBelievedForMemory) {
    RecordReader reader(1ULL << 32U);
    Recorder sink;
    Bytes bytes = frame("");
    bytes[4] = std::byte{0xF0};
    bytes.push_back(std::byte{1});
    ByteView input(bytes);

    ASSERT_TRUE(reader.feed(input, sink).has_value());

    EXPECT_EQ(reader.held_bytes(), 1U);
    EXPECT_FALSE(reader.at_record_boundary());
}

TEST(RecordReader, ARecordAboveTheMaximumIsRefusedByItsHeader) {
    RecordReader reader(10);
    Recorder sink;
    const Bytes good = frame("0123456789");
    const Bytes bad = stream({frame("012345", kMore), frame("67890")});
    ByteView input(good);
    ASSERT_TRUE(reader.feed(input, sink).has_value());
    input = bad;

    const result<void> fed = reader.feed(input, sink);

    ASSERT_FALSE(fed.has_value());
    EXPECT_EQ(fed.error(), protocol::Errc::FrameTooLarge);
    EXPECT_EQ(sink.lines.size(), 1U);
}

TEST(RecordReader, EndlessEmptyPartsAreRefused) {
    RecordReader reader(10);
    Recorder sink;
    const Bytes part = frame("", kMore);
    std::error_code refused;
    std::size_t parts = 0;
    while (!refused && parts < 2 * RecordReader::kPartsMax) {
        ByteView input(part);
        const result<void> fed = reader.feed(input, sink);
        if (!fed) refused = fed.error();
        ++parts;
    }

    EXPECT_EQ(refused, Errc::RecordTooLarge);
    EXPECT_EQ(parts, RecordReader::kPartsMax + 1);
}

TEST(RecordReader, IdentityFramesAndErrorRepliesAreSwallowed) {
    RecordReader reader(1000);
    Recorder sink;
    const Bytes bytes =
        stream({frame("me", protocol::frame_flag::kIdentity),
                frame("errn", kMore, FrameKind::ErrorReply, 3), frame("text"), frame("kept")});
    ByteView input(bytes);

    ASSERT_TRUE(reader.feed(input, sink).has_value());

    EXPECT_THAT(sink.lines, ElementsAre("0:0|kept"));
}

TEST(RecordReader, TheSinkMayRefuseDataBeforeAByteIsKept) {
    RecordReader reader(1000);
    Recorder sink;
    sink.refusal = Errc::ProtocolViolation;
    const Bytes bytes = frame("early");
    ByteView input(bytes);

    const result<void> fed = reader.feed(input, sink);

    ASSERT_FALSE(fed.has_value());
    EXPECT_EQ(fed.error(), Errc::ProtocolViolation);
    EXPECT_THAT(sink.lines, IsEmpty());
}

}  // namespace
}  // namespace shunt::engine
