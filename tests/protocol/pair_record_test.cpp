// Requests and replies as peers of the pair-id generation write them (spec/zmp.md section 8.1). The
// bytes of the first test are those of a public peer (section 18).

#include "protocol/pair_record.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "golden.hpp"

namespace shunt::protocol::test {
namespace {

using Kind = PairRecord::Kind;

/// Parts in hex, and views of them.
class Parts {
  public:
    explicit Parts(const std::vector<std::string_view>& hex_parts) {
        for (const std::string_view part : hex_parts) bytes_.push_back(unhex(part));
        views_.assign(bytes_.begin(), bytes_.end());
    }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;
    std::span<const ByteView> views() const { return views_; }

  private:
    std::vector<Bytes> bytes_;
    std::vector<ByteView> views_;
};

TEST(PairRecord, RequestIsThePublishedParts) {
    const Parts parts({"01", "01", "01", "000000000000004d", "7265712d626f6479"});

    const PairRecord read = read_pair_record(parts.views());

    EXPECT_EQ(read.kind, Kind::Request);
    EXPECT_EQ(read.sequence, 77U);
    ASSERT_EQ(read.parts.size(), 1U);
    EXPECT_EQ(text_of(read.parts[0]), "req-body");
}

// The same request as frames, payload excluded.
TEST(PairRecord, HeadOfARequestIsThePublishedBytes) {
    EXPECT_EQ(hex(encode_pair_head(Leg::Request, 77)),
              "5a0101000000000101"
              "5a0101000000000101"
              "5a0101000000000101"
              "5a01010000000008000000000000004d");
}

TEST(PairRecord, HeadOfAReplyDiffersInItsKind) {
    EXPECT_EQ(hex(encode_pair_head(Leg::Reply, 0x8000000000000000)),
              "5a0101000000000101"
              "5a0101000000000101"
              "5a0101000000000102"
              "5a010100000000088000000000000000");
}

TEST(PairRecord, ReplyKeepsAllItsParts) {
    const Parts parts({"01", "01", "02", "0000000000000005", "aa", ""});

    const PairRecord read = read_pair_record(parts.views());

    EXPECT_EQ(read.kind, Kind::Reply);
    EXPECT_EQ(read.sequence, 5U);
    EXPECT_EQ(read.parts.size(), 2U);
}

TEST(PairRecord, ErrorReplyTellsItsNumberAndKeepsTheRest) {
    const Parts two({"01", "01", "03", "0000000000000005", "00000002", "aa"});
    const Parts malformed({"01", "01", "03", "0000000000000005", "0002"});

    EXPECT_EQ(read_pair_record(two.views()).kind, Kind::ErrorReply);
    EXPECT_EQ(read_pair_record(two.views()).error_number, 2U);
    EXPECT_EQ(read_pair_record(two.views()).parts.size(), 1U);
    EXPECT_EQ(read_pair_record(malformed.views()).kind, Kind::ErrorReply);
    EXPECT_EQ(read_pair_record(malformed.views()).error_number, 0U);
}

TEST(PairRecord, ControlHasNoSequence) {
    const Parts control({"01", "01", "04", "0000000000000000", "5a4d010500"});

    const PairRecord read = read_pair_record(control.views());

    EXPECT_EQ(read.kind, Kind::Control);
    EXPECT_EQ(hex(read.parts[0]), "5a4d010500");
}

// An application may send parts that look alike; only a head without fault is one.
TEST(PairRecord, WhatMerelyBeginsLikeOneIsAnOrdinaryRecord) {
    const std::vector<std::vector<std::string_view>> records{
        {},
        {"01", "01", "01", "000000000000004d"},
        {"02", "01", "01", "000000000000004d", "aa"},
        {"01", "02", "01", "000000000000004d", "aa"},
        {"01", "01", "00", "000000000000004d", "aa"},
        {"01", "01", "05", "000000000000004d", "aa"},
        {"01", "01", "01", "0000000000000000", "aa"},
        {"01", "01", "04", "000000000000004d", "aa"},
        {"01", "01", "01", "0000004d", "aa"},
        {"0100", "01", "01", "000000000000004d", "aa"},
        {"01", "01", "", "000000000000004d", "aa"},
    };
    for (const auto& hex_parts : records) {
        const Parts record(hex_parts);
        const PairRecord read = read_pair_record(record.views());

        EXPECT_EQ(read.kind, Kind::Plain);
        EXPECT_EQ(read.parts.size(), record.views().size());
    }
}

// Between Shunt nodes both keys are there, and the longer header is used (section 19.1).
TEST(PairRecord, ReadySaysWhichFormAPeerReads) {
    ZmpReady ready;
    ready.pair = PairKey{.id = 7, .generation = 1};
    EXPECT_EQ(generation_of(ready), WireGeneration::PairId);
    ready.lane_count = 2;
    EXPECT_EQ(generation_of(ready), WireGeneration::LaneCount);
    ready.pair.reset();
    EXPECT_EQ(generation_of(ready), WireGeneration::LaneCount);
}

}  // namespace
}  // namespace shunt::protocol::test
