// The ZMP frame parser and the control bodies, fed the way a socket feeds them.

#include "protocol/frame.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "golden.hpp"
#include "protocol/control_frame.hpp"
#include "protocol/errc.hpp"

namespace shunt::protocol::test {
namespace {

struct Frame {
    FrameHeader header;
    Bytes body;
};

/// Everything the parser makes of `bytes`, handed over in pieces of `step`.
result<std::vector<Frame>> parse(FrameParser& parser, ByteView bytes, std::size_t step) {
    std::vector<Frame> frames;
    while (!bytes.empty()) {
        ByteView input = bytes.first(std::min(step, bytes.size()));
        bytes = bytes.subspan(input.size());
        while (true) {
            BOOST_OUTCOME_TRY(const FrameParser::Event event, parser.next(input));
            if (event.kind == FrameParser::Event::Kind::NeedInput) break;
            if (event.kind == FrameParser::Event::Kind::Header) {
                frames.push_back({event.header, {}});
                continue;
            }
            Bytes& body = frames.back().body;
            body.insert(body.end(), event.piece.begin(), event.piece.end());
        }
        EXPECT_TRUE(input.empty());
    }
    return frames;
}

Bytes frame(const FrameHeader& header, std::string_view body = {}) {
    FrameHeader sized = header;
    sized.body_bytes = static_cast<std::uint32_t>(body.size());
    Bytes bytes = copy_of(encode_frame_header(sized).view());
    const ByteView text = bytes_of(body);
    bytes.insert(bytes.end(), text.begin(), text.end());
    return bytes;
}

Bytes operator+(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::error_code refusal(const Bytes& bytes, WireGeneration generation = WireGeneration::LaneCount,
                        FrameParser::Limits limits = {}) {
    FrameParser parser(limits);
    parser.set_generation(generation);
    const auto frames = parse(parser, bytes, bytes.size());
    return frames.has_error() ? frames.error() : std::error_code();
}

// TCP cuts where it likes: no split may change what a record is. Provoked with every step size.
TEST(FrameParser, AnySplitGivesTheSameFrames) {
    const Bytes stream =
        frame({.flags = frame_flag::kControl}, "\x05\x01") +
        frame({.flags = frame_flag::kMore, .kind = FrameKind::Request, .sequence = 77}, "head") +
        frame({.flags = frame_flag::kMore}) + frame({}, "payload") +
        frame({.kind = FrameKind::Reply, .sequence = 1}, "x");

    for (std::size_t step = 1; step <= stream.size(); ++step) {
        FrameParser parser;
        const auto frames = parse(parser, stream, step);

        ASSERT_TRUE(frames.has_value()) << step;
        ASSERT_EQ(frames.value().size(), 5U) << step;
        EXPECT_TRUE(frames.value()[0].header.control());
        EXPECT_EQ(frames.value()[1].header.sequence, 77U);
        EXPECT_EQ(text_of(frames.value()[1].body), "head");
        EXPECT_TRUE(frames.value()[2].body.empty());
        EXPECT_EQ(text_of(frames.value()[3].body), "payload");
        EXPECT_EQ(frames.value()[4].header.kind, FrameKind::Reply);
        EXPECT_TRUE(parser.at_record_boundary());
    }
}

// A body that is wholly there is lent, not copied: the engine's receive path rests on it.
TEST(FrameParser, WholeBodyIsLentInOnePiece) {
    const Bytes stream = frame({}, "payload");
    FrameParser parser;
    ByteView input(stream);

    const auto header = parser.next(input);
    const auto body = parser.next(input);

    ASSERT_TRUE(header.has_value() && body.has_value());
    EXPECT_EQ(body.value().piece.data(), stream.data() + kFrameHeaderBytes);
    EXPECT_EQ(body.value().piece.size(), 7U);
    EXPECT_TRUE(body.value().last);
}

// The header event may be used to allocate, so it must never come for a length over the limit.
TEST(FrameParser, LengthIsJudgedBeforeTheHeaderIsReported) {
    Bytes huge = copy_of(encode_frame_header({.body_bytes = 0xFFFF'FFFF}).view());

    EXPECT_EQ(refusal(huge, WireGeneration::LaneCount, {.record_bytes_max = 1024}),
              Errc::FrameTooLarge);
    EXPECT_FALSE(refusal(frame({}, std::string(1024, 'x')), WireGeneration::LaneCount,
                         {.record_bytes_max = 1024}));
    EXPECT_EQ(refusal(frame({}, std::string(1025, 'x')), WireGeneration::LaneCount,
                      {.record_bytes_max = 1024}),
              Errc::FrameTooLarge);
}

// The limit is one for the record: many small parts must not add up past it.
TEST(FrameParser, LimitCountsAllPartsOfARecord) {
    const Bytes part = frame({.flags = frame_flag::kMore}, std::string(600, 'x'));

    EXPECT_EQ(refusal(part + part, WireGeneration::LaneCount, {.record_bytes_max = 1024}),
              Errc::FrameTooLarge);
    const Bytes single = frame({}, std::string(600, 'x'));
    EXPECT_FALSE(refusal(single + single, WireGeneration::LaneCount, {.record_bytes_max = 1024}));
}

TEST(FrameParser, ControlBodiesHaveALimitOfTheirOwn) {
    EXPECT_FALSE(refusal(frame({.flags = frame_flag::kControl}, std::string(4096, 'x'))));
    EXPECT_EQ(refusal(frame({.flags = frame_flag::kControl}, std::string(4097, 'x'))),
              Errc::FrameTooLarge);
}

TEST(FrameParser, RefusesWhatIsNotZmp) {
    EXPECT_EQ(refusal(copy_of(bytes_of("GET / HTTP/1.1"))), Errc::FrameMagic);
    EXPECT_EQ(refusal(unhex("5a02000000000000")), Errc::FrameVersion);
}

TEST(FrameParser, RefusesIllegalFlags) {
    for (const char* header :
         {"5a01200000000000", "5a01400000000000", "5a01800000000000", "5a01030000000000",
          "5a01060000000000", "5a01180000000000", "5a01090000000000"}) {
        EXPECT_EQ(refusal(unhex(header)), Errc::FrameFlags) << header;
    }
    EXPECT_FALSE(refusal(unhex("5a01050000000000"))) << "identity with more is swallowed";
}

TEST(FrameParser, KindBelongsToTheLaneCountGeneration) {
    const Bytes request = frame({.kind = FrameKind::Request, .sequence = 1}, "x");

    EXPECT_EQ(refusal(request, WireGeneration::PairId), Errc::FrameFlags);
    EXPECT_FALSE(refusal(request, WireGeneration::LaneCount));
    EXPECT_EQ(refusal(unhex("5a01000400000000")), Errc::FrameKind);
    EXPECT_EQ(refusal(unhex("5a010001000000000000000000000000")), Errc::FrameSequence);
    EXPECT_EQ(refusal(unhex("5a01020100000000")), Errc::FrameKind);
}

TEST(FrameParser, NothingMayStandInsideARecord) {
    const Bytes part = frame({.flags = frame_flag::kMore}, "x");
    const Bytes control = frame({.flags = frame_flag::kControl}, "x");

    EXPECT_EQ(refusal(part + control), Errc::FrameMultipart);
    EXPECT_FALSE(refusal(part + control, WireGeneration::PairId)) << "tolerated there";
    EXPECT_EQ(refusal(part + frame({.kind = FrameKind::Reply, .sequence = 1}, "x")),
              Errc::FrameMultipart);
}

// A connection that dies inside a record must be told from one that ends cleanly.
TEST(FrameParser, KnowsWhetherARecordIsOpen) {
    const Bytes stream = frame({.flags = frame_flag::kMore}, "ab") + frame({}, "cd");
    for (std::size_t size = 1; size < stream.size(); ++size) {
        FrameParser parser;
        ASSERT_TRUE(parse(parser, ByteView(stream).first(size), size).has_value());
        EXPECT_FALSE(parser.at_record_boundary()) << size;
    }
}

// --- control bodies ---------------------------------------------------------------------------

/// The decoded body of a whole control frame.
result<ControlFrame> control(const Bytes& bytes) {
    FrameParser parser;
    BOOST_OUTCOME_TRY(const auto frames, parse(parser, bytes, bytes.size()));
    return decode_control(frames.at(0).body);
}

// The golden bytes of zmp.md section 18: a public node must be able to read ours.
TEST(ControlFrame, HelloIsThePublishedBytes) {
    const ZmpHello hello{.socket_type = SocketType::Router, .rid = NodeRid{"node-b"}};

    EXPECT_EQ(hex(encode_control(hello)), "5a010200000000090106066e6f64652d62");
    EXPECT_EQ(std::get<ZmpHello>(control(encode_control(hello)).value()), hello);
}

TEST(ControlFrame, ReadyIsThePublishedBytes) {
    const ZmpReady ready{.socket_type = "ROUTER",
                         .routing_id = NodeRid{"node-b"},
                         .max_message_bytes = 0,
                         .pair = PairKey{.id = 0x1122334455667788, .generation = 1},
                         .lane = Lane::Application};

    EXPECT_EQ(hex(encode_control(ready)),
              "5a0102000000009b04"
              "0b536f636b65742d5479706500000006524f55544552"
              "0a526f7574696e672d4964000000066e6f64652d62"
              "165a6c696e6b2d4d61782d4d6573736167652d53697a65000000080000000000000000"
              "0d5a6c696e6b2d506169722d4964000000081122334455667788"
              "155a6c696e6b2d506169722d47656e65726174696f6e000000080000000000000001"
              "0a5a6c696e6b2d4c616e650000000100");
    EXPECT_EQ(std::get<ZmpReady>(control(encode_control(ready)).value()), ready);
}

TEST(ControlFrame, ErrorIsThePublishedBytes) {
    EXPECT_EQ(hex(encode_control(error_frame_for(make_error_code(Errc::FrameMagic)))),
              "5a0102000000001005010d696e76616c6964206d61676963");
}

TEST(ControlFrame, SupersetReadyRoundTrips) {
    const ZmpReady ready{.socket_type = "ROUTER",
                         .routing_id = NodeRid{"a"},
                         .max_message_bytes = 7,
                         .pair = PairKey{.id = 5, .generation = 2},
                         .lane = Lane::Completion,
                         .lane_count = 2,
                         .shunt_lanes = 4,
                         .shunt_link_id = 99,
                         .shunt_lane_index = 3,
                         .shunt_chunk_limit = 262144};

    EXPECT_EQ(std::get<ZmpReady>(control(encode_control(ready)).value()), ready);
}

std::error_code ready_refusal(std::string_view properties_hex) {
    Bytes body = unhex("04");
    const auto decoded = decode_control(body + unhex(properties_hex));
    return decoded.has_error() ? decoded.error() : std::error_code();
}

const std::string kLane0 = "0a5a6c696e6b2d4c616e650000000100";
const std::string kLane1 = "0a5a6c696e6b2d4c616e650000000101";
const std::string kPairId1 = "0d5a6c696e6b2d506169722d4964000000080000000000000001";
const std::string kGeneration1 =
    "155a6c696e6b2d506169722d47656e65726174696f6e000000080000000000000001";
const std::string kCount1 = "105a6c696e6b2d4c616e652d436f756e740000000101";
const std::string kCount2 = "105a6c696e6b2d4c616e652d436f756e740000000102";

TEST(ControlFrame, LaneKeysAreCompleteOrAbsent) {
    EXPECT_FALSE(ready_refusal(""));
    EXPECT_FALSE(ready_refusal(kPairId1 + kGeneration1 + kLane0));
    EXPECT_FALSE(ready_refusal(kCount2 + kLane1));
    EXPECT_EQ(ready_refusal(kLane0), Errc::ReadyLanes);
    EXPECT_EQ(ready_refusal(kPairId1 + kLane0), Errc::ReadyLanes);
    EXPECT_EQ(ready_refusal(kPairId1 + kGeneration1), Errc::ReadyLanes);
    EXPECT_EQ(ready_refusal(kCount2), Errc::ReadyLanes);
    EXPECT_EQ(ready_refusal(kCount1 + kLane1), Errc::ReadyLanes);
    EXPECT_EQ(ready_refusal("0d5a6c696e6b2d506169722d4964000000080000000000000000" + kGeneration1 +
                            kLane0),
              Errc::ReadyLanes);
    EXPECT_EQ(ready_refusal(kPairId1 + kGeneration1 + "0a5a6c696e6b2d4c616e650000000102"),
              Errc::ReadyLanes);
}

TEST(ControlFrame, LastOfARepeatedPropertyWins) {
    Bytes body = unhex("04" + kCount2 + kLane0 + kLane1);

    const auto decoded = decode_control(body);

    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(std::get<ZmpReady>(decoded.value()).lane, Lane::Completion);
}

TEST(ControlFrame, UnknownPropertiesAreIgnored) {
    EXPECT_FALSE(ready_refusal("016100000001ff" + kCount2 + kLane0));
}

// Every cut of a READY must be refused or still be a complete list of properties.
TEST(ControlFrame, TruncatedReadyIsRefused) {
    const Bytes body = unhex("04" + kCount2 + kLane0);
    const std::size_t first_property = 1 + kCount2.size() / 2;
    for (std::size_t size = 2; size < body.size(); ++size) {
        const auto decoded = decode_control(ByteView(body).first(size));
        ASSERT_TRUE(decoded.has_error()) << size;
        EXPECT_EQ(decoded.error(), size == first_property ? Errc::ReadyLanes : Errc::ReadyMetadata)
            << size;
    }
}

TEST(ControlFrame, HelloLengthsMustAgree) {
    EXPECT_EQ(decode_control(unhex("0106")).error(), Errc::HelloTooShort);
    EXPECT_EQ(decode_control(unhex("01060261")).error(), Errc::HelloIdentity);
    EXPECT_EQ(decode_control(unhex("0106016161")).error(), Errc::HelloIdentity);
    EXPECT_EQ(decode_control(Bytes(259, std::byte{1})).error(), Errc::HelloTooLarge);
    EXPECT_TRUE(decode_control(unhex("010600")).has_value()) << "an empty rid is legal here";
}

TEST(ControlFrame, WeightAndFlowStateOrNothing) {
    EXPECT_EQ(std::get<ZmpWeight>(decode_control(unhex("5745494748540000012c")).value()).weight,
              300U);
    EXPECT_TRUE(std::holds_alternative<ZmpUnknownControl>(
        decode_control(unhex("57454947485400002711")).value()));
    const ZmpFlowState paused{.paused = true, .epoch = 3};
    EXPECT_EQ(std::get<ZmpFlowState>(control(encode_control(paused)).value()), paused);
    EXPECT_TRUE(std::holds_alternative<ZmpUnknownControl>(decode_control(unhex("07")).value()));
    EXPECT_EQ(decode_control({}).error(), Errc::ControlEmpty);
}

}  // namespace
}  // namespace shunt::protocol::test
