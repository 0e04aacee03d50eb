#include "tools/demo_table.hpp"

#include <array>
#include <cstdio>

#include "tools/console.hpp"

namespace shunt::tools {
namespace {

std::string row(const char* name, const std::string& value) {
    std::array<char, 32> padded{};
    std::snprintf(padded.data(), padded.size(), "  %-24s", name);
    return padded.data() + value;
}

std::string row(const char* name, const Percentiles& times) {
    return row(name, "p50 " + shown(times.p50) + " · p99 " + shown(times.p99) + " · max " +
                         shown(times.max));
}

std::string of(std::uint64_t part, std::uint64_t whole) {
    if (part == whole) return grouped(part);
    return grouped(part) + " of " + grouped(whole);
}

/// Rows that are only there when there is something to say.
void add_exceptions(const DemoSummary& summary, std::vector<std::string>& lines) {
    const conservation::Report& messages = summary.books.messages;
    const auto when = [&lines](std::uint64_t count, const char* name, const char* remark) {
        if (count > 0) lines.push_back(row(name, grouped(count) + remark));
    };
    when(summary.books.refused, "refused", " (no host accepted them, and the sender was told)");
    when(messages.failures, "requests failed", " (the caller was told)");
    when(summary.moves.fallbacks, "cutover fallbacks", " (the wait for the cutover ran out)");
    when(messages.late_unordered, "late behind a fallback", " (order is not promised there)");
    when(messages.unanswered, "never answered", "");
    when(messages.answered_twice, "answered twice", "");
    when(messages.answered_unrun, "answered without a run", "");
    when(summary.books.state_faults, "state faults", "");
    for (const auto& [what, count] : summary.moves.notes) {
        lines.push_back(row("log", what + " " + grouped(count) + "x"));
    }
    for (const std::string& finding : summary.books.findings) {
        lines.push_back(row("finding", finding));
    }
}

std::string verdict_of(const DemoSummary& summary) {
    if (!summary.books.holds()) {
        const std::string cause = summary.failure ? *summary.failure + "; " : "";
        return "FAILED: " + cause + "the account above does not hold.";
    }
    if (summary.failure) return "FAILED: " + *summary.failure + ".";
    if (summary.interrupted) {
        return "Interrupted: everything sent so far ran exactly once and in order.";
    }
    if (summary.restarts < summary.restarts_wanted) return "FAILED: not every host was restarted.";
    return "OK: every message ran exactly once and in order, through " + grouped(summary.restarts) +
           " host restarts.";
}

}  // namespace

std::vector<std::string> table_of(const DemoSummary& summary) {
    const conservation::Report& messages = summary.books.messages;
    std::vector<std::string> lines = {
        "",
        row("events",
            of(summary.events_played, summary.events_total) + " in " + shown(summary.elapsed)),
        row("deliveries", of(messages.ran, messages.messages)),
        row("requests answered", of(messages.answered, messages.requests)),
        row("timer ticks", grouped(summary.books.ticks)),
        row("host restarts", grouped(summary.restarts)),
        row("units moved", grouped(summary.moves.units)),
        row("bytes moved", shown_bytes(summary.moves.bytes)),
        row("source stop", summary.moves.source_stop),
        row("target resume", summary.moves.target_resume),
        row("overtakes across routes", grouped(messages.overtakes) + " (allowed)"),
    };
    add_exceptions(summary, lines);
    lines.push_back("");
    lines.push_back("  " + messages.verdict());
    lines.push_back("  " + verdict_of(summary));
    return lines;
}

int exit_code_of(const DemoSummary& summary) noexcept {
    if (!summary.books.holds() || summary.failure) return 1;
    if (summary.interrupted) return 130;
    return summary.restarts < summary.restarts_wanted ? 1 : 0;
}

}  // namespace shunt::tools
