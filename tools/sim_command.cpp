#include "tools/sim_command.hpp"

#include <cstdio>
#include <thread>

#include "tests/sim/seed_runner.hpp"
#include "tools/errc.hpp"

namespace shunt::tools {

int run_sim(const SimOptions& options) {
    sim::SeedRange range{.from = options.from, .count = options.seeds, .limit = options.limit};
    range.jobs = options.jobs != 0 ? options.jobs : std::thread::hardware_concurrency();
    if (options.verbose) {
        range.jobs = 1;
        range.telling = sim::Telling::Everything;
    }
    std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(options.from),
                static_cast<unsigned long long>(options.from + options.seeds - 1));
    constexpr std::uint64_t kProgressRuns = 5000;
    const sim::SeedSummary summary =
        sim::run_seeds(range, [](std::uint64_t runs, std::uint64_t failed) {
            if (runs % kProgressRuns != 0) return;
            std::printf("%llu runs, %llu failed\n", static_cast<unsigned long long>(runs),
                        static_cast<unsigned long long>(failed));
            std::fflush(stdout);
        });
    std::fputs(sim::describe(summary).c_str(), stdout);
    for (const sim::FailedSeed& failed : summary.failed) {
        std::fputs(sim::describe(failed).c_str(), stdout);
    }
    // One failing run is being looked at: its last events help, those of many would not.
    if (options.seeds == 1 && !summary.failed.empty()) {
        std::fputs(summary.failed[0].report.trace.c_str(), stdout);
    }
    if (!summary.failed.empty()) return 1;
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
    std::fprintf(stderr, "shunt sim: %s\n", make_error_code(Errc::OutputFailed).message().c_str());
    return 2;
}

}  // namespace shunt::tools
