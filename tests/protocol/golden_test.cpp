// The published vectors, read and written back: accepted ones must come out byte for byte, rejected
// ones must fail with their category, and no accepted one may be readable when it is cut short.

#include "golden.hpp"

#include <variant>

#include <gtest/gtest.h>

#include "protocol/command_record.hpp"

namespace shunt::protocol::test {
namespace {

TEST(Golden, Primitives) {
    check_golden("primitives-v1");
}
TEST(Golden, Errors) {
    check_golden("framework-error-v1");
}
TEST(Golden, ServiceRecords) {
    check_golden("service-record-v1");
}
TEST(Golden, Metadata) {
    check_golden("metadata-frame-v1");
}
TEST(Golden, PayloadEnvelopes) {
    check_golden("application-payload-envelope-v1");
}
TEST(Golden, Multipart) {
    check_golden("framework-multipart-v1");
}
TEST(Golden, Admission) {
    check_golden("admission-v1");
}
TEST(Golden, Messaging) {
    check_golden("messaging-v1");
}
TEST(Golden, Replies) {
    check_golden("reply-v1");
}
TEST(Golden, ReplyRelay) {
    check_golden("reply-relay-v1");
}
TEST(Golden, ActorCreate) {
    check_golden("actor-create-v1");
}
TEST(Golden, ActorJoinReplies) {
    check_golden("actor-join-reply-v1");
}
TEST(Golden, ActorJoinRequests) {
    check_golden("actor-join-request-v1");
}
TEST(Golden, UserSpotCreate) {
    check_golden("user-spot-create-v1");
}
TEST(Golden, UserSpotClose) {
    check_golden("user-spot-close-v1");
}
TEST(Golden, BoundSessionReplaced) {
    check_golden("bound-session-replaced-v1");
}
TEST(Golden, SessionBarrier) {
    check_golden("session-relocation-barrier-v1");
}
TEST(Golden, MessageFollow) {
    check_golden("message-follow-v1");
}
TEST(Golden, U11_RelocationControl) {
    check_golden("relocation-control-v1");
}
TEST(Golden, AuthorityKeys) {
    check_golden("authority-key-v1");
}
TEST(Golden, AuthorityPayload) {
    check_golden("authority-payload-v1");
}
TEST(Golden, AuthorityRelocationState) {
    check_golden("authority-relocation-state-v1");
}
TEST(Golden, CreationTerminal) {
    check_golden("creation-operation-terminal-v1");
}
TEST(Golden, InstanceActivationRecovery) {
    check_golden("instance-activation-recovery-v1");
}
TEST(Golden, MaintenanceAggregate) {
    check_golden("maintenance-aggregate-v1");
}
TEST(Golden, U11_RelocationDataChunk) {
    check_golden("relocation-data-chunk-v1");
}
TEST(Golden, RelocationManifest) {
    check_golden("relocation-manifest-v1");
}

// The field order of the stream is the contract: a target of another make restores from it. Vectors
// out of order or with duplicates are among the refused ones.
TEST(Golden, U47_U49_RelocationEnvelope) {
    check_golden("relocation-envelope-v1");
}

// Participants have no ids in the stream; both sides count them off in the order of key bytes,
// which is not the order of any locale.
TEST(Golden, U48_ParticipantOrder) {
    check_golden("authority-order-v1");
}

// Saved messages must come back with every field they had, whatever kind they are.
TEST(Golden, U50_FrozenRecords) {
    check_golden("frozen-record-v1");
    check_golden("saved-work-vector-v1");
}

// What 40 declares must be what the chunks amount to, or the target would refuse a good stream.
TEST(Golden, U52_TransfersAssembleToWhatPrepareDeclares) {
    check_golden("relocation-transfer-v1");
}

// Chunks may cut the stream anywhere; their encoding must not depend on how they were gathered.
TEST(Golden, ChunksAreWrittenFromSegmentsAsFromBytes) {
    for (const tools::WireVector& vector : golden("relocation-transfer-v1")) {
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
    check_golden("relocation-boundary-v1");
}

}  // namespace
}  // namespace shunt::protocol::test
