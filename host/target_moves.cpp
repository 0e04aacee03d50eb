#include "host/target_moves.hpp"

#include "host/errc.hpp"

namespace shunt::host {

using relocation::ConnectionId;
using relocation::LogCode;

TargetMoves::TargetMoves(Services& services, const Registry& registry, MeshPort& mesh,
                         CellTable& cells, ReplyRouter& replies, MoveStore& store, Deliver deliver)
    : services_(services),
      parts_{services, registry, mesh, cells, store, *this},
      replies_(replies),
      deliver_(std::move(deliver)) {
    settings_.cutover_wait_timeout = services.options.relocation_cutover_wait_timeout;
    settings_.message_follow_duration = services.options.message_follow_duration;
    settings_.restore_validity = services.options.relocation_restore_validity;
}

TargetMoves::~TargetMoves() {
    *alive_ = false;
    moves_.clear();
}

std::shared_ptr<TargetMove> TargetMoves::find(RelocationId relocation) const {
    const auto found = moves_.find(relocation);
    return found == moves_.end() ? nullptr : found->second;
}

TargetMove* TargetMoves::staging(const ActorId& actor) const {
    const auto found = staging_.find(actor);
    return found == staging_.end() ? nullptr : find(found->second).get();
}

// --- records ----------------------------------------------------------------------------------

void TargetMoves::on_prepare(const Arrival& arrival, const protocol::RelocationPrepare& prepare) {
    const NodeIdentity& self = services_.self;
    if (prepare.source_node_rid != arrival.peer.rid ||
        prepare.source_node_generation != arrival.peer.generation) {
        // Not the node it says it is: before any relocation logic sees it (U-36).
        return parts_.mesh.close_link(arrival.peer.link, Errc::ProtocolError);
    }
    if (const auto known = find(prepare.relocation)) {
        return known->on_prepare(arrival.peer.link, arrival.sequence, prepare);
    }
    if (const auto ended = ended_.find(prepare.relocation); ended != ended_.end()) {
        services_.probe.on_log(LogCode::RepeatedPrepare);
        // Once ready was sent, a failure would open the source beside the owner it may have here.
        // Silence lets it read the store instead (seed unit section 9).
        if (ended->second == protocol::FrameworkErrorCode::None) return;
        return refuse(arrival, prepare, ended->second);
    }
    const auto* object = std::get_if<protocol::ActorObject>(&prepare.object);
    if (object == nullptr) {
        return refuse(arrival, prepare, protocol::FrameworkErrorCode::HandlerNotFound);
    }
    if (prepare.target.target_node_rid != self.rid ||
        prepare.target.target_node_generation != self.generation ||
        prepare.target.target_owner_id != self.owner_id ||
        prepare.target.target_owner_lease_generation != self.lease_generation ||
        prepare.payload_chunk_count == 0) {
        return refuse(arrival, prepare, protocol::FrameworkErrorCode::RouteNotConnected);
    }
    if (TargetMove* earlier = staging(object->actor.actor_id)) {
        if (earlier->machine().stage() != relocation::Stage::TargetRestoring) {
            return refuse(arrival, prepare, protocol::FrameworkErrorCode::RouteNotConnected);
        }
        // One preparation per target queue, and the newest wins (seed unit section 11).
        earlier->feed(relocation::TargetAborted{protocol::FrameworkErrorCode::RouteNotConnected});
    }
    relocation::MoveSettings settings = settings_;
    settings.cas_retry_jitter = std::chrono::microseconds(services_.world.random() % 5'000);
    const auto move = std::make_shared<TargetMove>(parts_, prepare, settings);
    moves_.emplace(prepare.relocation, move);
    staging_.insert_or_assign(object->actor.actor_id, prepare.relocation);
    move->on_prepare(arrival.peer.link, arrival.sequence, prepare);
}

void TargetMoves::refuse(const Arrival& arrival, const protocol::RelocationPrepare& prepare,
                         protocol::FrameworkErrorCode code) {
    protocol::RelocationFailed reply;
    reply.relocation = prepare.relocation;
    reply.target_attempt_generation = prepare.target_attempt_generation;
    reply.coordinator = prepare.coordinator;
    reply.target = prepare.target;
    reply.object = prepare.object;
    reply.failure_code = code;
    protocol::OutRecord record = protocol::encode_record(reply);
    record.sequence = arrival.sequence;
    parts_.mesh.send_control(arrival.peer.link, std::move(record));
}

void TargetMoves::on_chunk(const Arrival& arrival, const protocol::RelocationState& chunk) {
    const auto move = find(chunk.relocation);
    if (move == nullptr) return services_.probe.on_log(LogCode::ForeignIdentity);
    move->on_chunk(arrival.peer.link, chunk);
}

void TargetMoves::on_relay(const Arrival& arrival, const protocol::RelocationData& relay) {
    const auto move = find(relay.relocation);
    if (move == nullptr) return services_.probe.on_log(LogCode::ForeignIdentity);
    move->on_relay(arrival.peer.link, relay, arrival.record.frozen_record_bytes);
}

void TargetMoves::on_cutover(const Arrival& arrival, const protocol::RelocationCutover& cutover) {
    const auto move = find(cutover.relocation);
    if (move == nullptr) return services_.probe.on_log(LogCode::LateCutover);
    move->on_cutover(arrival.peer.link, cutover);
}

void TargetMoves::on_peer_lost(const Peer& peer) {
    std::vector<std::shared_ptr<TargetMove>> moves;
    for (const auto& [id, move] : moves_) {
        if (move->link() == peer.link) moves.push_back(move);
    }
    for (const auto& move : moves) {
        move->feed(relocation::ConnectionLost{ConnectionId{peer.link.value}});
    }
}

void TargetMoves::on_peer_ready(const Peer& peer) {
    std::vector<std::shared_ptr<TargetMove>> moves;
    for (const auto& [id, move] : moves_) {
        const MoveFence& fence = move->fence();
        const bool same_process =
            fence.source_node_rid == peer.rid && fence.source_node_generation == peer.generation;
        if (same_process && move->link() != peer.link) moves.push_back(move);
    }
    for (const auto& move : moves) move->on_reconnected(peer.link);
}

void TargetMoves::abort_all(protocol::FrameworkErrorCode code) {
    std::vector<std::shared_ptr<TargetMove>> moves;
    for (const auto& [id, move] : moves_) moves.push_back(move);
    for (const auto& move : moves) move->feed(relocation::TargetAborted{code});
}

// --- TargetMoveOwner --------------------------------------------------------------------------

void TargetMoves::opened(TargetMove& move) {
    staging_.erase(move.fence().actor.actor_id);
    retire_later(move);
}

void TargetMoves::removed(TargetMove& move, std::deque<JobPtr> unrun) {
    const auto staged = staging_.find(move.fence().actor.actor_id);
    if (staged != staging_.end() && staged->second == move.fence().relocation) {
        staging_.erase(staged);
    }
    for (const JobPtr& job : unrun) {
        const auto& message = std::get<MessageJob>(job->work);
        services_.probe.on_message_dropped("target_removed", message.packet.payload.view());
        replies_.answer(message.reply, message.operation, Errc::Unavailable);
    }
    retire_later(move);
}

void TargetMoves::deliver_late(const ActorId& actor, JobPtr job) {
    deliver_(actor, std::move(job));
}

void TargetMoves::retire_later(const TargetMove& move) {
    // Late records of this move are told from foreign ones as long as its source may send any.
    const Duration remembered = settings_.restore_validity + 2 * settings_.cutover_wait_timeout;
    services_.world.arm(deadline_after(services_.world.now(), remembered),
                        [this, id = move.fence().relocation, alive = alive_] {
                            if (*alive) retire(id);
                        });
}

void TargetMoves::retire(RelocationId relocation) {
    const auto found = moves_.find(relocation);
    if (found == moves_.end()) return;
    ended_.emplace(relocation, found->second->machine().failure_answered());
    ended_order_.push_back(relocation);
    moves_.erase(found);
    if (ended_order_.size() <= kEndedMax) return;
    ended_.erase(ended_order_.front());
    ended_order_.pop_front();
}

}  // namespace shunt::host
