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
    survey();
}

void Lifecycle::poke() {
    if (operation_ && operation_->step == Step::Waiting) survey();
}

// --- conditions -------------------------------------------------------------------------------

void Lifecycle::survey() {
    if (std::exchange(operation_->surveying, true)) return;
    parts_.crew.gather<Inventory>([](ShardCore& shard) { return shard.inventory(); },
                                  [this, alive = alive_](const std::vector<Inventory>& shards) {
                                      if (!*alive || !operation_) return;
                                      operation_->surveying = false;
                                      if (operation_->step == Step::Waiting) surveyed(shards);
                                  });
}

/// Conditions of seed host section 4, before any state has changed.
void Lifecycle::surveyed(const std::vector<Inventory>& shards) {
    Inventory all;
    for (const Inventory& shard : shards) {
        all.actors += shard.actors;
        all.disabled = all.disabled || shard.disabled;
        all.unfinished += shard.unfinished;
        all.types.insert(shard.types.begin(), shard.types.end());
    }
    if (shutting_down_) {
        return finish(RelocationOutcome::Blocked, RelocationReason::ShutdownRequested);
    }
    if (state_ == HostState::Error) {
        return finish(RelocationOutcome::Blocked, RelocationReason::RuntimeNotReady);
    }
    if (all.disabled) {
        return finish(RelocationOutcome::Blocked, RelocationReason::RelocationDisabled);
    }
    const bool has_target = all.actors == 0 || !candidates(all.types).empty();
    if (all.unfinished == 0 && has_target) {
        operation_->types = std::move(all.types);
        return seal();
    }
    if (parts_.services.world.now() >= operation_->deadline) {
        return finish(RelocationOutcome::Blocked, has_target ? RelocationReason::DeadlineExceeded
                                                             : RelocationReason::TargetUnavailable);
    }
    look_again();
}

// Descriptors, peers and inbound moves change without a word to this operation.
void Lifecycle::look_again() {
    constexpr std::chrono::milliseconds kLookAgain{20};
    parts_.services.world.arm(deadline_after(parts_.services.world.now(), kLookAgain),
                              [this, alive = alive_] {
                                  if (*alive) poke();
                              });
}

void Lifecycle::seal() {
    operation_->step = Step::Sealing;
    parts_.crew.gather<std::uint8_t>(
        [](ShardCore& shard) { return static_cast<std::uint8_t>(shard.try_seal()); },
        [this, alive = alive_](const std::vector<std::uint8_t>& answers) {
            const bool by_all = std::all_of(answers.begin(), answers.end(),
                                            [](auto answer) { return answer != 0; });
            if (*alive && operation_) sealed(by_all);
        });
}

// Something new may have come to a shard since it was asked: then all go back, and look again.
void Lifecycle::sealed(bool by_all) {
    if (shutting_down_) {
        return finish(RelocationOutcome::Blocked, RelocationReason::ShutdownRequested);
    }
    if (state_ == HostState::Error) {
        return finish(RelocationOutcome::Blocked, RelocationReason::RuntimeNotReady);
    }
    if (by_all) return publish_relocating();
    parts_.crew.post_all([](ShardCore& shard) { shard.unseal(); });
    operation_->step = Step::Waiting;
    look_again();
}

std::vector<MoveTarget> Lifecycle::candidates(
    const std::map<std::string, RelocationPolicy>& types) const {
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
    if (descriptor.rid == parts_.self.rid ||
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
    std::vector<MoveTarget> targets = candidates(operation_->types);
    const bool no_target = targets.empty() && !operation_->types.empty();
    if (shutting_down_ || no_target) {
        operation_->failed = true;
        operation_->reason = shutting_down_ ? RelocationReason::ShutdownRequested
                                            : RelocationReason::TargetUnavailable;
        return units_done();
    }
    if (targets.empty()) return units_done();
    start_units(std::move(targets));
}

void Lifecycle::start_units(std::vector<MoveTarget> targets) {
    operation_->outstanding = parts_.crew.size();
    // A shard says how many it starts before any of them concludes.
    ShardWorld& here = parts_.services.world;
    const auto on_started = [this, alive = alive_](std::size_t units) {
        if (!*alive || !operation_) return;
        operation_->outstanding += units - 1;
        if (operation_->outstanding == 0) units_done();
    };
    const auto on_concluded = [this, alive = alive_](relocation::SourceOutcome outcome,
                                                     FrameworkErrorCode code) {
        // A shutdown may have ended the operation in the middle of its units.
        if (*alive && operation_) unit_concluded(outcome, code);
    };
    parts_.crew.post_all([&here, on_started, on_concluded, targets = std::move(targets),
                          deadline = operation_->deadline](ShardCore& shard) {
        const std::size_t units = shard.start_units(targets, deadline, [&here, on_concluded] {
            return
                [&here, on_concluded](relocation::SourceOutcome outcome, FrameworkErrorCode code) {
                    here.post([on_concluded, outcome, code] { on_concluded(outcome, code); });
                };
        });
        here.post([on_started, units] { on_started(units); });
    });
}

void Lifecycle::unit_concluded(relocation::SourceOutcome outcome, FrameworkErrorCode code) {
    SHUNT_ASSERT(operation_->outstanding > 0);
    --operation_->outstanding;
    if (outcome != relocation::SourceOutcome::Detached && !operation_->failed) {
        operation_->failed = true;
        operation_->reason = outcome == relocation::SourceOutcome::Unavailable
                                 ? RelocationReason::DeadlineExceeded
                                 : reason_of(code);
        // Units that have started go on to a safe end, no further one starts (seed host section 7).
        abort_unstarted(code == FrameworkErrorCode::None ? FrameworkErrorCode::RequestFailed
                                                         : code);
    }
    if (operation_->outstanding == 0) units_done();
}

void Lifecycle::abort_unstarted(FrameworkErrorCode code) {
    parts_.crew.post_all([code](ShardCore& shard) { shard.abort_unstarted(code); });
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
            parts_.crew.post_all([](ShardCore& shard) { shard.unseal(); });
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
