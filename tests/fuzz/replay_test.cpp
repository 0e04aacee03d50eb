// The inputs that fuzzers found worth keeping, and the most memory a few hostile bytes can take.
#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "memory_meter.hpp"
#include "protocol/command_record.hpp"
#include "protocol/envelope.hpp"
#include "protocol/errc.hpp"
#include "protocol/multipart.hpp"
#include "protocol/writer.hpp"
#include "targets.hpp"
#include "tools/hex_text.hpp"

namespace shunt::fuzz {
namespace {

/// Runs every line of a target's corpus; a target that does not hold aborts the program.
void replay(std::string_view name) {
    const char* root = std::getenv("SHUNT_SOURCE_ROOT");
    const std::string path = std::string(root != nullptr ? root : ".") + "/fixtures/corpus/" +
                             std::string(name) + ".txt";
    std::ifstream file(path);
    int inputs = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) continue;
        std::string why;
        const auto input = tools::parse_hex(line == "-" ? "" : line, &why);
        ASSERT_TRUE(input.has_value()) << path << ": " << why;
        for (const Target& target : kTargets) {
            if (target.name == name) target.run(input.value());
        }
        ++inputs;
    }
    EXPECT_GT(inputs, 0) << path;
}

TEST(FuzzReplay, Frames) {
    replay("frames");
}
TEST(FuzzReplay, Record) {
    replay("record");
}
TEST(FuzzReplay, Envelope) {
    replay("envelope");
}
TEST(FuzzReplay, Stored) {
    replay("stored");
}
TEST(FuzzReplay, Layout) {
    replay("layout");
}
TEST(FuzzReplay, Trace) {
    replay("trace");
}
TEST(FuzzReplay, Capture) {
    replay("capture");
}

// --- memory -----------------------------------------------------------------------------------
// A count or a length of a stranger must not make us hold more than its bytes are worth. Each test
// packs as many of the smallest items as fit, which is the worst an attacker can do.

constexpr std::size_t kHostileBytes = 1 << 20;

/// Peak memory of decoding `stream` as a payload, whatever comes of it.
std::size_t envelope_peak(const Bytes& stream) {
    meter_start();
    static_cast<void>(protocol::decode_envelope(stream));
    return meter_peak_bytes();
}

/// Everything of a payload before its saved work: no state, so the rules refuse it in the end.
protocol::Writer envelope_head() {
    protocol::Writer writer;
    writer.integer(std::uint64_t{0});
    writer.integer(std::uint64_t{1});
    writer.copy(bytes_of(std::string_view("\x02\x00\x12\x01r", 5)));
    writer.integer(std::uint64_t{1});
    writer.integer(std::uint64_t{1});
    writer.integer(std::uint64_t{0});
    writer.integer(std::uint32_t{0});
    return writer;
}

/// A saved message with no more bytes than it needs; `metadata` may be empty.
void put_small_work(protocol::Writer& writer, std::uint64_t order, ByteView metadata) {
    writer.integer(std::uint64_t{1});
    writer.integer(order);
    writer.integer(std::uint8_t{1});  // nodeSend
    writer.copy(bytes_of(std::string_view("\x01\x00\x14\x01n", 5)));
    writer.integer(std::uint64_t{1});
    writer.copy(bytes_of(std::string_view("\x01o", 2)));
    writer.integer(std::uint64_t{1});
    writer.integer(static_cast<std::uint8_t>(metadata.empty() ? 0 : 1));
    writer.copy(metadata);
    writer.integer(std::uint64_t{0});
    writer.integer(std::uint64_t{0});
    writer.integer(std::uint32_t{0});
    writer.integer(std::uint16_t{0});
    writer.copy(bytes_of(std::string_view("\x01\x00\x00\x00\x08\x01p\x01t\x00\x00\x00\x00", 13)));
}

/// A payload of about kHostileBytes full of small saved messages; a count that lies if asked to.
Bytes payload_of_small_work(ByteView metadata, bool lie) {
    protocol::Writer one;
    put_small_work(one, 1, metadata);
    const std::size_t item_bytes = flatten(std::move(one).take_segments()).size();
    const std::size_t count = kHostileBytes / item_bytes;
    protocol::Writer writer = envelope_head();
    writer.integer(lie ? 0xFFFF'FFFFU : static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) put_small_work(writer, i + 1, metadata);
    writer.integer(std::uint64_t{0});
    return flatten(std::move(writer).take_segments());
}

/// Metadata of as many entries as differ in a key of one byte.
Bytes densest_metadata() {
    constexpr unsigned kKeys = 127;
    Bytes bytes{std::byte{1}, std::byte{kKeys}};
    for (unsigned key = 1; key <= kKeys; ++key) {
        for (const unsigned byte : {1U, key, 0U, 0U}) bytes.push_back(static_cast<std::byte>(byte));
    }
    return bytes;
}

TEST(DecodeMemory, SmallSavedMessagesStayWithinTheBound) {
    const Bytes stream = payload_of_small_work({}, false);

    EXPECT_LE(envelope_peak(stream), memory_bytes_max(stream.size()));
    // The bytes are what they are meant to be: refused by a rule over the whole, not before.
    EXPECT_EQ(protocol::decode_envelope(stream).error(), protocol::Errc::Semantic);
}

TEST(DecodeMemory, SavedMessagesFullOfMetadataStayWithinTheBound) {
    const Bytes metadata = densest_metadata();
    const Bytes stream = payload_of_small_work(metadata, false);

    EXPECT_LE(envelope_peak(stream), memory_bytes_max(stream.size()));
    EXPECT_EQ(protocol::decode_envelope(stream).error(), protocol::Errc::Semantic);
}

TEST(DecodeMemory, CountsThatLieStayWithinTheBound) {
    const Bytes stream = payload_of_small_work({}, true);

    EXPECT_LE(envelope_peak(stream), memory_bytes_max(stream.size()));
}

TEST(DecodeMemory, EmptyPartsStayWithinTheBound) {
    Bytes bytes(kHostileBytes, std::byte{0});
    const std::uint32_t count = (kHostileBytes - 4) / 4;
    for (unsigned i = 0; i < 4; ++i) bytes[i] = static_cast<std::byte>(count >> (24U - 8 * i));
    protocol::TypedPayloadView payload;
    payload.packet_name = protocol::kMultipartPacketName;
    payload.content_type = protocol::kMultipartContentType;
    payload.payload = bytes;

    meter_start();
    const bool decoded = protocol::decode_multipart(payload).has_value();
    const std::size_t peak = meter_peak_bytes();

    EXPECT_TRUE(decoded);
    EXPECT_LE(peak, memory_bytes_max(bytes.size()));
}

// A record that announces a gigabyte and holds a few bytes takes no memory for it.
TEST(DecodeMemory, AnnouncedLengthsTakeNothing) {
    std::string why;
    const Bytes head = tools::parse_hex("5a4d011000", &why).value();
    const Bytes payload = tools::parse_hex("01 ffffffff 0170 0174 fffffd00 00", &why).value();
    const std::array<ByteView, 2> frames{head, payload};

    meter_start();
    const bool decoded = protocol::decode_record({.parts = frames}).has_value();
    const std::size_t peak = meter_peak_bytes();

    EXPECT_FALSE(decoded);
    EXPECT_EQ(peak, 0U);
}

}  // namespace
}  // namespace shunt::fuzz
