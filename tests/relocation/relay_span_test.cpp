#include "relocation/relay_span.hpp"

#include <gtest/gtest.h>

#include "protocol/crc32c.hpp"

namespace shunt::relocation {
namespace {

using Place = SpanCursor::Place;

constexpr ConnectionId kFirst{1};
constexpr ConnectionId kSecond{2};
constexpr ConnectionId kThird{3};

TEST(RelocationRelaySpan, U68_EmptySpanProvesZero) {
    EXPECT_EQ(RelaySpan{}.proof(), (BoundaryProof{0, 0}));
}

// The proof runs over the frozen-record encodings laid end to end, without anything between them.
TEST(RelocationRelaySpan, U68_ProofCountsRecordsAndChecksTheirBytes) {
    RelaySpan span;

    span.add(bytes_of("1234"));
    span.add(bytes_of(""));
    span.add(bytes_of("56789"));

    EXPECT_EQ(span.proof(), (BoundaryProof{3, 0xE3069283}));
}

TEST(RelocationReceivedSpan, U13_EachConnectionIsProvedAlone) {
    ReceivedSpan received;
    received.add(kFirst, bytes_of("lost with its connection"));

    received.add(kSecond, bytes_of("12345"));
    received.add(kSecond, bytes_of("6789"));

    EXPECT_EQ(received.proof(kSecond), (BoundaryProof{2, 0xE3069283}));
    EXPECT_EQ(received.proof(kFirst), (BoundaryProof{0, 0}));
    EXPECT_EQ(received.proof(kThird), (BoundaryProof{0, 0}));
}

TEST(RelocationSpanCursor, OneConnectionFillsTheSpanInOrder) {
    SpanCursor cursor;

    EXPECT_EQ(cursor.place(kFirst), Place::Span);
    EXPECT_EQ(cursor.place(kFirst), Place::Span);
    EXPECT_EQ(cursor.taken(), 2U);
    EXPECT_FALSE(cursor.close_on(kFirst));
    EXPECT_TRUE(cursor.closed());
}

TEST(RelocationSpanCursor, U13_OpenSpanIsReplacedOncePerConnection) {
    SpanCursor cursor;
    cursor.place(kFirst);
    cursor.place(kFirst);

    EXPECT_EQ(cursor.place(kSecond), Place::NewSpan);
    EXPECT_EQ(cursor.taken(), 1U);
    EXPECT_EQ(cursor.place(kSecond), Place::Span);
    EXPECT_EQ(cursor.place(kThird), Place::NewSpan);
}

// Nothing was taken of the first connection, so there is nothing to discard.
TEST(RelocationSpanCursor, EmptySpanNeedsNoReplacement) {
    SpanCursor cursor;

    EXPECT_EQ(cursor.place(kSecond), Place::Span);
}

TEST(RelocationSpanCursor, VerifiedEmptyBatchDiscardsAnEarlierSpan) {
    SpanCursor cursor;
    cursor.place(kFirst);

    EXPECT_TRUE(cursor.close_on(kSecond));
    EXPECT_EQ(cursor.taken(), 0U);
    EXPECT_EQ(cursor.place(kSecond), Place::Late);
}

// Decision 5, over several reconnects: each record of the batch is taken exactly once.
TEST(RelocationSpanCursor, ClosedSpanIsSkippedOnEveryLaterConnection) {
    SpanCursor cursor;
    cursor.place(kFirst);
    cursor.place(kFirst);
    cursor.close();

    EXPECT_EQ(cursor.place(kFirst), Place::Late);
    EXPECT_EQ(cursor.place(kSecond), Place::Skip);
    EXPECT_EQ(cursor.place(kSecond), Place::Skip);
    EXPECT_EQ(cursor.place(kSecond), Place::Skip);
    EXPECT_EQ(cursor.place(kSecond), Place::Late);
    EXPECT_EQ(cursor.place(kThird), Place::Skip);
    EXPECT_EQ(cursor.taken(), 4U);
}

}  // namespace
}  // namespace shunt::relocation
