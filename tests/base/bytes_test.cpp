#include "base/bytes.hpp"

#include <gtest/gtest.h>

namespace shunt {
namespace {

TEST(Segment, SliceSharesTheBytesAndOutlivesTheFirstHolder) {
    Segment whole(copy_of(bytes_of("relocation")));
    const std::byte* const address = whole.view().data();

    Segment part = whole.slice(2, 4);
    whole = Segment();

    EXPECT_EQ(text_of(part.view()), "loca");
    EXPECT_EQ(part.view().data(), address + 2);
}

TEST(Segments, FlattenReadsThemAsOneSequence) {
    const Segments segments = {Segment(copy_of(bytes_of("ab"))), Segment(),
                               Segment(copy_of(bytes_of("c")))};

    EXPECT_EQ(total_bytes(segments), 3U);
    EXPECT_EQ(text_of(flatten(segments)), "abc");
}

TEST(Bytes, SameBytesComparesLengthFirst) {
    EXPECT_TRUE(same_bytes({}, {}));
    EXPECT_TRUE(same_bytes(bytes_of("ab"), bytes_of("ab")));
    EXPECT_FALSE(same_bytes(bytes_of("ab"), bytes_of("abc")));
    EXPECT_FALSE(same_bytes(bytes_of("ab"), bytes_of("ac")));
}

}  // namespace
}  // namespace shunt
