#pragma once
// The mesh as the host sees it: links that the transport made ready become peers once both sides
// have admitted each other, and stay peers while they answer probes (spec/zmp.md section 17). Reads
// records into commands and hands them on; knows no Actor.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "host/mesh_admission.hpp"
#include "host/mesh_counters.hpp"
#include "host/services.hpp"
#include "host/world.hpp"
#include "protocol/command_record.hpp"

namespace shunt::host {

/// An admitted node. Valid until on_peer_lost() of it has returned.
struct Peer {
    LinkId link;
    NodeRid rid;
    NodeGeneration generation;
    std::uint32_t chunk_limit_bytes = 0;
    protocol::RouteMeshAdmission descriptor;
    /// It has answered this node's hello, so it waits for this node before it leaves the mesh.
    bool admits_us = false;
};

/// A decoded record with the way it came.
struct Arrival {
    const Peer& peer;
    protocol::Leg leg;
    std::uint64_t sequence;
    const protocol::DecodedRecord& record;
    /// The record's bytes, which `record` borrows from.
    std::span<const ByteView> parts;
};

/// Only actor requests are answered by 20 in this generation of hosts, and they have no tail.
inline constexpr protocol::DecodeContext kReplyContext{protocol::MeshOperationKind::ActorRequest};

class MeshEvents {
  public:
    virtual ~MeshEvents() = default;
    virtual void on_peer_ready(const Peer& peer) = 0;
    virtual void on_peer_lost(const Peer& peer) = 0;
    /// The peer's descriptor is another one now.
    virtual void on_peer_updated(const Peer& peer) = 0;
    virtual void on_arrival(const Arrival& arrival) = 0;
    virtual void on_link_submitted(LinkId link, SubmitToken token,
                                   protocol::SubmitResult result) = 0;
    virtual void on_link_writable(LinkId link) = 0;
    /// What discovery says about the node with this rid; absent when it has read nothing yet.
    virtual std::optional<ExpectedPeer> expected_peer(const NodeRid&) const { return std::nullopt; }
};

class Mesh final : public LinkEvents {
  public:
    /// Probe interval and peer deadline are the protocol's and no settings (spec/zmp.md section
    /// 17.6).
    static constexpr std::chrono::seconds kProbeInterval{5};
    static constexpr std::chrono::seconds kPeerDeadline{15};
    /// From a link that is up to the peer's hello; as long as the transport's own handshake.
    static constexpr std::chrono::seconds kAdmissionTimeout{30};

    Mesh(HostServices& services, MeshEvents& events);
    ~Mesh() override;

    /// Opens the listener; returns the endpoint to advertise.
    result<std::string> listen(const NodeRid& rid, std::uint32_t chunk_limit_bytes);
    /// What this node says about itself; sent to admitted peers as an update when it changes.
    void set_descriptor(protocol::RouteMeshAdmission descriptor);
    /// From here no hello is sent and none is answered (spec/zmp.md section 17.7).
    void stop_admitting() noexcept { admitting_ = false; }
    /// `done` runs when everything has arrived that any peer sent before it had read what this node
    /// has sent so far: one more probe per peer, asked and answered. Once only.
    void flush(UniqueFunction<void()> done);
    void stop(UniqueFunction<void()> done);

    const Peer* find(const NodeRid& rid) const noexcept;
    const Peer* find(LinkId link) const noexcept;
    /// Admitted peers in rid order, each with the one connection that counts.
    const std::map<NodeRid, LinkId>& ready() const noexcept { return ready_; }
    const MeshCounters& counters() const noexcept { return counters_; }

    /// Never zero, never reused by this host: pairs requests with replies and serves as
    /// correlation.
    std::uint64_t next_sequence() noexcept { return ++last_sequence_; }
    [[nodiscard]] Admission send(LinkId link, protocol::OutRecord&& record, Gate gate,
                                 SubmitToken token = {}) {
        return services_.world.send(link, std::move(record), gate, token);
    }
    /// Sends what never waits for room: control, replies, relocation. A lost link is reported by
    /// on_peer_lost() and loses the record.
    void send_control(LinkId link, protocol::OutRecord&& record);

    // --- LinkEvents -------------------------------------------------------------------------
    void on_link_up(LinkId link, const LinkInfo& info) override;
    void on_link_down(LinkId link, std::error_code reason) override;
    void on_record(LinkId link, const protocol::InRecord& record) override;
    void on_submitted(LinkId link, SubmitToken token, protocol::SubmitResult result) override;
    void on_writable(LinkId link) override;

  private:
    struct Link {
        Peer peer;
        bool dialed_here = false;
        bool admitted = false;
        /// on_peer_ready() was told; a connection that lost the choice from the start never is.
        bool told_ready = false;
        /// Being closed; what still arrives is nobody's.
        bool refused = false;
        std::uint64_t outstanding_probe = 0;
        /// Probes of this peer that must still be answered before flush() is done.
        int flushing = 0;
        TimePoint deadline;
        /// Of the admission, then of the probes; of the goodbye once refused.
        TimerId timer;
    };

    /// Admission and liveness commands end here; answers false for every other command.
    bool handle_infrastructure(Link& link, const protocol::Command& command);
    void on_hello(Link& link, const protocol::Hello& hello);
    void on_admit(Link& link, const protocol::Admit& admit);
    void on_update(Link& link, const protocol::Update& update);
    void on_ack(Link& link, const protocol::LivenessAck& ack);
    /// True when the peer is admitted now, on whichever connection counts.
    bool take(Link& link, const protocol::ServiceAdmission& admission);
    std::optional<protocol::RejectReason> refusal(
        const Link& link, const protocol::RouteMeshAdmission& admission) const;
    void admit(Link& link, const protocol::RouteMeshAdmission& admission);
    /// Decides between the newcomer and the connection that counted so far.
    void choose(Link& newer);
    bool counts(const Link& link) const;
    void close_standbys(const NodeRid& rid);

    void start_liveness(Link& link);
    void probe(LinkId link);
    void send_probe(Link& link);
    void maybe_flushed();

    void refuse(Link& link, LinkEnd end, std::error_code reason, const std::string& what);
    void reject(Link& link, protocol::RejectReason reason);
    void mark_refused(Link& link, LinkEnd end, std::error_code reason, const std::string& what);

    HostServices& services_;
    MeshEvents& events_;
    NodeRid rid_;
    protocol::RouteMeshAdmission descriptor_;
    bool admitting_ = true;
    std::uint64_t last_sequence_ = 0;
    std::map<LinkId, Link> links_;
    std::map<NodeRid, LinkId> ready_;
    UniqueFunction<void()> flushed_;
    MeshCounters counters_;
};

}  // namespace shunt::host
