#include "protocol/command_record.hpp"

#include <variant>

#include <gtest/gtest.h>

#include "golden.hpp"
#include "protocol/crc32c.hpp"
#include "protocol/enum_names.hpp"
#include "protocol/errc.hpp"
#include "protocol/terminal.hpp"
#include "protocol/writer.hpp"
#include "samples.hpp"

namespace shunt::protocol::test {
namespace {

RelocationState state_command(Blob chunk) {
    for (const RecordSample& sample : record_samples()) {
        if (const auto* state = std::get_if<RelocationState>(&sample.command)) {
            RelocationState command = *state;
            command.chunk_data = std::move(chunk);
            return command;
        }
    }
    return {};
}

// Chunks are gathered, never copied: the record's tail must be the very segments of the payload.
TEST(CommandRecord, ChunkSegmentsBecomeTheTail) {
    const Segment slice = Segment(Bytes(300'000, std::byte{7})).slice(1000, 262'144);

    const OutRecord record = encode_record(state_command(Blob(Segments{slice, slice})));

    ASSERT_EQ(record.parts.size(), 1U);
    ASSERT_EQ(record.parts[0].tail.size(), 2U);
    EXPECT_EQ(record.parts[0].tail[0].view().data(), slice.view().data());
    EXPECT_LT(record.parts[0].head.size(), 300U);
    EXPECT_EQ(record.charge(), record.parts[0].size_bytes() + kFrameCharge);
}

// A gather entry costs more than a few bytes do.
TEST(CommandRecord, SmallSegmentsAreCopiedIntoTheHead) {
    const Segment small(Bytes(kCopyBytesMax, std::byte{7}));

    const OutRecord record = encode_record(state_command(Blob(small)));

    EXPECT_TRUE(record.parts[0].tail.empty());
}

TEST(CommandRecord, PayloadSegmentsBecomeTheTailOfTheirFrame) {
    const Segment bulk(Bytes(10'000, std::byte{7}));
    const TypedPayload payload{"Chat", "application/octet-stream", Blob(bulk)};
    ActorSend send;
    send.operation = {1, 1};
    send.target_actor = actor_fence();

    const OutRecord record = encode_record(send, payload);

    ASSERT_EQ(record.parts.size(), 2U);
    ASSERT_EQ(record.parts[1].tail.size(), 1U);
    EXPECT_EQ(record.parts[1].tail[0].view().data(), bulk.view().data());
}

// The boundary checksum covers the record alone; sender and receiver must see the same bytes.
TEST(CommandRecord, FrozenRecordBytesAreTheRecordsEncoding) {
    for (const FrozenRecord& frozen : frozen_samples()) {
        if (frozen.kind() == MeshRecordKind::SendReady ||
            frozen.kind() == MeshRecordKind::RelocationControl) {
            continue;
        }
        const Segments encoded = encode_frozen_record(frozen);
        EncodedRelocationData data;
        data.relocation = {1, 2};
        data.target_attempt_generation = {1};
        data.coordinator = {OwnerId{"o"}, OwnerLeaseGeneration{1}, NodeRid{"n"}, NodeGeneration{1},
                            "v"};
        data.object = actor_object();
        data.record = Blob(encoded);
        const OutRecord record = encode_record(data);
        Bytes frame = record.parts[0].head;
        const Bytes tail = flatten(record.parts[0].tail);
        frame.insert(frame.end(), tail.begin(), tail.end());
        const ByteView part(frame);

        const auto decoded = decode_record(InRecord{.parts = {&part, 1}});

        ASSERT_TRUE(decoded.has_value()) << category_of(decoded.error());
        EXPECT_EQ(crc32c(decoded.value().frozen_record_bytes), crc32c(encoded));
        EXPECT_TRUE(std::get<RelocationData>(decoded.value().command).record == frozen);
    }
}

std::error_code refusal(std::string_view frame_hex) {
    const Bytes frame = unhex(frame_hex);
    const ByteView part(frame);
    const auto decoded = decode_record(InRecord{.parts = {&part, 1}});
    return decoded.has_error() ? decoded.error() : std::error_code();
}

// Section 14 fixes what is looked at first: two peers must agree on what is wrong with a record.
TEST(CommandRecord, HeadIsJudgedInOrder) {
    EXPECT_EQ(refusal(""), Errc::TruncatedField);
    EXPECT_EQ(refusal("005b02"), Errc::TruncatedField);
    EXPECT_EQ(refusal("005b0200ff"), Errc::InvalidMagic);
    EXPECT_EQ(refusal("5a4d0200ff"), Errc::UnsupportedMajor);
    EXPECT_EQ(refusal("5a4d0100ff"), Errc::UnknownCommand);
    EXPECT_EQ(refusal("5a4d0105ff"), Errc::ForbiddenFlag);
    EXPECT_EQ(refusal("5a4d010500"), Errc::TruncatedField);
    EXPECT_EQ(decode_record(InRecord{}).error(), Errc::TruncatedField);
}

TEST(CommandRecord, SessionFlagsComeTogetherOrNotAtAll) {
    EXPECT_EQ(refusal("5a4d011802"), Errc::ForbiddenFlag);
    EXPECT_EQ(refusal("5a4d011804"), Errc::ForbiddenFlag);
    EXPECT_EQ(refusal("5a4d011806"), Errc::TruncatedField);
}

TEST(CommandRecord, ReservedCommandsAreRefused) {
    std::size_t known = 0;
    for (unsigned id = 0; id < 256; ++id) {
        const Bytes frame = {std::byte{0x5A}, std::byte{0x4D}, std::byte{1},
                             static_cast<std::byte>(id), std::byte{0}};
        const ByteView part(frame);
        const auto peeked = peek_command(InRecord{.parts = {&part, 1}});
        if (peeked.has_value()) {
            ++known;
            EXPECT_FALSE(name_of(peeked.value()).empty());
        } else {
            EXPECT_EQ(peeked.error(), Errc::UnknownCommand);
        }
    }
    EXPECT_EQ(known, std::variant_size_v<Command>);
}

// Section 3.3, the whole table: every result with every code.
TEST(CommandRecord, TerminalPairsAreThoseOfTheTable) {
    for (const auto& code : kEnumNames<FrameworkErrorCode>) {
        std::size_t allowed = 0;
        for (const auto& result : kEnumNames<RequestTerminalResult>) {
            if (is_terminal_pair(result.value, code.value)) ++allowed;
        }
        const bool none = code.value == FrameworkErrorCode::None;
        EXPECT_EQ(allowed, none ? 9U : 1U) << code.name;
        EXPECT_TRUE(is_terminal_pair(result_of(code.value), code.value)) << code.name;
    }
}

TEST(CommandRecord, LegFollowsTheDirection) {
    EXPECT_EQ(encode_record(LivenessProbe{1}).leg, Leg::Send);
    EXPECT_EQ(encode_record(Reply{.correlation = 1}).leg, Leg::Reply);
    for (const RecordSample& sample : record_samples()) {
        if (const auto* prepare = std::get_if<RelocationPrepare>(&sample.command)) {
            EXPECT_EQ(encode_record(*prepare).leg, Leg::Request);
        }
    }
}

TEST(Crc32c, KnownValues) {
    EXPECT_EQ(crc32c(bytes_of("123456789")), 0xE3069283U);
    EXPECT_EQ(crc32c(ByteView()), 0U);
    Bytes counting;
    for (unsigned i = 0; i < 0x18; ++i) counting.push_back(static_cast<std::byte>(i));
    EXPECT_EQ(crc32c(counting), 0x29BC8795U);
}

TEST(Crc32c, PiecesGiveTheSameAsTheWhole) {
    const std::string_view text = "immutable segments of one captured payload";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        Crc32c checksum;
        checksum.update(bytes_of(text.substr(0, cut)));
        checksum.update(bytes_of(text.substr(cut)));
        EXPECT_EQ(checksum.value(), crc32c(bytes_of(text)));
    }
}

}  // namespace
}  // namespace shunt::protocol::test
