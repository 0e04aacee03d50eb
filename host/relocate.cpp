// Lifecycle, first half: Relocate (seed host sections 4 to 8 and 13).
#include <algorithm>

#include "host/errc.hpp"
#include "host/lifecycle.hpp"

namespace shunt::host {

using protocol::FrameworkErrorCode;
using relocation::LogLevel;

namespace {

constexpr std::chrono::milliseconds kDeadlineDefault{30'000};

store::CapabilityPolicy policy_of(RelocationPolicy policy) noexcept {
    return policy == RelocationPolicy::PreserveState ? store::CapabilityPolicy::Snapshot
                                                     : store::CapabilityPolicy::Recreate;
}

RelocationReason reason_of(FrameworkErrorCode code) noexcept {
    if (code == FrameworkErrorCode::WorkerTimedOut) return RelocationReason::DeadlineExceeded;
    if (code == FrameworkErrorCode::RequestRejected) return RelocationReason::StateIncompatible;
    return RelocationReason::RelocationFailed;
}

}  // namespace

Lifecycle::~Lifecycle() {
    *alive_ = false;
    if (operation_) parts_.services.world.cancel(operation_->deadline_timer);
    parts_.services.world.cancel(drain_timer_);
}

void Lifecycle::answer(Relocated done, RelocationResult result) {
    parts_.services.world.post([done = std::move(done), result]() mutable { done(result); });
}

void Lifecycle::relocate(const RelocateOptions& options, Relocated done) {
    const std::int64_t own = parts_.services.options.application_version;
    const bool rolling = options.mode == RelocationMode::RollingUpdate;
    const bool version_fits = rolling ? options.target_application_version.value_or(-1) > own
                                      : !options.target_application_version.has_value();
    const auto deadline = options.deadline.value_or(kDeadlineDefault);
    if (!version_fits || deadline.count() <= 0) {
        parts_.services.world.post(
            [done = std::move(done)]() mutable { done(Errc::InvalidArgument); });
        return;
    }
    const std::int64_t version = rolling ? *options.target_application_version : own;
    const auto blocked = [&](RelocationReason reason) {
        answer(std::move(done), {options.mode, version, RelocationOutcome::Blocked, reason});
    };
    if (relocated_) return answer(std::move(done), *relocated_);
    if (operation_) {
        if (operation_->mode != options.mode || operation_->version != version) {
            return blocked(RelocationReason::OperationInProgress);
        }
        operation_->waiters.push_back(std::move(done));
        return;
    }
    if (shutting_down_) return blocked(RelocationReason::ShutdownRequested);
    if (state_ != HostState::Serving) return blocked(RelocationReason::RuntimeNotReady);

    operation_.emplace();
    operation_->mode = options.mode;
    operation_->version = version;
    operation_->deadline = deadline_after(parts_.services.world.now(), deadline);
    operation_->waiters.push_back(std::move(done));
    operation_->deadline_timer =
        parts_.services.world.arm(operation_->deadline, [this] { poke(); });
    advance();
}

/// Conditions of seed host section 4, before any state has changed.
std::optional<RelocationReason> Lifecycle::refusal() const {
    for (const auto& cell : parts_.cells.sorted()) {
        if (cell->mode() == ActorCell::Mode::Ended) continue;
        if (cell->definition().policy == RelocationPolicy::Disable) {
            return RelocationReason::RelocationDisabled;
        }
    }
    return std::nullopt;
}

void Lifecycle::poke() {
    if (operation_ && operation_->step == Step::Waiting) advance();
}

void Lifecycle::creation_ended() {
    SHUNT_ASSERT(creating_ > 0);
    --creating_;
    poke();
}

void Lifecycle::advance() {
    if (shutting_down_) {
        return finish(RelocationOutcome::Blocked, RelocationReason::ShutdownRequested);
    }
    if (state_ == HostState::Error) {
        return finish(RelocationOutcome::Blocked, RelocationReason::RuntimeNotReady);
    }
    if (const auto reason = refusal()) return finish(RelocationOutcome::Blocked, *reason);
    const bool quiet = creating_ == 0 && parts_.targets.running() == 0;
    const bool has_target = parts_.cells.size() == 0 || !candidates().empty();
    if (quiet && has_target) return publish_relocating();
    if (parts_.services.world.now() >= operation_->deadline) {
        finish(RelocationOutcome::Blocked, has_target ? RelocationReason::DeadlineExceeded
                                                      : RelocationReason::TargetUnavailable);
        return;
    }
    // Descriptors, peers and inbound moves change without a word to this operation: look again.
    constexpr std::chrono::milliseconds kLookAgain{20};
    parts_.services.world.arm(deadline_after(parts_.services.world.now(), kLookAgain),
                              [this, alive = alive_] {
                                  if (*alive) poke();
                              });
}

std::vector<MoveTarget> Lifecycle::candidates() const {
    std::map<std::string, RelocationPolicy> types;
    for (const auto& cell : parts_.cells.sorted()) {
        types.emplace(cell->definition().stable_type, *cell->definition().policy);
    }
    std::vector<MoveTarget> fitting;
    for (const store::ListedNode& node : parts_.directory.nodes()) {
        if (!is_candidate(node, types)) continue;
        fitting.push_back({node.descriptor.rid, node.descriptor.lifecycle_generation,
                           node.descriptor.lease.owner_id, node.descriptor.lease.generation,
                           node.descriptor.placement_weight});
    }
    return fitting;
}

bool Lifecycle::is_candidate(const store::ListedNode& node,
                             const std::map<std::string, RelocationPolicy>& types) const {
    const store::NodeDescriptor& descriptor = node.descriptor;
    // The order of seed host section 5: version before everything else.
    if (descriptor.application_version != static_cast<std::uint64_t>(operation_->version)) {
        return false;
    }
    if (descriptor.rid == parts_.services.self.rid ||
        descriptor.object_role != protocol::ObjectRole::Server ||
        descriptor.state != store::NodeState::Serving) {
        return false;
    }
    for (const auto& [type, policy] : types) {
        const auto& capabilities = descriptor.object_capabilities;
        const bool compatible =
            std::any_of(capabilities.begin(), capabilities.end(), [&](const auto& capability) {
                return capability.object_kind == protocol::StatefulObjectKind::Actor &&
                       capability.stable_type == type && capability.policy == policy_of(policy) &&
                       capability.has_snapshot_adapter ==
                           (policy == RelocationPolicy::PreserveState);
            });
        if (!compatible) return false;
    }
    const auto& wave = parts_.services.options.maintenance_wave;
    if (wave && descriptor.maintenance_wave == wave) return false;
    const Peer* peer = parts_.mesh.find(descriptor.rid);
    if (peer == nullptr || peer->generation != descriptor.lifecycle_generation) return false;
    // A node that answers no hello is leaving; a unit sent there might stay undecided.
    if (!peer->admits_us) return false;
    // Its own word is newer than the last look into the store.
    if (peer->descriptor.extension.runtime_state != protocol::RuntimeState::Serving) return false;
    return descriptor.placement_weight > 0;
}

void Lifecycle::publish_relocating() {
    operation_->step = Step::Publishing;
    parts_.targets.refuse_new();
    state_ = HostState::Relocating;
    parts_.directory.publish(store::NodeState::Relocating, [this](std::error_code error) {
        if (!operation_) return;
        if (error) {
            operation_->failed = true;
            operation_->reason = RelocationReason::StoreUnavailable;
            return units_done();
        }
        move_units();
    });
}

void Lifecycle::move_units() {
    operation_->step = Step::Moving;
    const std::vector<MoveTarget> targets = candidates();
    std::uint64_t weight_sum = 0;
    for (const MoveTarget& target : targets) weight_sum += target.weight;
    std::vector<std::shared_ptr<ActorCell>> units;
    for (auto& cell : parts_.cells.sorted()) {
        if (cell->mode() == ActorCell::Mode::Serving) units.push_back(std::move(cell));
    }
    if (shutting_down_ || (weight_sum == 0 && !units.empty())) {
        operation_->failed = true;
        operation_->reason = shutting_down_ ? RelocationReason::ShutdownRequested
                                            : RelocationReason::TargetUnavailable;
        return units_done();
    }
    operation_->outstanding = units.size();
    for (const auto& unit : units) {
        std::uint64_t draw = parts_.services.world.random() % weight_sum;
        std::size_t chosen = 0;
        while (draw >= targets[chosen].weight) draw -= targets[chosen++].weight;
        parts_.sources.start(
            unit, targets[chosen], operation_->deadline,
            [this, alive = alive_](relocation::SourceOutcome outcome, FrameworkErrorCode code) {
                if (*alive) unit_concluded(outcome, code);
            });
    }
    if (units.empty()) units_done();
}

void Lifecycle::unit_concluded(relocation::SourceOutcome outcome, FrameworkErrorCode code) {
    SHUNT_ASSERT(operation_ && operation_->outstanding > 0);
    --operation_->outstanding;
    if (outcome != relocation::SourceOutcome::Detached && !operation_->failed) {
        operation_->failed = true;
        operation_->reason = outcome == relocation::SourceOutcome::Unavailable
                                 ? RelocationReason::DeadlineExceeded
                                 : reason_of(code);
        // Units that have started go on to a safe end, no further one starts (seed host section 7).
        parts_.sources.abort_unstarted(
            code == FrameworkErrorCode::None ? FrameworkErrorCode::RequestFailed : code);
    }
    if (operation_->outstanding == 0) units_done();
}

void Lifecycle::units_done() {
    operation_->step = Step::Finishing;
    if (!operation_->failed) return publish_relocated();
    const RelocationReason reason =
        shutting_down_ ? RelocationReason::ShutdownRequested : operation_->reason;
    if (shutting_down_) return finish(RelocationOutcome::Blocked, reason);
    parts_.directory.publish(store::NodeState::Serving, [this, reason](std::error_code error) {
        if (!operation_) return;
        if (error) {
            parts_.services.log(LogLevel::Warning, "serving_publication_failed", error.message());
        }
        if (!shutting_down_ && state_ != HostState::Error) {
            state_ = HostState::Serving;
            parts_.targets.accept_new();
        }
        finish(RelocationOutcome::Blocked, reason);
    });
}

void Lifecycle::publish_relocated() {
    // The units are gone, so this is Relocated whatever the store says (design.md decision 24).
    if (!shutting_down_ && state_ != HostState::Error) state_ = HostState::Relocated;
    relocated_ = RelocationResult{operation_->mode, operation_->version,
                                  RelocationOutcome::Relocated, RelocationReason::None};
    parts_.directory.publish(store::NodeState::Relocated, [this](std::error_code error) {
        if (!operation_) return;
        if (!error) return finish(RelocationOutcome::Relocated, RelocationReason::None);
        parts_.services.log(LogLevel::Warning, "relocated_publication_pending", error.message());
        if (parts_.services.world.now() >= operation_->deadline || shutting_down_) {
            return finish(RelocationOutcome::Relocated, RelocationReason::None);
        }
        constexpr std::chrono::milliseconds kPublishPause{100};
        parts_.services.world.arm(deadline_after(parts_.services.world.now(), kPublishPause),
                                  [this, alive = alive_] {
                                      if (*alive && operation_) publish_relocated();
                                  });
    });
}

void Lifecycle::finish(RelocationOutcome outcome, RelocationReason reason) {
    Operation ended = std::move(*operation_);
    operation_.reset();
    parts_.services.world.cancel(ended.deadline_timer);
    const RelocationResult result{ended.mode, ended.version, outcome, reason};
    for (Relocated& waiter : ended.waiters) answer(std::move(waiter), result);
    if (shutting_down_) drain_step();
}

}  // namespace shunt::host
