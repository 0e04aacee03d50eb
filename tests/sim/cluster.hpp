#pragma once
// One whole run: hosts on a simulated mesh and store, an application that never sits still, random
// maintenance (relocate, shutdown, a new lifecycle) and the faults of the run's plan; then the
// faults stop, and everything must come to rest with the books closed (design.md section 4).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/host_core.hpp"
#include "tests/sim/faults.hpp"
#include "tests/sim/network.hpp"
#include "tests/sim/sim_app.hpp"
#include "tests/sim/sim_store.hpp"
#include "tests/sim/sim_world.hpp"
#include "tests/sim/store_watch.hpp"

namespace shunt::sim {

/// What a run was like, drawn from its seed.
struct RunPlan {
    std::uint32_t nodes = 3;
    AppOptions app;
    NetworkOptions network;
    host::HostOptions host;
    FaultPlan faults;
    std::uint32_t messages = 100;
    /// Length of the safety phase.
    Duration safety = std::chrono::seconds(6);
    /// Mean time between two begun relocations.
    Duration maintenance_interval = std::chrono::seconds(1);

    static RunPlan draw(std::uint64_t seed);
    std::string describe() const;
};

struct RunReport {
    std::vector<std::string> failures;
    conservation::Report books;
    Coverage coverage;
    std::uint64_t hash = 0;
    std::uint64_t steps = 0;
    std::uint64_t turns = 0;
    std::uint64_t opens = 0;
    std::uint64_t owner_changes = 0;
    std::uint64_t restarts = 0;
    std::uint64_t relocated = 0;
    std::uint64_t blocked = 0;
    std::uint64_t objects_lost = 0;
    std::uint64_t leases_lost = 0;
    std::uint64_t link_breaks = 0;
    SimTime ended{0};
    std::string plan;
    /// The last events and log lines of a run that failed.
    std::string trace;

    bool passed() const noexcept { return failures.empty(); }
};

class Cluster {
  public:
    explicit Cluster(std::uint64_t seed);
    Cluster(std::uint64_t seed, const RunPlan& plan);
    ~Cluster();
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;

    /// Plays the run to its end.
    RunReport run();

    Scheduler& scheduler() noexcept { return scheduler_; }
    void set_verbose(bool verbose) noexcept { app_.set_verbose(verbose); }

  private:
    struct SimShard {
        std::unique_ptr<SimWorld> world;
        std::unique_ptr<store::LocationStore> store;
    };
    /// One host lifecycle.
    struct Run {
        std::uint64_t lifecycle = 0;
        std::unique_ptr<SimWorld> world;
        std::unique_ptr<store::LocationStore> store;
        /// Beside shard 0.
        std::vector<SimShard> further;
        std::unique_ptr<SimProbe> probe;
        std::unique_ptr<host::HostCore> core;
        std::string caller;  // Whom the books name for messages from outside any Actor.
    };
    enum class Phase : std::uint8_t { Down, Starting, Serving, Relocating, Relocated, Stopping };
    struct NodeSlot {
        NodeIndex index;
        Duration monotonic_offset{0};
        Phase phase = Phase::Down;
        std::unique_ptr<Run> run;
    };

    // --- lifecycles
    void start(NodeSlot& slot);
    void started(NodeSlot& slot, std::error_code error);
    void relocate(NodeSlot& slot);
    void relocated(NodeSlot& slot, const result<host::RelocationResult>& answer);
    void await_safe(NodeSlot& slot);
    /// A host that lost its lease admits nothing any more: its supervisor ends it.
    void watch_leases();
    void shut_down(NodeSlot& slot);
    void stopped(NodeSlot& slot, const host::TerminationResult& answer);
    void discard(NodeSlot& slot);
    /// Runs `next` as an event of the test, unless the node has another run by then.
    void later(NodeSlot& slot, Duration wait, const char* what, void (Cluster::*next)(NodeSlot&));

    // --- phases
    bool bring_up();
    void create_actors();
    void play();
    void converge();
    void end_all();
    void arm_traffic();
    void arm_maintenance();
    void send_something();
    NodeSlot* pick(Phase phase);
    bool is_quiet();
    std::string unrest();
    bool all_in(Phase phase) const;
    void fail(std::string text) { report_.failures.push_back(std::move(text)); }
    bool run_until(const std::function<bool()>& done, Duration patience, const char* what);
    void close_books();
    void note_log(const NodeSlot& slot, relocation::LogLevel level, std::string_view name,
                  const std::string& text);
    host::HostOptions options_of(const NodeSlot& slot) const;

    std::uint64_t seed_;
    RunPlan plan_;
    Scheduler scheduler_;
    Network network_;
    SimStore store_;
    StoreWatch store_watch_;
    SimApp app_;
    Random random_;
    host::Registry registry_;
    std::vector<NodeIndex> indices_;
    FaultInjector faults_;
    std::vector<NodeSlot> nodes_;
    RunReport report_;
    std::uint64_t lifecycles_ = 0;
    std::uint32_t messages_left_ = 0;
    bool maintaining_ = false;
    bool ending_ = false;
};

enum class Telling : std::uint8_t { Nothing, Everything };

/// Draws, plays and judges one run; telling Everything prints what happens as it happens.
RunReport run_seed(std::uint64_t seed, Telling telling = Telling::Nothing);

}  // namespace shunt::sim
