#include "tests/sim/conservation.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace shunt::conservation {

void Findings::add(std::string text) {
    ++count_;
    if (texts_.size() < kTextsMax) texts_.push_back(std::move(text));
}

std::string Report::verdict() const {
    return "lost " + std::to_string(lost) + " · doubled " + std::to_string(doubled) +
           " · reordered " + std::to_string(reordered);
}

Party Ledger::party(std::string_view name) {
    const auto found = parties_.find(name);
    if (found != parties_.end()) return found->second;
    const Party party{static_cast<std::uint32_t>(party_names_.size())};
    party_names_.emplace_back(name);
    parties_.emplace(name, party);
    return party;
}

Route Ledger::route(std::string_view stamp) {
    const auto found = routes_.find(stamp);
    if (found != routes_.end()) return found->second;
    const Route route{static_cast<std::uint32_t>(routes_.size())};
    routes_.emplace(stamp, route);
    return route;
}

MessageRef Ledger::send(Party sender, Party receiver, Duration at) {
    return add(sender, receiver, at, false);
}

MessageRef Ledger::ask(Party sender, Party receiver, Duration at) {
    ++sums_.requests;
    return add(sender, receiver, at, true);
}

MessageRef Ledger::add(Party sender, Party receiver, Duration at, bool is_request) {
    Flow& flow = flows_[{sender, receiver}];
    Entry entry;
    entry.sent = at;
    entry.is_request = is_request;
    flow.entries.push_back(entry);
    ++sums_.messages;
    ++open_;
    return {sender, receiver, flow.entries.size()};
}

Ledger::Entry* Ledger::find(const MessageRef& message) {
    const auto flow = flows_.find({message.sender, message.receiver});
    if (flow == flows_.end()) return nullptr;
    std::vector<Entry>& entries = flow->second.entries;
    if (message.sequence == 0 || message.sequence > entries.size()) return nullptr;
    return &entries[message.sequence - 1];
}

bool Ledger::has_run(const MessageRef& message) const {
    const auto flow = flows_.find({message.sender, message.receiver});
    SHUNT_ASSERT(flow != flows_.end());
    return flow->second.entries.at(message.sequence - 1).runs > 0;
}

template <class Change>
void Ledger::change(Entry& entry, Change change) {
    const bool was_settled = is_settled(entry);
    change(entry);
    if (!was_settled && is_settled(entry)) --open_;
}

void Ledger::may_be_missing(const MessageRef& message) {
    Entry* entry = find(message);
    SHUNT_ASSERT(entry != nullptr);
    change(*entry, [](Entry& e) { e.may_miss = true; });
}

void Ledger::excuse_unrun(Flow& flow) {
    for (Entry& entry : flow.entries) {
        change(entry, [](Entry& e) { e.may_miss = e.may_miss || e.runs == 0; });
    }
}

void Ledger::receiver_gone(Party receiver) {
    for (auto& [parties, flow] : flows_) {
        if (parties.second == receiver) excuse_unrun(flow);
    }
}

void Ledger::party_died(Party party) {
    for (auto& [parties, flow] : flows_) {
        if (parties.first == party || parties.second == party) excuse_unrun(flow);
    }
}

void Ledger::order_not_promised(Party receiver, Duration from, Duration to) {
    unordered_[receiver].push_back({from, to});
}

bool Ledger::order_promised(Party receiver, Duration sent) const {
    const auto found = unordered_.find(receiver);
    if (found == unordered_.end()) return true;
    return std::none_of(found->second.begin(), found->second.end(), [&](const Window& window) {
        return window.from <= sent && sent <= window.to;
    });
}

std::string Ledger::describe(const MessageRef& message) const {
    return name_of(message.sender) + " -> " + name_of(message.receiver) + " #" +
           std::to_string(message.sequence);
}

void Ledger::ran(const MessageRef& message, Route route, Duration at) {
    Entry* entry = find(message);
    if (entry == nullptr) {
        ++sums_.doubled;
        sums_.findings.add("ran but was never sent: " + describe(message));
        return;
    }
    ++sums_.ran;
    const bool again = entry->runs > 0;
    change(*entry, [](Entry& e) { e.runs = static_cast<std::uint8_t>(std::min(e.runs + 1, 255)); });
    if (again) {
        ++sums_.doubled;
        sums_.findings.add("ran again: " + describe(message) + ", sent at " +
                           std::to_string(entry->sent.count() / 1000) + " us, now " +
                           std::to_string(at.count() / 1000) + " us");
        return;
    }
    check_order(flows_[{message.sender, message.receiver}], message, route, *entry);
}

void Ledger::check_order(Flow& flow, const MessageRef& message, Route route, const Entry& entry) {
    // The newest route is the likely one.
    auto mark = std::find_if(flow.routes.rbegin(), flow.routes.rend(),
                             [&](const RouteMark& m) { return m.route == route; });
    if (mark == flow.routes.rend()) {
        flow.routes.push_back({route, 0});
        mark = flow.routes.rbegin();
    }
    if (message.sequence < mark->last_ran) {
        if (order_promised(message.receiver, entry.sent)) {
            ++sums_.reordered;
            sums_.findings.add("ran behind #" + std::to_string(mark->last_ran) +
                               " of its own route: " + describe(message));
        } else {
            ++sums_.late_unordered;
        }
    } else if (message.sequence < flow.last_ran) {
        ++sums_.overtakes;
    }
    mark->last_ran = std::max(mark->last_ran, message.sequence);
    flow.last_ran = std::max(flow.last_ran, message.sequence);
}

void Ledger::answered(const MessageRef& message, Answer answer, Duration at) {
    Entry* entry = find(message);
    SHUNT_ASSERT(entry != nullptr && entry->is_request);
    if (entry->answers > 0) {
        ++sums_.answered_twice;
        sums_.findings.add("answered again: " + describe(message) + " at " +
                           std::to_string(at.count() / 1000) + " us");
        return;
    }
    ++sums_.answered;
    if (answer == Answer::Failure) ++sums_.failures;
    if (answer == Answer::Reply && entry->runs == 0) {
        ++sums_.answered_unrun;
        sums_.findings.add("answered without having run: " + describe(message));
    }
    change(*entry, [answer](Entry& e) {
        e.answers = 1;
        if (answer == Answer::Failure) e.may_miss = true;
    });
}

Report Ledger::report() const {
    Report report = sums_;
    for (const auto& [parties, flow] : flows_) {
        for (std::size_t i = 0; i < flow.entries.size(); ++i) {
            const Entry& entry = flow.entries[i];
            const MessageRef message{parties.first, parties.second, i + 1};
            const auto sent = [&entry] {
                return ", sent at " + std::to_string(entry.sent.count() / 1000) + " us";
            };
            if (entry.runs == 0 && entry.may_miss) ++report.allowed_missing;
            if (entry.runs == 0 && !entry.may_miss) {
                ++report.lost;
                report.findings.add("never ran: " + describe(message) + sent());
            }
            if (entry.is_request && entry.answers == 0) {
                ++report.unanswered;
                report.findings.add("never answered: " + describe(message) + sent());
            }
        }
    }
    return report;
}

}  // namespace shunt::conservation
