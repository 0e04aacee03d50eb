// Provider contract, scan part (spec/stores.md sections 3.2 and 19.4).

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provider_bench.hpp"
#include "store/location_store.hpp"

namespace shunt::store::test {
namespace {

using std::string_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Page page_of(SyncStore& store, ScanRequest request) {
    result<ScanReply> reply = store.scan(std::move(request));
    if (!reply || !std::holds_alternative<Page>(reply.value())) {
        ADD_FAILURE() << "the scan answered no page";
        return {};
    }
    return std::get<Page>(std::move(reply.value()));
}

bool expires(SyncStore& store, ScanRequest request) {
    const result<ScanReply> reply = store.scan(std::move(request));
    return reply && std::holds_alternative<ScanExpired>(reply.value());
}

std::vector<std::string> keys_of(const Page& page) {
    std::vector<std::string> keys;
    for (const ScanItem& item : page.items) keys.push_back(item.key);
    return keys;
}

/// Continues until no cursor is left; at most `pages_max` pages.
std::vector<std::string> rest_of(SyncStore& store, const std::string& prefix, Page page,
                                 std::size_t limit) {
    std::vector<std::string> keys;
    while (true) {
        for (const ScanItem& item : page.items) keys.push_back(item.key);
        if (!page.next_cursor) return keys;
        page = page_of(store, ScanRequest{prefix, page.next_cursor, limit});
        if (page.items.empty()) return keys;
    }
}

TEST_P(ProviderContract, ScanOrdersByUnsignedKeyBytes) {
    for (const std::string& key : {"p\xFF"s, "pa"s, "p"s, "p\0z"s, "pA"s, "q"s, "o"s}) {
        store().put(key, key);
    }

    const Page page = page_of(store(), ScanRequest{"p", {}, 1000});

    EXPECT_THAT(keys_of(page), ElementsAre("p"s, "p\0z"s, "pA"s, "pa"s, "p\xFF"s));
    EXPECT_FALSE(page.next_cursor);
    EXPECT_EQ(text_of(page.items[1].found.value), "p\0z"s);
    EXPECT_EQ(page.items[0].found.version, store().found("p")->version);
}

TEST_P(ProviderContract, ScanPrefixMayHoldNul) {
    store().put("mesh\0a\0x"s, "1");
    store().put("mesh\0a\0y"s, "2");
    store().put("mesh\0ab\0z"s, "3");

    EXPECT_THAT(keys_of(page_of(store(), ScanRequest{"mesh\0a\0"s, {}, 100})),
                ElementsAre("mesh\0a\0x"s, "mesh\0a\0y"s));
}

TEST_P(ProviderContract, ScanOfNothingIsOneEmptyPage) {
    const Page page = page_of(store(), ScanRequest{"none", {}, 100});

    EXPECT_THAT(page.items, IsEmpty());
    EXPECT_FALSE(page.next_cursor);
}

TEST_P(ProviderContract, ScanPagesByLimitOne) {
    for (const char* key : {"a", "b", "c"}) store().put(key, "v");

    Page page = page_of(store(), ScanRequest{"", {}, 1});
    EXPECT_THAT(keys_of(page), ElementsAre("a"));
    EXPECT_THAT(rest_of(store(), "", std::move(page), 1), ElementsAre("a", "b", "c"));
}

TEST_P(ProviderContract, ScanPagesByLimitThousand) {
    Batch batch;
    for (int i = 0; i < 1001; ++i) {
        batch.mutations.emplace_back(Put{"k" + std::to_string(10'000 + i), {}, {}});
    }
    ASSERT_TRUE(store().applies(batch));

    Page page = page_of(store(), ScanRequest{"k", {}, 1000});
    EXPECT_EQ(page.items.size(), 1000U);
    ASSERT_TRUE(page.next_cursor);
    EXPECT_EQ(rest_of(store(), "k", std::move(page), 1000).size(), 1001U);
}

TEST_P(ProviderContract, ScanLimitsOutsideTheirBoundsAreInvalid) {
    EXPECT_EQ(store().scan(ScanRequest{"", {}, 0}).error(), Errc::InvalidArgument);
    EXPECT_EQ(store().scan(ScanRequest{"", {}, 1001}).error(), Errc::InvalidArgument);
    EXPECT_EQ(store().scan(ScanRequest{std::string(1025, 'p'), {}, 1}).error(),
              Errc::InvalidArgument);
    EXPECT_EQ(store().scan(ScanRequest{"", std::string(4097, 'c'), 1}).error(),
              Errc::InvalidArgument);
    EXPECT_EQ(store().scan(ScanRequest{"", "", 1}).error(), Errc::InvalidArgument);
    EXPECT_THAT(keys_of(page_of(store(), ScanRequest{std::string(1024, 'p'), {}, 1})), IsEmpty());
}

TEST_P(ProviderContract, LaterPagesShowTheStoreAsItWasAtTheFirst) {
    using std::chrono::milliseconds;
    store().put("a", "old");
    store().put("b", "old");
    store().put("c", "old");
    store().put("d", "old", milliseconds(600'000));
    Page page = page_of(store(), ScanRequest{"", {}, 1});
    ASSERT_TRUE(page.next_cursor);

    store().put("b", "new");
    store().put("b", "newer");
    ASSERT_TRUE(store().applies(Batch{{}, {Delete{"c"}}}));
    store().put("bb", "created later");
    store().put("d", "old", milliseconds(1));
    bench().pass(milliseconds(2));

    page = page_of(store(), ScanRequest{"", page.next_cursor, 1000});
    ASSERT_THAT(keys_of(page), ElementsAre("b", "c", "d"));
    for (const ScanItem& item : page.items) EXPECT_EQ(text_of(item.found.value), "old");
    EXPECT_FALSE(page.next_cursor);
    EXPECT_THAT(keys_of(page_of(store(), ScanRequest{"", {}, 1000})), ElementsAre("a", "b", "bb"));
}

TEST_P(ProviderContract, TwoScansSeeTheirOwnSnapshots) {
    store().put("a", "1");
    store().put("b", "1");
    const Page first = page_of(store(), ScanRequest{"", {}, 1});
    store().put("b", "2");
    const Page second = page_of(store(), ScanRequest{"", {}, 1});
    store().put("b", "3");

    const Page rest_of_first = page_of(store(), ScanRequest{"", first.next_cursor, 10});
    const Page rest_of_second = page_of(store(), ScanRequest{"", second.next_cursor, 10});

    ASSERT_EQ(rest_of_first.items.size(), 1U);
    EXPECT_EQ(text_of(rest_of_first.items[0].found.value), "1");
    ASSERT_EQ(rest_of_second.items.size(), 1U);
    EXPECT_EQ(text_of(rest_of_second.items[0].found.value), "2");
    EXPECT_EQ(store().text("b"), "3");
}

TEST_P(ProviderContract, PageHoldsFewerItemsRatherThanMoreThanFourMebibytes) {
    for (const char* key : {"a", "b", "c", "d", "e"}) {
        store().put(key, std::string(kValueBytesMax, 'v'));
    }

    Page page = page_of(store(), ScanRequest{"", {}, 1000});

    EXPECT_THAT(keys_of(page), ElementsAre("a", "b", "c"));
    EXPECT_THAT(rest_of(store(), "", std::move(page), 1000), ElementsAre("a", "b", "c", "d", "e"));
}

TEST_P(ProviderContract, UnknownOrForeignCursorIsExpired) {
    for (const char* key : {"pa", "pb", "pc"}) store().put(key, "v");
    const Page page = page_of(store(), ScanRequest{"p", {}, 1});
    ASSERT_TRUE(page.next_cursor);

    EXPECT_TRUE(expires(store(), ScanRequest{"p", "garbage", 1}));
    EXPECT_TRUE(expires(store(), ScanRequest{"p", "0:1:", 1}));
    EXPECT_TRUE(expires(store(), ScanRequest{"other prefix", page.next_cursor, 1}));

    const std::unique_ptr<ProviderBench> other = GetParam().open();
    SyncStore foreign(*other);
    EXPECT_TRUE(expires(foreign, ScanRequest{"p", page.next_cursor, 1}));
    EXPECT_THAT(rest_of(store(), "p", page, 1), ElementsAre("pa", "pb", "pc"));
}

// The answer of a page may be lost on the way; its cursor still stands.
TEST_P(ProviderContract, SamePageCanBeAskedForAgain) {
    for (const char* key : {"a", "b", "c"}) store().put(key, "v");
    const Page first = page_of(store(), ScanRequest{"", {}, 1});

    EXPECT_THAT(keys_of(page_of(store(), ScanRequest{"", first.next_cursor, 1})), ElementsAre("b"));
    EXPECT_THAT(keys_of(page_of(store(), ScanRequest{"", first.next_cursor, 1})), ElementsAre("b"));
}

}  // namespace
}  // namespace shunt::store::test
