#include "host/target_move.hpp"

#include <algorithm>
#include <exception>

#include "host/errc.hpp"
#include "host/message_codec.hpp"
#include "store/authority.hpp"

namespace shunt::host {

using protocol::FrameworkErrorCode;
using relocation::ConnectionId;

namespace {

constexpr protocol::ParticipantId kOnlyParticipant{1};

MoveFence fence_of(const protocol::RelocationPrepare& prepare) {
    const auto& object = std::get<protocol::ActorObject>(prepare.object);
    return {object.actor,
            object.expected_authority_owner_generation,
            prepare.source_node_rid,
            prepare.source_node_generation,
            prepare.relocation,
            prepare.target_attempt_generation,
            prepare.coordinator,
            prepare.target,
            prepare.application_version};
}

template <class Command>
relocation::RelocationIdentity identity_of(const Command& command) {
    return {command.relocation, command.target_attempt_generation, command.coordinator};
}

relocation::StreamManifest manifest_of(const protocol::RelocationPrepare& prepare) {
    return {prepare.payload_total_length, prepare.payload_chunk_count,
            prepare.payload_checksum_crc32c};
}

/// What command 53 says for an error of a step of the restore (spec/wire.md section 3.4).
FrameworkErrorCode failure_code(std::error_code error) {
    if (error == make_error_code(Errc::DataLost)) return FrameworkErrorCode::RelocationDataLost;
    if (error == make_error_code(Errc::ProtocolError)) {
        return FrameworkErrorCode::RequestProtocolError;
    }
    if (error == make_error_code(Errc::InvalidOperation)) {
        return FrameworkErrorCode::ActorLocationStale;
    }
    if (error == make_error_code(Errc::NotFound)) return FrameworkErrorCode::RequestTargetNotFound;
    if (error == make_error_code(Errc::NotConfigured)) return FrameworkErrorCode::HandlerNotFound;
    if (error == make_error_code(Errc::Unavailable)) return FrameworkErrorCode::RouteNotConnected;
    return FrameworkErrorCode::RequestFailed;
}

TimerOverrun overrun_of(protocol::TimerOverrunPolicyKind policy) noexcept {
    switch (policy) {
        case protocol::TimerOverrunPolicyKind::SkipLateTicks:
            return TimerOverrun::SkipLateTicks;
        case protocol::TimerOverrunPolicyKind::CatchUpBounded:
            return TimerOverrun::CatchUpBounded;
        case protocol::TimerOverrunPolicyKind::DelayNextTick:
            return TimerOverrun::DelayNextTick;
    }
    return TimerOverrun::SkipLateTicks;
}

}  // namespace

TargetMove::TargetMove(TargetMoveParts parts, const protocol::RelocationPrepare& prepare,
                       const relocation::MoveSettings& settings)
    : parts_(parts),
      fence_(fence_of(prepare)),
      manifest_(manifest_of(prepare)),
      machine_(identity_of(prepare), settings),
      assembly_(manifest_) {}

TargetMove::~TargetMove() {
    for (const TimerId timer : timers_) parts_.services.world.cancel(timer);
    if (cell_ != nullptr && cell_->mode() == ActorCell::Mode::Staged) cell_->end();
}

void TargetMove::feed(relocation::TargetEvent event) {
    events_.push_back(std::move(event));
    if (!stepping_) drain();
}

void TargetMove::drain() {
    const std::shared_ptr<TargetMove> keep = shared_from_this();
    stepping_ = true;
    while (!events_.empty()) {
        const relocation::TargetEvent event = std::move(events_.front());
        events_.pop_front();
        const relocation::Stage before = machine_.stage();
        relocation::TargetEffects effects;
        machine_.step(event, parts_.services.world.now(), effects);
        if (machine_.stage() != before) {
            parts_.services.probe.on_stage(fence_.actor.actor_id, relocation::Role::Target,
                                           machine_.stage());
        }
        for (const relocation::TargetEffect& effect : effects) {
            parts_.services.probe.on_effect(relocation::Role::Target, effect.index());
            std::visit([this](const auto& e) { on(e); }, effect);
        }
    }
    stepping_ = false;
}

// --- arrivals ---------------------------------------------------------------------------------

void TargetMove::on_prepare(LinkId link, std::uint64_t sequence,
                            const protocol::RelocationPrepare& prepare) {
    if (!link_) link_ = link;
    // A 40 of another identity or connection moves nothing: its reply route is not ours to use.
    if (link == link_ && identity_of(prepare) == machine_.identity()) prepare_sequence_ = sequence;
    feed(relocation::PrepareReceived{identity_of(prepare), ConnectionId{link.value},
                                     manifest_of(prepare)});
}

void TargetMove::on_chunk(LinkId link, const protocol::RelocationState& chunk) {
    chunk_ = &chunk;
    chunk_connection_ = ConnectionId{link.value};
    feed(relocation::ChunkArrived{identity_of(chunk), ConnectionId{link.value}});
    chunk_ = nullptr;
}

void TargetMove::on_relay(LinkId link, const protocol::RelocationData& relay,
                          ByteView frozen_bytes) {
    relay_record_ = &relay.record;
    relay_bytes_ = frozen_bytes;
    relay_connection_ = ConnectionId{link.value};
    feed(relocation::RelayArrived{identity_of(relay), relay_connection_});
    relay_record_ = nullptr;
    relay_bytes_ = {};
}

void TargetMove::on_cutover(LinkId link, const protocol::RelocationCutover& cutover) {
    const ConnectionId connection{link.value};
    feed(relocation::CutoverArrived{
        identity_of(cutover),
        connection,
        {cutover.boundary_record_count, cutover.boundary_checksum_crc32c},
        received_.proof(connection)});
}

void TargetMove::on_reconnected(LinkId link) {
    link_ = link;
    feed(relocation::ConnectionRestored{ConnectionId{link.value}});
}

// --- time and reports -------------------------------------------------------------------------

void TargetMove::on(const relocation::ArmTimer& effect) {
    TimerId& slot = timers_[static_cast<std::size_t>(effect.timer)];
    parts_.services.world.cancel(slot);
    slot =
        parts_.services.world.arm(effect.deadline, [self = weak_from_this(), timer = effect.timer] {
            if (const auto move = self.lock()) move->feed(relocation::TimerElapsed{timer});
        });
}

void TargetMove::on(const relocation::CancelTimer& effect) {
    TimerId& slot = timers_[static_cast<std::size_t>(effect.timer)];
    parts_.services.world.cancel(std::exchange(slot, TimerId{}));
}

void TargetMove::on(const relocation::Report& effect) {
    parts_.services.probe.on_log(effect.code);
    parts_.services.log(relocation::level_of(effect.code), relocation::name_of(effect.code),
                        "Target of a move.");
}

void TargetMove::on(const relocation::Mark& effect) {
    parts_.services.probe.on_point(fence_.actor.actor_id, effect.point,
                                   parts_.services.world.now());
}

// --- preparing --------------------------------------------------------------------------------

void TargetMove::on(const relocation::RegisterTemporaryQueue&) {
    // The owner's table names this move, and temporary_ stands ready, since before the first step.
}

void TargetMove::on(const relocation::CheckOwner&) {
    if (!parts_.owner.takes_objects()) {
        events_.push_back(relocation::OwnerRefused{FrameworkErrorCode::RouteNotConnected});
        return;
    }
    parts_.store.check(fence_, [self = weak_from_this()](result<RowMove> checked) {
        const auto move = self.lock();
        if (move == nullptr) return;
        if (!checked) {
            return move->feed(relocation::OwnerRefused{failure_code(checked.error())});
        }
        move->row_ = std::move(checked.value());
        move->stable_type_ = store::stable_type_of(move->row_->before.object);
        if (move->parts_.registry.find(move->stable_type_) == nullptr) {
            return move->feed(relocation::OwnerRefused{FrameworkErrorCode::HandlerNotFound});
        }
        move->feed(relocation::OwnerChecked{});
    });
}

void TargetMove::on(const relocation::AssembleChunk&) {
    SHUNT_ASSERT(chunk_ != nullptr);
    const ByteView bytes = chunk_->chunk_data.view();
    const relocation::ChunkVerdict verdict = assembly_.accept(chunk_->chunk_ordinal, bytes);
    if (verdict == relocation::ChunkVerdict::Append) {
        // Room grows with what has arrived, never with what a manifest claims.
        stream_.insert(stream_.end(), bytes.begin(), bytes.end());
    }
    if (auto event = assembly_.event_for(verdict, identity_of(*chunk_), chunk_connection_,
                                         chunk_->chunk_ordinal)) {
        events_.push_back(std::move(*event));
    }
}

void TargetMove::on(const relocation::DropChunk&) {}

void TargetMove::on(const relocation::RestoreUnit&) {
    const result<void> restored = restore();
    if (restored) {
        events_.push_back(relocation::UnitRestored{});
        return;
    }
    parts_.services.log(relocation::LogLevel::Error, "restore_failed",
                        "An Actor of type " + stable_type_ +
                            " could not be restored: " + restored.error().message());
    events_.push_back(relocation::UnitRestoreFailed{failure_code(restored.error())});
}

result<void> TargetMove::restore() {
    const result<protocol::RelocationEnvelope> decoded = protocol::decode_envelope(stream_);
    if (!decoded) return Errc::ProtocolError;
    const protocol::RelocationEnvelope& envelope = decoded.value();
    const auto* object = std::get_if<protocol::ActorObject>(&envelope.object);
    if (envelope.relocation != fence_.relocation || object == nullptr ||
        object->actor != fence_.actor || envelope.application_states.size() != 1 ||
        envelope.application_states.front().participant_id != kOnlyParticipant) {
        return Errc::ProtocolError;
    }
    const ActorDefinition* definition = parts_.registry.find(stable_type_);
    SHUNT_ASSERT(definition != nullptr);
    const ActorContext context{fence_.actor.actor_id, fence_.actor.object_generation, true};
    std::shared_ptr<void> instance;
    try {
        instance = definition->factory(context);
        if (instance == nullptr) return Errc::InternalFailure;
        BOOST_OUTCOME_TRY(restore_state(envelope, instance.get()));
    } catch (const std::exception& thrown) {
        parts_.services.log(relocation::LogLevel::Error, "handler_failed",
                            std::string("A factory or restore adapter threw: ") + thrown.what());
        return Errc::InternalFailure;
    } catch (...) {
        return Errc::InternalFailure;
    }
    ActorCell::Ownership ownership;
    ownership.object_generation = fence_.actor.object_generation;
    cell_ = std::make_shared<ActorCell>(parts_.services, *definition, fence_.actor.actor_id,
                                        ownership, std::move(instance), ActorCell::Mode::Staged);
    BOOST_OUTCOME_TRY(stage_timers(envelope));
    BOOST_OUTCOME_TRY(stage_saved(envelope));
    // Every staged byte is owned by its job now (seed unit section 4.3).
    stream_ = {};
    parts_.services.probe.on_unit_moved(fence_.actor.actor_id, manifest_.total_length_bytes);
    return outcome::success();
}

result<void> TargetMove::restore_state(const protocol::RelocationEnvelope& envelope,
                                       void* instance) const {
    const ActorDefinition* definition = parts_.registry.find(stable_type_);
    const std::optional<protocol::Blob>& state = envelope.application_states.front().state;
    if (definition->policy != RelocationPolicy::PreserveState) {
        return state ? result<void>(Errc::NotConfigured) : result<void>(outcome::success());
    }
    if (!state) return Errc::NotConfigured;
    return definition->restore(instance, state->view());
}

result<void> TargetMove::stage_timers(const protocol::RelocationEnvelope& envelope) {
    for (const protocol::TimerRegistration& registration : envelope.timer_registrations) {
        std::uint64_t issued = registration.last_completed_scheduled_index;
        for (const protocol::PendingTimerTick& tick : envelope.pending_timer_ticks) {
            if (tick.timer_name == registration.name) {
                issued = std::max(issued, tick.scheduled_index);
            }
        }
        constexpr std::uint64_t kPeriodMax = 1'000ULL * 60 * 60 * 24 * 366 * 100;
        if (registration.period_milliseconds > kPeriodMax) return Errc::ProtocolError;
        TimerOptions options(registration.name, registration.handler_type,
                             std::chrono::milliseconds(registration.period_milliseconds));
        options.overrun = overrun_of(registration.overrun_policy);
        options.max_catch_up_ticks = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(registration.max_catch_up_ticks, 0x7FFF'FFFF));
        options.stop_on_unhandled_exception = registration.stop_on_unhandled_exception;
        const TimerCursor cursor(registration.period_milliseconds, options.overrun,
                                 options.max_catch_up_ticks, issued + 1,
                                 UnixMillis{registration.next_scheduled_at_unix_milliseconds});
        cell_->stage_timer({options, cursor, 0, registration.last_completed_delivery_index,
                            registration.last_completed_scheduled_index, TimerId{}});
    }
    return outcome::success();
}

result<void> TargetMove::stage_saved(const protocol::RelocationEnvelope& envelope) {
    auto work = envelope.saved_work.begin();
    auto tick = envelope.pending_timer_ticks.begin();
    // One order sequence over both vectors (spec/wire.md section 7).
    while (work != envelope.saved_work.end() || tick != envelope.pending_timer_ticks.end()) {
        const bool work_next = tick == envelope.pending_timer_ticks.end() ||
                               (work != envelope.saved_work.end() && work->order < tick->order);
        if (work_next) {
            last_order_ = work->order;
            JobPtr job = thaw(work->record, work->order);
            if (job == nullptr) return Errc::ProtocolError;
            cell_->stage(std::move(job));
            ++work;
            continue;
        }
        last_order_ = tick->order;
        const auto timer = cell_->timers().find(tick->timer_name);
        if (timer == cell_->timers().end()) return Errc::ProtocolError;
        auto job = std::make_shared<Job>();
        job->work = TickJob{tick->timer_name, timer->second.generation, tick->scheduled_index,
                            UnixMillis{tick->scheduled_at_unix_milliseconds}};
        cell_->stage(std::move(job));
        ++tick;
    }
    return outcome::success();
}

JobPtr TargetMove::thaw(const protocol::FrozenRecord& record, std::uint64_t sequence) const {
    const auto* request = std::get_if<protocol::FrozenActorRequest>(&record.body);
    const auto* send = std::get_if<protocol::FrozenActorSend>(&record.body);
    if (request == nullptr && send == nullptr) return nullptr;
    const protocol::TypedPayload& payload = request != nullptr ? request->payload : send->payload;
    MessageJob message;
    message.packet = Packet(payload.packet_name, copy_of(payload.payload.view()));
    message.packet.content_type = payload.content_type;
    message.operation = record.operation_id;
    message.source = record.source;
    message.metadata = record.metadata;
    if (record.reply_route_id) {
        const NodeIdentity& self = parts_.services.self;
        if (record.source.source_node_rid == self.rid &&
            record.source.source_node_generation == self.generation) {
            message.reply = LocalReply{*record.reply_route_id};
        } else {
            message.reply = RelayReply{
                {record.source.source_owner_id, record.source.source_owner_lease_generation,
                 record.source.source_node_rid, record.source.source_node_generation},
                *record.reply_route_id,
                fence_.relocation,
                fence_.attempt,
                fence_.coordinator,
                kOnlyParticipant,
                sequence};
        }
    }
    auto job = std::make_shared<Job>();
    job->work = std::move(message);
    return job;
}

// --- answering --------------------------------------------------------------------------------

void TargetMove::on(const relocation::SendReady& effect) {
    protocol::RelocationReady reply;
    reply.relocation = fence_.relocation;
    reply.target_attempt_generation = fence_.attempt;
    reply.coordinator = fence_.coordinator;
    reply.target = fence_.target;
    reply.object = protocol::ActorObject{fence_.actor, fence_.source_owner_generation};
    protocol::OutRecord record = protocol::encode_record(reply);
    record.sequence = prepare_sequence_;
    parts_.mesh.send_control(LinkId{effect.connection.value}, std::move(record));
}

void TargetMove::on(const relocation::SendFailed& effect) {
    protocol::RelocationFailed reply;
    reply.relocation = fence_.relocation;
    reply.target_attempt_generation = fence_.attempt;
    reply.coordinator = fence_.coordinator;
    reply.target = fence_.target;
    reply.object = protocol::ActorObject{fence_.actor, fence_.source_owner_generation};
    reply.failure_code = effect.code;
    protocol::OutRecord record = protocol::encode_record(reply);
    record.sequence = prepare_sequence_;
    parts_.mesh.send_control(LinkId{effect.connection.value}, std::move(record));
}

// --- relay ------------------------------------------------------------------------------------

JobPtr TargetMove::thaw_relay() {
    SHUNT_ASSERT(relay_record_ != nullptr);
    received_.add(relay_connection_, relay_bytes_);
    return thaw(*relay_record_, ++last_order_);
}

void TargetMove::on(const relocation::StageRelay&) {
    if (JobPtr job = thaw_relay()) relay_.push_back(std::move(job));
}

void TargetMove::on(const relocation::StageLateRelay&) {
    JobPtr job = thaw_relay();
    if (job == nullptr) return;
    if (machine_.stage() == relocation::Stage::TargetOpen) {
        return parts_.owner.deliver_late(fence_.actor.actor_id, std::move(job));
    }
    // In the order of arrival: what follows through the old address comes behind it on the same
    // connection, and must stay behind it.
    temporary_.push_back(std::move(job));
}

void TargetMove::on(const relocation::DropRelay&) {}

void TargetMove::on(const relocation::DiscardRelaySpan&) {
    relay_.clear();
}

void TargetMove::on(const relocation::SkipRelay&) {
    received_.add(relay_connection_, relay_bytes_);
}

// --- owner ------------------------------------------------------------------------------------

void TargetMove::on(const relocation::CasOwner&) {
    parts_.store.commit(row_, [self = weak_from_this()](relocation::CasAnswer answer) {
        if (const auto move = self.lock()) move->feed(relocation::CasAnswered{answer});
    });
}

void TargetMove::on(const relocation::ReadTargetOwner&) {
    parts_.store.look_as_target(row_, [self = weak_from_this()](relocation::OwnerSeen seen) {
        if (const auto move = self.lock()) move->feed(relocation::TargetOwnerRead{seen});
    });
}

void TargetMove::on(const relocation::OrderBacklog&) {
    // Saved work stands in the queue since the restore; then the relay before the boundary, then
    // what the temporary queue took (seed unit section 4.6).
    for (JobPtr& job : relay_) cell_->stage(std::move(job));
    for (JobPtr& job : temporary_) cell_->stage(std::move(job));
    relay_.clear();
    temporary_.clear();
    // An older cell under this id is one that ended here earlier.
    parts_.cells.put(cell_);
    events_.push_back(relocation::BacklogReady{});
}

void TargetMove::on(const relocation::OpenQueue&) {
    ActorCell::Ownership ownership;
    ownership.object_generation = fence_.actor.object_generation;
    ownership.owner_generation = AuthorityOwnerGeneration{fence_.source_owner_generation.value + 1};
    ownership.lease_generation = fence_.target.target_owner_lease_generation;
    // Unknown until the steady write: a move away waits for it (spec/stores.md section 12).
    cell_->open(std::move(ownership));
    opened_cell_ = cell_;
    cell_.reset();
    parts_.owner.opened(*this);
}

void TargetMove::on(const relocation::WriteSteady&) {
    parts_.store.settle(row_, [cell = opened_cell_](std::string version) {
        if (const auto settled = cell.lock()) settled->set_store_version(std::move(version));
    });
}

void TargetMove::on(const relocation::RemovePrepared&) {
    if (cell_ != nullptr) cell_->end();
    cell_.reset();
    stream_ = {};
    relay_.clear();
    parts_.owner.removed(*this, std::exchange(temporary_, {}));
}

}  // namespace shunt::host
