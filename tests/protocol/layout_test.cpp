// The mechanism by itself: the rules that every declaration gets from it.

#include "protocol/layout.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "golden.hpp"
#include "protocol/layout_parts.hpp"

namespace shunt::protocol {

struct Small {
    std::uint16_t number = 0;
    std::string text;
    bool operator==(const Small&) const = default;
};
constexpr auto layout(Of<Small>) {
    return fields(constant<std::uint8_t>(1),
                  body_at_most<std::uint32_t>(64, field("number", &Small::number),
                                              field("text", &Small::text)));
}

struct Listed {
    std::vector<std::string> names;
};
constexpr auto layout(Of<Listed>) {
    return fields(
        field("names", &Listed::names,
              sorted_list<std::uint8_t>(
                  kText8, [](const std::string& text) { return text; }, std::uint8_t{3})));
}

namespace test {
namespace {

std::error_code refusal_of_small(std::string_view bytes_hex) {
    const auto decoded = decode_whole<Small>(unhex(bytes_hex));
    return decoded.has_error() ? decoded.error() : std::error_code();
}

// Section 14, the body length rule: the content against what is declared and what is there.
TEST(Layout, BodyLengthIsJudgedAsSection14Says) {
    EXPECT_FALSE(refusal_of_small("01000000050007026869"));
    EXPECT_EQ(refusal_of_small("01000000050007026869ff"), Errc::TrailingByte);
    EXPECT_EQ(refusal_of_small("010000000500070268"), Errc::TruncatedField)
        << "content and bytes run out";
    EXPECT_EQ(refusal_of_small("01000000040007026869"), Errc::InvalidBodyLength)
        << "content runs out inside what is declared, bytes do not";
    EXPECT_EQ(refusal_of_small("01000000060007026869ff"), Errc::InvalidBodyLength)
        << "content ends early";
    EXPECT_EQ(refusal_of_small("01000000060007026869"), Errc::InvalidBodyLength)
        << "content ends early and so do the bytes";
}

// A whole-size limit is judged from the declared length: nobody reads 4 GiB to find out.
TEST(Layout, LimitIsJudgedBeforeTheContent) {
    EXPECT_EQ(refusal_of_small("0100000041"), Errc::LimitExceeded);
    EXPECT_EQ(refusal_of_small("01ffffffff"), Errc::LimitExceeded);
    EXPECT_EQ(refusal_of_small("0100000040"), Errc::TruncatedField);
}

TEST(Layout, VersionIsPartOfTheValue) {
    EXPECT_EQ(refusal_of_small("02000000050007026869"), Errc::InvalidField);
}

// The range of a length comes before its bytes.
TEST(Layout, TextRules) {
    EXPECT_EQ(refusal_of_small("0100000003000700"), Errc::InvalidField) << "empty";
    EXPECT_EQ(refusal_of_small("010000000500070268c3"), Errc::InvalidField) << "half a character";
    EXPECT_EQ(refusal_of_small("01000000050007026800"), Errc::InvalidField) << "NUL";
}

TEST(Layout, MeasureIsTheEncodedSize) {
    const Small value{.number = 7, .text = "hi"};
    Writer writer;
    encode(writer, value);

    EXPECT_EQ(measure(value).total_bytes(), flatten(std::move(writer).take_segments()).size());
}

std::error_code refusal_of_list(std::string_view bytes_hex) {
    const auto decoded = decode_whole<Listed>(unhex(bytes_hex));
    return decoded.has_error() ? decoded.error() : std::error_code();
}

// Order is checked as each item completes, the count before the first.
TEST(Layout, ListsAreSortedUniqueAndBounded) {
    EXPECT_FALSE(refusal_of_list("00"));
    EXPECT_FALSE(refusal_of_list("03016101620163"));
    EXPECT_EQ(refusal_of_list("0201610161"), Errc::InvalidField) << "twice";
    EXPECT_EQ(refusal_of_list("0201620161"), Errc::InvalidField) << "descending";
    EXPECT_EQ(refusal_of_list("03016201610100"), Errc::InvalidField) << "before the bad third";
    EXPECT_EQ(refusal_of_list("04"), Errc::InvalidField) << "too many, before any is read";
    EXPECT_EQ(refusal_of_list("0301610162"), Errc::TruncatedField);
}

// A vector that is decoded into keeps nothing of what it held.
TEST(Layout, DecodingReplacesWhatWasThere) {
    Listed listed{.names = {"old"}};
    const Bytes bytes = unhex("010161");
    Reader reader(bytes);

    ASSERT_TRUE(decode(reader, listed).has_value());

    EXPECT_EQ(listed.names, std::vector<std::string>{"a"});
}

// Bytes between shared segments must keep their place.
TEST(Writer, KeepsTheOrderOfCopiedAndSharedBytes) {
    const Segment bulk(Bytes(1000, std::byte{0xAA}));
    Writer writer;
    writer.integer(std::uint16_t{0x0102});
    writer.share(bulk);
    writer.integer(std::uint8_t{3});
    writer.share(bulk.slice(0, 10));
    writer.share(bulk);
    writer.integer(std::uint8_t{4});

    const OutPart part = std::move(writer).take_part();

    EXPECT_EQ(hex(part.head), "0102");
    ASSERT_EQ(part.tail.size(), 4U);
    EXPECT_EQ(part.tail[0].view().data(), bulk.view().data());
    EXPECT_EQ(part.tail[1].size(), 11U) << "the small one was copied";
    EXPECT_EQ(part.tail[2].view().data(), bulk.view().data());
    EXPECT_EQ(hex(part.tail[3].view()), "04");
}

TEST(Writer, NothingSharedIsAllHead) {
    Writer writer;
    writer.integer(std::uint64_t{1});

    const OutPart part = std::move(writer).take_part();

    EXPECT_EQ(hex(part.head), "0000000000000001");
    EXPECT_TRUE(part.tail.empty());
}

// Log lines and fixtures name categories by the words of the specification.
TEST(ProtocolErrc, EveryCodeHasTwoSentences) {
    for (int code = 1; code <= static_cast<int>(Errc::PeerError); ++code) {
        const std::string message = make_error_code(static_cast<Errc>(code)).message();
        EXPECT_NE(message.find(". "), std::string::npos) << message;
        EXPECT_EQ(message.back(), '.') << message;
        EXPECT_STRNE(category_name(static_cast<Errc>(code)), "unknown");
    }
    EXPECT_STREQ(category_name(Errc::InvalidBodyLength), "invalid-body-length");
}

}  // namespace
}  // namespace test
}  // namespace shunt::protocol
