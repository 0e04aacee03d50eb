#include "relocation/assembly.hpp"

#include <array>

#include <gtest/gtest.h>

#include "protocol/crc32c.hpp"
#include "tests/relocation/text.hpp"

namespace shunt::relocation::testing {
namespace {

Bytes counted_bytes(std::size_t from, std::size_t count) {
    Bytes bytes;
    for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(from + i));
    return bytes;
}

// spec/wire.md section 8: 24 bytes 00..17 in chunks of 16 and 8.
constexpr StreamManifest kExample{
    .total_length_bytes = 24, .chunk_count = 2, .checksum_crc32c = 0x29BC8795};

TEST(RelocationAssembly, ExampleOfTheWireSpecAddsUp) {
    Assembly assembly(kExample);

    EXPECT_EQ(assembly.accept(0, counted_bytes(0, 16)), ChunkVerdict::Append);
    EXPECT_EQ(assembly.accept(1, counted_bytes(16, 8)), ChunkVerdict::Append);

    EXPECT_EQ(assembly.assembled_bytes(), 24U);
    EXPECT_EQ(assembly.checksum_crc32c(), kExample.checksum_crc32c);
    EXPECT_EQ(assembly.next_ordinal(), 2U);
}

// The stream may be cut at any byte; the result depends on the bytes alone.
TEST(RelocationAssembly, U54_EveryCutGivesTheSameChecksum) {
    const Bytes whole = counted_bytes(0, 24);
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
        Assembly assembly(kExample);

        EXPECT_EQ(assembly.accept(0, ByteView(whole).first(cut)), ChunkVerdict::Append);
        EXPECT_EQ(assembly.accept(1, ByteView(whole).subspan(cut)), ChunkVerdict::Append);

        EXPECT_EQ(assembly.checksum_crc32c(), kExample.checksum_crc32c) << cut;
    }
}

TEST(RelocationAssembly, U09_RepeatedChunkIsHarmlessOnlyWithTheSameBytes) {
    Assembly assembly(kExample);
    assembly.accept(0, counted_bytes(0, 16));
    assembly.accept(1, counted_bytes(16, 8));

    EXPECT_EQ(assembly.accept(0, counted_bytes(0, 16)), ChunkVerdict::Repeated);
    EXPECT_EQ(assembly.accept(1, counted_bytes(16, 8)), ChunkVerdict::Repeated);
    EXPECT_EQ(assembly.accept(0, counted_bytes(1, 16)), ChunkVerdict::Conflict);
    EXPECT_EQ(assembly.accept(0, counted_bytes(0, 15)), ChunkVerdict::Conflict);

    EXPECT_EQ(assembly.assembled_bytes(), 24U);
    EXPECT_EQ(assembly.checksum_crc32c(), kExample.checksum_crc32c);
}

TEST(RelocationAssembly, U09_OrdinalsAreContiguousAndBounded) {
    Assembly assembly(kExample);

    EXPECT_EQ(assembly.accept(1, counted_bytes(16, 8)), ChunkVerdict::Conflict);
    assembly.accept(0, counted_bytes(0, 16));
    assembly.accept(1, counted_bytes(16, 8));
    EXPECT_EQ(assembly.accept(2, {}), ChunkVerdict::Conflict);
    EXPECT_EQ(assembly.accept(0xFFFF'FFFF, {}), ChunkVerdict::Conflict);
}

// Nothing beyond the declared length is ever copied, so a peer cannot make the buffer grow.
TEST(RelocationAssembly, U10_BytesBeyondTheDeclaredLengthAreNotCopied) {
    Assembly assembly(kExample);
    assembly.accept(0, counted_bytes(0, 16));

    EXPECT_EQ(assembly.accept(1, counted_bytes(16, 9)), ChunkVerdict::Overflow);

    EXPECT_EQ(assembly.assembled_bytes(), 25U);
    EXPECT_EQ(assembly.accept(1, {}), ChunkVerdict::Overflow);
}

TEST(RelocationAssembly, EventSaysWhatTheTargetHasToKnow) {
    Assembly assembly(kExample);
    const auto event_text = [&](std::uint32_t ordinal, const Bytes& bytes) {
        const ChunkVerdict verdict = assembly.accept(ordinal, bytes);
        const auto event = assembly.event_for(verdict, test_identity(), {3}, ordinal);
        return event ? text_of(*event) : std::string("none");
    };

    EXPECT_EQ(event_text(0, counted_bytes(0, 16)),
              "ChunkAssembled connection=3 ordinal=0 bytes=16 crc=" +
                  std::to_string(protocol::crc32c(counted_bytes(0, 16))));
    EXPECT_EQ(event_text(0, counted_bytes(0, 16)), "none");
    EXPECT_EQ(event_text(0, counted_bytes(9, 16)), "ChunkConflict connection=3");
    EXPECT_EQ(event_text(1, counted_bytes(16, 8)),
              "ChunkAssembled connection=3 ordinal=1 bytes=24 crc=700221333");
}

}  // namespace
}  // namespace shunt::relocation::testing
