#pragma once
// The demo's books: the conservation ledger for three hosts in one process, and what each Actor's
// state must be. Every member may be called from any thread.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/conservation.hpp"
#include "tools/demo_message.hpp"

namespace shunt::tools {

/// The state of an Actor as one number: it follows from everything that ran there, in order.
using Digest = std::uint64_t;

/// The account of a run.
struct BooksReport {
    conservation::Report messages;
    std::uint64_t ticks = 0;
    std::uint64_t refused = 0;       // Not accepted by a host; its sender was told.
    std::uint64_t state_faults = 0;  // A state, a tick or a payload that is not what it must be.
    std::vector<std::string> findings;

    bool holds() const noexcept { return messages.holds() && state_faults == 0; }
};

class Books {
  public:
    Books();
    Books(const Books&) = delete;
    Books& operator=(const Books&) = delete;

    conservation::Party party(std::string_view name);

    /// Numbers a one-way message about to be sent.
    Stamp send(conservation::Party sender, conservation::Party receiver);
    /// Numbers a request; answered() must follow once.
    Stamp ask(conservation::Party sender, conservation::Party receiver);
    /// No host accepted it, and its sender was told.
    void refused(const Stamp& stamp, conservation::Party receiver);
    void answered(const Stamp& stamp, conservation::Party receiver, conservation::Answer answer);

    /// A message runs at `receiver`, whose state says `before`: gives the state afterwards.
    Digest ran(const Stamp& stamp, conservation::Party receiver, std::string_view route,
               Digest before);
    /// The same for a timer tick.
    Digest ticked(conservation::Party actor, std::uint64_t delivery_index,
                  std::uint64_t scheduled_index, Digest before);
    /// Something no ledger entry stands for is wrong.
    void fault(std::string what);
    /// Order towards `receiver` is not promised for what was sent from `before_now` ago until
    /// `after_now` from now: its move went through the cutover fallback.
    void order_not_promised(conservation::Party receiver, Duration before_now, Duration after_now);

    /// Messages that have not run and requests that are not answered yet.
    std::uint64_t open() const;
    std::uint64_t delivered() const;
    BooksReport report() const;

  private:
    Duration now() const;
    Digest turn(conservation::Party actor, Digest before, std::uint64_t what, std::uint64_t number,
                const char* kind);
    void add_fault(std::string what);

    const std::chrono::steady_clock::time_point start_;
    mutable std::mutex mutex_;
    conservation::Ledger ledger_;
    std::vector<Digest> states_;  // By party.
    std::uint64_t delivered_ = 0;
    std::uint64_t ticks_ = 0;
    std::uint64_t refused_ = 0;
    conservation::Findings faults_;
};

}  // namespace shunt::tools
