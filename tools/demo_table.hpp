#pragma once
// How a demo ends: the table, the verdict and the exit code.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/demo_books.hpp"
#include "tools/demo_measure.hpp"

namespace shunt::tools {

struct DemoSummary {
    std::uint64_t events_played = 0;
    std::uint64_t events_total = 0;
    std::uint64_t restarts = 0;
    std::uint64_t restarts_wanted = 0;
    std::chrono::nanoseconds elapsed{0};
    BooksReport books;
    MoveReport moves;
    bool interrupted = false;
    /// Why the demo could not go on, if it could not.
    std::optional<std::string> failure;
};

/// The lines of the table, the last two of them the account and the verdict.
std::vector<std::string> table_of(const DemoSummary& summary);

/// 0: everything was played and the account holds. 1: the account does not hold, or the demo could
/// not go on. 130: ended by Ctrl-C, and the account of what was played holds.
int exit_code_of(const DemoSummary& summary) noexcept;

}  // namespace shunt::tools
