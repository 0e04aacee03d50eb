#include "host/mesh_port.hpp"

#include "host/mesh_hub.hpp"

namespace shunt::host {

const Peer* MeshPort::find(const NodeRid& rid) const noexcept {
    const auto found = ready_.find(rid);
    return found == ready_.end() ? nullptr : find(found->second);
}

const Peer* MeshPort::find(LinkId link) const noexcept {
    const auto found = entries_.find(link);
    return found == entries_.end() ? nullptr : &found->second.peer;
}

PeerRoom MeshPort::room_of(LinkId link) const {
    const auto found = entries_.find(link);
    return found == entries_.end() ? nullptr : found->second.room;
}

Admission MeshPort::send(LinkId link, protocol::OutRecord&& record, Gate gate, SubmitToken token) {
    const auto found = entries_.find(link);
    if (found == entries_.end()) return Admission::NoLink;
    const SubmitToken tagged{token.value == 0 ? 0 : crew_.tagged(shard_, token.value)};
    if (shard_ == ShardId{}) return hub_.send(link, std::move(record), gate, tagged);
    Entry& entry = found->second;
    if (gate == Gate::HighWaterMark) {
        if (entry.window <= 0) {
            entry.starved = true;
            return Admission::Full;
        }
        entry.window -= static_cast<std::int64_t>(record.charge());
    }
    crew_.world(ShardId{}).post(
        [&hub = hub_, shard = shard_, link, record = std::move(record), gate, tagged]() mutable {
            hub.take_over(shard, link, std::move(record), gate, tagged);
        });
    return Admission::Queued;
}

void MeshPort::close_link(LinkId link, std::error_code reason) {
    if (shard_ == ShardId{}) return hub_.close_link(link, reason);
    crew_.world(ShardId{}).post([&hub = hub_, link, reason] { hub.close_link(link, reason); });
}

// --- news -------------------------------------------------------------------------------------

const Peer& MeshPort::peer_ready(const Peer& peer, PeerRoom room) {
    ready_[peer.rid] = peer.link;
    Entry& entry = entries_[peer.link];
    entry.peer = peer;
    entry.room = std::move(room);
    return entry.peer;
}

const Peer* MeshPort::peer_updated(const Peer& peer) {
    const auto found = entries_.find(peer.link);
    if (found == entries_.end()) return nullptr;
    found->second.peer = peer;
    return &found->second.peer;
}

void MeshPort::peer_lost(const Peer& peer) {
    const auto ready = ready_.find(peer.rid);
    if (ready != ready_.end() && ready->second == peer.link) ready_.erase(ready);
    entries_.erase(peer.link);
}

bool MeshPort::taken(LinkId link, std::uint64_t charge) {
    const auto found = entries_.find(link);
    if (found == entries_.end()) return false;
    found->second.window += static_cast<std::int64_t>(charge);
    return found->second.window > 0 && std::exchange(found->second.starved, false);
}

}  // namespace shunt::host
