#include "relocation/source.hpp"

#include <utility>

#include "base/assert.hpp"

namespace shunt::relocation {

using protocol::FrameworkErrorCode;
using protocol::SubmitResult;

namespace {

void report(LogCode code, SourceEffects& out) {
    out.push_back(Report{code});
}

}  // namespace

Source::Source(RelocationIdentity identity, const MoveSettings& settings)
    : identity_(std::move(identity)), settings_(settings) {
    SHUNT_ASSERT(identity_.relocation);
    SHUNT_ASSERT(identity_.attempt);
}

void Source::step(const SourceEvent& event, TimePoint now, SourceEffects& out) {
    SHUNT_ASSERT(out.empty());
    std::visit([&](const auto& e) { on(e, now, out); }, event);
}

Ingress Source::ingress() const noexcept {
    switch (stage_) {
        case Stage::SourceRunning:
            return Ingress::Queue;
        case Stage::SourcePaused:
        case Stage::RelayReady:
            return Ingress::Hold;
        case Stage::FollowOnly: {
            const auto* follow = std::get_if<Following>(&state_);
            SHUNT_ASSERT(follow != nullptr);
            if (follow->follow_over) return Ingress::Unavailable;
            if (follow->route == Route::Open) return Ingress::Follow;
            return follow->route == Route::Unknown ? Ingress::Hold : Ingress::Unavailable;
        }
        case Stage::TargetRestoring:
        case Stage::CutoverReceived:
        case Stage::CutoverFallback:
        case Stage::StoreRetry:
        case Stage::OwnerCommitted:
        case Stage::TargetRemoved:
        case Stage::TargetOpen:
            break;
    }
    assertion_failed("a stage of the source", __FILE__, __LINE__);
}

bool Source::finished() const noexcept {
    if (std::holds_alternative<Restored>(state_)) return true;
    const auto* follow = std::get_if<Following>(&state_);
    if (follow == nullptr) return false;
    const bool settled = follow->route == Route::Open || follow->route == Route::Elsewhere;
    return settled && follow->follow_over && !follow->window_open;
}

// --- before the boundary ----------------------------------------------------------------------

void Source::on(const MoveRequested& e, TimePoint /*now*/, SourceEffects& out) {
    SHUNT_ASSERT(std::holds_alternative<Idle>(state_));
    connection_ = e.connection;
    link_up_ = true;
    out.push_back(ArmTimer{TimerKind::OperationDeadline, e.operation_deadline});
    out.push_back(PauseAtTurnEnd{});
    state_.emplace<AwaitingTurnEnd>();
}

void Source::on(const TurnEnded& /*e*/, TimePoint /*now*/, SourceEffects& out) {
    SHUNT_ASSERT(std::holds_alternative<AwaitingTurnEnd>(state_));
    enter(Trigger::TurnEnded, Stage::SourcePaused, Capturing{});
    out.push_back(Mark{Point::S0});
    out.push_back(CaptureUnit{});
}

void Source::on(const CaptureSucceeded& e, TimePoint /*now*/, SourceEffects& out) {
    const auto* capturing = std::get_if<Capturing>(&state_);
    SHUNT_ASSERT(capturing != nullptr);
    SHUNT_ASSERT(e.manifest.chunk_count > 0);
    if (capturing->given_up != FrameworkErrorCode::None) return restore(capturing->given_up, out);

    auto& transfer = state_.emplace<Transferring>();
    transfer.chunk_count = e.manifest.chunk_count;
    // Without a link the first attempt leaves with ConnectionRestored.
    if (link_up_) send_attempt(transfer, out);
}

void Source::on(const CaptureFailed& e, TimePoint /*now*/, SourceEffects& out) {
    SHUNT_ASSERT(std::holds_alternative<Capturing>(state_));
    restore(e.code, out);
}

void Source::on(const ChunkRoomGranted& e, TimePoint /*now*/, SourceEffects& out) {
    auto* transfer = std::get_if<Transferring>(&state_);
    const bool awaited = transfer != nullptr && transfer->awaits_room &&
                         e.connection == connection_ && e.ordinal == transfer->next_ordinal;
    // Asked for before a reconnect or an end: others may use the room.
    if (!awaited) {
        out.push_back(ReturnChunkRoom{e.connection, e.ordinal});
        return;
    }

    out.push_back(SubmitChunk{connection_, transfer->next_ordinal});
    ++transfer->next_ordinal;
    transfer->awaits_room = transfer->next_ordinal < transfer->chunk_count;
    if (transfer->awaits_room) {
        out.push_back(RequestChunkRoom{connection_, transfer->next_ordinal});
    } else {
        transfer->last_chunk_submitted = true;
    }
}

void Source::on(const RelayReadyReceived& e, TimePoint /*now*/, SourceEffects& out) {
    if (!takes_reply(e.identity, e.connection, out)) return;
    // The boundary (§4.4). Whether the target has fallen back meanwhile cannot be known here: the
    // hold follows as relay either way, so nothing is lost (design.md decision 4).
    enter(Trigger::RelayReadyAccepted, Stage::RelayReady, AwaitingTerminal{connection_});
    out.push_back(CancelTimer{TimerKind::OperationDeadline});
    out.push_back(RelayHold{connection_});
    out.push_back(SubmitCutover{connection_});
}

void Source::on(const RelocationFailedReceived& e, TimePoint /*now*/, SourceEffects& out) {
    if (takes_reply(e.identity, e.connection, out)) restore(e.code, out);
}

void Source::on(const AbortRequested& e, TimePoint /*now*/, SourceEffects& out) {
    SHUNT_ASSERT(e.code != FrameworkErrorCode::None);
    give_up(e.code, out);
}

/// Ends the move as long as that is a fact and not a guess: before the last chunk has left, the
/// target cannot be ready (design.md decision 3).
void Source::give_up(FrameworkErrorCode code, SourceEffects& out) {
    if (std::holds_alternative<Idle>(state_)) {
        state_.emplace<Restored>();
        out.push_back(Conclude{SourceOutcome::Restored, code});
    } else if (std::holds_alternative<AwaitingTurnEnd>(state_)) {
        state_.emplace<Restored>();
        out.push_back(CancelPause{});
        out.push_back(CancelTimer{TimerKind::OperationDeadline});
        out.push_back(Conclude{SourceOutcome::Restored, code});
    } else if (auto* capturing = std::get_if<Capturing>(&state_)) {
        // The adapter still reads the unit, so no turn may run yet: restored with its answer.
        if (capturing->given_up == FrameworkErrorCode::None) capturing->given_up = code;
    } else if (const auto* transfer = std::get_if<Transferring>(&state_);
               transfer != nullptr && !transfer->last_chunk_submitted) {
        restore(code, out);
    } else if (stage_ == Stage::SourceRunning) {
        report(LogCode::EventIgnored, out);
    } else {
        report(LogCode::AbortTooLate, out);
    }
}

void Source::restore(FrameworkErrorCode code, SourceEffects& out) {
    enter(Trigger::PrepareFailed, Stage::SourceRunning, Restored{});
    // The queue stands as it was before anybody hears of the failure (seed §4.6, abort flow).
    out.push_back(RestoreQueue{});
    out.push_back(ReleaseCopies{});
    out.push_back(CancelTimer{TimerKind::OperationDeadline});
    out.push_back(Conclude{SourceOutcome::Restored, code});
}

void Source::send_attempt(Transferring& transfer, SourceEffects& out) const {
    transfer.next_ordinal = 0;
    transfer.awaits_room = true;
    out.push_back(SendPrepare{connection_});
    out.push_back(RequestChunkRoom{connection_, 0});
}

/// The deadline passed in silence although the target may be ready: no guess is made (§9).
void Source::boundary_unknown(TimePoint now, SourceEffects& out) {
    enter(Trigger::BoundaryUnknown, Stage::FollowOnly, Following{});
    report(LogCode::BoundaryUnknown, out);
    out.push_back(EndDispatch{});
    out.push_back(ReleasePermits{});
    // No batch was ever sent and no 40 goes out again, so there is no window to keep copies for.
    out.push_back(ReleaseCopies{});
    // This verdict stands in for S1 (spec/stores.md section 13).
    out.push_back(
        ArmTimer{TimerKind::ReconcileSweep, deadline_after(now, settings_.reconcile_interval)});
    out.push_back(
        ArmTimer{TimerKind::FollowEnd, deadline_after(now, settings_.message_follow_duration)});
    out.push_back(Conclude{SourceOutcome::Unavailable, FrameworkErrorCode::RouteNotConnected});
}

// --- the connection ---------------------------------------------------------------------------

void Source::on(const ConnectionLost& e, TimePoint /*now*/, SourceEffects& out) {
    const bool carried = !std::holds_alternative<Idle>(state_) && e.connection == connection_;
    if (!carried) return report(LogCode::ForeignIdentity, out);
    if (!link_up_ || std::holds_alternative<Restored>(state_)) {
        return report(LogCode::EventIgnored, out);
    }
    link_up_ = false;
    if (std::holds_alternative<AwaitingTurnEnd>(state_)) {
        give_up(FrameworkErrorCode::RouteNotConnected, out);
    } else if (auto* transfer = std::get_if<Transferring>(&state_)) {
        transfer->awaits_room = false;
    }
}

void Source::on(const ConnectionRestored& e, TimePoint /*now*/, SourceEffects& out) {
    const bool moving =
        !std::holds_alternative<Idle>(state_) && !std::holds_alternative<Restored>(state_);
    if (!moving || (link_up_ && e.connection == connection_)) {
        return report(LogCode::EventIgnored, out);
    }
    connection_ = e.connection;
    link_up_ = true;
    if (auto* transfer = std::get_if<Transferring>(&state_)) {
        report(LogCode::AttemptResent, out);
        send_attempt(*transfer, out);
    } else if (const auto* follow = std::get_if<Following>(&state_);
               follow != nullptr && follow->has_batch && follow->window_open) {
        resend_batch(out);
    }
}

void Source::resend_batch(SourceEffects& out) const {
    report(LogCode::BatchRetransmitted, out);
    out.push_back(ResendBatch{connection_});
}

// --- after the boundary -----------------------------------------------------------------------

void Source::on(const CutoverTerminal& e, TimePoint now, SourceEffects& out) {
    if (auto* follow = std::get_if<Following>(&state_)) {
        SHUNT_ASSERT(follow->has_batch);
        // Of a retransmission. Only the first terminal is S1 and returns the permits.
        const bool resolves = e.result == SubmitResult::Sent && follow->route == Route::Unknown &&
                              !follow->follow_over;
        if (!resolves) return report(LogCode::EventIgnored, out);
        out.push_back(CancelTimer{TimerKind::ReconcileSweep});
        return open_route(*follow, out);
    }
    const auto* awaiting = std::get_if<AwaitingTerminal>(&state_);
    SHUNT_ASSERT(awaiting != nullptr);
    // A connection that broke right behind the cutover may have taken it along: the batch goes
    // again.
    const bool reconnected = link_up_ && awaiting->submitted_on != connection_;

    auto& follow = enter(Trigger::CutoverSubmitted, Stage::FollowOnly, Following{});
    follow.has_batch = true;
    follow.window_open = true;
    out.push_back(Mark{Point::S1});
    out.push_back(EndDispatch{});
    out.push_back(ReleasePermits{});
    if (reconnected) resend_batch(out);
    if (e.result == SubmitResult::Sent) {
        open_route(follow, out);
    } else {
        report(LogCode::CutoverResultUnknown, out);
        out.push_back(
            ArmTimer{TimerKind::ReconcileSweep, deadline_after(now, settings_.reconcile_interval)});
    }
    out.push_back(ArmTimer{TimerKind::RetransmissionWindow,
                           deadline_after(now, settings_.cutover_wait_timeout)});
    out.push_back(
        ArmTimer{TimerKind::FollowEnd, deadline_after(now, settings_.message_follow_duration)});
    out.push_back(Conclude{SourceOutcome::Detached, FrameworkErrorCode::None});
}

void Source::on(const OwnerRead& e, TimePoint now, SourceEffects& out) {
    auto* follow = std::get_if<Following>(&state_);
    if (follow == nullptr || !follow->reading) {
        return report(LogCode::LateStoreAnswer, out);
    }
    follow->reading = false;
    if (follow->route == Route::Open) {
        // A retransmitted cutover got through while the read was under way.
        return report(LogCode::LateStoreAnswer, out);
    }
    switch (e.owner) {
        case OwnerSeen::Target:
            return adopt(*follow, out);
        case OwnerSeen::Other:
            return owner_elsewhere(*follow, out);
        case OwnerSeen::Source:  // Its CAS may still come: no ground to reopen anything (§9).
        case OwnerSeen::Unreadable:
            return owner_not_seen(*follow, now, out);
    }
}

void Source::adopt(Following& follow, SourceEffects& out) const {
    report(LogCode::RouteAdopted, out);
    out.push_back(CancelTimer{TimerKind::ReconcileSweep});
    follow.decisive_read_due = false;
    if (follow.route == Route::Unresolved) {
        // Nothing is held any more and the follow period is over: the owner is settled, that is
        // all.
        follow.route = Route::Open;
        return;
    }
    open_route(follow, out);
    if (follow.follow_over) out.push_back(EndFollow{});
}

void Source::owner_elsewhere(Following& follow, SourceEffects& out) const {
    report(LogCode::StaleOwner, out);
    out.push_back(CancelTimer{TimerKind::ReconcileSweep});
    if (follow.route == Route::Unknown) out.push_back(FailHold{});
    if (!follow.follow_over) out.push_back(CancelTimer{TimerKind::FollowEnd});
    follow.route = Route::Elsewhere;
    follow.follow_over = true;
    follow.decisive_read_due = false;
}

void Source::owner_not_seen(Following& follow, TimePoint now, SourceEffects& out) const {
    if (std::exchange(follow.decisive_read_due, false)) return read_owner(follow, out);
    if (follow.follow_over && follow.route == Route::Unknown) {
        out.push_back(FailHold{});
        report(LogCode::ReconciliationUnresolved, out);
        follow.route = Route::Unresolved;
    }
    out.push_back(
        ArmTimer{TimerKind::ReconcileSweep, deadline_after(now, settings_.reconcile_interval)});
}

void Source::open_route(Following& follow, SourceEffects& out) const {
    follow.route = Route::Open;
    out.push_back(BeginFollow{});
    out.push_back(DrainHold{});
}

void Source::read_owner(Following& follow, SourceEffects& out) const {
    follow.reading = true;
    out.push_back(ReadSourceOwner{});
}

void Source::follow_ended(Following& follow, SourceEffects& out) const {
    follow.follow_over = true;
    if (follow.route == Route::Open) {
        out.push_back(EndFollow{});
        return;
    }
    out.push_back(CancelTimer{TimerKind::ReconcileSweep});
    if (follow.reading) {
        follow.decisive_read_due = true;
    } else {
        read_owner(follow, out);
    }
}

void Source::on(const TimerElapsed& e, TimePoint now, SourceEffects& out) {
    const auto* transfer = std::get_if<Transferring>(&state_);
    auto* follow = std::get_if<Following>(&state_);
    const bool before_boundary = transfer != nullptr ||
                                 std::holds_alternative<AwaitingTurnEnd>(state_) ||
                                 std::holds_alternative<Capturing>(state_);
    if (e.timer == TimerKind::OperationDeadline && before_boundary) {
        if (transfer != nullptr && transfer->last_chunk_submitted)
            return boundary_unknown(now, out);
        return give_up(FrameworkErrorCode::WorkerTimedOut, out);
    }
    if (e.timer == TimerKind::RetransmissionWindow && follow != nullptr && follow->window_open) {
        follow->window_open = false;
        out.push_back(ReleaseCopies{});
        return;
    }
    if (e.timer == TimerKind::FollowEnd && follow != nullptr && !follow->follow_over) {
        return follow_ended(*follow, out);
    }
    const bool undecided = follow != nullptr && !follow->reading &&
                           (follow->route == Route::Unresolved ||
                            (follow->route == Route::Unknown && !follow->follow_over));
    if (e.timer == TimerKind::ReconcileSweep && undecided) return read_owner(*follow, out);
    // Cancelled or spent while its event was already on the way.
    report(LogCode::EventIgnored, out);
}

// --- common -----------------------------------------------------------------------------------

template <class To>
To& Source::enter(Trigger trigger, Stage stage, To to) {
    SHUNT_ASSERT(allowed(Role::Source, stage_, trigger, stage));
    stage_ = stage;
    return state_.emplace<To>(to);
}

/// Identity before stage; then only an attempt whose 40 is unanswered takes a reply (design.md
/// decision 2: what lost to a deadline or to its connection is indeterminate).
bool Source::takes_reply(const RelocationIdentity& identity, ConnectionId connection,
                         SourceEffects& out) const {
    if (identity != identity_ || connection != connection_) {
        report(LogCode::ForeignIdentity, out);
        return false;
    }
    if (!std::holds_alternative<Transferring>(state_) || !link_up_) {
        report(LogCode::LateReply, out);
        return false;
    }
    return true;
}

}  // namespace shunt::relocation
