#pragma once
// The mesh as one shard sees it: who is admitted, and the way onto their links. The links are on
// shard 0 (host/mesh_hub.*); another shard hands records over within a window per link, so that a
// full pipe stops it as it would stop shard 0.

#include <cstdint>
#include <map>

#include "host/mesh.hpp"
#include "host/room.hpp"

namespace shunt::host {

class MeshHub;

class MeshPort {
  public:
    /// `hub` is called on this shard when it is shard 0, and by message otherwise.
    MeshPort(ShardId shard, Crew& crew, MeshHub& hub) : shard_(shard), crew_(crew), hub_(hub) {}
    MeshPort(const MeshPort&) = delete;
    MeshPort& operator=(const MeshPort&) = delete;

    // --- looking ----------------------------------------------------------------------------
    /// As of the last news this shard has heard; valid until the next.
    const Peer* find(const NodeRid& rid) const noexcept;
    const Peer* find(LinkId link) const noexcept;
    /// The in-flight budget of that peer process; null when it is not admitted.
    PeerRoom room_of(LinkId link) const;

    // --- sending ----------------------------------------------------------------------------
    /// Never zero, never reused by this host; names this shard to whoever gets the reply.
    std::uint64_t next_sequence() noexcept { return crew_.tagged(shard_, ++last_sequence_); }
    /// Queued, also when the link ends before the record reaches it: the shard hears of that end.
    [[nodiscard]] Admission send(LinkId link, protocol::OutRecord&& record, Gate gate,
                                 SubmitToken token = {});
    /// What never waits for room: control, replies, relocation. A lost link loses the record.
    void send_control(LinkId link, protocol::OutRecord&& record) {
        static_cast<void>(send(link, std::move(record), Gate::None));
    }
    void close_link(LinkId link, std::error_code reason);

    // --- news from the hub ------------------------------------------------------------------
    const Peer& peer_ready(const Peer& peer, PeerRoom room);
    const Peer* peer_updated(const Peer& peer);
    void peer_lost(const Peer& peer);
    /// The pipe took so much of what this shard had handed over; true when a sender waits for it.
    bool taken(LinkId link, std::uint64_t charge);

    /// How much one shard may have handed over for one link without the pipe having taken it.
    static constexpr std::int64_t kWindowBytes = 256 * 1024;

  private:
    struct Entry {
        Peer peer;
        PeerRoom room;
        std::int64_t window = kWindowBytes;
        bool starved = false;
    };

    ShardId shard_;
    Crew& crew_;
    MeshHub& hub_;
    std::uint64_t last_sequence_ = 0;
    std::map<LinkId, Entry> entries_;
    std::map<NodeRid, LinkId> ready_;
};

}  // namespace shunt::host
