#include "tests/relocation/toy_move.hpp"

#include <algorithm>
#include <array>

#include "protocol/crc32c.hpp"
#include "tests/relocation/text.hpp"

namespace shunt::relocation::testing {
namespace {

using protocol::FrameworkErrorCode;
using protocol::SubmitResult;

constexpr std::uint32_t kChunks = 3;
constexpr std::size_t kChunkBytes = 8;
constexpr int kMessagesMax = 14;

Bytes chunk_bytes(std::uint32_t ordinal) {
    return Bytes(kChunkBytes, static_cast<std::byte>(ordinal + 1));
}

StreamManifest manifest() {
    std::uint32_t crc = 0;
    for (std::uint32_t i = 0; i < kChunks; ++i) crc = protocol::crc32c(chunk_bytes(i), crc);
    return {kChunks * kChunkBytes, kChunks, crc};
}

std::string record_of(int message) {
    return "message " + std::to_string(message);
}

bool in_table(Role role, Stage from, Stage to) {
    return std::any_of(kTransitions.begin(), kTransitions.end(), [&](const Transition& t) {
        return t.role == role && t.from == from && t.to == to;
    });
}

template <class... Fs>
struct Overloaded : Fs... {
    using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

void append(ToyMove::Messages& to, ToyMove::Messages& from) {
    to.insert(to.end(), from.begin(), from.end());
    from.clear();
}

}  // namespace

ToyMove::ToyMove(std::uint64_t seed, const ToyFaults& faults)
    : rng_(seed), faults_(faults), source_(test_identity(), {}) {
    for (int i = 0; i < 3; ++i) arrive();
    step(MoveRequested{link(), now_ + std::chrono::seconds(30)});
}

void ToyMove::expect(bool holds, const std::string& what) {
    if (!holds && broken.empty()) broken = what;
}

// --- the machines -----------------------------------------------------------------------------

void ToyMove::step(const SourceEvent& event) {
    const Stage before = source_.stage();
    SourceEffects effects;
    source_.step(event, now_, effects);
    const Stage after = source_.stage();

    expect(after == before || in_table(Role::Source, before, after), "source left the table");
    boundary_passed = boundary_passed || after == Stage::RelayReady || after == Stage::FollowOnly;
    sealed = sealed || after == Stage::SourcePaused;
    expect(!boundary_passed || after != Stage::SourceRunning, "source reopened");
    for (const SourceEffect& effect : effects) perform(effect);
}

void ToyMove::step(const TargetEvent& event, int message) {
    const Stage before = target_->stage();
    TargetEffects effects;
    target_->step(event, now_, effects);
    const Stage after = target_->stage();

    expect(after == before || in_table(Role::Target, before, after), "target left the table");
    for (const TargetEffect& effect : effects) perform(effect, message);
}

void ToyMove::perform(const SourceEffect& effect) {
    const auto later = [this](Work work) { pending_.push_back({work, link(), 0}); };
    std::visit(
        Overloaded{
            [&](const ArmTimer& e) { timers_[e.timer] = e.deadline; },
            [&](const CancelTimer& e) { timers_.erase(e.timer); },
            [&](const Report& e) { reported.insert(e.code); },
            [&](const Mark&) {},
            [&](const PauseAtTurnEnd&) { later(Work::EndTurn); },
            [&](const CancelPause&) {
                std::erase_if(pending_, [](const Pending& p) { return p.work == Work::EndTurn; });
            },
            [&](const CaptureUnit&) {
                append(saved_, queue_);
                payload_ = saved_;
                later(Work::Capture);
            },
            [&](const SendPrepare& e) { send(to_target_, e.connection, {Frame::Kind::Prepare}); },
            [&](const RequestChunkRoom& e) {
                pending_.push_back({Work::GrantRoom, e.connection, e.ordinal});
            },
            [&](const ReturnChunkRoom&) {},
            [&](const SubmitChunk& e) {
                send(to_target_, e.connection, {Frame::Kind::Chunk, e.ordinal});
            },
            [&](const RelayHold&) { append(batch_, hold); },
            [&](const SubmitCutover& e) { send_batch(e.connection); },
            [&](const ResendBatch& e) {
                expect(copies_released == 0, "resent what was released");
                send_batch(e.connection);
            },
            [&](const RestoreQueue&) {
                append(saved_, hold);
                append(queue_, saved_);
            },
            [&](const EndDispatch&) {},
            [&](const ReleasePermits&) { ++permits_released; },
            [&](const ReleaseCopies&) {
                ++copies_released;
                batch_.clear();
                saved_.clear();
            },
            [&](const BeginFollow&) {},
            [&](const DrainHold&) {
                Messages held;
                append(held, hold);
                for (const int message : held) forward(message);
            },
            [&](const FailHold&) { append(refused, hold); },
            [&](const EndFollow&) {},
            [&](const ReadSourceOwner&) { later(Work::ReadSourceOwner); },
            [&](const Conclude&) { ++concluded; },
        },
        effect);
}

void ToyMove::perform(const TargetEffect& effect, int message) {
    const auto later = [this](Work work) { pending_.push_back({work, link(), 0}); };
    const auto count = [&] { received_.add(link(), bytes_of(record_of(message))); };
    std::visit(
        Overloaded{
            [&](const ArmTimer& e) { timers_[e.timer] = e.deadline; },
            [&](const CancelTimer& e) { timers_.erase(e.timer); },
            [&](const Report& e) { reported.insert(e.code); },
            [&](const Mark&) {},
            [&](const RegisterTemporaryQueue&) { assembly_.emplace(manifest()); },
            [&](const CheckOwner&) { later(Work::CheckOwner); },
            [&](const RestoreUnit&) { later(Work::Restore); },
            [&](const SendReady& e) { send(to_source_, e.connection, {Frame::Kind::Ready}); },
            [&](const SendFailed& e) {
                send(to_source_, e.connection, {Frame::Kind::Failed, 0, 0, {}, e.code});
            },
            [&](const AssembleChunk&) { assemble_ = true; },
            [&](const DropChunk&) { assemble_ = false; },
            [&](const StageRelay&) {
                count();
                span_.push_back(message);
            },
            [&](const StageLateRelay&) {
                count();
                place_at_target(message, late_);
            },
            [&](const DropRelay&) {},
            [&](const DiscardRelaySpan&) { span_.clear(); },
            [&](const SkipRelay&) { count(); },
            [&](const CasOwner&) { later(Work::Cas); },
            [&](const ReadTargetOwner&) { later(Work::ReadTargetOwner); },
            [&](const OrderBacklog&) { later(Work::OrderBacklog); },
            [&](const OpenQueue&) {
                ++opened;
                expect(owner_ == OwnerSeen::Target, "opened without being the owner");
                for (Messages* part : {&restored_, &span_, &late_, &temporary_}) {
                    append(run_at_target, *part);
                }
            },
            [&](const WriteSteady&) {},
            [&](const RemovePrepared&) {
                expect(opened == 0, "removed an open unit");
                for (Messages* part : {&restored_, &span_, &late_, &temporary_}) {
                    part->clear();
                }
            },
        },
        effect);
}

// --- messages ---------------------------------------------------------------------------------

void ToyMove::arrive() {
    const int message = arrived++;
    switch (source_.ingress()) {
        case Ingress::Queue:
            queue_.push_back(message);
            break;
        case Ingress::Hold:
            hold.push_back(message);
            break;
        case Ingress::Follow:
            forward(message);
            break;
        case Ingress::Unavailable:
            refused.push_back(message);
            break;
    }
}

void ToyMove::run_source_turn() {
    if (queue_.empty() || source_.stage() != Stage::SourceRunning) return;
    run_at_source.push_back(queue_.front());
    queue_.erase(queue_.begin());
}

void ToyMove::forward(int message) {
    send(to_target_, link(), {Frame::Kind::Follow, 0, message});
}

void ToyMove::place_at_target(int message, Messages& closed_place) {
    (target_open() ? run_at_target : closed_place).push_back(message);
}

// --- the network ------------------------------------------------------------------------------

void ToyMove::send(std::deque<Frame>& lane, ConnectionId on, Frame frame) {
    if (up_ && on == link()) lane.push_back(frame);
}

void ToyMove::send_batch(ConnectionId on) {
    RelaySpan span;
    for (const int message : batch_) {
        span.add(bytes_of(record_of(message)));
        send(to_target_, on, {Frame::Kind::Relay, 0, message});
    }
    send(to_target_, on, {Frame::Kind::Cutover, 0, 0, span.proof()});
    pending_.push_back({Work::CutoverTerminal, on, 0});
}

void ToyMove::deliver(std::deque<Frame>& lane) {
    if (lane.empty()) return;
    const Frame frame = lane.front();
    lane.pop_front();
    if (frame.kind == Frame::Kind::Ready) {
        step(SourceEvent{RelayReadyReceived{test_identity(), link()}});
    } else if (frame.kind == Frame::Kind::Failed) {
        step(SourceEvent{RelocationFailedReceived{test_identity(), link(), frame.code}});
    } else {
        deliver_to_target(frame);
    }
}

void ToyMove::deliver_to_target(const Frame& frame) {
    const RelocationIdentity identity = test_identity();
    if (frame.kind == Frame::Kind::Prepare) {
        if (!target_) target_.emplace(identity, MoveSettings{});
        return step(TargetEvent{PrepareReceived{identity, link(), manifest()}});
    }
    if (!target_) return expect(false, "something overtook the Restore request");
    switch (frame.kind) {
        case Frame::Kind::Chunk:
            return deliver_chunk(frame);
        case Frame::Kind::Relay:
            return step(TargetEvent{RelayArrived{identity, link()}}, frame.message);
        case Frame::Kind::Cutover:
            return step(TargetEvent{
                CutoverArrived{identity, link(), frame.proof, received_.proof(link())}});
        case Frame::Kind::Follow:
            // The driver refuses what reaches a unit that is gone.
            if (target_->stage() == Stage::TargetRemoved) {
                refused.push_back(frame.message);
            } else {
                place_at_target(frame.message, temporary_);
            }
            return;
        case Frame::Kind::Prepare:
        case Frame::Kind::Ready:
        case Frame::Kind::Failed:
            return;
    }
}

void ToyMove::deliver_chunk(const Frame& frame) {
    assemble_ = false;
    step(TargetEvent{ChunkArrived{test_identity(), link()}});
    if (!assemble_) return;
    Bytes bytes = chunk_bytes(frame.ordinal);
    if (chance(faults_.corrupt)) bytes[pick(bytes.size())] ^= std::byte{0x40};
    const ChunkVerdict verdict = assembly_->accept(frame.ordinal, bytes);
    if (const auto event = assembly_->event_for(verdict, test_identity(), link(), frame.ordinal)) {
        step(*event);
    }
}

void ToyMove::cut() {
    if (!up_) return;
    up_ = false;
    cut_happened_ = true;
    to_target_.clear();
    to_source_.clear();
    // The link reports what became of its sends before it reports its own end.
    const auto was_terminal = [](const Pending& p) { return p.work == Work::CutoverTerminal; };
    const auto terminals = std::count_if(pending_.begin(), pending_.end(), was_terminal);
    std::erase_if(pending_, was_terminal);
    for (auto i = terminals; i > 0; --i) {
        step(SourceEvent{
            CutoverTerminal{chance(500) ? SubmitResult::Unknown : SubmitResult::Failed}});
    }
    step(SourceEvent{ConnectionLost{link()}});
    if (target_) step(TargetEvent{ConnectionLost{link()}});
}

void ToyMove::reconnect() {
    if (up_) return;
    up_ = true;
    ++connection_;
    if (target_) step(TargetEvent{ConnectionRestored{link()}});
    step(SourceEvent{ConnectionRestored{link()}});
}

// --- the store and the application ------------------------------------------------------------

OwnerSeen ToyMove::read_owner() {
    return chance(faults_.store) ? OwnerSeen::Unreadable : owner_;
}

void ToyMove::answer_cas() {
    if (chance(faults_.store / 4) && owner_ == OwnerSeen::Source) owner_ = OwnerSeen::Other;
    if (owner_ != OwnerSeen::Source) return step(TargetEvent{CasAnswered{CasAnswer::Conflict}});
    if (!chance(faults_.store)) {
        owner_ = OwnerSeen::Target;
        return step(TargetEvent{CasAnswered{CasAnswer::Applied}});
    }
    switch (pick(4)) {
        case 0:
            return step(TargetEvent{CasAnswered{CasAnswer::Transient}});
        case 1:
            owner_ = OwnerSeen::Target;
            break;  // Applied, answer lost.
        case 2:
            pending_.push_back({Work::LateCas, link(), 0});
            break;  // Applied some time later.
        default:
            break;  // Never applied.
    }
    step(TargetEvent{CasAnswered{CasAnswer::Indeterminate}});
}

void ToyMove::run(const Pending& pending) {
    const bool fails = chance(faults_.failing_step);
    const auto code = FrameworkErrorCode::RequestFailed;
    switch (pending.work) {
        case Work::EndTurn:
            return step(SourceEvent{TurnEnded{}});
        case Work::Capture:
            if (fails) return step(SourceEvent{CaptureFailed{code}});
            return step(SourceEvent{CaptureSucceeded{manifest()}});
        case Work::GrantRoom:
            return step(SourceEvent{ChunkRoomGranted{pending.connection, pending.ordinal}});
        case Work::CutoverTerminal: {
            const bool alive = up_ && pending.connection == link();
            return step(
                SourceEvent{CutoverTerminal{alive ? SubmitResult::Sent : SubmitResult::Failed}});
        }
        case Work::ReadSourceOwner:
            return step(SourceEvent{OwnerRead{read_owner()}});
        case Work::CheckOwner:
            if (fails || owner_ != OwnerSeen::Source) return step(TargetEvent{OwnerRefused{code}});
            return step(TargetEvent{OwnerChecked{}});
        case Work::Restore:
            if (fails) return step(TargetEvent{UnitRestoreFailed{code}});
            if (target_->stage() == Stage::TargetRestoring) restored_ = payload_;
            return step(TargetEvent{UnitRestored{}});
        case Work::Cas:
            return answer_cas();
        case Work::LateCas:
            if (owner_ == OwnerSeen::Source) owner_ = OwnerSeen::Target;
            return;
        case Work::ReadTargetOwner:
            return step(TargetEvent{TargetOwnerRead{read_owner()}});
        case Work::OrderBacklog:
            return step(TargetEvent{BacklogReady{}});
    }
}

// --- the course of a run ----------------------------------------------------------------------

void ToyMove::pass_time(bool to_next_timer) {
    if (timers_.empty()) return;
    const auto next = std::min_element(timers_.begin(), timers_.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    const TimePoint until = next->second;
    if (!to_next_timer && chance(500)) {
        now_ = std::min(until, now_ + std::chrono::milliseconds(pick(400)));
        if (now_ < until) return;
    }
    now_ = std::max(now_, until);
    const TimerKind timer = next->first;
    timers_.erase(next);
    const bool of_target = timer == TimerKind::CutoverWait || timer == TimerKind::RestoreValidity ||
                           timer == TimerKind::CasRetry;
    if (of_target) return step(TargetEvent{TimerElapsed{timer}});
    step(SourceEvent{TimerElapsed{timer}});
}

void ToyMove::act() {
    if (chance(faults_.cut)) return cut();
    if (!up_ && chance(200)) return reconnect();
    if (chance(faults_.impatience)) return pass_time(false);
    if (chance(faults_.failing_step / 8)) {
        return step(SourceEvent{AbortRequested{FrameworkErrorCode::RequestFailed}});
    }
    if (chance(faults_.failing_step / 8) && target_) {
        return step(TargetEvent{TargetAborted{FrameworkErrorCode::RequestFailed}});
    }
    switch (pick(5)) {
        case 0:
            if (arrived < kMessagesMax) arrive();
            return;
        case 1:
            return run_source_turn();
        case 2:
            return deliver(to_target_);
        case 3:
            return deliver(to_source_);
        default:
            break;
    }
    if (!pending_.empty()) {
        const auto chosen = pending_.begin() + static_cast<std::ptrdiff_t>(pick(pending_.size()));
        const Pending pending = *chosen;
        pending_.erase(chosen);
        return run(pending);
    }
    if (to_target_.empty() && to_source_.empty()) pass_time(true);
}

void ToyMove::settle() {
    faults_ = {};
    reconnect();
    // Longer than every deadline together; an unresolved owner is looked up for ever.
    const TimePoint end = now_ + std::chrono::seconds(120);
    while (now_ < end && broken.empty()) {
        if (!queue_.empty() && source_.stage() == Stage::SourceRunning) {
            run_source_turn();
        } else if (!to_target_.empty()) {
            deliver(to_target_);
        } else if (!to_source_.empty()) {
            deliver(to_source_);
        } else if (!pending_.empty()) {
            const Pending pending = pending_.front();
            pending_.erase(pending_.begin());
            run(pending);
        } else if (!timers_.empty()) {
            pass_time(true);
        } else {
            return;
        }
    }
}

}  // namespace shunt::relocation::testing
