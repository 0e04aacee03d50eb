#include "protocol/envelope.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "golden.hpp"
#include "protocol/crc32c.hpp"
#include "protocol/errc.hpp"
#include "samples.hpp"

namespace shunt::protocol::test {
namespace {

/// Where in `stream` the bytes of `segment` are, as memory; nothing if they were copied.
bool shares(const Segments& stream, ByteView bytes) {
    return std::ranges::any_of(stream, [&](const Segment& segment) {
        return segment.view().data() == bytes.data() && segment.size() == bytes.size();
    });
}

// A state blob is never copied on the source (design.md §2): its segments must appear as they are.
TEST(RelocationEnvelope, StateSegmentsPassThroughUncopied) {
    const Segment first(Bytes(100'000, std::byte{1}));
    const Segment second(Bytes(5'000, std::byte{2}));
    RelocationEnvelope envelope = envelope_sample();
    envelope.application_states.front().state = Blob(Segments{first, second});

    const EncodedEnvelope encoded = encode_envelope(envelope);

    EXPECT_TRUE(shares(encoded.stream, first.view()));
    EXPECT_TRUE(shares(encoded.stream, second.view()));
}

TEST(RelocationEnvelope, DecodedStatesAreLentOutOfTheStream) {
    const Bytes stream = flatten(encode_envelope(envelope_sample()).stream);

    const auto decoded = decode_envelope(stream);

    ASSERT_TRUE(decoded.has_value());
    const ByteView state = decoded.value().application_states.front().state->view();
    EXPECT_EQ(text_of(state), "state bytes");
    EXPECT_GE(state.data(), stream.data());
    EXPECT_LT(state.data(), stream.data() + stream.size());
}

// §4.2: everything captured comes back, in the order of the stream.
TEST(RelocationEnvelope, U47_DecodesToWhatWasEncoded) {
    const RelocationEnvelope envelope = envelope_sample();
    const Bytes stream = flatten(encode_envelope(envelope).stream);

    const auto decoded = decode_envelope(stream);

    ASSERT_TRUE(decoded.has_value()) << category_of(decoded.error());
    EXPECT_TRUE(decoded.value() == envelope);
}

TEST(RelocationEnvelope, U51_TimersAndTicksRoundTrip) {
    const RelocationEnvelope envelope = envelope_sample();
    const Bytes stream = flatten(encode_envelope(envelope).stream);

    const auto decoded = decode_envelope(stream);

    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(decoded.value().timer_registrations, envelope.timer_registrations);
    EXPECT_EQ(decoded.value().pending_timer_ticks, envelope.pending_timer_ticks);
}

TEST(RelocationEnvelope, U52_LengthAndChecksumAreThoseOfTheStream) {
    const EncodedEnvelope encoded = encode_envelope(envelope_sample());
    const Bytes stream = flatten(encoded.stream);

    EXPECT_EQ(encoded.total_length, stream.size());
    EXPECT_EQ(encoded.checksum_crc32c, crc32c(stream));
}

TEST(RelocationEnvelope, NoStateAndEmptyStateDiffer) {
    RelocationEnvelope with = envelope_sample();
    with.application_states = {{ParticipantId{1}, Blob()}, {ParticipantId{3}, Blob()}};
    RelocationEnvelope without = with;
    without.application_states.front().state.reset();

    const auto decoded =
        decode_envelope(flatten(encode_envelope(without).stream)).value().application_states;

    EXPECT_NE(flatten(encode_envelope(with).stream), flatten(encode_envelope(without).stream));
    EXPECT_FALSE(decoded.at(0).state.has_value());
    EXPECT_TRUE(decoded.at(1).state.has_value());
}

TEST(RelocationEnvelope, EveryCutIsRefused) {
    const Bytes stream = flatten(encode_envelope(envelope_sample()).stream);
    for (std::size_t size = 0; size < stream.size(); ++size) {
        EXPECT_TRUE(decode_envelope(ByteView(stream).first(size)).has_error()) << size;
    }
}

// design.md decision 9: the public bound of 1,024 participants is not ours.
TEST(RelocationEnvelope, CarriesMoreThan1024Participants) {
    RelocationEnvelope envelope;
    envelope.relocation = {1, 1};
    envelope.object = actor_object();
    for (std::uint64_t id = 1; id <= 3000; ++id) {
        envelope.application_states.push_back({ParticipantId{id}, std::nullopt});
    }

    const Bytes stream = flatten(encode_envelope(envelope).stream);
    const auto decoded = decode_envelope(stream);

    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(decoded.value().application_states.size(), 3000U);
}

}  // namespace
}  // namespace shunt::protocol::test
