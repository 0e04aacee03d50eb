#include "host/source_move.hpp"

#include <algorithm>
#include <exception>

#include "host/cell_table.hpp"
#include "host/errc.hpp"
#include "host/message_codec.hpp"

namespace shunt::host {

using protocol::FrameworkErrorCode;

namespace {

/// A standalone Actor is the only participant of its unit (spec/wire.md section 7).
constexpr protocol::ParticipantId kOnlyParticipant{1};

relocation::RelocationIdentity identity_of(const MoveFence& fence) {
    return {fence.relocation, fence.attempt, fence.coordinator};
}

protocol::TimerOverrunPolicyKind wire_policy(TimerOverrun overrun) noexcept {
    switch (overrun) {
        case TimerOverrun::SkipLateTicks:
            return protocol::TimerOverrunPolicyKind::SkipLateTicks;
        case TimerOverrun::CatchUpBounded:
            return protocol::TimerOverrunPolicyKind::CatchUpBounded;
        case TimerOverrun::DelayNextTick:
            return protocol::TimerOverrunPolicyKind::DelayNextTick;
    }
    return protocol::TimerOverrunPolicyKind::SkipLateTicks;
}

protocol::TimerRegistration registration_of(const ActorTimer& timer) {
    protocol::TimerRegistration registration;
    registration.participant_id = kOnlyParticipant;
    registration.name = timer.options.name;
    registration.handler_type = timer.options.handler;
    registration.period_milliseconds = static_cast<std::uint64_t>(timer.options.period.count());
    registration.overrun_policy = wire_policy(timer.options.overrun);
    registration.max_catch_up_ticks = timer.options.max_catch_up_ticks;
    registration.stop_on_unhandled_exception = timer.options.stop_on_unhandled_exception;
    registration.last_completed_delivery_index = timer.last_delivery_index;
    registration.last_completed_scheduled_index = timer.last_scheduled_index;
    registration.next_scheduled_at_unix_milliseconds = timer.cursor.next_at().value;
    return registration;
}

}  // namespace

SourceMove::SourceMove(SourceMoveParts parts, std::shared_ptr<ActorCell> cell, MoveFence fence,
                       std::uint32_t advertised_chunk_bytes,
                       const relocation::MoveSettings& settings)
    : parts_(parts),
      cell_(std::move(cell)),
      fence_(std::move(fence)),
      advertised_chunk_bytes_(advertised_chunk_bytes),
      machine_(identity_of(fence_), settings) {}

SourceMove::~SourceMove() {
    parts_.owner.withdraw_room(*this);
    give_captured_back();
    for (const TimerId timer : timers_) parts_.services.world.cancel(timer);
}

void SourceMove::feed(relocation::SourceEvent event) {
    events_.push_back(std::move(event));
    if (!stepping_) drain();
}

void SourceMove::drain() {
    const std::shared_ptr<SourceMove> keep = shared_from_this();
    stepping_ = true;
    while (!events_.empty()) {
        const relocation::SourceEvent event = std::move(events_.front());
        events_.pop_front();
        const relocation::Stage before = machine_.stage();
        relocation::SourceEffects effects;
        machine_.step(event, parts_.services.world.now(), effects);
        if (machine_.stage() != before) {
            parts_.services.probe.on_stage(cell_->id(), relocation::Role::Source, machine_.stage());
        }
        for (const relocation::SourceEffect& effect : effects) {
            parts_.services.probe.on_effect(relocation::Role::Source, effect.index());
            perform(effect);
        }
    }
    stepping_ = false;
    if (!machine_.finished() || finish_posted_) return;
    finish_posted_ = true;
    parts_.services.world.post([self = weak_from_this()] {
        if (const auto move = self.lock()) move->parts_.owner.finished(*move);
    });
}

void SourceMove::perform(const relocation::SourceEffect& effect) {
    std::visit([this](const auto& e) { on(e); }, effect);
}

void SourceMove::room_granted() {
    granted_.push_back(asked_charge_);
    feed(relocation::ChunkRoomGranted{room_.connection, room_.ordinal});
}

// --- time and reports -------------------------------------------------------------------------

void SourceMove::on(const relocation::ArmTimer& effect) {
    TimerId& slot = timers_[static_cast<std::size_t>(effect.timer)];
    parts_.services.world.cancel(slot);
    slot =
        parts_.services.world.arm(effect.deadline, [self = weak_from_this(), timer = effect.timer] {
            if (const auto move = self.lock()) move->feed(relocation::TimerElapsed{timer});
        });
}

void SourceMove::on(const relocation::CancelTimer& effect) {
    TimerId& slot = timers_[static_cast<std::size_t>(effect.timer)];
    parts_.services.world.cancel(std::exchange(slot, TimerId{}));
}

void SourceMove::on(const relocation::Report& effect) {
    parts_.services.probe.on_log(effect.code);
    parts_.services.log(relocation::level_of(effect.code), relocation::name_of(effect.code),
                        "Source of a move.");
}

void SourceMove::on(const relocation::Mark& effect) {
    parts_.services.probe.on_point(cell_->id(), effect.point, parts_.services.world.now());
}

// --- stopping ---------------------------------------------------------------------------------

void SourceMove::on(const relocation::PauseAtTurnEnd&) {
    pause_cell();
}

void SourceMove::pause_cell() {
    const bool idle = cell_->pause([self = weak_from_this()] {
        if (const auto move = self.lock()) move->turn_ended();
    });
    if (idle) turn_ended();
}

// Captured jobs keep their permits until the cutover is submitted, which takes records from the
// target: two hosts that move to each other with all their permits captured would stop reading and
// wait for ever. So the queue is worked down first (spec/execution.md sections 3.1 and 10.9).
void SourceMove::turn_ended() {
    const std::size_t jobs = cell_->permitted_jobs();
    if (!parts_.services.permits.try_capture(jobs)) {
        constexpr std::chrono::milliseconds kTurnPause{2};
        cell_->cancel_pause();
        parts_.services.world.arm(
            deadline_after(parts_.services.world.now(), kTurnPause), [self = weak_from_this()] {
                const auto move = self.lock();
                const bool still_wanted = move != nullptr && !move->machine_.finished() &&
                                          move->cell_->mode() == ActorCell::Mode::Serving;
                if (still_wanted) move->pause_cell();
            });
        return;
    }
    cell_->seal();
    captured_jobs_ = jobs;
    feed(relocation::TurnEnded{});
}

void SourceMove::give_captured_back() {
    parts_.services.permits.release_captured(std::exchange(captured_jobs_, 0));
}

void SourceMove::on(const relocation::CancelPause&) {
    if (cell_->mode() == ActorCell::Mode::Pausing) cell_->cancel_pause();
}

void SourceMove::on(const relocation::CaptureUnit&) {
    const result<protocol::RelocationEnvelope> envelope = capture();
    if (!envelope) {
        parts_.services.log(relocation::LogLevel::Error, "capture_failed",
                            "The capture of type " + cell_->definition().stable_type +
                                " failed: " + envelope.error().message());
        events_.push_back(relocation::CaptureFailed{FrameworkErrorCode::RequestFailed});
        return;
    }
    payload_ = protocol::encode_envelope(envelope.value());
    copies_held_ = true;
    const std::optional<relocation::ChunkPlan> plan =
        relocation::plan_chunks(payload_.total_length, chunk_limits());
    if (!plan) {
        events_.push_back(relocation::CaptureFailed{FrameworkErrorCode::RequestRejected});
        return;
    }
    chunk_bytes_ = plan->chunk_bytes;
    chunk_count_ = plan->chunk_count;
    parts_.services.probe.on_unit_moved(cell_->id(), payload_.total_length);
    events_.push_back(relocation::CaptureSucceeded{
        {payload_.total_length, chunk_count_, payload_.checksum_crc32c}});
}

relocation::ChunkLimits SourceMove::chunk_limits() const {
    const HostOptions& options = parts_.services.options;
    std::uint64_t budget = options.relocation_in_flight_payload_budget;
    const std::uint64_t node_budget = options.relocation_node_in_flight_payload_budget;
    if (budget == 0 || (node_budget != 0 && node_budget < budget)) budget = node_budget;
    relocation::ChunkLimits limits;
    limits.setting_bytes = options.relocation_payload_chunk_limit;
    limits.advertised_bytes = advertised_chunk_bytes_;
    if (budget != 0) {
        limits.budget_bytes = budget > protocol::kFrameCharge ? budget - protocol::kFrameCharge : 1;
    }
    return limits;
}

result<protocol::RelocationEnvelope> SourceMove::capture() const {
    const ActorDefinition& definition = cell_->definition();
    protocol::RelocationEnvelope envelope;
    envelope.relocation = fence_.relocation;
    envelope.object = object();
    envelope.application_version = fence_.application_version;
    protocol::ApplicationState state;
    state.participant_id = kOnlyParticipant;
    if (definition.policy == RelocationPolicy::PreserveState) {
        try {
            BOOST_OUTCOME_TRY(Segments segments, definition.capture(cell_->instance()));
            state.state.emplace(std::move(segments));
        } catch (const std::exception& thrown) {
            parts_.services.log(relocation::LogLevel::Error, "handler_failed",
                                std::string("A capture adapter threw: ") + thrown.what());
            return Errc::InternalFailure;
        } catch (...) {
            return Errc::InternalFailure;
        }
        if (state.state->size() > protocol::kApplicationStateBytesMax) return Errc::Rejected;
    }
    envelope.application_states.push_back(std::move(state));
    std::uint64_t order = 0;
    for (const JobPtr& job : cell_->queue()) {
        ++order;
        if (const auto* message = std::get_if<MessageJob>(&job->work)) {
            envelope.saved_work.push_back(
                {kOnlyParticipant, order, freeze(*message, source_fence())});
        } else if (const auto* tick = std::get_if<TickJob>(&job->work)) {
            const auto timer = cell_->timers().find(tick->timer);
            const bool alive = timer != cell_->timers().end() &&
                               timer->second.generation == tick->timer_generation;
            if (!alive) continue;
            const std::uint64_t last = timer->second.last_scheduled_index;
            envelope.pending_timer_ticks.push_back({kOnlyParticipant, order, tick->timer,
                                                    timer->second.last_delivery_index + 1,
                                                    tick->scheduled_index, tick->scheduled_at.value,
                                                    tick->scheduled_index - last - 1});
        }
    }
    for (const auto& [name, timer] : cell_->timers()) {
        envelope.timer_registrations.push_back(registration_of(timer));
    }
    return envelope;
}

// --- transfer ---------------------------------------------------------------------------------

void SourceMove::on(const relocation::SendPrepare& effect) {
    protocol::RelocationPrepare prepare;
    prepare.relocation = fence_.relocation;
    prepare.target_attempt_generation = fence_.attempt;
    prepare.coordinator = fence_.coordinator;
    prepare.target = fence_.target;
    prepare.object = object();
    prepare.source_node_rid = fence_.source_node_rid;
    prepare.source_node_generation = fence_.source_node_generation;
    prepare.payload_total_length = payload_.total_length;
    prepare.payload_chunk_count = chunk_count_;
    prepare.payload_checksum_crc32c = payload_.checksum_crc32c;
    prepare.application_version = fence_.application_version;
    protocol::OutRecord record = protocol::encode_record(prepare);
    record.sequence = parts_.mesh.next_sequence();
    parts_.mesh.send_control(LinkId{effect.connection.value}, std::move(record));
}

void SourceMove::on(const relocation::RequestChunkRoom& effect) {
    parts_.owner.withdraw_room(*this);
    room_ = effect;
    asked_charge_ = chunk_record(effect.ordinal).charge();
    if (parts_.owner.ask_room(*this, asked_charge_)) {
        granted_.push_back(asked_charge_);
        events_.push_back(relocation::ChunkRoomGranted{effect.connection, effect.ordinal});
    }
}

std::uint64_t SourceMove::take_granted() {
    SHUNT_ASSERT(!granted_.empty());
    const std::uint64_t charge = granted_.front();
    granted_.pop_front();
    return charge;
}

void SourceMove::on(const relocation::ReturnChunkRoom&) {
    parts_.owner.return_room(*this, take_granted());
}

void SourceMove::on(const relocation::SubmitChunk& effect) {
    parts_.owner.submit_chunk(*this, LinkId{effect.connection.value}, chunk_record(effect.ordinal),
                              take_granted());
}

protocol::OutRecord SourceMove::chunk_record(std::uint32_t ordinal) const {
    protocol::RelocationState chunk;
    chunk.relocation = fence_.relocation;
    chunk.target_attempt_generation = fence_.attempt;
    chunk.coordinator = fence_.coordinator;
    chunk.object = object();
    chunk.chunk_ordinal = ordinal;
    const std::uint64_t first = std::uint64_t{ordinal} * chunk_bytes_;
    const std::uint64_t last = std::min(first + chunk_bytes_, payload_.total_length);
    Segments slices;
    std::uint64_t at = 0;
    for (const Segment& segment : payload_.stream) {
        const std::uint64_t end = at + segment.size();
        const std::uint64_t from = std::max(at, first);
        const std::uint64_t to = std::min(end, last);
        if (from < to) slices.push_back(segment.slice(from - at, to - from));
        at = end;
        if (at >= last) break;
    }
    chunk.chunk_data = protocol::Blob(std::move(slices));
    return protocol::encode_record(chunk);
}

// --- the boundary -----------------------------------------------------------------------------

void SourceMove::on(const relocation::RelayHold& effect) {
    for (const JobPtr& job : cell_->take_hold()) {
        const auto* message = std::get_if<MessageJob>(&job->work);
        if (message == nullptr) continue;  // Timers are silent while sealed.
        Segments record = protocol::encode_frozen_record(freeze(*message, source_fence()));
        span_.add(flatten(record));
        send_relay(LinkId{effect.connection.value}, record);
        batch_.push_back(std::move(record));
    }
}

void SourceMove::send_relay(LinkId link, const Segments& record) {
    protocol::EncodedRelocationData data;
    data.relocation = fence_.relocation;
    data.target_attempt_generation = fence_.attempt;
    data.coordinator = fence_.coordinator;
    data.object = object();
    data.record = protocol::Blob(record);
    parts_.mesh.send_control(link, protocol::encode_record(data));
}

protocol::OutRecord SourceMove::cutover_record() const {
    protocol::RelocationCutover cutover;
    cutover.relocation = fence_.relocation;
    cutover.target_attempt_generation = fence_.attempt;
    cutover.coordinator = fence_.coordinator;
    cutover.object = object();
    cutover.boundary_record_count = span_.proof().record_count;
    cutover.boundary_checksum_crc32c = span_.proof().checksum_crc32c;
    return protocol::encode_record(cutover);
}

void SourceMove::on(const relocation::SubmitCutover& effect) {
    parts_.owner.submit_cutover(*this, LinkId{effect.connection.value}, cutover_record());
}

void SourceMove::on(const relocation::ResendBatch& effect) {
    const LinkId link{effect.connection.value};
    for (const Segments& record : batch_) send_relay(link, record);
    parts_.owner.submit_cutover(*this, link, cutover_record());
}

// --- afterwards -------------------------------------------------------------------------------

void SourceMove::on(const relocation::RestoreQueue&) {
    give_captured_back();
    cell_->unseal();
}

void SourceMove::on(const relocation::EndDispatch&) {
    // The cell stays sealed: it holds arrivals until the machine opens the follow route.
}

void SourceMove::on(const relocation::ReleasePermits&) {
    give_captured_back();
    cell_->release_queue();
}

void SourceMove::on(const relocation::ReleaseCopies&) {
    payload_ = {};
    batch_.clear();
    copies_held_ = false;
}

void SourceMove::on(const relocation::BeginFollow&) {
    follow_open_ = true;
    parts_.follow.begin({source_fence(), target_fence(), fence_.relocation});
}

void SourceMove::on(const relocation::DrainHold&) {
    const FollowRoute route{source_fence(), target_fence(), fence_.relocation};
    for (const JobPtr& job : cell_->take_hold()) {
        if (const auto* message = std::get_if<MessageJob>(&job->work)) {
            parts_.follow.forward(route, *message, nullptr);
        }
    }
    retire_cell();
}

void SourceMove::on(const relocation::FailHold&) {
    fail_hold("owner_unknown");
    retire_cell();
}

void SourceMove::fail_hold(const char* reason) {
    for (const JobPtr& job : cell_->take_hold()) {
        const auto* message = std::get_if<MessageJob>(&job->work);
        if (message == nullptr) continue;
        parts_.services.probe.on_message_dropped(reason, message->packet.payload.view());
        parts_.replies.answer(message->reply, message->operation, Errc::Unavailable);
    }
}

void SourceMove::on(const relocation::EndFollow&) {
    follow_open_ = false;
    parts_.follow.end(fence_.actor.actor_id, fence_.relocation);
}

void SourceMove::on(const relocation::ReadSourceOwner&) {
    parts_.store.look_as_source(fence_, cell_->definition().stable_type,
                                [self = weak_from_this()](relocation::OwnerSeen seen) {
                                    if (const auto move = self.lock())
                                        move->feed(relocation::OwnerRead{seen});
                                });
}

void SourceMove::on(const relocation::Conclude& effect) {
    parts_.owner.withdraw_room(*this);
    parts_.owner.concluded(*this, effect);
}

void SourceMove::retire_cell() {
    if (cell_->mode() == ActorCell::Mode::Ended) return;
    cell_->end();
    parts_.cells.remove(*cell_);
}

// --- words ------------------------------------------------------------------------------------

protocol::ActorRouteFence SourceMove::source_fence() const {
    return {fence_.actor, fence_.source_node_rid, fence_.source_node_generation,
            fence_.source_owner_generation, cell_->ownership().lease_generation};
}

protocol::ActorRouteFence SourceMove::target_fence() const {
    return {fence_.actor, fence_.target.target_node_rid, fence_.target.target_node_generation,
            AuthorityOwnerGeneration{fence_.source_owner_generation.value + 1},
            fence_.target.target_owner_lease_generation};
}

protocol::RelocationObjectIdentity SourceMove::object() const {
    return protocol::ActorObject{fence_.actor, fence_.source_owner_generation};
}

}  // namespace shunt::host
