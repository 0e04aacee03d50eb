#include "tests/sim/faults.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/link_bench.hpp"

namespace shunt::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

FaultPlan everything() {
    FaultPlan plan;
    plan.enabled.fill(true);
    plan.mean_interval = milliseconds(300);
    plan.length_max = seconds(30);
    plan.store_per_mille = 100;
    return plan;
}

TEST(FaultPlan, KindsAreSwitchedOffAtRandomAndSomePlansAreEmpty) {
    std::set<std::string> plans;
    int calm = 0;
    std::array<int, kFaultCount> on{};
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const FaultPlan plan = FaultPlan::draw(Random(seed));
        EXPECT_EQ(plan.describe(), FaultPlan::draw(Random(seed)).describe());
        plans.insert(plan.describe());
        calm += plan.any() ? 0 : 1;
        for (std::size_t i = 0; i < kFaultCount; ++i) on[i] += plan.enabled[i] ? 1 : 0;
    }

    EXPECT_GT(plans.size(), 150U);
    EXPECT_GT(calm, 80);
    EXPECT_LT(calm, 200);
    for (const int count : on) EXPECT_GT(count, 50);
}

TEST(FaultPlan, DescribesItself) {
    FaultPlan plan;
    EXPECT_EQ(plan.describe(), "none");
    plan.enabled[static_cast<std::size_t>(Fault::Pause)] = true;
    plan.enabled[static_cast<std::size_t>(Fault::StoreOutage)] = true;
    EXPECT_EQ(plan.describe(), "pause store_outage");
}

struct FaultRun {
    std::set<std::size_t> kinds_that_struck;
    bool links_up_at_the_end = false;
    std::uint64_t hash = 0;
};

FaultRun run_everything(std::uint64_t seed) {
    LinkBench bench(seed, {}, 3);
    SimStore store(bench.scheduler, seed);
    const auto handle = store.connect(*bench.node(0).world);
    FaultInjector faults(bench.scheduler, bench.network, store, everything(), seed,
                         {NodeIndex{0}, NodeIndex{1}, NodeIndex{2}});
    for (std::size_t from = 0; from < 3; ++from) {
        for (std::size_t to = 0; to < from; ++to) {
            bench.node(from).world->dial({bench.node(to).endpoint, {}});
        }
    }
    faults.start();
    bench.run_for(seconds(60));

    faults.stop();
    bench.run_for(seconds(10));

    FaultRun run;
    std::optional<result<store::WriteReply>> written;
    handle->write({.conditions = {}, .mutations = {store::Add{"k", 1}}}, kNever,
                  [&](result<store::WriteReply> reply) { written = std::move(reply); });
    bench.run_for(seconds(1));
    EXPECT_TRUE(written.has_value() && written->has_value());
    for (std::size_t i = 0; i < kFaultCount; ++i) {
        if (faults.count_of(static_cast<Fault>(i)) > 0) run.kinds_that_struck.insert(i);
    }
    run.links_up_at_the_end = true;
    for (std::uint32_t from = 0; from < 3; ++from) {
        for (std::uint32_t to = 0; to < from; ++to) {
            run.links_up_at_the_end &=
                bench.network.links_between(NodeIndex{from}, NodeIndex{to}).size() == 1;
        }
    }
    run.hash = bench.scheduler.hash();
    return run;
}

// The second phase of a run asks that everything converge, so nothing may linger.
TEST(FaultInjector, AfterTheSafetyPhaseEverythingWorksAgain) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const FaultRun run = run_everything(seed);

        EXPECT_TRUE(run.links_up_at_the_end) << "seed " << seed;
        EXPECT_EQ(run.kinds_that_struck.size(), kFaultCount) << "seed " << seed;
        EXPECT_EQ(run.hash, run_everything(seed).hash) << "seed " << seed;
    }
}

TEST(FaultInjector, WallClocksAreSecondsApartOnlyWhenThePlanSaysSo) {
    LinkBench bench;
    SimStore store(bench.scheduler, 1);
    const std::vector<NodeIndex> nodes = {NodeIndex{0}, NodeIndex{1}};
    const FaultInjector calm(bench.scheduler, bench.network, store, FaultPlan{}, 1, nodes);
    const FaultInjector skewed(bench.scheduler, bench.network, store, everything(), 1, nodes);

    EXPECT_EQ(calm.skew_of(NodeIndex{0}), milliseconds(0));
    EXPECT_NE(skewed.skew_of(NodeIndex{0}), skewed.skew_of(NodeIndex{1}));
    EXPECT_LE(skewed.skew_of(NodeIndex{0}), seconds(3));
    EXPECT_GE(skewed.skew_of(NodeIndex{0}), seconds(-3));
}

}  // namespace
}  // namespace shunt::sim
