// Whole runs: real hosts on the simulated world, many seeds (issue: "500 seeds inside ./dev test").

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/cluster.hpp"

namespace shunt::sim {
namespace {

TEST(Simulation, EverySeedConservesItsMessages) {
    const char* first = std::getenv("SEED");
    const char* count = std::getenv("SEEDS");
    const std::uint64_t from = first ? std::strtoull(first, nullptr, 10) : 1;
    const std::uint64_t n = count ? std::strtoull(count, nullptr, 10) : 1;
    for (std::uint64_t seed = from; seed < from + n; ++seed) {
        const RunReport report = run_seed(seed);
        printf(
            "seed %lu %s: %s  msgs %lu ran %lu moves %lu restarts %lu blocked %lu lost %lu steps "
            "%lu\n",
            seed, report.passed() ? "ok" : "FAILED", report.plan.c_str(), report.books.messages,
            report.books.ran, report.opens, report.restarts, report.blocked, report.objects_lost,
            report.steps);
        for (const auto& text : report.failures) ADD_FAILURE() << "seed " << seed << ": " << text;
        if (!report.passed() && n == 1) printf("%s", report.trace.c_str());
    }
}

}  // namespace
}  // namespace shunt::sim
