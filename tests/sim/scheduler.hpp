#pragma once
// Virtual time and the one event queue of a simulation (design.md section 4). Everything that ever
// happens is an event here, run one at a time in an order that the seed decides: by time, then by a
// drawn tie-break. Nothing else in the simulator may decide an order.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "base/unique_function.hpp"
#include "tests/sim/random.hpp"

namespace shunt::sim {

/// Virtual time since the start of the simulation. Node clocks are offsets from it.
using SimTime = Duration;

/// A machine of the simulated cluster; it outlives the host lifecycles that run on it.
struct NodeIndex {
    std::uint32_t value = 0;
    constexpr auto operator<=>(const NodeIndex&) const noexcept = default;
};

/// The events of no node (the network, the test itself); never paused.
inline constexpr NodeIndex kNoNode{UINT32_MAX};

struct EventId {
    std::uint64_t value = 0;
    constexpr auto operator<=>(const EventId&) const noexcept = default;
    explicit constexpr operator bool() const noexcept { return value != 0; }
};

/// What an event is about, for the trace, the hash and the order after a pause.
enum class EventKind : std::uint8_t { Post, Timer, Network, Store, Fault, Test };

struct EventLabel {
    EventKind kind = EventKind::Test;
    /// A string literal: it is kept by pointer.
    const char* what = "";
    NodeIndex node = kNoNode;
    std::uint64_t detail = 0;
};

/// Why run_until() returned.
enum class RunEnd : std::uint8_t {
    Reached,     // The predicate holds.
    TimeOver,    // The virtual time limit came first.
    Idle,        // No event is left: nothing can change any more.
    BudgetOver,  // The step budget is spent: a livelock, or a run far bigger than planned.
};

class Scheduler {
  public:
    explicit Scheduler(std::uint64_t seed);
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    SimTime now() const noexcept { return now_; }

    /// Runs `fn` at `when` (now at the earliest), never inside this call.
    EventId at(SimTime when, const EventLabel& label, UniqueFunction<void()> fn);
    EventId after(Duration wait, const EventLabel& label, UniqueFunction<void()> fn) {
        return at(now_ + wait, label, std::move(fn));
    }
    /// After this the event will not run and its callable is destroyed; spent ids are ignored.
    void cancel(EventId event) noexcept;

    /// Nothing of `node` runs before `end`; what comes due meanwhile runs then, each kind in its
    /// own order, the kinds in a drawn order: a woken process may see its timers or its sockets
    /// first. Overlapping pauses add up to the later end.
    void pause(NodeIndex node, SimTime end);
    bool is_paused(NodeIndex node) const noexcept;
    /// Ends all pauses now.
    void resume_all();

    /// Runs one event. False when none is left.
    bool step();

    /// Steps until `done` holds (asked before the first event and after each one).
    RunEnd run_until(const std::function<bool()>& done, SimTime limit);
    /// Steps through everything up to `limit` and leaves the clock there.
    RunEnd run_until(SimTime limit);

    /// Steps that may still run; when they are spent every run ends in BudgetOver.
    void set_step_budget(std::uint64_t steps) noexcept { budget_ = steps; }
    std::uint64_t steps() const noexcept { return steps_; }

    /// Adds something that happened inside an event to hash and trace.
    void note(const char* what, std::uint64_t detail);

    /// Equal for two runs exactly when they did the same things at the same times.
    std::uint64_t hash() const noexcept { return hash_; }

    /// The last events and notes, oldest first, one per line.
    std::string trace() const;

  private:
    struct Rank {
        SimTime when;
        std::uint64_t tie = 0;
        std::uint64_t id = 0;
        constexpr auto operator<=>(const Rank&) const noexcept = default;
    };
    struct Event {
        EventLabel label;
        UniqueFunction<void()> fn;
    };
    struct Pause {
        SimTime end{};
        std::uint64_t first_kind = 0;
        std::uint64_t deferred = 0;
    };
    struct TraceLine {
        SimTime when;
        EventLabel label;
        bool is_note = false;
    };

    bool defer_if_paused(const Rank& rank);
    void record(const EventLabel& label, bool is_note);

    Random random_;
    SimTime now_{0};
    std::uint64_t last_id_ = 0;
    std::uint64_t steps_ = 0;
    std::uint64_t budget_ = UINT64_MAX;
    std::uint64_t hash_ = 0;
    bool stepping_ = false;
    EventLabel current_;
    std::map<Rank, Event> queue_;
    std::map<std::uint64_t, Rank> rank_of_;  // By EventId, for cancel().
    std::map<NodeIndex, Pause> pauses_;
    std::deque<TraceLine> trace_;
};

}  // namespace shunt::sim
