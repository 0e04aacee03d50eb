#include "tests/sim/sim_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/link_bench.hpp"

namespace shunt::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

TEST(SimWorld, ClocksOfNodesDifferAndAdvanceTogether) {
    Scheduler scheduler(1);
    Network network(scheduler, 1);
    SimWorld early(network, {.node = NodeIndex{0}, .wall_skew = seconds(-3)}, 1, 1);
    SimWorld late(network, {.node = NodeIndex{1}, .monotonic_offset = std::chrono::hours(9)}, 1, 2);

    scheduler.run_until(milliseconds(1500));

    EXPECT_EQ(early.now(), TimePoint(milliseconds(1500)));
    EXPECT_EQ(late.now() - early.now(), std::chrono::hours(9));
    EXPECT_EQ(early.unix_now().value, kWallClockStart - 1500);
    EXPECT_EQ(late.unix_now().value, kWallClockStart + 1500);
}

TEST(SimWorld, TimersFireAtTheirTickAndNotAfterACancel) {
    LinkBench bench;
    SimWorld& world = *bench.node(0).world;
    std::vector<int> ran;
    world.arm(world.now() + std::chrono::microseconds(1200), [&] { ran.push_back(1); });
    const host::TimerId cancelled = world.arm(world.now() + seconds(1), [&] { ran.push_back(2); });
    world.arm(kNever, [&] { ran.push_back(3); });
    world.arm(TimePoint(Duration(0)), [&] { ran.push_back(4); });
    EXPECT_TRUE(ran.empty());

    bench.run_for(milliseconds(1));
    EXPECT_THAT(ran, ElementsAre(4));
    bench.run_for(milliseconds(1));
    EXPECT_THAT(ran, ElementsAre(4, 1));
    world.cancel(cancelled);
    world.cancel(cancelled);
    bench.run_for(std::chrono::hours(1));

    EXPECT_THAT(ran, ElementsAre(4, 1));
    EXPECT_EQ(world.armed_timers(), 1U);
}

TEST(SimWorld, PostedFunctionsKeepTheirOrderAndNeverRunInside) {
    LinkBench bench;
    SimWorld& world = *bench.node(0).world;
    std::vector<int> ran;

    world.post([&] {
        ran.push_back(1);
        world.post([&] { ran.push_back(3); });
        EXPECT_THAT(ran, ElementsAre(1));
    });
    world.post([&] { ran.push_back(2); });
    EXPECT_TRUE(ran.empty());
    bench.run_for(milliseconds(1));

    EXPECT_THAT(ran, ElementsAre(1, 2, 3));
}

TEST(SimWorld, RandomNumbersBelongToTheLifecycle) {
    Scheduler scheduler(1);
    Network network(scheduler, 1);
    SimWorld first(network, {}, 1, 1);
    SimWorld same(network, {}, 1, 1);
    SimWorld next(network, {}, 1, 2);

    const std::uint64_t value = first.random();

    EXPECT_EQ(same.random(), value);
    EXPECT_NE(next.random(), value);
}

TEST(SimWorld, StoppingReportsEveryLinkDownFirst) {
    LinkBench bench(1, {}, 3);
    bench.connect();
    bench.node(2).world->dial({bench.node(0).endpoint, {}});
    bench.run_until([&] { return bench.node(0).events.ups.size() == 2; });
    bench.node(0).world->dial({"tcp://nobody:1", {}});
    std::size_t downs_when_done = 0;

    bench.node(0).world->stop_links([&] { downs_when_done = bench.node(0).events.downs.size(); });
    EXPECT_EQ(bench.node(0).events.downs.size(), 0U);
    bench.run_for(seconds(5));

    EXPECT_EQ(downs_when_done, 2U);
    EXPECT_EQ(bench.node(0).events.ups.size(), 2U);
    EXPECT_EQ(bench.node(1).events.downs.size(), 1U);
    EXPECT_EQ(bench.node(2).events.downs.size(), 1U);
}

TEST(SimWorld, StoppingWithoutLinksAnswersToo) {
    LinkBench bench;
    bool done = false;

    bench.node(0).world->stop_links([&] { done = true; });
    EXPECT_FALSE(done);
    bench.run_for(milliseconds(1));

    EXPECT_TRUE(done);
}

TEST(SimWorld, StoppingDuringAHandshakeNeverComesUp) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        LinkBench bench(seed);
        bench.node(0).world->dial({bench.node(1).endpoint, {}});
        bench.run_for(std::chrono::microseconds(seed * 150));
        bool done = false;

        bench.node(0).world->stop_links([&] { done = true; });
        bench.run_for(seconds(10));

        EXPECT_TRUE(done);
        EXPECT_EQ(bench.node(0).events.ups.size(), bench.node(0).events.downs.size());
        EXPECT_EQ(bench.node(1).events.ups.size(), bench.node(1).events.downs.size());
        EXPECT_TRUE(bench.network.live_links().empty());
    }
}

}  // namespace
}  // namespace shunt::sim
