#include "base/ids.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/utf8.hpp"

namespace shunt {
namespace {

TEST(IsValidId, BoundsAreOneAnd255Bytes) {
    EXPECT_FALSE(is_valid_id(""));
    EXPECT_TRUE(is_valid_id("a"));
    EXPECT_TRUE(is_valid_id(std::string(255, 'a')));
    EXPECT_FALSE(is_valid_id(std::string(256, 'a')));
}

TEST(IsValidId, RefusesNulAndMalformedText) {
    EXPECT_FALSE(is_valid_id(std::string_view("a\0b", 3)));
    EXPECT_FALSE(is_valid_id("\xC3"));
    EXPECT_TRUE(is_valid_id("r\xC3\xA9union"));
}

// The wire is strict: each of these is accepted by some lenient decoder.
TEST(StrictUtf8, RefusesOverlongSurrogatesAndTooHigh) {
    EXPECT_FALSE(is_strict_utf8("\xC0\x80"));
    EXPECT_FALSE(is_strict_utf8("\xE0\x80\x80"));
    EXPECT_FALSE(is_strict_utf8("\xF0\x80\x80\x80"));
    EXPECT_FALSE(is_strict_utf8("\xED\xA0\x80"));
    EXPECT_FALSE(is_strict_utf8("\xF4\x90\x80\x80"));
    EXPECT_FALSE(is_strict_utf8("\x80"));
    EXPECT_FALSE(is_strict_utf8("\xF5\x80\x80\x80"));
}

TEST(StrictUtf8, AcceptsTheEdges) {
    EXPECT_TRUE(is_strict_utf8(""));
    EXPECT_TRUE(is_strict_utf8("\xC2\x80"));
    EXPECT_TRUE(is_strict_utf8("\xE0\xA0\x80"));
    EXPECT_TRUE(is_strict_utf8("\xED\x9F\xBF"));
    EXPECT_TRUE(is_strict_utf8("\xEE\x80\x80"));
    EXPECT_TRUE(is_strict_utf8("\xF0\x90\x80\x80"));
    EXPECT_TRUE(is_strict_utf8("\xF4\x8F\xBF\xBF"));
}

}  // namespace
}  // namespace shunt
