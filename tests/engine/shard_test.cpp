#include "engine/shard.hpp"

#include <future>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "engine/errc.hpp"

namespace shunt::engine {
namespace {

using namespace std::chrono_literals;

TEST(Shard, RunsInitAndPostsOnItsOwnThread) {
    Shard shard({.name = "test"});
    bool init_there = false;
    ASSERT_TRUE(shard.start([&] { init_there = shard.on_this_thread(); }).has_value());

    std::promise<bool> posted_there;
    shard.post([&] { posted_there.set_value(shard.on_this_thread()); });

    EXPECT_TRUE(init_there);
    EXPECT_TRUE(posted_there.get_future().get());
    EXPECT_FALSE(shard.on_this_thread());
    shard.stop();
}

TEST(Shard, APostFromItselfRunsInALaterTurn) {
    Shard shard({});
    ASSERT_TRUE(shard.start().has_value());
    std::promise<std::vector<int>> done;

    shard.post([&] {
        auto order = std::make_shared<std::vector<int>>();
        shard.post([&done, order] {
            order->push_back(2);
            done.set_value(*order);
        });
        order->push_back(1);
    });

    EXPECT_EQ(done.get_future().get(), (std::vector<int>{1, 2}));
}

TEST(Shard, TimersRunInOrderAndNotBeforeTheirTime) {
    Shard shard({.spin = Duration::zero()});
    ASSERT_TRUE(shard.start().has_value());
    std::promise<void> done;
    std::vector<int> order;
    bool early = false;

    shard.post([&] {
        const TimePoint start = shard.now();
        const TimerId never = shard.arm(start + 1ms, [&] { order.push_back(0); });
        shard.arm(start + 4ms, [&, start] {
            early = shard.now() < start + 4ms;
            order.push_back(2);
            done.set_value();
        });
        shard.arm(start + 2ms, [&] { order.push_back(1); });
        shard.cancel(never);
    });
    done.get_future().get();
    shard.stop();

    EXPECT_EQ(order, (std::vector<int>{1, 2}));
    EXPECT_FALSE(early);
}

// Sleeping and spinning shards take the same posts; the sleeping one needs its doorbell for it.
TEST(Shard, ForeignThreadsReachItAsleepAndSpinning) {
    for (const Duration spin : {Duration::zero(), Duration(200us)}) {
        Shard shard({.spin = spin});
        ASSERT_TRUE(shard.start().has_value());
        constexpr int kThreads = 3;
        constexpr int kEach = 2000;
        int count = 0;
        std::promise<void> all;
        std::vector<std::thread> threads;
        for (int t = 0; t < kThreads; ++t) {
            threads.emplace_back([&] {
                for (int i = 0; i < kEach; ++i) {
                    shard.post([&] {
                        if (++count == kThreads * kEach) all.set_value();
                    });
                }
            });
        }
        for (std::thread& thread : threads) thread.join();

        all.get_future().get();
        EXPECT_EQ(count, kThreads * kEach);
        shard.stop();
    }
}

TEST(Shard, StopDestroysWhatDidNotRunOnItsThread) {
    struct Note {
        Shard* shard;
        bool* there;
        ~Note() { *there = shard->on_this_thread(); }
    };
    bool there = false;
    Shard shard({});
    ASSERT_TRUE(shard.start().has_value());
    shard.post([&] {
        auto note = std::shared_ptr<Note>(new Note{&shard, &there});
        shard.arm(shard.now() + 1h, [note] {});
    });

    shard.stop();
    shard.stop();

    EXPECT_TRUE(there);
}

TEST(Shard, AnImpossibleCpuIsRefused) {
    Shard shard({.pin_cpu = 100000});

    const result<void> started = shard.start();

    ASSERT_FALSE(started.has_value());
    EXPECT_EQ(started.error(), Errc::ShardNotStarted);
}

}  // namespace
}  // namespace shunt::engine
