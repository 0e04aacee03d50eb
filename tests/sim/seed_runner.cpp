#include "tests/sim/seed_runner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>
#include <unistd.h>

#include "base/assert.hpp"

namespace shunt::sim {
namespace {

thread_local std::uint64_t current_seed = 0;

// A broken assertion ends the process; the seed must not die with it.
void report_seed_and_die(int signal_number) {
    char text[120];
    const int length = std::snprintf(
        text, sizeof text, "seed %llu: died of signal %d; ./dev sim --seeds 1 --from %llu\n",
        static_cast<unsigned long long>(current_seed), signal_number,
        static_cast<unsigned long long>(current_seed));
    if (length > 0 && write(STDERR_FILENO, text, static_cast<std::size_t>(length)) < 0) {
        // Nothing is left to tell it to.
    }
    std::signal(signal_number, SIG_DFL);
    std::raise(signal_number);
}

class SeedReporter {
  public:
    SeedReporter() {
        for (const int number : kSignals) std::signal(number, report_seed_and_die);
    }
    ~SeedReporter() {
        for (const int number : kSignals) std::signal(number, SIG_DFL);
    }
    SeedReporter(const SeedReporter&) = delete;
    SeedReporter& operator=(const SeedReporter&) = delete;

  private:
    static constexpr std::array kSignals = {SIGABRT, SIGSEGV, SIGFPE};
};

void add(SeedSummary& summary, std::uint64_t seed, RunReport&& report) {
    ++summary.runs;
    summary.coverage.add(report.coverage);
    summary.steps += report.steps;
    summary.turns += report.turns;
    summary.messages += report.books.messages;
    summary.ran += report.books.ran;
    summary.requests += report.books.requests;
    summary.moves += report.opens;
    summary.restarts += report.restarts;
    summary.objects_lost += report.objects_lost;
    summary.leases_lost += report.leases_lost;
    summary.overtakes += report.books.overtakes;
    summary.allowed_missing += report.books.allowed_missing;
    summary.late_unordered += report.books.late_unordered;
    summary.link_breaks += report.link_breaks;
    summary.virtual_time += std::chrono::duration_cast<std::chrono::seconds>(report.ended);
    summary.hash += mix(report.hash, seed);
    if (!report.passed()) summary.failed.push_back({seed, std::move(report)});
}

std::string line(const std::string& name, std::uint64_t count) {
    return "  " + name + std::string(name.size() < 44 ? 44 - name.size() : 1, ' ') +
           std::to_string(count) + "\n";
}

}  // namespace

SeedSummary run_seeds(
    const SeedRange& range,
    const std::function<void(std::uint64_t runs, std::uint64_t failed)>& progress) {
    const SeedReporter reporter;
    SeedSummary summary;
    std::mutex mutex;  // Guards summary and progress.
    std::atomic<std::uint64_t> next{0};
    // Limits how long to look for failures; no run reads it.
    const auto end = std::chrono::steady_clock::now() + range.limit;
    const auto work = [&] {
        for (;;) {
            const std::uint64_t index = next.fetch_add(1);
            if (index >= range.count) return;
            if (range.limit.count() > 0 && std::chrono::steady_clock::now() >= end) return;
            current_seed = range.from + index;
            RunReport report = run_seed(range.from + index, range.telling);
            const std::lock_guard lock(mutex);
            add(summary, range.from + index, std::move(report));
            if (progress) progress(summary.runs, summary.failed.size());
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < range.jobs; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    std::sort(summary.failed.begin(), summary.failed.end(),
              [](const FailedSeed& a, const FailedSeed& b) { return a.seed < b.seed; });
    return summary;
}

std::string describe(const FailedSeed& failed) {
    std::string text = "seed " + std::to_string(failed.seed) + ": " + failed.report.plan + "\n";
    for (const std::string& failure : failed.report.failures) text += "  " + failure + "\n";
    text += "  replay: ./dev sim --seeds 1 --from " + std::to_string(failed.seed) + "\n";
    return text;
}

namespace {

std::string describe_coverage(const Coverage& coverage) {
    std::string text = "stages entered\n";
    for (std::size_t i = 0; i < relocation::kStageCount; ++i) {
        const std::string name(relocation::name_of(static_cast<relocation::Stage>(i)));
        if (coverage.source_stages[i] > 0)
            text += line("source " + name, coverage.source_stages[i]);
        if (coverage.target_stages[i] > 0)
            text += line("target " + name, coverage.target_stages[i]);
    }
    text += "effects performed, by their place in the variant\n";
    for (std::size_t i = 0; i < std::variant_size_v<relocation::SourceEffect>; ++i) {
        text += line("source effect " + std::to_string(i), coverage.source_effects[i]);
    }
    for (std::size_t i = 0; i < std::variant_size_v<relocation::TargetEffect>; ++i) {
        text += line("target effect " + std::to_string(i), coverage.target_effects[i]);
    }
    text += "log codes\n";
    for (std::size_t i = 0; i < relocation::kLogCodeCount; ++i) {
        text += line(std::string(relocation::name_of(static_cast<relocation::LogCode>(i))),
                     coverage.log_codes[i]);
    }
    text += "results\n";
    for (const auto& [name, count] : coverage.results) text += line(name, count);
    text += "dropped by hosts\n";
    for (const auto& [name, count] : coverage.drops) text += line(name, count);
    return text;
}

}  // namespace

std::string describe(const SeedSummary& summary) {
    std::string text = describe_coverage(summary.coverage) + "totals\n";
    text += line("runs", summary.runs) + line("failed", summary.failed.size());
    text += line("events", summary.steps) + line("turns", summary.turns);
    text += line("messages", summary.messages) + line("  of them requests", summary.requests);
    text += line("  ran", summary.ran) + line("  missing, as told or cut", summary.allowed_missing);
    text += line("  overtakes across routes", summary.overtakes);
    text += line("  late by fallback", summary.late_unordered);
    text += line("moves opened", summary.moves) + line("host restarts", summary.restarts);
    text += line("leases lost", summary.leases_lost);
    text += line("objects lost", summary.objects_lost) + line("link breaks", summary.link_breaks);
    text += line("virtual seconds", static_cast<std::uint64_t>(summary.virtual_time.count()));
    text += line("hash", summary.hash);
    return text;
}

}  // namespace shunt::sim
