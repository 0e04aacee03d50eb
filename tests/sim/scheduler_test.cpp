#include "tests/sim/scheduler.hpp"

#include <memory>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shunt::sim {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

EventLabel on_node(std::uint32_t node, EventKind kind = EventKind::Test) {
    return {.kind = kind, .what = "test", .node = NodeIndex{node}};
}

// A seed in a report must bring back the same numbers years later and on another machine.
TEST(Random, NumbersOfASeedNeverChange) {
    Random random(1);

    EXPECT_EQ(random.next(), 15520328816154204485ULL);
    EXPECT_EQ(random.split("network").next(), 2072370952768328125ULL);
}

TEST(Random, StreamsOfOneSeedAreIndependentOfEachOther) {
    const Random parent(7);
    Random first = parent.split("first");
    Random again = parent.split("first");
    Random second = parent.split("second");

    for (int i = 0; i < 100; ++i) second.next();

    std::set<std::uint64_t> seen;
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t value = first.next();
        EXPECT_EQ(value, again.next());
        seen.insert(value);
    }
    EXPECT_EQ(seen.size(), 100U);
    EXPECT_NE(parent.split("n", 1).next(), parent.split("n", 2).next());
}

TEST(Random, RangesIncludeBothEnds) {
    Random random(3);
    std::set<std::uint64_t> seen;

    for (int i = 0; i < 200; ++i) seen.insert(random.between(5, 7));

    EXPECT_THAT(seen, ElementsAre(5U, 6U, 7U));
    EXPECT_EQ(random.between(UINT64_MAX, UINT64_MAX), UINT64_MAX);
}

TEST(Scheduler, EventsRunInTheOrderOfTheirTimes) {
    Scheduler scheduler(1);
    std::vector<int> ran;
    scheduler.at(milliseconds(2), {}, [&] { ran.push_back(2); });
    scheduler.at(milliseconds(1), {}, [&] { ran.push_back(1); });
    scheduler.at(milliseconds(3), {}, [&] { ran.push_back(3); });

    EXPECT_EQ(scheduler.run_until(milliseconds(10)), RunEnd::Idle);

    EXPECT_THAT(ran, ElementsAre(1, 2, 3));
    EXPECT_EQ(scheduler.now(), milliseconds(10));
}

// Code that depends on the order of simultaneous events must meet both orders.
TEST(Scheduler, TheSeedDecidesAmongSimultaneousEvents) {
    std::set<std::vector<int>> orders;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        std::vector<int> ran;
        Scheduler scheduler(seed);
        for (int i = 0; i < 3; ++i) {
            scheduler.at(milliseconds(1), {}, [&ran, i] { ran.push_back(i); });
        }
        scheduler.run_until(milliseconds(1));
        orders.insert(ran);
    }
    EXPECT_EQ(orders.size(), 6U);
}

TEST(Scheduler, ACancelledEventNeverRunsAndFreesItsCallable) {
    Scheduler scheduler(1);
    auto alive = std::make_shared<int>(0);
    const EventId event = scheduler.at(milliseconds(1), {}, [alive] { ++*alive; });

    scheduler.cancel(event);
    scheduler.cancel(event);

    EXPECT_EQ(alive.use_count(), 1);
    EXPECT_EQ(scheduler.run_until(milliseconds(2)), RunEnd::Idle);
    EXPECT_EQ(*alive, 0);
}

TEST(Scheduler, APausedNodeRunsLateAndInItsOwnOrder) {
    Scheduler scheduler(1);
    std::vector<int> ran;
    scheduler.pause(NodeIndex{1}, milliseconds(50));
    for (int i = 1; i <= 4; ++i) {
        scheduler.at(milliseconds(i), on_node(1), [&ran, i] { ran.push_back(i); });
    }
    scheduler.at(milliseconds(5), on_node(2), [&ran] { ran.push_back(5); });
    scheduler.at(milliseconds(50), on_node(1), [&ran] { ran.push_back(50); });

    scheduler.run_until(milliseconds(49));
    EXPECT_THAT(ran, ElementsAre(5));
    scheduler.run_until(milliseconds(50));

    EXPECT_THAT(ran, ElementsAre(5, 1, 2, 3, 4, 50));
}

// A process that was stopped finds its sockets readable and its timers due at the same moment;
// which it looks at first is not promised, so both must occur.
TEST(Scheduler, APauseDrawsWhichKindOfEventComesFirst) {
    std::set<std::vector<int>> orders;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Scheduler scheduler(seed);
        std::vector<int> ran;
        scheduler.pause(NodeIndex{1}, milliseconds(50));
        scheduler.at(milliseconds(1), on_node(1, EventKind::Timer), [&] { ran.push_back(1); });
        scheduler.at(milliseconds(2), on_node(1, EventKind::Network), [&] { ran.push_back(2); });
        scheduler.at(milliseconds(3), on_node(1, EventKind::Timer), [&] { ran.push_back(3); });
        scheduler.run_until(milliseconds(60));
        orders.insert(ran);
    }
    EXPECT_THAT(orders, ElementsAre(ElementsAre(1, 3, 2), ElementsAre(2, 1, 3)));
}

TEST(Scheduler, ALongerPauseOverTheSameTimeWins) {
    Scheduler scheduler(1);
    int ran = 0;
    scheduler.pause(NodeIndex{1}, milliseconds(10));
    scheduler.at(milliseconds(1), on_node(1), [&] { ++ran; });
    scheduler.run_until(milliseconds(5));
    scheduler.pause(NodeIndex{1}, milliseconds(20));

    scheduler.run_until(milliseconds(15));
    EXPECT_EQ(ran, 0);
    scheduler.run_until(milliseconds(20));
    EXPECT_EQ(ran, 1);
}

TEST(Scheduler, EndingAllPausesRunsWhatWasHeldBackNow) {
    Scheduler scheduler(1);
    std::vector<int> ran;
    scheduler.pause(NodeIndex{1}, milliseconds(1000));
    scheduler.at(milliseconds(1), on_node(1), [&] { ran.push_back(1); });
    scheduler.at(milliseconds(2), on_node(1), [&] { ran.push_back(2); });
    scheduler.run_until(milliseconds(5));

    scheduler.resume_all();
    scheduler.run_until(milliseconds(6));

    EXPECT_THAT(ran, ElementsAre(1, 2));
}

// Two timers that re-arm each other without moving time would run for ever.
TEST(Scheduler, ALivelockEndsInBudgetOver) {
    Scheduler scheduler(1);
    scheduler.set_step_budget(1000);
    std::function<void()> again = [&] {
        scheduler.after(Duration(0), {.what = "again and again"}, [&] { again(); });
    };
    again();

    EXPECT_EQ(scheduler.run_until(milliseconds(1)), RunEnd::BudgetOver);

    EXPECT_EQ(scheduler.steps(), 1000U);
    EXPECT_THAT(scheduler.trace(), testing::HasSubstr("again and again"));
}

TEST(Scheduler, StopsAsSoonAsThePredicateHolds) {
    Scheduler scheduler(1);
    int ran = 0;
    for (int i = 1; i <= 5; ++i) scheduler.at(milliseconds(i), {}, [&] { ++ran; });

    EXPECT_EQ(scheduler.run_until([&] { return ran == 3; }, milliseconds(10)), RunEnd::Reached);
    EXPECT_EQ(scheduler.now(), milliseconds(3));
    EXPECT_EQ(scheduler.run_until([&] { return ran == 9; }, milliseconds(4)), RunEnd::TimeOver);
    EXPECT_EQ(scheduler.run_until([&] { return ran == 9; }, milliseconds(10)), RunEnd::Idle);
}

TEST(Scheduler, TheHashTellsRunsApart) {
    const auto run = [](std::uint64_t seed, std::uint64_t detail) {
        Scheduler scheduler(seed);
        for (std::uint64_t i = 0; i < 10; ++i) {
            scheduler.at(milliseconds(1), {.what = "step", .detail = i},
                         [&scheduler, detail] { scheduler.note("note", detail); });
        }
        scheduler.run_until(milliseconds(2));
        return scheduler.hash();
    };

    EXPECT_EQ(run(1, 5), run(1, 5));
    EXPECT_NE(run(1, 5), run(2, 5));
    EXPECT_NE(run(1, 5), run(1, 6));
}

}  // namespace
}  // namespace shunt::sim
