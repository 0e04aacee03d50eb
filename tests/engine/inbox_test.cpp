#include "engine/inbox.hpp"

#include <array>
#include <memory>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace shunt::engine {
namespace {

TEST(Inbox, RunsInPushOrderAndInBatches) {
    Inbox inbox;
    std::vector<int> order;
    for (int i = 0; i < 5; ++i) inbox.push([&order, i] { order.push_back(i); });

    EXPECT_EQ(inbox.run(3), 3U);
    inbox.push([&order] { order.push_back(5); });
    EXPECT_TRUE(inbox.has_work());
    EXPECT_EQ(inbox.run(100), 3U);

    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5}));
    EXPECT_FALSE(inbox.has_work());
}

TEST(Inbox, DestroysWhatNobodyTook) {
    auto shared = std::make_shared<int>(0);
    {
        Inbox inbox;
        inbox.push([shared] { ++*shared; });
        inbox.push([shared] { ++*shared; });
        inbox.run(1);
    }

    EXPECT_EQ(*shared, 1);
    EXPECT_EQ(shared.use_count(), 1);
}

TEST(Inbox, RefusesToSleepOnWork) {
    Inbox inbox;
    EXPECT_TRUE(inbox.prepare_sleep());
    inbox.awake();
    inbox.push([] {});

    EXPECT_FALSE(inbox.prepare_sleep());
}

// Each producer numbers its pushes. The taker sleeps on the eventfd whenever it may, so a missed
// wake-up would hang the test instead of passing it slowly.
TEST(Inbox, ManyThreadsLoseNothingAndKeepTheirOrder) {
    constexpr int kThreads = 4;
    constexpr int kEach = 20000;
    Inbox inbox;
    ASSERT_TRUE(inbox.ok());
    std::array<int, kThreads> next{};
    int disorder = 0;
    std::vector<std::thread> producers;
    for (int t = 0; t < kThreads; ++t) {
        producers.emplace_back([&, t] {
            for (int i = 0; i < kEach; ++i) {
                inbox.push([&next, &disorder, t, i] {
                    if (next[static_cast<std::size_t>(t)]++ != i) ++disorder;
                });
            }
        });
    }

    int taken = 0;
    while (taken < kThreads * kEach) {
        taken += static_cast<int>(inbox.run(64));
        if (!inbox.prepare_sleep()) continue;
        if (taken < kThreads * kEach) {
            std::uint64_t count = 0;
            ASSERT_EQ(::read(inbox.wake_fd(), &count, sizeof(count)), 8);
        }
        inbox.awake();
    }
    for (std::thread& producer : producers) producer.join();

    EXPECT_EQ(disorder, 0);
    EXPECT_EQ(taken, kThreads * kEach);
}

}  // namespace
}  // namespace shunt::engine
