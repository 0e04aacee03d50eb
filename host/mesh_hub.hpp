#pragma once
// Shard 0's side of the mesh: tells every shard of peers, gives each arrival to the shard of the
// unit it is about, and puts the records of other shards onto the links (host/mesh_port.*).

#include <cstdint>
#include <deque>
#include <map>

#include "host/crew.hpp"
#include "host/mesh.hpp"
#include "host/room.hpp"

namespace shunt::host {

/// A record with bytes of its own, on its way to another shard: copied out of the receive buffer
/// once, so that what waits there never starves the buffer ring.
class ForeignRecord {
  public:
    ForeignRecord(const protocol::Leg leg, std::uint64_t sequence, std::span<const ByteView> parts);
    ForeignRecord(ForeignRecord&&) noexcept = default;
    ForeignRecord& operator=(ForeignRecord&&) noexcept = default;

    /// Borrows from this.
    protocol::InRecord view() const noexcept { return {leg_, sequence_, {parts_.data(), count_}}; }

  private:
    protocol::Leg leg_;
    std::uint64_t sequence_;
    std::unique_ptr<std::byte[]> bytes_;
    std::array<ByteView, protocol::kRecordPartsMax> parts_;
    std::size_t count_;
};

/// What the hub tells and asks the host around it.
class MeshHubEvents {
  public:
    virtual ~MeshHubEvents() = default;
    /// A peer came, or its descriptor changed.
    virtual void on_peers_changed() = 0;
    /// As MeshEvents::expected_peer.
    virtual std::optional<ExpectedPeer> expected_peer(const NodeRid& rid) const = 0;
};

class MeshHub final : private MeshEvents {
  public:
    MeshHub(HostServices& services, Crew& crew, JobPermits& permits, MeshHubEvents& events);
    MeshHub(const MeshHub&) = delete;
    MeshHub& operator=(const MeshHub&) = delete;

    Mesh& mesh() noexcept { return mesh_; }
    const Mesh& mesh() const noexcept { return mesh_; }

    [[nodiscard]] Admission send(LinkId link, protocol::OutRecord&& record, Gate gate,
                                 SubmitToken token) {
        return mesh_.send(link, std::move(record), gate, token);
    }
    /// A record of another shard, in the order that shard sent it. What the pipe has no room for
    /// waits here, within the sender's window.
    void take_over(ShardId from, LinkId link, protocol::OutRecord&& record, Gate gate,
                   SubmitToken token);
    void close_link(LinkId link, std::error_code reason);

  private:
    struct Waiting {
        ShardId from;
        protocol::OutRecord record;
        Gate gate;
        SubmitToken token;
    };
    struct Lane {
        PeerRoom room;
        /// In arrival order; application leg only, for replies have a lane and room of their own.
        std::deque<Waiting> waiting;
        /// Taken by the pipe since a shard was told, per shard.
        std::map<ShardId, std::uint64_t> taken;
    };

    void on_peer_ready(const Peer& peer) override;
    void on_peer_lost(const Peer& peer) override;
    void on_peer_updated(const Peer& peer) override;
    void on_arrival(const Arrival& arrival) override;
    void on_link_submitted(LinkId link, SubmitToken token, protocol::SubmitResult result) override;
    void on_link_writable(LinkId link) override;
    std::optional<ExpectedPeer> expected_peer(const NodeRid& rid) const override {
        return events_.expected_peer(rid);
    }

    /// False when the pipe is full.
    bool pass_on(LinkId link, Lane& lane, Waiting& waiting);
    void lose(const protocol::OutRecord& record, SubmitToken token);
    void report(SubmitToken token, protocol::SubmitResult result);
    /// The shard of the unit or of the operation that the record is about.
    ShardId shard_of(const Arrival& arrival) const;

    HostServices& services_;
    Crew& crew_;
    JobPermits& permits_;
    MeshHubEvents& events_;
    Mesh mesh_;
    std::map<LinkId, Lane> lanes_;
    /// Budgets of peer processes, kept over a reconnection while anyone holds them.
    std::map<std::pair<NodeRid, NodeGeneration>, std::weak_ptr<relocation::PeerBudget>> rooms_;
};

}  // namespace shunt::host
