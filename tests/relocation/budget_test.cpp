#include "relocation/budget.hpp"

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace shunt::relocation {
namespace {

TEST(RelocationChargeCounter, U93_FillsToTheLimitAndNotOnePast) {
    ChargeCounter counter(100);

    EXPECT_TRUE(counter.try_take(60));
    EXPECT_TRUE(counter.try_take(40));
    EXPECT_FALSE(counter.try_take(1));
    EXPECT_EQ(counter.in_flight(), 100U);
    counter.release(40);
    EXPECT_TRUE(counter.try_take(40));
}

// No payload is too large to start: a chunk above the whole budget goes alone.
TEST(RelocationChargeCounter, U12_ChargeAboveTheLimitPassesAlone) {
    ChargeCounter counter(100);

    EXPECT_TRUE(counter.try_take(250));
    EXPECT_FALSE(counter.try_take(1));
    counter.release(250);
    EXPECT_TRUE(counter.try_take(1));
    EXPECT_FALSE(counter.try_take(250));
}

TEST(RelocationChargeCounter, U93_ZeroIsOffAndStillCounted) {
    ChargeCounter counter(0);

    EXPECT_TRUE(counter.try_take(UINT64_MAX / 2));
    EXPECT_TRUE(counter.try_take(7));
    EXPECT_EQ(counter.in_flight(), UINT64_MAX / 2 + 7);
}

TEST(RelocationChargeCounter, U93_SumNearTheEndOfTheRangeDoesNotWrap) {
    ChargeCounter counter(UINT64_MAX);

    EXPECT_TRUE(counter.try_take(UINT64_MAX - 1));
    EXPECT_FALSE(counter.try_take(2));
    EXPECT_TRUE(counter.try_take(1));
}

TEST(RelocationBudget, U93_BothLimitsHold) {
    InFlightBudget budget(100);
    PeerBudget first(80);
    PeerBudget second(80);
    RoomWaiter waiter;

    EXPECT_TRUE(budget.ask(first, 80, Claim::Take, waiter));
    EXPECT_TRUE(budget.ask(second, 20, Claim::Take, waiter));
    EXPECT_FALSE(budget.ask(second, 1, Claim::Take, waiter));
    EXPECT_EQ(budget.in_flight(), 100U);

    budget.release(first, 80);
    EXPECT_EQ(budget.next_granted(), &waiter);
    EXPECT_EQ(budget.in_flight(), 21U);
    budget.release(second, 21);
}

// First in, first out: a small claim does not pass an earlier large one on the same connection.
TEST(RelocationBudget, U94_WaitersAreServedInOrder) {
    InFlightBudget budget(0);
    PeerBudget peer(100);
    RoomWaiter unused;
    RoomWaiter large;
    RoomWaiter small;
    budget.ask(peer, 90, Claim::Take, unused);
    EXPECT_FALSE(budget.ask(peer, 60, Claim::Take, large));
    EXPECT_FALSE(budget.ask(peer, 10, Claim::Take, small));
    EXPECT_EQ(budget.next_granted(), nullptr);

    budget.release(peer, 90);

    EXPECT_EQ(budget.next_granted(), &large);
    EXPECT_FALSE(large.waiting());
    EXPECT_EQ(budget.next_granted(), &small);
    EXPECT_EQ(budget.next_granted(), nullptr);
    EXPECT_EQ(peer.in_flight(), 70U);
    budget.release(peer, 70);
}

TEST(RelocationBudget, U94_FullConnectionDoesNotHoldUpAnother) {
    InFlightBudget budget(0);
    PeerBudget full(10);
    PeerBudget free(10);
    RoomWaiter unused;
    RoomWaiter waiting;
    budget.ask(full, 10, Claim::Take, unused);
    EXPECT_FALSE(budget.ask(full, 5, Claim::Take, waiting));

    EXPECT_TRUE(budget.ask(free, 5, Claim::Take, unused));

    budget.withdraw(waiting);
    budget.release(full, 10);
    budget.release(free, 5);
}

// The node's room belongs to whoever came first, or small chunks would starve a large one.
TEST(RelocationBudget, U94_NodeRoomIsKeptForTheFirstWaiter) {
    InFlightBudget budget(100);
    PeerBudget first(0);
    PeerBudget second(0);
    RoomWaiter unused;
    RoomWaiter large;
    RoomWaiter small;
    budget.ask(first, 70, Claim::Take, unused);
    EXPECT_FALSE(budget.ask(first, 60, Claim::Take, large));

    EXPECT_FALSE(budget.ask(second, 10, Claim::Take, small));
    EXPECT_EQ(budget.next_granted(), nullptr);

    budget.release(first, 70);
    EXPECT_EQ(budget.next_granted(), &large);
    EXPECT_EQ(budget.next_granted(), &small);
    budget.release(first, 60);
    budget.release(second, 10);
}

TEST(RelocationBudget, U94_WithdrawnWaiterLetsOthersThrough) {
    InFlightBudget budget(100);
    PeerBudget first(0);
    PeerBudget second(0);
    RoomWaiter unused;
    RoomWaiter large;
    RoomWaiter small;
    budget.ask(first, 70, Claim::Take, unused);
    budget.ask(first, 60, Claim::Take, large);
    budget.ask(second, 10, Claim::Take, small);

    budget.withdraw(large);

    EXPECT_EQ(budget.next_granted(), &small);
    budget.withdraw(small);
    budget.release(first, 70);
    budget.release(second, 10);
}

// A unit that has not been sealed yet only wants to know that there is room.
TEST(RelocationBudget, U12_NewUnitWaitsForRoomWithoutTakingIt) {
    InFlightBudget budget(0);
    PeerBudget peer(100);
    RoomWaiter unused;
    RoomWaiter start;
    budget.ask(peer, 100, Claim::Take, unused);
    EXPECT_FALSE(budget.ask(peer, 50, Claim::Observe, start));

    budget.release(peer, 100);

    EXPECT_EQ(budget.next_granted(), &start);
    EXPECT_EQ(peer.in_flight(), 0U);
}

// A payload of many budgets' size moves chunk by chunk; at no time is more in flight than allowed.
TEST(RelocationBudget, U12_U96_LargePayloadFlowsThroughASmallBudget) {
    InFlightBudget budget(0);
    PeerBudget peer(100);
    RoomWaiter waiter;
    std::vector<std::uint64_t> in_pipe;
    std::uint64_t submitted = 0;

    while (submitted < 1000) {
        if (budget.ask(peer, 40, Claim::Take, waiter) == false) {
            budget.release(peer, in_pipe.back());
            in_pipe.pop_back();
            ASSERT_EQ(budget.next_granted(), &waiter);
        }
        in_pipe.push_back(40);
        ++submitted;
        ASSERT_LE(peer.in_flight(), 100U);
    }

    for (const std::uint64_t charge : in_pipe) budget.release(peer, charge);
    EXPECT_EQ(budget.in_flight(), 0U);
}

TEST(RelocationBudgetDeathTest, ReturningMoreThanWasTakenIsOurMistake) {
    ChargeCounter counter(10);
    counter.try_take(5);

    EXPECT_DEATH(counter.release(6), "charge <= before");
}

// Shards take and give back at once: the limits hold at every moment and everything comes back.
TEST(RelocationBudget, ThreadsNeverPassTheLimits) {
    constexpr std::uint64_t kCharge = 3;
    constexpr std::uint64_t kPeerLimit = 10;
    constexpr std::uint64_t kNodeLimit = 12;
    InFlightBudget budget(kNodeLimit);
    PeerBudget first(kPeerLimit);
    PeerBudget second(kPeerLimit);
    std::atomic<std::uint64_t> granted{0};
    std::atomic<bool> passed_a_limit{false};
    const auto shard = [&](PeerBudget& peer) {
        for (int round = 0; round < 50'000; ++round) {
            if (!budget.try_ask(peer, kCharge, Claim::Take)) continue;
            ++granted;
            if (peer.in_flight() > kPeerLimit || budget.in_flight() > kNodeLimit) {
                passed_a_limit = true;
            }
            budget.release(peer, kCharge);
        }
    };

    std::vector<std::thread> threads;
    for (PeerBudget* peer : {&first, &second, &first, &second}) {
        threads.emplace_back(shard, std::ref(*peer));
    }
    for (std::thread& thread : threads) thread.join();

    EXPECT_FALSE(passed_a_limit);
    EXPECT_GT(granted, 0U);
    EXPECT_EQ(first.in_flight() + second.in_flight() + budget.in_flight(), 0U);
}

}  // namespace
}  // namespace shunt::relocation
