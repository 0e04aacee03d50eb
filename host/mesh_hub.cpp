#include "host/mesh_hub.hpp"

#include <algorithm>

#include "host/shard_core.hpp"

namespace shunt::host {
namespace {

/// A shard is told of room by quarters of its window: fewer messages, and never too late.
constexpr std::uint64_t kTellAfterBytes = MeshPort::kWindowBytes / 4;

bool is_application_work(const protocol::Command& command) {
    return std::holds_alternative<protocol::ActorSend>(command) ||
           std::holds_alternative<protocol::ActorRequest>(command);
}

/// Which shard an arriving command belongs to.
struct ShardFinder {
    const Crew& crew;
    std::uint64_t sequence;

    ShardId operator()(const protocol::ActorSend& c) const {
        return crew.home_of(c.target_actor.actor.actor_id);
    }
    ShardId operator()(const protocol::ActorRequest& c) const {
        return crew.home_of(c.target_actor.actor.actor_id);
    }
    ShardId operator()(const protocol::Reply&) const { return crew.shard_in(sequence); }
    ShardId operator()(const protocol::ReplyRelay& c) const {
        return crew.shard_in(c.reply_route_id);
    }
    ShardId operator()(const protocol::RelocationPrepare& c) const {
        return crew.home_of(c.object);
    }
    ShardId operator()(const protocol::RelocationState& c) const { return crew.home_of(c.object); }
    ShardId operator()(const protocol::RelocationData& c) const { return crew.home_of(c.object); }
    ShardId operator()(const protocol::RelocationCutover& c) const {
        return crew.home_of(c.object);
    }
    ShardId operator()(const protocol::RelocationReady& c) const { return crew.home_of(c.object); }
    ShardId operator()(const protocol::RelocationFailed& c) const { return crew.home_of(c.object); }
    ShardId operator()(const protocol::MessageFollow& c) const {
        const auto* actor = std::get_if<protocol::ActorRouteFence>(&c.route.source);
        return actor == nullptr ? ShardId{} : crew.home_of(actor->actor.actor_id);
    }
    template <class Other>
    ShardId operator()(const Other&) const {
        return {};
    }
};

}  // namespace

ForeignRecord::ForeignRecord(const protocol::Leg leg, std::uint64_t sequence,
                             std::span<const ByteView> parts)
    : leg_(leg), sequence_(sequence), count_(parts.size()) {
    SHUNT_ASSERT(parts.size() <= protocol::kRecordPartsMax);
    std::size_t size = 0;
    for (const ByteView part : parts) size += part.size();
    bytes_ = std::make_unique_for_overwrite<std::byte[]>(size);
    std::byte* at = bytes_.get();
    for (std::size_t i = 0; i < count_; ++i) {
        std::ranges::copy(parts[i], at);
        parts_[i] = ByteView(at, parts[i].size());
        at += parts[i].size();
    }
}

MeshHub::MeshHub(HostServices& services, Crew& crew, JobPermits& permits, MeshHubEvents& events)
    : services_(services),
      crew_(crew),
      permits_(permits),
      events_(events),
      mesh_(services, *this) {}

// --- records of other shards ------------------------------------------------------------------

void MeshHub::take_over(ShardId from, LinkId link, protocol::OutRecord&& record, Gate gate,
                        SubmitToken token) {
    const auto found = lanes_.find(link);
    // The link's end is on the way to that shard.
    if (found == lanes_.end()) return lose(record, token);
    Lane& lane = found->second;
    Waiting waiting{from, std::move(record), gate, token};
    const bool own_lane = waiting.record.leg == protocol::Leg::Reply;
    if ((!own_lane && !lane.waiting.empty()) || !pass_on(link, lane, waiting)) {
        lane.waiting.push_back(std::move(waiting));
    }
}

bool MeshHub::pass_on(LinkId link, Lane& lane, Waiting& waiting) {
    const std::uint64_t charge = waiting.record.charge();
    switch (mesh_.send(link, std::move(waiting.record), waiting.gate, waiting.token)) {
        case Admission::Full:
            return false;
        case Admission::NoLink:
            lose(waiting.record, waiting.token);
            return true;
        case Admission::Queued:
            break;
    }
    if (waiting.gate != Gate::HighWaterMark) return true;
    std::uint64_t& taken = lane.taken[waiting.from];
    taken += charge;
    if (taken < kTellAfterBytes) return true;
    crew_.post(waiting.from, [link, charge_taken = std::exchange(taken, 0)](ShardCore& core) {
        core.on_taken(link, charge_taken);
    });
    return true;
}

// As a record that the connection broke around: what asks for a report gets one, and a one-way
// message is counted. A request ends by its deadline, everything else by its own rules for a lost
// connection.
void MeshHub::lose(const protocol::OutRecord& record, SubmitToken token) {
    report(token, protocol::SubmitResult::Failed);
    const ByteView frame(record.parts[0].head);
    const auto command = protocol::peek_command({record.leg, record.sequence, {&frame, 1}});
    if (!command || command.value() != protocol::CommandId::ActorSend) return;
    const protocol::OutPart& payload = record.parts[record.parts.size() - 1];
    Bytes bytes = payload.head;
    const Bytes tail = flatten(payload.tail);
    bytes.insert(bytes.end(), tail.begin(), tail.end());
    services_.probe.on_message_dropped("link_lost", bytes);
}

void MeshHub::report(SubmitToken token, protocol::SubmitResult result) {
    if (token.value == 0) return;
    const ShardId shard = crew_.shard_in(token.value);
    const SubmitToken own{crew_.number_in(token.value)};
    if (shard == ShardId{}) {
        if (ShardCore* core = crew_.core(shard)) core->on_submitted(own, result);
        return;
    }
    crew_.post(shard, [own, result](ShardCore& core) { core.on_submitted(own, result); });
}

void MeshHub::close_link(LinkId link, std::error_code reason) {
    services_.world.close_link(link, reason);
}

// --- news of the mesh -------------------------------------------------------------------------

void MeshHub::on_peer_ready(const Peer& peer) {
    services_.log(relocation::LogLevel::Info, "peer_ready", "A node was admitted.");
    std::weak_ptr<relocation::PeerBudget>& kept = rooms_[{peer.rid, peer.generation}];
    PeerRoom room = kept.lock();
    if (room == nullptr) {
        room = std::make_shared<relocation::PeerBudget>(
            services_.options.relocation_in_flight_payload_budget);
        kept = room;
    }
    lanes_[peer.link].room = room;
    std::erase_if(rooms_, [](const auto& item) { return item.second.expired(); });
    if (ShardCore* core = crew_.core(ShardId{})) core->on_peer_ready(peer, room);
    for (std::uint32_t shard = 1; shard < crew_.size(); ++shard) {
        crew_.post(ShardId{shard},
                   [peer, room](ShardCore& core) { core.on_peer_ready(peer, room); });
    }
    events_.on_peers_changed();
}

void MeshHub::on_peer_lost(const Peer& peer) {
    const auto lane = lanes_.find(peer.link);
    for (const Waiting& waiting : lane->second.waiting) lose(waiting.record, waiting.token);
    lanes_.erase(lane);
    if (ShardCore* core = crew_.core(ShardId{})) core->on_peer_lost(peer);
    for (std::uint32_t shard = 1; shard < crew_.size(); ++shard) {
        crew_.post(ShardId{shard}, [peer](ShardCore& core) { core.on_peer_lost(peer); });
    }
}

void MeshHub::on_peer_updated(const Peer& peer) {
    if (ShardCore* core = crew_.core(ShardId{})) core->on_peer_updated(peer);
    for (std::uint32_t shard = 1; shard < crew_.size(); ++shard) {
        crew_.post(ShardId{shard}, [peer](ShardCore& core) { core.on_peer_updated(peer); });
    }
    events_.on_peers_changed();
}

void MeshHub::on_link_submitted(LinkId, SubmitToken token, protocol::SubmitResult result) {
    report(token, result);
}

void MeshHub::on_link_writable(LinkId link) {
    const auto found = lanes_.find(link);
    if (found == lanes_.end()) return;
    Lane& lane = found->second;
    while (!lane.waiting.empty()) {
        if (!pass_on(link, lane, lane.waiting.front())) return;
        lane.waiting.pop_front();
    }
    if (ShardCore* core = crew_.core(ShardId{})) core->on_link_writable(link);
}

// --- arrivals ---------------------------------------------------------------------------------

ShardId MeshHub::shard_of(const Arrival& arrival) const {
    if (crew_.size() == 1) return {};
    return std::visit(ShardFinder{crew_, arrival.sequence}, arrival.record.command);
}

void MeshHub::on_arrival(const Arrival& arrival) {
    if (const auto* ack = std::get_if<protocol::ReplyRelayAck>(&arrival.record.command)) {
        // It names the request's node, not the unit that answered: whoever waits for it knows it.
        crew_.post_all([ack = *ack](ShardCore& core) { core.on_relay_ack(ack); });
        return;
    }
    const ShardId shard = shard_of(arrival);
    if (shard == ShardId{}) {
        if (ShardCore* core = crew_.core(shard)) core->on_arrival(arrival);
        return;
    }
    // What waits in front of a busy shard counts as accepted: reception stops for it too.
    JobPermit permit;
    if (is_application_work(arrival.record.command)) permit = permits_.acquire();
    crew_.post(shard, [link = arrival.peer.link,
                       record = ForeignRecord(arrival.leg, arrival.sequence, arrival.parts),
                       permit = std::move(permit)](ShardCore& core) mutable {
        core.on_foreign(link, record.view(), std::move(permit));
    });
}

}  // namespace shunt::host
