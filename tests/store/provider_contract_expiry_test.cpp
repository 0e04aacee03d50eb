// Provider contract, expiry part (spec/stores.md sections 3.1 and 19.4).

#include <chrono>

#include <gtest/gtest.h>

#include "provider_bench.hpp"
#include "store/location_store.hpp"

namespace shunt::store::test {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShort{40};
constexpr milliseconds kLong{600'000};

TEST_P(ProviderContract, RetentionCountsFromStoreTimeAtCommit) {
    const result<WriteReply> reply = store().write(Batch{{}, {Put{"k", bytes("v"), kLong}}});

    ASSERT_TRUE(reply && std::holds_alternative<Applied>(reply.value()));
    const UnixMillis committed = std::get<Applied>(reply.value()).store_now;
    const std::optional<Found> found = store().found("k");
    ASSERT_TRUE(found && found->expires_at);
    EXPECT_EQ(found->expires_at->value, committed.value + 600'000);
}

TEST_P(ProviderContract, ExpiredKeyIsMissingForReadsConditionsAndScans) {
    const Version version = store().put("k", "v", kShort);
    store().put("other", "v");
    bench().pass(kShort);

    EXPECT_FALSE(store().found("k"));
    EXPECT_TRUE(store().conflicts(Batch{{IfVersion{"k", version}}, {}}));
    EXPECT_TRUE(store().conflicts(Batch{{IfValue{"k", bytes("v")}}, {}}));
    EXPECT_TRUE(store().applies(Batch{{IfMissing{"k"}}, {}}));
    const result<ScanReply> page = store().scan(ScanRequest{"", {}, 10});
    ASSERT_TRUE(page && std::holds_alternative<Page>(page.value()));
    ASSERT_EQ(std::get<Page>(page.value()).items.size(), 1U);
    EXPECT_EQ(std::get<Page>(page.value()).items[0].key, "other");
}

TEST_P(ProviderContract, PutWithoutRetentionClearsIt) {
    store().put("k", "v", kShort);
    store().put("k", "w");
    bench().pass(kShort);

    ASSERT_TRUE(store().found("k"));
    EXPECT_FALSE(store().found("k")->expires_at);
}

TEST_P(ProviderContract, ExpiredKeyAcceptsMissingAndPut) {
    store().put("k", "v", kShort);
    bench().pass(kShort);

    EXPECT_TRUE(store().applies(Batch{{IfMissing{"k"}}, {Put{"k", bytes("w"), {}}}}));
    EXPECT_EQ(store().text("k"), "w");
}

TEST_P(ProviderContract, AddStartsOverOnAnExpiredKey) {
    store().put("n", "7", kShort);
    bench().pass(kShort);

    EXPECT_TRUE(store().applies(Batch{{}, {Add{"n", 1}}}));
    EXPECT_EQ(store().text("n"), "1");
}

TEST_P(ProviderContract, RenewalWithEqualBytesExtendsTheLife) {
    const Version version = store().put("lease", "held", kShort);
    EXPECT_TRUE(store().applies(
        Batch{{IfVersion{"lease", version}}, {Put{"lease", bytes("held"), kLong}}}));
    bench().pass(kShort);

    EXPECT_EQ(store().text("lease"), "held");
}

}  // namespace
}  // namespace shunt::store::test
