// The published vectors, read and written back: accepted ones must come out byte for byte, rejected
// ones must fail with their category, and no accepted one may be readable when it is cut short.

#include "golden.hpp"

#include <variant>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "protocol/command_record.hpp"
#include "protocol/crc32c.hpp"
#include "protocol/enum_names.hpp"
#include "protocol/envelope.hpp"
#include "protocol/inspect.hpp"

namespace shunt::protocol::test {
namespace {

std::vector<ByteView> views(const std::vector<Bytes>& frames) {
    return {frames.begin(), frames.end()};
}

DecodeContext context_of(const Vector& vector) {
    for (const auto& known : kEnumNames<MeshOperationKind>) {
        if (known.name == vector.original_operation) return {.original_operation = known.value};
    }
    return {};
}

void expect_tree(const Inspection& read, const Vector& vector) {
    EXPECT_EQ(nlohmann::json::parse(read.json), nlohmann::json::parse(vector.decoded));
}

void check_command(const Vector& vector) {
    const std::vector<ByteView> frames = views(vector.frames);
    const auto read = inspect_record(frames, context_of(vector));

    if (!vector.accepted()) {
        ASSERT_TRUE(read.has_error());
        EXPECT_EQ(category_of(read.error()), vector.error);
        return;
    }
    ASSERT_TRUE(read.has_value()) << category_of(read.error());
    EXPECT_EQ(read.value().encoding, vector.frames);
    expect_tree(read.value(), vector);
    for (std::size_t part = 0; part < frames.size(); ++part) {
        for (std::size_t size = 0; size < frames[part].size(); ++size) {
            std::vector<ByteView> cut = frames;
            cut[part] = cut[part].first(size);
            EXPECT_TRUE(decode_record(InRecord{.parts = cut}, context_of(vector)).has_error())
                << "cut to " << size << " bytes in frame " << part;
        }
    }
}

void check_type(const Vector& vector) {
    const auto read = inspect(vector.type, vector.bytes);

    if (!vector.accepted()) {
        ASSERT_TRUE(read.has_error());
        EXPECT_EQ(category_of(read.error()), vector.error);
        return;
    }
    ASSERT_TRUE(read.has_value()) << category_of(read.error());
    EXPECT_EQ(hex(read.value().encoding.front()), hex(vector.bytes));
    expect_tree(read.value(), vector);
    for (std::size_t size = 0; size < vector.bytes.size(); ++size) {
        EXPECT_TRUE(inspect(vector.type, ByteView(vector.bytes).first(size)).has_error())
            << "cut to " << size << " bytes";
    }
}

/// Vectors that need what only a ClientServer connection has: an admitted message limit.
bool is_out_of_reach(const Vector& vector) {
    return vector.name == "payload-bytes-over-negotiated-bound";
}

void check_all(std::string_view format) {
    for (const Vector& vector : golden(format)) {
        if (is_out_of_reach(vector)) continue;
        SCOPED_TRACE(vector.format + "/" + vector.name);
        if (vector.kind == "command") {
            check_command(vector);
        } else {
            check_type(vector);
        }
    }
}

TEST(Golden, Primitives) {
    check_all("primitives-v1");
}
TEST(Golden, Errors) {
    check_all("framework-error-v1");
}
TEST(Golden, ServiceRecords) {
    check_all("service-record-v1");
}
TEST(Golden, Metadata) {
    check_all("metadata-frame-v1");
}
TEST(Golden, PayloadEnvelopes) {
    check_all("application-payload-envelope-v1");
}
TEST(Golden, Multipart) {
    check_all("framework-multipart-v1");
}
TEST(Golden, Admission) {
    check_all("admission-v1");
}
TEST(Golden, Messaging) {
    check_all("messaging-v1");
}
TEST(Golden, Replies) {
    check_all("reply-v1");
}
TEST(Golden, ReplyRelay) {
    check_all("reply-relay-v1");
}
TEST(Golden, ActorCreate) {
    check_all("actor-create-v1");
}
TEST(Golden, ActorJoinReplies) {
    check_all("actor-join-reply-v1");
}
TEST(Golden, ActorJoinRequests) {
    check_all("actor-join-request-v1");
}
TEST(Golden, UserSpotCreate) {
    check_all("user-spot-create-v1");
}
TEST(Golden, UserSpotClose) {
    check_all("user-spot-close-v1");
}
TEST(Golden, BoundSessionReplaced) {
    check_all("bound-session-replaced-v1");
}
TEST(Golden, SessionBarrier) {
    check_all("session-relocation-barrier-v1");
}
TEST(Golden, MessageFollow) {
    check_all("message-follow-v1");
}
TEST(Golden, U11_RelocationControl) {
    check_all("relocation-control-v1");
}
TEST(Golden, AuthorityKeys) {
    check_all("authority-key-v1");
}
TEST(Golden, AuthorityPayload) {
    check_all("authority-payload-v1");
}
TEST(Golden, AuthorityRelocationState) {
    check_all("authority-relocation-state-v1");
}
TEST(Golden, CreationTerminal) {
    check_all("creation-operation-terminal-v1");
}
TEST(Golden, InstanceActivationRecovery) {
    check_all("instance-activation-recovery-v1");
}
TEST(Golden, MaintenanceAggregate) {
    check_all("maintenance-aggregate-v1");
}
TEST(Golden, U11_RelocationDataChunk) {
    check_all("relocation-data-chunk-v1");
}
TEST(Golden, RelocationManifest) {
    check_all("relocation-manifest-v1");
}

// The field order of the stream is the contract: a target of another make restores from it. Vectors
// out of order or with duplicates are among the refused ones.
TEST(Golden, U47_U49_RelocationEnvelope) {
    check_all("relocation-envelope-v1");
}

// Participants have no ids in the stream; both sides count them off in the order of key bytes,
// which is not the order of any locale.
TEST(Golden, U48_ParticipantOrder) {
    check_all("authority-order-v1");
}

// Saved messages must come back with every field they had, whatever kind they are.
TEST(Golden, U50_FrozenRecords) {
    check_all("frozen-record-v1");
    check_all("saved-work-vector-v1");
}

// What 40 declares must be what the chunks amount to, or the target would refuse a good stream.
TEST(Golden, U52_PrepareDescribesTheStream) {
    for (const Vector& vector : golden("relocation-transfer-v1")) {
        if (!vector.accepted()) continue;
        SCOPED_TRACE(vector.name);
        const ByteView frame(vector.prepare);

        const auto record = decode_record(InRecord{.parts = {&frame, 1}});

        ASSERT_TRUE(record.has_value()) << category_of(record.error());
        const auto& prepare = std::get<RelocationPrepare>(record.value().command);
        EXPECT_EQ(prepare.payload_total_length, vector.bytes.size());
        EXPECT_EQ(prepare.payload_checksum_crc32c, crc32c(vector.bytes));
    }
}

// Chunks may cut the stream anywhere; their encoding must not depend on how they were gathered.
TEST(Golden, ChunksAreWrittenFromSegmentsAsFromBytes) {
    for (const Vector& vector : golden("relocation-transfer-v1")) {
        SCOPED_TRACE(vector.name);
        for (const Bytes& chunk : vector.chunks) {
            const ByteView frame(chunk);
            const auto record = decode_record(InRecord{.parts = {&frame, 1}});
            ASSERT_TRUE(record.has_value()) << category_of(record.error());
            auto state = std::get<RelocationState>(record.value().command);
            Segments pieces;
            for (const std::byte b : state.chunk_data.view()) pieces.emplace_back(Bytes{b});
            state.chunk_data = Blob(std::move(pieces));

            const OutRecord again = encode_record(state);

            Bytes written = again.parts[0].head;
            for (const Segment& segment : again.parts[0].tail) {
                written.insert(written.end(), segment.view().begin(), segment.view().end());
            }
            EXPECT_EQ(written, chunk);
        }
    }
}

// The boundary checksum runs over the record encodings alone; one byte of head or length in it
// would make every cutover of another make look damaged.
TEST(Golden, BoundaryChecksumCoversRecordEncodings) {
    for (const Vector& vector : golden("relocation-boundary-v1")) {
        if (!vector.accepted() && vector.error != "checksum-mismatch") continue;
        SCOPED_TRACE(vector.name);
        Crc32c checksum;
        std::uint64_t count = 0;
        for (const Bytes& bytes : vector.records) {
            const ByteView frame(bytes);
            const auto record = decode_record(InRecord{.parts = {&frame, 1}});
            ASSERT_TRUE(record.has_value()) << category_of(record.error());
            checksum.update(record.value().frozen_record_bytes);
            ++count;
        }
        const ByteView frame(vector.bytes);
        const auto record = decode_record(InRecord{.parts = {&frame, 1}});
        ASSERT_TRUE(record.has_value()) << category_of(record.error());
        const auto& cutover = std::get<RelocationCutover>(record.value().command);

        const bool matches = cutover.boundary_record_count == count &&
                             cutover.boundary_checksum_crc32c == checksum.value();

        EXPECT_EQ(matches, vector.accepted());
    }
}

}  // namespace
}  // namespace shunt::protocol::test
