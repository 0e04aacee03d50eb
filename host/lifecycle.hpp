#pragma once
// Relocate and Shutdown of one host: which may run together, what is checked first, which units
// move where, and how both end (seed host sections 2 to 8, 13 and 14). Step 1 of the plan knows
// one kind of unit, the Actor of an Entry Spot, and so one batch.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "host/cell_table.hpp"
#include "host/directory.hpp"
#include "host/ingress.hpp"
#include "host/mesh.hpp"
#include "host/router.hpp"
#include "host/source_moves.hpp"
#include "host/status.hpp"
#include "host/target_moves.hpp"

namespace shunt::host {

struct LifecycleParts {
    Services& services;
    Mesh& mesh;
    Directory& directory;
    CellTable& cells;
    Router& router;
    Ingress& ingress;
    PendingRequests& pending;
    ReplyRouter& replies;
    SourceMoves& sources;
    TargetMoves& targets;
};

class Lifecycle {
  public:
    using Relocated = UniqueFunction<void(result<RelocationResult>)>;
    using Terminated = UniqueFunction<void(TerminationResult)>;

    explicit Lifecycle(LifecycleParts parts) : parts_(parts) {}
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

    /// A create_actor() is under way or has ended: the inventory waits for it.
    void creation_started() noexcept { ++creating_; }
    void creation_ended();
    /// Something the running operation may wait for has changed.
    void poke();

  private:
    enum class Step : std::uint8_t { Waiting, Publishing, Moving, Finishing };
    /// The one Relocate that may run.
    struct Operation {
        RelocationMode mode = RelocationMode::PlannedMaintenance;
        std::int64_t version = 0;
        TimePoint deadline;
        TimerId deadline_timer;
        Step step = Step::Waiting;
        std::vector<Relocated> waiters;
        std::size_t outstanding = 0;
        bool failed = false;
        RelocationReason reason = RelocationReason::None;
    };

    std::optional<RelocationReason> refusal() const;
    void advance();
    std::vector<MoveTarget> candidates() const;
    bool is_candidate(const store::ListedNode& node,
                      const std::map<std::string, RelocationPolicy>& types) const;
    void publish_relocating();
    void move_units();
    void unit_concluded(relocation::SourceOutcome outcome, protocol::FrameworkErrorCode code);
    void units_done();
    void publish_relocated();
    void finish(RelocationOutcome outcome, RelocationReason reason);
    void answer(Relocated done, RelocationResult result);

    void flush();
    void drain_step();
    bool drained() const;
    void dispose_actors();
    void release_store();
    void stop_mesh();
    void stopped();
    std::shared_ptr<bool> alive() const { return alive_; }

    LifecycleParts parts_;
    HostState state_ = HostState::Preparing;
    std::size_t creating_ = 0;
    std::optional<Operation> operation_;
    std::optional<RelocationResult> relocated_;

    std::vector<Terminated> shutdown_waiters_;
    bool shutting_down_ = false;
    bool flushed_ = false;
    bool disposing_ = false;
    TimePoint shutdown_deadline_{};
    TimerId drain_timer_;
    std::size_t rows_to_remove_ = 0;
    bool teardown_failed_ = false;
    bool deadline_passed_ = false;
    std::optional<TerminationResult> terminated_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace shunt::host
