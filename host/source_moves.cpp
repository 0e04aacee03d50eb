#include "host/source_moves.hpp"

#include <algorithm>

namespace shunt::host {
namespace {

relocation::MoveSettings settings_of(const HostOptions& options) {
    relocation::MoveSettings settings;
    settings.cutover_wait_timeout = options.relocation_cutover_wait_timeout;
    settings.message_follow_duration = options.message_follow_duration;
    settings.restore_validity = options.relocation_restore_validity;
    return settings;
}

/// Observed before a unit is sealed: any room at all (seed unit section 5.3).
constexpr std::uint64_t kAnyRoom = protocol::kFrameCharge + 1;

relocation::RelocationIdentity identity_of(const protocol::RelocationReady& reply) {
    return {reply.relocation, reply.target_attempt_generation, reply.coordinator};
}

relocation::RelocationIdentity identity_of(const protocol::RelocationFailed& reply) {
    return {reply.relocation, reply.target_attempt_generation, reply.coordinator};
}

bool takes_objects(const Peer& peer) noexcept {
    return peer.descriptor.extension.runtime_state == protocol::RuntimeState::Serving;
}

}  // namespace

SourceMoves::SourceMoves(Services& services, MeshPort& mesh, CellTable& cells, Follow& follow,
                         ReplyRouter& replies, MoveStore& store, RoomPort& room)
    : services_(services),
      parts_{services, mesh, cells, follow, replies, store, *this},
      room_(room) {}

SourceMoves::~SourceMoves() {
    *alive_ = false;
    drop_all();
}

void SourceMoves::clear() {
    for (auto& [id, entry] : moves_) entry.move->abandon();
    drop_all();
}

void SourceMoves::drop_all() {
    for (auto& [id, entry] : moves_) room_.withdraw(entry.room_wait);
    const std::map<RelocationId, Entry> dropped = std::exchange(moves_, {});
    for (auto& [key, side] : sides_) {
        room_.withdraw(side.room_wait);
        side.unstarted.clear();
    }
    waiting_count_ = 0;
    services_.world.cancel(std::exchange(pace_timer_, TimerId{}));
    for (auto& [token, submitted] : submitted_) {
        if (submitted.room != nullptr) room_.release(submitted.room, submitted.charge);
    }
    submitted_.clear();
}

// --- starting ---------------------------------------------------------------------------------

void SourceMoves::start(std::shared_ptr<ActorCell> cell, const MoveTarget& target,
                        TimePoint deadline, Concluded concluded) {
    const PeerKey key{target.rid, target.generation};
    sides_[key].unstarted.push_back({std::move(cell), target, deadline, std::move(concluded)});
    ++waiting_count_;
    post_pump(key);
}

void SourceMoves::post_pump(const PeerKey& key) {
    PeerSide& side = sides_[key];
    if (side.pump_posted) return;
    side.pump_posted = true;
    services_.world.post([this, key, alive = alive_] {
        if (*alive) pump(key);
    });
}

void SourceMoves::pump(const PeerKey& key) {
    PeerSide& side = sides_[key];
    side.pump_posted = false;
    for (int started = 0; started < kStartsPerTurn && !side.unstarted.empty(); ++started) {
        if (side.room_wait) return;
        if (starts_due_ == 0) return await_pace();
        if (!services_.permits.below_pause()) return await_permit();
        const bool unsettled = side.unstarted.front().cell->ownership().store_version.empty();
        if (unsettled && services_.world.now() < side.unstarted.front().deadline) {
            // It arrived a moment ago and its row still shows that move; others go first.
            std::rotate(side.unstarted.begin(), side.unstarted.begin() + 1, side.unstarted.end());
            return pump_later(key);
        }
        const Peer* peer = parts_.mesh.find(key.first);
        const bool takes = peer != nullptr && peer->generation == key.second && peer->admits_us &&
                           takes_objects(*peer);
        if (takes) {
            side.room_wait = room_.ask(parts_.mesh.room_of(peer->link), kAnyRoom,
                                       relocation::Claim::Observe, [this, key, alive = alive_] {
                                           if (!*alive) return;
                                           sides_[key].room_wait = {};
                                           post_pump(key);
                                       });
            if (side.room_wait) return;
        }
        Unstarted next = std::move(side.unstarted.front());
        side.unstarted.pop_front();
        --waiting_count_;
        if (!takes) {
            conclude_unstarted(next, protocol::FrameworkErrorCode::RouteNotConnected);
        } else if (services_.world.now() >= next.deadline) {
            conclude_unstarted(next, protocol::FrameworkErrorCode::WorkerTimedOut);
        } else if (next.cell->mode() != ActorCell::Mode::Serving) {
            conclude_unstarted(next, protocol::FrameworkErrorCode::ActorLocationStale);
        } else {
            begin(std::move(next), *peer);
        }
    }
    if (!side.unstarted.empty()) post_pump(key);
}

// Captured jobs keep their permits, so a full host first works its queues down
// (spec/execution.md section 10.9).
void SourceMoves::await_permit() {
    permit_wait_ = true;
    services_.permits.watch(services_.shard);
    if (services_.permits.below_pause()) permit_returned();
}

void SourceMoves::pump_later(const PeerKey& key) {
    constexpr std::chrono::milliseconds kSettlePause{2};
    services_.world.arm(deadline_after(services_.world.now(), kSettlePause),
                        [this, key, alive = alive_] {
                            if (*alive) post_pump(key);
                        });
}

void SourceMoves::permit_returned() {
    if (!permit_wait_) return;
    if (!services_.permits.below_pause()) return services_.permits.watch(services_.shard);
    permit_wait_ = false;
    pump_all();
}

void SourceMoves::pump_all() {
    for (auto& [key, side] : sides_) {
        if (!side.unstarted.empty()) post_pump(key);
    }
}

void SourceMoves::await_pace() {
    if (pace_timer_) return;
    pace_timer_ =
        services_.world.arm(deadline_after(services_.world.now(), pace_), [this, alive = alive_] {
            if (!*alive) return;
            pace_timer_ = TimerId{};
            starts_due_ += kStartsPerTurn;
            pump_all();
        });
}

void SourceMoves::begin(Unstarted unstarted, const Peer& peer) {
    --starts_due_;
    const NodeIdentity& self = services_.self;
    const ActorCell::Ownership& ownership = unstarted.cell->ownership();
    MoveFence fence;
    fence.actor = unstarted.cell->ref();
    fence.source_owner_generation = ownership.owner_generation;
    fence.source_node_rid = self.rid;
    fence.source_node_generation = self.generation;
    fence.relocation = RelocationId{services_.world.random(), services_.world.random() | 1U};
    fence.attempt = TargetAttemptGeneration{(services_.world.random() >> 1U) | 1U};
    fence.coordinator = {self.owner_id, ownership.lease_generation, self.rid, self.generation,
                         ownership.store_version};
    fence.target = {unstarted.target.rid, unstarted.target.generation, unstarted.target.owner_id,
                    unstarted.target.lease_generation};
    fence.application_version = static_cast<std::uint64_t>(services_.options.application_version);

    Entry entry;
    entry.move =
        std::make_shared<SourceMove>(parts_, std::move(unstarted.cell), fence,
                                     peer.chunk_limit_bytes, settings_of(services_.options));
    entry.room = parts_.mesh.room_of(peer.link);
    entry.link = peer.link;
    entry.begun = services_.world.now();
    entry.concluded = std::move(unstarted.concluded);
    const std::shared_ptr<SourceMove> move = entry.move;
    moves_.emplace(fence.relocation, std::move(entry));
    move->feed(
        relocation::MoveRequested{relocation::ConnectionId{peer.link.value}, unstarted.deadline});
}

void SourceMoves::conclude_unstarted(Unstarted& unstarted, protocol::FrameworkErrorCode code) {
    services_.world.post([concluded = std::move(unstarted.concluded), code]() mutable {
        concluded(relocation::SourceOutcome::Restored, code);
    });
}

void SourceMoves::abort_unstarted(protocol::FrameworkErrorCode code) {
    for (auto& [key, side] : sides_) {
        for (Unstarted& unstarted : side.unstarted) conclude_unstarted(unstarted, code);
        waiting_count_ -= side.unstarted.size();
        side.unstarted.clear();
        room_.withdraw(side.room_wait);
    }
}

void SourceMoves::abort_all(protocol::FrameworkErrorCode code) {
    abort_unstarted(code);
    std::vector<std::shared_ptr<SourceMove>> moves;
    for (auto& [id, entry] : moves_) moves.push_back(entry.move);
    for (const auto& move : moves) move->feed(relocation::AbortRequested{code});
}

void SourceMoves::on_peer_updated(const Peer& peer) {
    if (takes_objects(peer)) return;
    std::vector<std::shared_ptr<SourceMove>> moves;
    for (auto& [id, entry] : moves_) {
        if (entry.link == peer.link) moves.push_back(entry.move);
    }
    for (const auto& move : moves) {
        move->feed(relocation::AbortRequested{protocol::FrameworkErrorCode::RouteNotConnected});
    }
}

// --- news -------------------------------------------------------------------------------------

void SourceMoves::on_ready(LinkId link, const protocol::RelocationReady& reply) {
    const auto found = moves_.find(reply.relocation);
    if (found == moves_.end()) return services_.probe.on_log(relocation::LogCode::LateReply);
    const std::shared_ptr<SourceMove> move = found->second.move;
    move->feed(
        relocation::RelayReadyReceived{identity_of(reply), relocation::ConnectionId{link.value}});
}

void SourceMoves::on_failed(LinkId link, const protocol::RelocationFailed& reply) {
    const auto found = moves_.find(reply.relocation);
    if (found == moves_.end()) return services_.probe.on_log(relocation::LogCode::LateReply);
    const std::shared_ptr<SourceMove> move = found->second.move;
    move->feed(relocation::RelocationFailedReceived{
        identity_of(reply), relocation::ConnectionId{link.value}, reply.failure_code});
}

void SourceMoves::on_peer_lost(const Peer& peer) {
    std::vector<std::shared_ptr<SourceMove>> moves;
    for (auto& [id, entry] : moves_) {
        if (entry.link == peer.link) moves.push_back(entry.move);
    }
    for (const auto& move : moves) {
        move->feed(relocation::ConnectionLost{relocation::ConnectionId{peer.link.value}});
    }
}

void SourceMoves::on_peer_ready(const Peer& peer) {
    std::vector<std::shared_ptr<SourceMove>> moves;
    for (auto& [id, entry] : moves_) {
        const auto& target = entry.move->fence().target;
        const bool same_process =
            target.target_node_rid == peer.rid && target.target_node_generation == peer.generation;
        if (!same_process || entry.link == peer.link) continue;
        entry.link = peer.link;
        moves.push_back(entry.move);
    }
    for (const auto& move : moves) {
        move->feed(relocation::ConnectionRestored{relocation::ConnectionId{peer.link.value}});
    }
    const PeerKey key{peer.rid, peer.generation};
    if (const auto side = sides_.find(key); side != sides_.end()) post_pump(key);
}

void SourceMoves::on_submitted(SubmitToken token, protocol::SubmitResult result) {
    const auto found = submitted_.find(token.value);
    if (found == submitted_.end()) return;
    const Submitted submitted = std::move(found->second);
    submitted_.erase(found);
    if (submitted.room != nullptr) return room_.release(submitted.room, submitted.charge);
    if (const auto move = submitted.cutover.lock()) move->feed(relocation::CutoverTerminal{result});
}

bool SourceMoves::safe_to_shutdown() const noexcept {
    return std::none_of(moves_.begin(), moves_.end(), [](const auto& item) {
        return item.second.concluded || item.second.move->holds_shutdown();
    });
}

// --- SourceMoveOwner --------------------------------------------------------------------------

SourceMoves::Entry* SourceMoves::entry_of(const SourceMove& move) {
    const auto found = moves_.find(move.identity().relocation);
    return found == moves_.end() ? nullptr : &found->second;
}

bool SourceMoves::ask_room(SourceMove& move, std::uint64_t charge) {
    Entry* entry = entry_of(move);
    SHUNT_ASSERT(entry != nullptr);
    SHUNT_ASSERT(!entry->room_wait);
    entry->room_wait = room_.ask(entry->room, charge, relocation::Claim::Take,
                                 [this, id = move.identity().relocation, alive = alive_] {
                                     if (*alive) room_granted(id);
                                 });
    return !entry->room_wait;
}

void SourceMoves::room_granted(RelocationId id) {
    const auto found = moves_.find(id);
    // Whoever drops a move withdraws its wait.
    SHUNT_ASSERT(found != moves_.end());
    found->second.room_wait = {};
    const std::shared_ptr<SourceMove> move = found->second.move;
    move->room_granted();
}

void SourceMoves::return_room(SourceMove& move, std::uint64_t charge) {
    Entry* entry = entry_of(move);
    SHUNT_ASSERT(entry != nullptr);
    room_.release(entry->room, charge);
}

void SourceMoves::withdraw_room(SourceMove& move) {
    if (Entry* entry = entry_of(move)) room_.withdraw(entry->room_wait);
}

void SourceMoves::submit_chunk(SourceMove& move, LinkId link, protocol::OutRecord&& record,
                               std::uint64_t charge) {
    Entry* entry = entry_of(move);
    SHUNT_ASSERT(entry != nullptr);
    const SubmitToken token = next_token();
    if (parts_.mesh.send(link, std::move(record), Gate::None, token) == Admission::Queued) {
        submitted_[token.value] = {entry->room, charge, {}};
        return;
    }
    room_.release(entry->room, charge);
}

void SourceMoves::submit_cutover(SourceMove& move, LinkId link, protocol::OutRecord&& record) {
    const SubmitToken token = next_token();
    if (parts_.mesh.send(link, std::move(record), Gate::None, token) == Admission::Queued) {
        submitted_[token.value] = {nullptr, 0, move.weak_from_this()};
        return;
    }
    services_.world.post([self = move.weak_from_this()] {
        if (const auto unit = self.lock()) {
            unit->feed(relocation::CutoverTerminal{protocol::SubmitResult::Failed});
        }
    });
}

void SourceMoves::concluded(SourceMove& move, const relocation::Conclude& how) {
    Entry* entry = entry_of(move);
    SHUNT_ASSERT(entry != nullptr);
    Concluded callback = std::exchange(entry->concluded, nullptr);
    if (!callback) return;
    ++starts_due_;
    pace_ = std::clamp<Duration>(services_.world.now() - entry->begun, kPaceMin, kPaceMax);
    pump_all();
    services_.world.post(
        [callback = std::move(callback), how]() mutable { callback(how.outcome, how.code); });
}

void SourceMoves::finished(SourceMove& move) {
    const auto found = moves_.find(move.identity().relocation);
    if (found == moves_.end()) return;
    room_.withdraw(found->second.room_wait);
    const Entry ended = std::move(found->second);
    moves_.erase(found);
}

}  // namespace shunt::host
