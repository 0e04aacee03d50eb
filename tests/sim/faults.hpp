#pragma once
// What goes wrong in one run, and when. A plan switches whole kinds of fault off at random, because
// a run in which everything fails at once rarely gets anywhere near the rare interleavings; the
// injector then makes them happen until the safety phase ends.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/network.hpp"
#include "tests/sim/random.hpp"
#include "tests/sim/scheduler.hpp"
#include "tests/sim/sim_store.hpp"

namespace shunt::sim {

enum class Fault : std::uint8_t {
    Cut,               // a link breaks and both sides see it
    SilentCut,         // a link breaks and nobody sees it
    Silence,           // one direction delivers nothing for a while
    Slowness,          // one direction is slow for a while
    Pause,             // a node stands still
    RefusedDials,      // two nodes cannot connect for a while
    RudeClose,         // closing loses what was sent
    StoreErrors,       // transient store errors
    StoreLostAnswers,  // unknown results, applied or not
    StoreLateWrites,   // unknown results, applied afterwards
    StoreOutage,       // the store is away for a while
    WallClockSkew,     // wall clocks differ by seconds
};
inline constexpr std::size_t kFaultCount = 12;

std::string_view name_of(Fault fault) noexcept;

struct FaultPlan {
    std::array<bool, kFaultCount> enabled{};
    /// Mean time between two faults of one kind.
    Duration mean_interval = std::chrono::seconds(2);
    /// Longest silence, slowness, pause, refusal and outage.
    Duration length_max = std::chrono::seconds(2);
    /// Chance of each kind of store fault, in thousandths of the operations.
    std::uint32_t store_per_mille = 0;

    bool has(Fault fault) const noexcept { return enabled[static_cast<std::size_t>(fault)]; }
    bool any() const noexcept;
    /// One in four plans is empty: the normal path deserves runs of its own.
    static FaultPlan draw(const Random& seed);
    /// `cut pause store_errors`, or `none`.
    std::string describe() const;
};

class FaultInjector {
  public:
    FaultInjector(Scheduler& scheduler, Network& network, SimStore& store, const FaultPlan& plan,
                  std::uint64_t seed, std::vector<NodeIndex> nodes);
    FaultInjector(const FaultInjector&) = delete;
    FaultInjector& operator=(const FaultInjector&) = delete;
    ~FaultInjector() { stop(); }

    /// Begins the safety phase.
    void start();
    /// Ends it: no new fault, and every lasting one is over.
    void stop();

    /// How often each kind struck; lasting store faults count once per phase.
    std::uint64_t count_of(Fault fault) const noexcept {
        return counts_[static_cast<std::size_t>(fault)];
    }

    /// Seconds of wall-clock skew for a node of this run; zero unless the plan skews clocks.
    std::chrono::milliseconds skew_of(NodeIndex node) const;

  private:
    void arm(Fault fault);
    void strike(Fault fault);
    void cut_somewhere(CutKind kind);
    std::pair<NodeIndex, NodeIndex> two_nodes();

    Scheduler& scheduler_;
    Network& network_;
    SimStore& store_;
    FaultPlan plan_;
    Random random_;
    Random skew_random_;
    std::vector<NodeIndex> nodes_;
    std::array<EventId, kFaultCount> armed_{};
    std::array<std::uint64_t, kFaultCount> counts_{};
    bool running_ = false;
};

}  // namespace shunt::sim
