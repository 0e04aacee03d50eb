// The provider contract over the embedded store, and what only that store promises.

#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "inbox.hpp"
#include "provider_bench.hpp"
#include "store/embedded/embedded_core.hpp"
#include "store/embedded/embedded_store.hpp"

namespace shunt::store::test {
namespace {

using std::chrono::milliseconds;

class EmbeddedBench final : public ProviderBench {
  public:
    EmbeddedBench()
        : embedded_([this] { return now_; }), handle_(embedded_.connect(inbox_.poster())) {}

    LocationStore& store() override { return *handle_; }
    void pass(milliseconds wait) override {
        now_.value += static_cast<std::uint64_t>(wait.count());
    }
    void pump() override { inbox_.run(); }

  private:
    UnixMillis now_{1'700'000'000'000};
    Inbox inbox_;
    EmbeddedStore embedded_;
    std::unique_ptr<LocationStore> handle_;
};

INSTANTIATE_TEST_SUITE_P(Embedded, ProviderContract,
                         ::testing::Values(Provider{
                             "Embedded", [] { return std::make_unique<EmbeddedBench>(); }}),
                         [](const auto& provider) { return std::string(provider.param.name); });

constexpr UnixMillis kStart{1'000'000};

UnixMillis at(std::uint64_t after_ms) {
    return UnixMillis{kStart.value + after_ms};
}

void put(EmbeddedCore& core, const Key& key, std::string_view text, UnixMillis now,
         std::optional<milliseconds> retention = {}) {
    ASSERT_TRUE(core.write(Batch{{}, {Put{key, bytes(text), retention}}}, now));
}

Page first_page(EmbeddedCore& core, UnixMillis now) {
    auto reply = core.scan(ScanRequest{"", {}, 1}, now);
    return std::get<Page>(std::move(reply.value()));
}

// Superseded values exist only for the sake of open scans, however many writes happen meanwhile.
TEST(EmbeddedCore, HistoryLivesOnlyWhileAScanNeedsIt) {
    EmbeddedCore core;
    put(core, "a", "1", kStart);
    put(core, "b", "1", kStart);
    put(core, "b", "2", kStart);
    EXPECT_EQ(core.history_count(), 0U);

    const Page page = first_page(core, kStart);
    for (int i = 0; i < 100; ++i) put(core, "b", "3", kStart);
    ASSERT_TRUE(core.write(Batch{{}, {Delete{"a"}}}, kStart));
    EXPECT_EQ(core.history_count(), 2U);

    ASSERT_TRUE(core.scan(ScanRequest{"", page.next_cursor, 10}, kStart));
    EXPECT_EQ(core.history_count(), 0U);
    EXPECT_EQ(core.row_count(), 1U);
}

TEST(EmbeddedCore, ScanExpiresOneLeaseAfterItsLastPage) {
    EmbeddedCore core;
    for (const char* key : {"a", "b", "c"}) put(core, key, "v", kStart);
    const Page first = first_page(core, kStart);

    auto second = core.scan(ScanRequest{"", first.next_cursor, 1}, at(299'999));
    ASSERT_TRUE(std::holds_alternative<Page>(second.value()));
    const Page page = std::get<Page>(second.value());
    auto third = core.scan(ScanRequest{"", page.next_cursor, 1}, at(299'999 + 300'000));

    EXPECT_TRUE(std::holds_alternative<ScanExpired>(third.value()));
}

TEST(EmbeddedCore, AbandonedScanStopsKeepingHistory) {
    EmbeddedCore core;
    put(core, "a", "1", kStart);
    put(core, "b", "1", kStart);
    ASSERT_TRUE(first_page(core, kStart).next_cursor);
    put(core, "a", "2", kStart);
    EXPECT_EQ(core.history_count(), 1U);

    put(core, "c", "1", at(300'000));

    EXPECT_EQ(core.history_count(), 0U);
}

// Creation terminals expire by the thousand; nobody deletes them.
TEST(EmbeddedCore, ExpiredRowsGiveTheirMemoryBack) {
    EmbeddedCore core;
    put(core, "dies", "v", kStart, milliseconds(10));
    put(core, "renewed", "v", kStart, milliseconds(10));
    put(core, "renewed", "v", kStart, milliseconds(600'000));
    put(core, "stays", "v", kStart);

    put(core, "stays", "w", at(60'009));
    EXPECT_EQ(core.row_count(), 3U);
    put(core, "stays", "x", at(60'010));

    EXPECT_EQ(core.row_count(), 2U);
}

TEST(EmbeddedCore, ClockSteppingBackKeepsARecordAlive) {
    EmbeddedCore core;
    put(core, "lease", "v", kStart, milliseconds(100));
    auto expired = core.read("lease", at(100));
    EXPECT_TRUE(std::holds_alternative<Missing>(expired.value()));

    auto again = core.read("lease", at(99));

    EXPECT_TRUE(std::holds_alternative<Found>(again.value()));
}

TEST(EmbeddedStore, AnswerArrivesAfterHandleAndStoreEnded) {
    Inbox inbox;
    bool answered = false;
    {
        const EmbeddedStore embedded;
        const auto handle = embedded.connect(inbox.poster());
        handle->read("k", kNever, [&](result<ReadReply> reply) { answered = reply.has_value(); });
    }
    EXPECT_FALSE(answered);

    inbox.run();

    EXPECT_TRUE(answered);
}

TEST(EmbeddedStore, HandlesShareOneStoreAndTheSystemClock) {
    Inbox inbox;
    const EmbeddedStore embedded;
    const auto first = embedded.connect(inbox.poster());
    const EmbeddedStore copy = embedded;
    const auto second = copy.connect(inbox.poster());

    SyncStore writer(*first, [&] { inbox.run(); });
    SyncStore reader(*second, [&] { inbox.run(); });
    writer.put("k", "v");

    EXPECT_EQ(reader.text("k"), "v");
    EXPECT_GT(reader.found("k")->store_now.value, 1'600'000'000'000U);
}

// Each shard runs on its own thread; the numbers a counter issues must still be distinct.
TEST(EmbeddedStore, ThreadsAddWithoutLosingANumber) {
    constexpr int kThreads = 4;
    constexpr int kAdds = 500;
    const EmbeddedStore embedded;
    std::vector<std::set<std::int64_t>> sums(kThreads);

    std::vector<std::thread> threads;
    for (auto& own_sums : sums) {
        threads.emplace_back([&embedded, &own_sums] {
            Inbox inbox;
            const auto handle = embedded.connect(inbox.poster());
            for (int i = 0; i < kAdds; ++i) {
                handle->write(Batch{{}, {Add{"n", 1}}}, kNever, [&](result<WriteReply> reply) {
                    own_sums.insert(std::get<Applied>(reply.value()).sums[0]);
                });
            }
            inbox.run();
        });
    }
    for (std::thread& thread : threads) thread.join();

    std::set<std::int64_t> all;
    for (const auto& own_sums : sums) all.insert(own_sums.begin(), own_sums.end());
    EXPECT_EQ(all.size(), static_cast<std::size_t>(kThreads * kAdds));
}

}  // namespace
}  // namespace shunt::store::test
