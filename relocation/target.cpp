#include "relocation/target.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace shunt::relocation {

using protocol::FrameworkErrorCode;

namespace {

void report(LogCode code, TargetEffects& out) {
    out.push_back(Report{code});
}

}  // namespace

Target::Target(RelocationIdentity identity, const MoveSettings& settings)
    : identity_(std::move(identity)), settings_(settings) {
    SHUNT_ASSERT(identity_.relocation);
    SHUNT_ASSERT(identity_.attempt);
}

void Target::step(const TargetEvent& event, TimePoint now, TargetEffects& out) {
    SHUNT_ASSERT(out.empty());
    SHUNT_ASSERT(!std::holds_alternative<Fresh>(state_) ||
                 std::holds_alternative<PrepareReceived>(event));
    std::visit([&](const auto& e) { on(e, now, out); }, event);
}

bool Target::finished() const noexcept {
    return stage_ == Stage::TargetOpen || stage_ == Stage::TargetRemoved;
}

FrameworkErrorCode Target::failure_answered() const noexcept {
    const auto* removed = std::get_if<Removed>(&state_);
    return removed == nullptr ? FrameworkErrorCode::None : removed->answered;
}

// --- the Restore request ----------------------------------------------------------------------

void Target::on(const PrepareReceived& e, TimePoint now, TargetEffects& out) {
    if (!std::holds_alternative<Fresh>(state_)) return repeated_prepare(e, out);

    SHUNT_ASSERT(e.identity == identity_);
    manifest_ = e.manifest;
    connection_ = e.connection;
    state_.emplace<Restoring>();
    // The queue comes before everything else, so that nothing that arrives can run (§4.3).
    out.push_back(RegisterTemporaryQueue{});
    out.push_back(
        ArmTimer{TimerKind::RestoreValidity, deadline_after(now, settings_.restore_validity)});
    out.push_back(CheckOwner{});
}

void Target::repeated_prepare(const PrepareReceived& e, TargetEffects& out) {
    if (!ours(e.identity, e.connection)) return report(LogCode::ForeignIdentity, out);

    const bool same = e.manifest == manifest_;
    report(same ? LogCode::RepeatedPrepare : LogCode::RestoreConflict, out);
    if (std::holds_alternative<Restoring>(state_)) {
        // The same request joins the attempt under way; its answer will do for both.
        if (!same) fail(FrameworkErrorCode::RequestProtocolError, out);
    } else if (const auto* removed = std::get_if<Removed>(&state_)) {
        if (removed->answered != FrameworkErrorCode::None) {
            out.push_back(SendFailed{connection_, removed->answered});
        }
    } else if (same) {
        out.push_back(SendReady{connection_});
    }
}

void Target::on(const OwnerChecked& /*e*/, TimePoint /*now*/, TargetEffects& out) {
    auto* restoring = std::get_if<Restoring>(&state_);
    if (restoring == nullptr || restoring->owner_checked) {
        return report(LogCode::LateStoreAnswer, out);
    }
    restoring->owner_checked = true;
    restore_when_complete(*restoring, out);
}

void Target::on(const OwnerRefused& e, TimePoint /*now*/, TargetEffects& out) {
    const auto* restoring = std::get_if<Restoring>(&state_);
    if (restoring == nullptr || restoring->owner_checked) {
        return report(LogCode::LateStoreAnswer, out);
    }
    fail(e.code, out);
}

// --- chunks and restore -----------------------------------------------------------------------

void Target::on(const ChunkArrived& e, TimePoint /*now*/, TargetEffects& out) {
    const bool belongs = ours(e.identity, e.connection);
    if (belongs && std::holds_alternative<Restoring>(state_)) {
        out.push_back(AssembleChunk{});
        return;
    }
    out.push_back(DropChunk{});
    // A source that has reconnected resends every chunk until it hears the answer.
    report(belongs ? LogCode::EventIgnored : LogCode::ForeignIdentity, out);
}

void Target::on(const ChunkAssembled& e, TimePoint /*now*/, TargetEffects& out) {
    if (!ours(e.identity, e.connection)) return report(LogCode::ForeignIdentity, out);
    auto* restoring = std::get_if<Restoring>(&state_);
    if (restoring == nullptr || restoring->assembled) return report(LogCode::EventIgnored, out);

    const bool complete = e.ordinal + 1 == manifest_.chunk_count;
    const bool matches = e.assembled_bytes == manifest_.total_length_bytes &&
                         e.checksum_crc32c == manifest_.checksum_crc32c;
    if (e.assembled_bytes > manifest_.total_length_bytes || (complete && !matches)) {
        report(LogCode::PayloadChecksumMismatch, out);
        return fail(FrameworkErrorCode::RelocationDataLost, out);
    }
    restoring->assembled = complete;
    restore_when_complete(*restoring, out);
}

void Target::on(const ChunkConflict& e, TimePoint /*now*/, TargetEffects& out) {
    if (!ours(e.identity, e.connection)) return report(LogCode::ForeignIdentity, out);
    if (!std::holds_alternative<Restoring>(state_)) return report(LogCode::EventIgnored, out);
    report(LogCode::RestoreConflict, out);
    fail(FrameworkErrorCode::RequestProtocolError, out);
}

void Target::restore_when_complete(Restoring& restoring, TargetEffects& out) const {
    if (!restoring.owner_checked || !restoring.assembled) return;
    restoring.restoring = true;
    out.push_back(RestoreUnit{});
}

void Target::on(const UnitRestored& /*e*/, TimePoint now, TargetEffects& out) {
    if (std::holds_alternative<Removed>(state_)) return report(LogCode::EventIgnored, out);
    const auto* restoring = std::get_if<Restoring>(&state_);
    SHUNT_ASSERT(restoring != nullptr);
    SHUNT_ASSERT(restoring->restoring);
    enter(Trigger::Restored, Stage::RelayReady, AwaitingCutover{});
    out.push_back(SendReady{connection_});
    out.push_back(
        ArmTimer{TimerKind::CutoverWait, deadline_after(now, settings_.cutover_wait_timeout)});
}

void Target::on(const UnitRestoreFailed& e, TimePoint /*now*/, TargetEffects& out) {
    if (std::holds_alternative<Removed>(state_)) return report(LogCode::EventIgnored, out);
    const auto* restoring = std::get_if<Restoring>(&state_);
    SHUNT_ASSERT(restoring != nullptr);
    SHUNT_ASSERT(restoring->restoring);
    fail(e.code, out);
}

/// Ends a move that has not answered yet: cleanup first, then 53 (spec/wire.md section 9).
void Target::fail(FrameworkErrorCode code, TargetEffects& out) {
    SHUNT_ASSERT(code != FrameworkErrorCode::None);
    enter(Trigger::RestoreFailed, Stage::TargetRemoved, Removed{code});
    out.push_back(CancelTimer{TimerKind::RestoreValidity});
    out.push_back(RemovePrepared{});
    out.push_back(SendFailed{connection_, code});
}

// --- relay and cutover ------------------------------------------------------------------------

void Target::on(const RelayArrived& e, TimePoint /*now*/, TargetEffects& out) {
    const auto drop = [&](LogCode why) {
        out.push_back(DropRelay{});
        report(why, out);
    };
    if (!ours(e.identity, e.connection)) return drop(LogCode::ForeignIdentity);
    // No source relays before it has heard relay-ready (§4.4).
    if (std::holds_alternative<Restoring>(state_)) return drop(LogCode::OutOfTurn);
    if (std::holds_alternative<Removed>(state_)) return drop(LogCode::LateRelay);

    switch (relay_.place(e.connection)) {
        case SpanCursor::Place::NewSpan:
            out.push_back(DiscardRelaySpan{});
            [[fallthrough]];
        case SpanCursor::Place::Span:
            out.push_back(StageRelay{});
            return;
        case SpanCursor::Place::Skip:
            out.push_back(SkipRelay{});
            return;
        case SpanCursor::Place::Late:
            out.push_back(StageLateRelay{});
            return report(LogCode::LateRelay, out);
    }
}

void Target::on(const CutoverArrived& e, TimePoint /*now*/, TargetEffects& out) {
    if (!ours(e.identity, e.connection)) return report(LogCode::ForeignIdentity, out);
    if (std::holds_alternative<Restoring>(state_)) return report(LogCode::OutOfTurn, out);
    // Late or duplicate: the owner may have moved already, so only a warning is safe (§4.4).
    if (stage_ != Stage::RelayReady) return report(LogCode::LateCutover, out);
    // On one ordered connection this is a defect. Treated as not received: a whole retransmitted
    // batch or the cutover wait decides (design.md decision 1).
    if (e.declared != e.received) return report(LogCode::CutoverVerificationFailed, out);

    if (relay_.close_on(e.connection)) out.push_back(DiscardRelaySpan{});
    out.push_back(CancelTimer{TimerKind::CutoverWait});
    change_owner(Trigger::CutoverArrived, Stage::CutoverReceived, out);
}

// --- the owner change -------------------------------------------------------------------------

void Target::change_owner(Trigger trigger, Stage stage, TargetEffects& out) {
    enter(trigger, stage, ChangingOwner{});
    out.push_back(CasOwner{});
}

void Target::on(const CasAnswered& e, TimePoint now, TargetEffects& out) {
    auto* change = std::get_if<ChangingOwner>(&state_);
    if (change == nullptr || change->awaits != Awaits::Cas) {
        return report(LogCode::LateStoreAnswer, out);
    }
    change->conflict_seen = e.answer == CasAnswer::Conflict;
    switch (e.answer) {
        case CasAnswer::Applied:
            return commit(out);
        case CasAnswer::Conflict:  // Perhaps with an earlier, unanswered try of our own.
            change->awaits = Awaits::Read;
            out.push_back(ReadTargetOwner{});
            return;
        case CasAnswer::Transient:
        case CasAnswer::Indeterminate:
            return back_off(now, out);
    }
}

void Target::on(const TargetOwnerRead& e, TimePoint now, TargetEffects& out) {
    auto* change = std::get_if<ChangingOwner>(&state_);
    if (change == nullptr || change->awaits != Awaits::Read) {
        return report(LogCode::LateStoreAnswer, out);
    }
    switch (e.owner) {
        case OwnerSeen::Target:
            return commit(out);
        case OwnerSeen::Other:
            report(LogCode::StaleOwner, out);
            return remove(out);
        case OwnerSeen::Unreadable:
            return back_off(now, out);
        case OwnerSeen::Source:
            break;
    }
    // A conflict with an unchanged row comes from another condition of the batch; asking again at
    // once would spin.
    if (std::exchange(change->conflict_seen, false)) return back_off(now, out);
    change->awaits = Awaits::Cas;
    out.push_back(CasOwner{});
}

/// Never writes again without reading first: the unanswered try may have been applied (§4.5).
void Target::back_off(TimePoint now, TargetEffects& out) {
    auto& change = std::get<ChangingOwner>(state_);
    change.awaits = Awaits::BackOff;
    change.pause = change.pause == Duration::zero()
                       ? settings_.cas_retry_first
                       : std::min(change.pause * 2, settings_.cas_retry_max);
    if (stage_ != Stage::StoreRetry) {
        const ChangingOwner kept = change;
        enter(Trigger::CasUnanswered, Stage::StoreRetry, kept);
    }
    report(LogCode::CasRetried, out);
    const Duration pause = std::get<ChangingOwner>(state_).pause + settings_.cas_retry_jitter;
    out.push_back(ArmTimer{TimerKind::CasRetry, deadline_after(now, pause)});
}

void Target::commit(TargetEffects& out) {
    enter(Trigger::CasCommitted, Stage::OwnerCommitted, Committed{});
    out.push_back(CancelTimer{TimerKind::RestoreValidity});
    out.push_back(Mark{Point::S2});
    out.push_back(OrderBacklog{});
}

void Target::on(const BacklogReady& /*e*/, TimePoint /*now*/, TargetEffects& out) {
    SHUNT_ASSERT(std::holds_alternative<Committed>(state_));
    enter(Trigger::BacklogOrdered, Stage::TargetOpen, Open{});
    out.push_back(OpenQueue{});
    out.push_back(Mark{Point::S3});
    out.push_back(WriteSteady{});
}

/// Ends a move that has answered ready: silently, because after 30 no 53 is ever sent.
void Target::remove(TargetEffects& out) {
    const bool awaited_cutover = stage_ == Stage::RelayReady;
    enter(Trigger::OwnerNotConfirmed, Stage::TargetRemoved, Removed{});
    out.push_back(CancelTimer{TimerKind::RestoreValidity});
    out.push_back(CancelTimer{awaited_cutover ? TimerKind::CutoverWait : TimerKind::CasRetry});
    out.push_back(RemovePrepared{});
}

// --- connection, end of the host, timers ------------------------------------------------------

void Target::on(const ConnectionLost& /*e*/, TimePoint /*now*/, TargetEffects& out) {
    // Everything that matters follows from the next connection or from a timer.
    report(LogCode::EventIgnored, out);
}

void Target::on(const ConnectionRestored& e, TimePoint /*now*/, TargetEffects& out) {
    if (e.connection == connection_) return report(LogCode::EventIgnored, out);
    connection_ = e.connection;
}

void Target::on(const TargetAborted& e, TimePoint /*now*/, TargetEffects& out) {
    if (std::holds_alternative<Restoring>(state_)) return fail(e.code, out);
    const bool uncommitted = std::holds_alternative<AwaitingCutover>(state_) ||
                             std::holds_alternative<ChangingOwner>(state_);
    return uncommitted ? remove(out) : report(LogCode::EventIgnored, out);
}

void Target::on(const TimerElapsed& e, TimePoint /*now*/, TargetEffects& out) {
    const bool awaits_cutover = std::holds_alternative<AwaitingCutover>(state_);
    auto* change = std::get_if<ChangingOwner>(&state_);
    if (e.timer == TimerKind::CutoverWait && awaits_cutover) {
        report(LogCode::CutoverTimeout, out);
        relay_.close();
        return change_owner(Trigger::CutoverWaitElapsed, Stage::CutoverFallback, out);
    }
    if (e.timer == TimerKind::CasRetry && change != nullptr && change->awaits == Awaits::BackOff) {
        change->awaits = Awaits::Read;
        out.push_back(ReadTargetOwner{});
        return;
    }
    if (e.timer == TimerKind::RestoreValidity) {
        if (std::holds_alternative<Restoring>(state_)) {
            return fail(FrameworkErrorCode::WorkerTimedOut, out);
        }
        if (awaits_cutover || change != nullptr) {
            report(LogCode::LocationUpdateFailed, out);
            return remove(out);
        }
    }
    // Cancelled or spent while its event was already on the way.
    report(LogCode::EventIgnored, out);
}

// --- common -----------------------------------------------------------------------------------

template <class To>
void Target::enter(Trigger trigger, Stage stage, To to) {
    SHUNT_ASSERT(allowed(Role::Target, stage_, trigger, stage));
    stage_ = stage;
    state_.emplace<To>(to);
}

/// Identity before stage: all three values and the connection that carries the move.
bool Target::ours(const RelocationIdentity& identity, ConnectionId connection) const noexcept {
    return identity == identity_ && connection == connection_;
}

}  // namespace shunt::relocation
