#include "host/pending_requests.hpp"

#include <vector>

#include "host/errc.hpp"

namespace shunt::host {

void PendingRequests::add(std::uint64_t id, OperationId operation, TimePoint deadline,
                          Outbound::Answered answered) {
    const bool fresh = entries_.emplace(id, Entry{operation, deadline, std::move(answered)}).second;
    SHUNT_ASSERT(fresh);
    deadlines_.emplace(deadline, id);
    arm();
}

bool PendingRequests::complete(std::uint64_t id, OperationId operation, result<Packet> answer) {
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second.operation != operation) return false;
    finish(found, std::move(answer));
    return true;
}

bool PendingRequests::complete(std::uint64_t id, result<Packet> answer) {
    const auto found = entries_.find(id);
    if (found == entries_.end()) return false;
    finish(found, std::move(answer));
    return true;
}

void PendingRequests::finish(Entries::iterator entry, result<Packet> answer) {
    const auto range = deadlines_.equal_range(entry->second.deadline);
    for (auto at = range.first; at != range.second; ++at) {
        if (at->second != entry->first) continue;
        deadlines_.erase(at);
        break;
    }
    Outbound::Answered answered = std::move(entry->second.answered);
    entries_.erase(entry);
    world_.post([answered = std::move(answered), answer = std::move(answer)]() mutable {
        answered(std::move(answer));
    });
}

void PendingRequests::fail_all(std::error_code error) {
    // In id order, so that a run can be repeated from its seed.
    std::vector<std::uint64_t> ids;
    ids.reserve(entries_.size());
    for (const auto& [deadline, id] : deadlines_) ids.push_back(id);
    for (const std::uint64_t id : ids) static_cast<void>(complete(id, error));
}

void PendingRequests::arm() {
    if (deadlines_.empty()) return;
    const TimePoint first = deadlines_.begin()->first;
    if (timer_ && armed_for_ <= first) return;
    world_.cancel(timer_);
    armed_for_ = first;
    timer_ = world_.arm(first, [this] { expire(); });
}

void PendingRequests::expire() {
    timer_ = TimerId{};
    armed_for_ = kNever;
    const TimePoint now = world_.now();
    while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
        static_cast<void>(complete(deadlines_.begin()->second, Errc::DeadlineExceeded));
    }
    arm();
}

}  // namespace shunt::host
