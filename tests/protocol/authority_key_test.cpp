#include "protocol/authority_key.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "protocol/errc.hpp"

namespace shunt::protocol::test {
namespace {

TEST(AuthorityKey, EscapesWhatIsNotUnreserved) {
    EXPECT_EQ(encode_authority_key(ActorId{"user:42"}), "zla1:a:7:user%3A42");
    EXPECT_EQ(encode_authority_key(SpotId{"aZ09-._~"}), "zla1:s:8:aZ09-._~");
    EXPECT_EQ(encode_authority_key(ActorId{"\xC3\xA9"}), "zla1:a:2:%C3%A9");
}

TEST(AuthorityKey, LongestKeyIsTheStatedBound) {
    const std::string key = encode_authority_key(SpotId{std::string(255, ' ')});

    EXPECT_EQ(key.size(), 776U);
    EXPECT_EQ(decode_authority_key(key).value().id, std::string(255, ' '));
}

// Both sides number participants by this order; a locale or the id's own order would differ.
TEST(AuthorityKey, U48_OrderIsThatOfKeyBytes) {
    std::vector<std::string> keys = {
        encode_authority_key(SpotId{"a"}), encode_authority_key(ActorId{"zz"}),
        encode_authority_key(ActorId{"aaaaaaaaaa"}), encode_authority_key(ActorId{"B"}),
        encode_authority_key(ActorId{"a"})};

    std::ranges::sort(keys);

    EXPECT_EQ(keys, (std::vector<std::string>{"zla1:a:10:aaaaaaaaaa", "zla1:a:1:B", "zla1:a:1:a",
                                              "zla1:a:2:zz", "zla1:s:1:a"}));
}

TEST(AuthorityKey, OnlyTheCanonicalSpellingIsAccepted) {
    for (const char* key :
         {"", "zla1:", "zla1:a:", "zla1:a:1", "zla1:a:0:", "zla1:a:01:a", "zla1:a:2:a",
          "zla1:b:1:a", "zla1:a:1:%41", "zla1:a:1:%3a", "zla1:a:1:%3", "zla1:a:1:%", "zla1:a:1:%GG",
          "zla1:a:1::", "zla1:a:1:a:", "zla1:a:1:%00", "zla1:a:1:%C3", "ZLA1:a:1:a"}) {
        const auto decoded = decode_authority_key(key);
        ASSERT_TRUE(decoded.has_error()) << key;
        EXPECT_EQ(decoded.error(), Errc::InvalidField) << key;
    }
}

}  // namespace
}  // namespace shunt::protocol::test
