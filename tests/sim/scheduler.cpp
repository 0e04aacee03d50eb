#include "tests/sim/scheduler.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/assert.hpp"

namespace shunt::sim {
namespace {

constexpr std::size_t kTraceLines = 200;
constexpr std::uint64_t kKindCount = 6;
// Above every rank that a deferred event gets, so what was held back runs before what is new.
constexpr std::uint64_t kFreshTieBit = 1ULL << 63U;

std::uint64_t hash_of(const char* text) noexcept {
    std::uint64_t hash = 0;
    for (; *text != '\0'; ++text) hash = mix(hash, static_cast<unsigned char>(*text));
    return hash;
}

}  // namespace

Scheduler::Scheduler(std::uint64_t seed) : random_(Random(seed).split("scheduler")) {}

EventId Scheduler::at(SimTime when, const EventLabel& label, UniqueFunction<void()> fn) {
    const std::uint64_t id = ++last_id_;
    const Rank rank{std::max(when, now_), random_.next() | kFreshTieBit, id};
    queue_.emplace(rank, Event{label, std::move(fn)});
    rank_of_.emplace(id, rank);
    return EventId{id};
}

void Scheduler::cancel(EventId event) noexcept {
    const auto found = rank_of_.find(event.value);
    if (found == rank_of_.end()) return;
    // The callable may own things whose destructors come back here: detach it first.
    const auto node = queue_.extract(found->second);
    rank_of_.erase(found);
}

void Scheduler::pause(NodeIndex node, SimTime end) {
    Pause& pause = pauses_[node];
    pause.end = std::max(pause.end, end);
    pause.first_kind = random_.below(kKindCount);
}

bool Scheduler::is_paused(NodeIndex node) const noexcept {
    const auto found = pauses_.find(node);
    return found != pauses_.end() && found->second.end > now_;
}

void Scheduler::resume_all() {
    // Deferred events stand at the old end of their pause; pull them forward in the same order.
    for (auto& [node, pause] : pauses_) {
        std::vector<Rank> held;
        for (const auto& [rank, event] : queue_) {
            if (event.label.node == node && (rank.tie & kFreshTieBit) == 0) held.push_back(rank);
        }
        for (const Rank& rank : held) {
            auto entry = queue_.extract(rank);
            entry.key().when = now_;
            rank_of_[rank.id] = entry.key();
            queue_.insert(std::move(entry));
        }
    }
    pauses_.clear();
}

bool Scheduler::defer_if_paused(const Rank& rank) {
    auto entry = queue_.find(rank);
    const auto found = pauses_.find(entry->second.label.node);
    if (found == pauses_.end()) return false;
    Pause& pause = found->second;
    if (pause.end <= rank.when) {
        pauses_.erase(found);
        return false;
    }
    const auto kind = static_cast<std::uint64_t>(entry->second.label.kind);
    const std::uint64_t place = (kind + pause.first_kind) % kKindCount;
    auto moved = queue_.extract(entry);
    moved.key() = Rank{pause.end, (place << 40U) | ++pause.deferred, rank.id};
    rank_of_[rank.id] = moved.key();
    queue_.insert(std::move(moved));
    return true;
}

bool Scheduler::step() {
    SHUNT_ASSERT(!stepping_);
    while (!queue_.empty() && defer_if_paused(queue_.begin()->first)) {
    }
    if (queue_.empty()) return false;

    auto entry = queue_.extract(queue_.begin());
    rank_of_.erase(entry.key().id);
    SHUNT_ASSERT(entry.key().when >= now_);
    now_ = entry.key().when;
    ++steps_;
    current_ = entry.mapped().label;
    record(current_, false);
    stepping_ = true;
    entry.mapped().fn();
    stepping_ = false;
    return true;
}

RunEnd Scheduler::run_until(const std::function<bool()>& done, SimTime limit) {
    while (!done()) {
        while (!queue_.empty() && queue_.begin()->first.when <= limit &&
               defer_if_paused(queue_.begin()->first)) {
        }
        if (queue_.empty()) return RunEnd::Idle;
        if (queue_.begin()->first.when > limit) {
            now_ = std::max(now_, limit);
            return RunEnd::TimeOver;
        }
        if (budget_ == 0) return RunEnd::BudgetOver;
        --budget_;
        step();
    }
    return RunEnd::Reached;
}

RunEnd Scheduler::run_until(SimTime limit) {
    const RunEnd end = run_until([] { return false; }, limit);
    if (end == RunEnd::Idle) now_ = std::max(now_, limit);
    return end;
}

void Scheduler::note(const char* what, std::uint64_t detail) {
    EventLabel label = current_;
    label.what = what;
    label.detail = detail;
    record(label, true);
}

void Scheduler::record(const EventLabel& label, bool is_note) {
    hash_ = mix(hash_, static_cast<std::uint64_t>(now_.count()));
    hash_ = mix(hash_, hash_of(label.what));
    hash_ = mix(hash_, (static_cast<std::uint64_t>(label.node.value) << 8U) |
                           static_cast<std::uint64_t>(label.kind));
    hash_ = mix(hash_, label.detail);
    if (trace_.size() == kTraceLines) trace_.pop_front();
    trace_.push_back({now_, label, is_note});
}

std::string Scheduler::trace() const {
    std::string out;
    for (const TraceLine& line : trace_) {
        char text[160];
        const auto micros = static_cast<long long>(line.when.count() / 1000);
        const std::string node =
            line.label.node == kNoNode ? "-" : std::to_string(line.label.node.value);
        const int length =
            std::snprintf(text, sizeof text, "%10lld us  node %s  %s%s %llu\n", micros,
                          node.c_str(), line.is_note ? "  . " : "", line.label.what,
                          static_cast<unsigned long long>(line.label.detail));
        if (length > 0)
            out.append(text,
                       std::min<std::size_t>(static_cast<std::size_t>(length), sizeof text - 1));
    }
    return out;
}

}  // namespace shunt::sim
