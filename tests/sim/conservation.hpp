#pragma once
// The ledger of a run: every message gets a number per sender and receiver when it is accepted, and
// is ticked off where it runs. Knows nothing of hosts, links or the simulator, so the simulator,
// the demo and soak tests share it. What it promises to find: lost, doubled and reordered messages,
// and requests that are not answered exactly once (seed unit section 13, design.md section 4).

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace shunt::conservation {

/// Somebody who sends or receives; interned by name.
struct Party {
    std::uint32_t index = 0;
    constexpr auto operator<=>(const Party&) const noexcept = default;
};

/// Which way a message went; interned by what the host stamps on it. Order is promised among
/// messages of one sender, receiver and route.
struct Route {
    std::uint32_t index = 0;
    constexpr auto operator<=>(const Route&) const noexcept = default;
};

/// One message. Sequence numbers of a sender and receiver start at 1 and have no gaps.
struct MessageRef {
    Party sender;
    Party receiver;
    std::uint64_t sequence = 0;
    constexpr auto operator<=>(const MessageRef&) const noexcept = default;
};

enum class Answer : std::uint8_t {
    Reply,    // The handler's own answer: it must have run.
    Failure,  // The caller was told that it failed: it may have run or not.
};

/// The first few findings in words; all of them counted.
class Findings {
  public:
    void add(std::string text);
    std::uint64_t count() const noexcept { return count_; }
    const std::vector<std::string>& texts() const noexcept { return texts_; }

  private:
    static constexpr std::size_t kTextsMax = 20;
    std::uint64_t count_ = 0;
    std::vector<std::string> texts_;
};

struct Report {
    std::uint64_t messages = 0;  // accepted, requests included
    std::uint64_t ran = 0;
    std::uint64_t requests = 0;
    std::uint64_t answered = 0;
    std::uint64_t failures = 0;         // of `answered`: the caller was told so
    std::uint64_t allowed_missing = 0;  // did not run, and somebody was told or a cut explains it
    std::uint64_t overtakes = 0;        // across routes: allowed, shown
    std::uint64_t late_unordered = 0;   // order was given up by rule (fallback, reconnection)
    std::uint64_t lost = 0;
    std::uint64_t doubled = 0;
    std::uint64_t reordered = 0;
    std::uint64_t unanswered = 0;
    std::uint64_t answered_twice = 0;
    std::uint64_t answered_unrun = 0;  // a reply without the handler having run
    Findings findings;

    bool holds() const noexcept {
        return lost + doubled + reordered + unanswered + answered_twice + answered_unrun == 0;
    }
    /// `lost 0 · doubled 0 · reordered 0`
    std::string verdict() const;
};

/// One thread at a time. Times are on whatever clock the caller uses throughout.
class Ledger {
  public:
    Party party(std::string_view name);
    Route route(std::string_view stamp);
    const std::string& name_of(Party party) const { return party_names_[party.index]; }

    /// Numbers a message about to be handed to a host.
    MessageRef send(Party sender, Party receiver, Duration at);
    /// The same for a request; exactly one answered() must follow.
    MessageRef ask(Party sender, Party receiver, Duration at);

    /// It may stay away: its sender was told that it was not accepted, or a connection was cut
    /// around it. It must still not run twice.
    void may_be_missing(const MessageRef& message);
    /// Everything sent to `receiver` that has not run yet may stay away: it is no more.
    void receiver_gone(Party receiver);
    /// So may what it sent itself: the process it lived in died.
    void party_died(Party party);

    /// Order towards `receiver` is not promised for what was sent in [from, to]: its move went
    /// through the fallback, or a connection was replaced.
    void order_not_promised(Party receiver, Duration from, Duration to);

    void ran(const MessageRef& message, Route route, Duration at);
    void answered(const MessageRef& message, Answer answer, Duration at);

    /// Messages that neither ran nor may be missing, plus requests without an answer.
    std::uint64_t open() const noexcept { return open_; }
    /// True once the message has run.
    bool has_run(const MessageRef& message) const;

    /// The account so far. What is still open counts as lost or unanswered.
    Report report() const;

  private:
    struct Entry {
        Duration sent;
        std::uint8_t runs = 0;
        std::uint8_t answers = 0;
        bool is_request = false;
        bool may_miss = false;
    };
    struct RouteMark {
        Route route;
        std::uint64_t last_ran = 0;
    };
    struct Flow {
        std::vector<Entry> entries;  // By sequence - 1.
        std::vector<RouteMark> routes;
        std::uint64_t last_ran = 0;
    };
    struct Window {
        Duration from;
        Duration to;
    };

    MessageRef add(Party sender, Party receiver, Duration at, bool is_request);
    Entry* find(const MessageRef& message);
    void check_order(Flow& flow, const MessageRef& message, Route route, const Entry& entry);
    bool order_promised(Party receiver, Duration sent) const;
    void excuse_unrun(Flow& flow);
    std::string describe(const MessageRef& message) const;
    static bool is_settled(const Entry& entry) noexcept {
        return (entry.runs > 0 || entry.may_miss) && (!entry.is_request || entry.answers > 0);
    }
    template <class Change>
    void change(Entry& entry, Change change);

    std::vector<std::string> party_names_;
    std::map<std::string, Party, std::less<>> parties_;
    std::map<std::string, Route, std::less<>> routes_;
    std::map<std::pair<Party, Party>, Flow> flows_;
    std::map<Party, std::vector<Window>> unordered_;
    Report sums_;
    std::uint64_t open_ = 0;
};

}  // namespace shunt::conservation
