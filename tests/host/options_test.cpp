#include "host/options.hpp"

#include <gtest/gtest.h>

#include "host/errc.hpp"

namespace shunt::host {
namespace {

using std::chrono::milliseconds;

TEST(HostOptions, DefaultsAreValid) {
    EXPECT_TRUE(HostOptions().validate());
}

TEST(HostOptions, NamesTheSettingThatIsWrong) {
    HostOptions options;
    options.relocation_cutover_wait_timeout = milliseconds(0);
    std::string why;

    const result<void> valid = options.validate(&why);

    ASSERT_FALSE(valid);
    EXPECT_EQ(valid.error(), make_error_code(Errc::InvalidArgument));
    EXPECT_NE(why.find("relocation_cutover_wait_timeout"), std::string::npos);
}

// The sender must forget a route before the old address stops forwarding (spec/objects.md 9.2).
TEST(HostOptions, RouteCacheStaysBelowFollow) {
    HostOptions options;
    options.message_follow_duration = milliseconds(6'000);
    options.route_cache_max_age = milliseconds(3'000);
    EXPECT_TRUE(options.validate());
    options.route_cache_max_age = milliseconds(3'001);
    EXPECT_FALSE(options.validate());
    options.route_cache_max_age = milliseconds(0);
    EXPECT_TRUE(options.validate());
}

// max(5, 3) + 3 = 8 s must stay below 15 - 5 = 10 s.
TEST(HostOptions, LeaseCycleFitsIntoItsLife) {
    HostOptions options;
    options.owner_lease_renew_interval = milliseconds(7'000);
    EXPECT_FALSE(options.validate());
    options.owner_lease_renew_interval = milliseconds(6'999);
    EXPECT_TRUE(options.validate());
}

TEST(HostOptions, BoundsOfChunkAndPrefix) {
    HostOptions options;
    options.relocation_payload_chunk_limit = 0;
    EXPECT_FALSE(options.validate());
    options.relocation_payload_chunk_limit = 67'108'864;
    EXPECT_TRUE(options.validate());
    options.relocation_payload_chunk_limit = 67'108'865;
    EXPECT_FALSE(options.validate());
    options = HostOptions();
    options.node_prefix = "with space";
    EXPECT_FALSE(options.validate());
    options.node_prefix = std::string(64, 'a');
    EXPECT_TRUE(options.validate());
    options.node_prefix.push_back('a');
    EXPECT_FALSE(options.validate());
}

}  // namespace
}  // namespace shunt::host
