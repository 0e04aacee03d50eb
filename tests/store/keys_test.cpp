#include "store/keys.hpp"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "golden.hpp"
#include "store/text_codes.hpp"

namespace shunt::store {
namespace {

using std::string_literals::operator""s;
using protocol::AuthorityObjectKind;
using protocol::StatefulObjectKind;

NodeRid rid(const std::string& bytes) {
    return NodeRid{bytes};
}

TEST(Keys, SegmentsAreJoinedByOneNul) {
    const CapacityOwner node{"main", rid("\x01\xAB"), NodeGeneration{7}};

    EXPECT_EQ(mesh_node_key("main", rid("\x01\xAB")), "mesh-node\0main\0"s + "01ab");
    EXPECT_EQ(mesh_node_prefix("main"), "mesh-node\0main\0"s);
    EXPECT_EQ(owner_lease_key(OwnerId{"owner-a"}), "owner-lease\0owner-a"s);
    EXPECT_EQ(authority_key(ActorId{"user:42"}), "authority\0actor\0user:42"s);
    EXPECT_EQ(authority_key(SpotId{"room:1"}), "authority\0spot\0room:1"s);
    EXPECT_EQ(authority_prefix(), "authority\0"s);
    EXPECT_EQ(authority_prefix(AuthorityObjectKind::Spot), "authority\0spot\0"s);
    EXPECT_EQ(actors_capacity_key(node, CapacityState::Active),
              "capacity\0main\0"s + "01ab\0"s + "7\0actors\0active"s);
    EXPECT_EQ(spots_capacity_key(node, CapacityState::Pending),
              "capacity\0main\0"s + "01ab\0"s + "7\0spots\0pending"s);
    EXPECT_EQ(type_capacity_key(node, StatefulObjectKind::UserSpot, "game", CapacityState::Active),
              "capacity\0main\0"s + "01ab\0"s + "7\0userSpot\0game\0active"s);
}

TEST(Keys, ActorAndSpotOfOneIdAreTwoRows) {
    EXPECT_NE(authority_key(ActorId{"x"}), authority_key(SpotId{"x"}));
    EXPECT_EQ(authority_key({AuthorityObjectKind::Actor, "x"}), authority_key(ActorId{"x"}));
    EXPECT_EQ(authority_key({AuthorityObjectKind::Spot, "x"}), authority_key(SpotId{"x"}));
}

TEST(Keys, WideIdsAreThirtyTwoDigits) {
    const RelocationId relocation{0x0123456789abcdef, 0x0011223344556677};

    EXPECT_EQ(aggregate_key(relocation), "aggregate\0"s + "0123456789abcdef0011223344556677");
    EXPECT_EQ(aggregate_page_key(relocation, 12),
              "aggregate-page\0"s + "0123456789abcdef0011223344556677\0"s + "12");
    EXPECT_EQ(creation_terminal_key({rid("\x01\x02"), NodeGeneration{7}, OperationId{0x2A, 1}}),
              "creation-terminal\0"s + "0102\0"s + "7\0"s + "000000000000002a0000000000000001");
}

// Rebuilds each published key from its segments.
TEST(Keys, EqualThePublishedVectors) {
    test::for_each_golden("key", [](const nlohmann::json& vector) {
        const Bytes bytes = test::unhex(vector.at("preimageHex"));
        const std::string expected(text_of(bytes));
        const std::string record = vector.at("record");
        std::vector<std::string> part(1);
        for (const char c : expected) {
            if (c == '\0') {
                part.emplace_back();
            } else {
                part.back().push_back(c);
            }
        }
        const auto unhexed = [](const std::string& hex) {
            return std::string(text_of(test::unhex(hex)));
        };
        if (record == "mesh-node") {
            EXPECT_EQ(mesh_node_key(part.at(1), rid(unhexed(part.at(2)))), expected);
        } else if (record == "owner-lease") {
            EXPECT_EQ(owner_lease_key(OwnerId{part.at(1)}), expected);
        } else if (record == "authority") {
            const auto kind =
                part.at(1) == "actor" ? AuthorityObjectKind::Actor : AuthorityObjectKind::Spot;
            EXPECT_EQ(authority_key({kind, part.at(2)}), expected);
        } else if (record == "creation-terminal") {
            const OperationId operation{std::stoull(part.at(3).substr(0, 16), nullptr, 16),
                                        std::stoull(part.at(3).substr(16), nullptr, 16)};
            EXPECT_EQ(creation_terminal_key({rid(unhexed(part.at(1))),
                                             NodeGeneration{std::stoull(part.at(2))}, operation}),
                      expected);
        } else if (record == "aggregate") {
            const RelocationId relocation{std::stoull(part.at(1).substr(0, 16), nullptr, 16),
                                          std::stoull(part.at(1).substr(16), nullptr, 16)};
            EXPECT_EQ(aggregate_key(relocation), expected);
        }
    });
}

TEST(Keys, CountersEqualThePublishedVectors) {
    test::for_each_golden("counter", [](const nlohmann::json& vector) {
        const std::string key = vector.at("logicalKey");
        EXPECT_TRUE(key == kOwnerCounterKey || key == kObjectCounterKey ||
                    key == kAuthorityOwnerCounterKey)
            << key;
    });
}

TEST(TextCodes, HexIsLowerCaseAndStrict) {
    EXPECT_EQ(hex_of(bytes_of("\x01\xAB\xFF")), "01abff");
    EXPECT_EQ(hex_of({}), "");
    EXPECT_EQ(parse_hex("01abff"), copy_of(bytes_of("\x01\xAB\xFF")));
    for (const char* bad : {"0", "0A", "0g", "0x01", " 01", "01 "}) {
        EXPECT_FALSE(parse_hex(bad)) << bad;
    }
}

TEST(TextCodes, Base64RoundTripsEveryLength) {
    Bytes bytes;
    for (int length = 0; length < 70; ++length) {
        const std::string text = base64_of(bytes);
        EXPECT_EQ(text.size() % 4, 0U);
        EXPECT_EQ(parse_base64(text), bytes);
        bytes.push_back(static_cast<std::byte>(length * 37 + 200));
    }
    EXPECT_EQ(base64_of(bytes_of("f")), "Zg==");
    EXPECT_EQ(base64_of(bytes_of("fo")), "Zm8=");
    EXPECT_EQ(base64_of(bytes_of("foo")), "Zm9v");
    EXPECT_EQ(base64_of(bytes_of("\xFB\xFF")), "+/8=");
}

TEST(TextCodes, Base64RefusesOtherSpellings) {
    for (const char* bad : {"Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==",
                            "Zm9v\n", "Zm-v", "Zm_v", " Zm9"}) {
        EXPECT_FALSE(parse_base64(bad)) << bad;
    }
}

}  // namespace
}  // namespace shunt::store
