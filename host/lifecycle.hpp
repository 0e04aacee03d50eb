#pragma once
// Relocate and Shutdown of one host: which may run together, what is checked first, which units
// move where, and how both end (seed host sections 2 to 8, 13 and 14). On shard 0; asks the other
// shards and waits for their answers. Step 1 of the plan knows one kind of unit, the Actor of an
// Entry Spot, and so one batch.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "host/crew.hpp"
#include "host/directory.hpp"
#include "host/mesh.hpp"
#include "host/shard_core.hpp"
#include "host/status.hpp"

namespace shunt::host {

struct LifecycleParts {
    HostServices& services;
    const NodeIdentity& self;
    Crew& crew;
    Mesh& mesh;
    Directory& directory;
    /// Destroys the shards, each on its own; `done` runs on shard 0 afterwards.
    UniqueFunction<void(UniqueFunction<void()> done)> close_shards;
};

class Lifecycle {
  public:
    using Relocated = UniqueFunction<void(result<RelocationResult>)>;
    using Terminated = UniqueFunction<void(TerminationResult)>;

    explicit Lifecycle(LifecycleParts parts) : parts_(std::move(parts)) {}
    Lifecycle(const Lifecycle&) = delete;
    Lifecycle& operator=(const Lifecycle&) = delete;
    ~Lifecycle();

    HostState state() const noexcept { return state_; }
    void set_serving() noexcept { state_ = HostState::Serving; }
    void set_error() noexcept { state_ = HostState::Error; }
    const std::optional<RelocationResult>& relocation_result() const noexcept { return relocated_; }
    const std::optional<TerminationResult>& termination_result() const noexcept {
        return terminated_;
    }

    /// `done` runs once, in a later step.
    void relocate(const RelocateOptions& options, Relocated done);
    void shutdown(std::chrono::milliseconds deadline, Terminated done);

    /// Something the running operation may wait for has changed.
    void poke();

  private:
    enum class Step : std::uint8_t { Waiting, Sealing, Publishing, Moving, Finishing };
    /// The one Relocate that may run.
    struct Operation {
        RelocationMode mode = RelocationMode::PlannedMaintenance;
        std::int64_t version = 0;
        TimePoint deadline;
        TimerId deadline_timer;
        Step step = Step::Waiting;
        /// The shards are asked what they hold; Waiting only.
        bool surveying = false;
        /// Types of the Actors that are here.
        std::map<std::string, RelocationPolicy> types;
        std::vector<Relocated> waiters;
        /// Units that have not concluded, and shards that have not said how many they have.
        std::size_t outstanding = 0;
        bool failed = false;
        RelocationReason reason = RelocationReason::None;
    };

    void survey();
    void surveyed(const std::vector<Inventory>& shards);
    void look_again();
    void seal();
    void sealed(bool by_all);
    std::vector<MoveTarget> candidates(const std::map<std::string, RelocationPolicy>& types) const;
    bool is_candidate(const store::ListedNode& node,
                      const std::map<std::string, RelocationPolicy>& types) const;
    void publish_relocating();
    void move_units();
    void start_units(std::vector<MoveTarget> targets);
    void unit_concluded(relocation::SourceOutcome outcome, protocol::FrameworkErrorCode code);
    void abort_unstarted(protocol::FrameworkErrorCode code);
    void units_done();
    void publish_relocated();
    void finish(RelocationOutcome outcome, RelocationReason reason);
    void answer(Relocated done, RelocationResult result);

    void flush();
    void drain_step();
    void ask_drained();
    void dispose_actors();
    void release_store();
    void stop_mesh();
    void await_store();
    void stopped();

    LifecycleParts parts_;
    HostState state_ = HostState::Preparing;
    std::optional<Operation> operation_;
    std::optional<RelocationResult> relocated_;

    std::vector<Terminated> shutdown_waiters_;
    bool shutting_down_ = false;
    bool flushed_ = false;
    bool asking_drained_ = false;
    bool disposing_ = false;
    TimePoint shutdown_deadline_{};
    TimerId drain_timer_;
    std::size_t shards_to_dispose_ = 0;
    bool teardown_failed_ = false;
    bool deadline_passed_ = false;
    std::optional<TerminationResult> terminated_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace shunt::host
