#pragma once
// What every benchmark here shares: rounds in turn, medians, one table and one JSON line per
// figure. Speeds are compared within one run only (design.md section 5).

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace shunt::bench {

/// Kernel, processor and how many of them; printed with every table.
std::string machine();

double seconds_since(std::chrono::steady_clock::time_point start);

/// Middle value, smallest and largest of the rounds.
struct Spread {
    double median = 0;
    double least = 0;
    double most = 0;
};
Spread spread_of(std::vector<double> values);

/// One competitor: `run` does the whole job once and answers its figure (more is better).
struct Party {
    std::string name;
    std::function<double()> run;
};

/// Runs both in turn, `rounds` times each after one round that is not counted, prints a table and a
/// JSON line, and answers the ratio of `ours` to `reference` in each round.
Spread compare(const std::string& job, const std::string& unit, Party ours, Party reference,
               int rounds);

/// Ends the program with a sentence: a benchmark that did not do its job has no figure.
[[noreturn]] void fail(const std::string& why);

/// Moves this process into a network namespace of its own whose default congestion control is reno,
/// the same for every party: a system default of bbr paces by timers. Where that is not allowed the
/// run says so and takes the system's default. Before any thread starts.
void enter_private_network();

}  // namespace shunt::bench
