#include "host/mesh.hpp"

#include <algorithm>

#include "host/errc.hpp"
#include "protocol/errc.hpp"

namespace shunt::host {

using protocol::RejectReason;
using relocation::LogLevel;

Mesh::Mesh(HostServices& services, MeshEvents& events) : services_(services), events_(events) {}

Mesh::~Mesh() {
    for (auto& [id, link] : links_) services_.world.cancel(link.probe_timer);
}

result<std::string> Mesh::listen(const NodeRid& rid, std::uint32_t chunk_limit_bytes) {
    rid_ = rid;
    ListenOptions options;
    options.bind_address = services_.options.listen_address;
    options.rid = rid;
    options.chunk_limit_bytes = chunk_limit_bytes;
    return services_.world.listen(options, *this);
}

void Mesh::set_descriptor(protocol::RouteMeshAdmission descriptor) {
    descriptor_ = std::move(descriptor);
    for (auto& [id, link] : links_) {
        if (link.admitted) {
            send_control(id, protocol::encode_record(protocol::Update{descriptor_}));
        }
    }
}

void Mesh::stop(UniqueFunction<void()> done) {
    services_.world.stop_links(std::move(done));
}

const Peer* Mesh::find(const NodeRid& rid) const noexcept {
    const auto found = ready_.find(rid);
    return found == ready_.end() ? nullptr : find(found->second);
}

const Peer* Mesh::find(LinkId link) const noexcept {
    const auto found = links_.find(link);
    return found == links_.end() || !found->second.admitted ? nullptr : &found->second.peer;
}

void Mesh::send_control(LinkId link, protocol::OutRecord&& record) {
    // NoLink: on_link_down() is on its way and every owner of an operation hears of it there.
    static_cast<void>(services_.world.send(link, std::move(record), Gate::None, SubmitToken{}));
}

// --- links ------------------------------------------------------------------------------------

void Mesh::on_link_up(LinkId id, const LinkInfo& info) {
    Link& link = links_[id];
    link.peer.link = id;
    link.peer.rid = info.peer_rid;
    link.peer.chunk_limit_bytes = info.peer_chunk_limit_bytes;
    if (info.peer_rid == rid_) {
        return refuse(id, Errc::ProtocolError, "a peer announced this node's own routing id");
    }
    if (admitting_) send_control(id, protocol::encode_record(protocol::Hello{descriptor_}));
}

void Mesh::on_link_down(LinkId id, std::error_code reason) {
    const auto found = links_.find(id);
    if (found == links_.end()) return;
    services_.world.cancel(found->second.probe_timer);
    if (found->second.admitted) {
        const auto ready = ready_.find(found->second.peer.rid);
        if (ready != ready_.end() && ready->second == id) ready_.erase(ready);
        services_.log(LogLevel::Info, "peer_lost", "The link to a node ended: " + reason.message());
        events_.on_peer_lost(found->second.peer);
    }
    links_.erase(id);
    maybe_flushed();
}

void Mesh::on_record(LinkId id, const protocol::InRecord& in) {
    const auto found = links_.find(id);
    if (found == links_.end()) return;
    Link& link = found->second;
    const result<protocol::DecodedRecord> decoded = protocol::decode_record(in, kReplyContext);
    if (!decoded) return refuse(id, decoded.error(), "a record could not be read");
    if (handle_infrastructure(link, decoded.value().command)) return;
    if (!link.admitted) {
        return refuse(id, Errc::ProtocolError, "a record came before admission");
    }
    events_.on_arrival({link.peer, in.leg, in.sequence, decoded.value(), in.parts});
}

void Mesh::on_submitted(LinkId link, SubmitToken token, protocol::SubmitResult result) {
    events_.on_link_submitted(link, token, result);
}

void Mesh::on_writable(LinkId link) {
    events_.on_link_writable(link);
}

void Mesh::refuse(LinkId link, std::error_code reason, const char* what) {
    services_.log(LogLevel::Warning, "peer_refused",
                  std::string("Closed a mesh connection: ") + what + ". " + reason.message());
    services_.world.close_link(link, reason);
}

// --- admission --------------------------------------------------------------------------------

bool Mesh::handle_infrastructure(Link& link, const protocol::Command& command) {
    if (const auto* hello = std::get_if<protocol::Hello>(&command)) {
        admit(link, hello->admission, true);
    } else if (const auto* accepted = std::get_if<protocol::Admit>(&command)) {
        link.peer.admits_us = true;
        const bool was_admitted = link.admitted;
        admit(link, accepted->admission, false);
        if (was_admitted) events_.on_peer_updated(link.peer);
    } else if (const auto* update = std::get_if<protocol::Update>(&command)) {
        apply_update(link, update->admission);
    } else if (const auto* rejected = std::get_if<protocol::Reject>(&command)) {
        services_.log(LogLevel::Warning, "peer_rejected_us",
                      "A node refused this one, reason " +
                          std::to_string(static_cast<unsigned>(rejected->reason)) + ".");
        services_.world.close_link(link.peer.link, Errc::Rejected);
    } else if (const auto* probed = std::get_if<protocol::LivenessProbe>(&command)) {
        send_control(link.peer.link,
                     protocol::encode_record(protocol::LivenessAck{probed->probe_id}));
    } else if (const auto* ack = std::get_if<protocol::LivenessAck>(&command)) {
        if (ack->probe_id == link.outstanding_probe && link.outstanding_probe != 0) {
            link.outstanding_probe = 0;
            link.deadline = deadline_after(services_.world.now(), kPeerDeadline);
            if (link.flushing > 0 && --link.flushing > 0) send_probe(link);
            maybe_flushed();
        }
    } else {
        return false;
    }
    return true;
}

std::optional<RejectReason> Mesh::refusal(const Link& link,
                                          const protocol::RouteMeshAdmission& admission) const {
    if (admission.mesh_name != descriptor_.mesh_name) return RejectReason::TopologyMismatch;
    if (admission.security_identity != descriptor_.security_identity) {
        return RejectReason::SecurityIdentityMismatch;
    }
    const auto& capabilities = admission.extension.protocol_capabilities;
    if (std::find(capabilities.begin(), capabilities.end(), protocol::kServiceCapability) ==
        capabilities.end()) {
        return RejectReason::CapabilityMismatch;
    }
    if (link.admitted && admission.lifecycle_generation != link.peer.generation) {
        return RejectReason::LifecycleGenerationStale;
    }
    if (link.admitted && admission.descriptor_revision < link.peer.descriptor.descriptor_revision) {
        return RejectReason::DescriptorRevisionStale;
    }
    return std::nullopt;
}

void Mesh::admit(Link& link, const protocol::ServiceAdmission& admission, bool answer) {
    const LinkId id = link.peer.link;
    if (!admitting_) return;
    const auto* route_mesh = std::get_if<protocol::RouteMeshAdmission>(&admission);
    const std::optional<RejectReason> reason =
        route_mesh == nullptr ? RejectReason::TopologyMismatch : refusal(link, *route_mesh);
    if (reason) {
        send_control(id, protocol::encode_record(protocol::Reject{*reason}));
        return refuse(id, Errc::Rejected, "its admission does not fit this mesh");
    }
    if (answer) send_control(id, protocol::encode_record(protocol::Admit{descriptor_}));
    link.peer.descriptor = *route_mesh;
    if (link.admitted) return;
    link.peer.generation = route_mesh->lifecycle_generation;
    link.admitted = true;
    const auto earlier = ready_.find(link.peer.rid);
    if (earlier != ready_.end()) {
        // Newest ready connection wins (spec/zmp.md section 19.3).
        services_.world.close_link(earlier->second, Errc::Cancelled);
    }
    ready_[link.peer.rid] = id;
    start_liveness(link);
    events_.on_peer_ready(link.peer);
}

void Mesh::apply_update(Link& link, const protocol::ServiceAdmission& admission) {
    const auto* route_mesh = std::get_if<protocol::RouteMeshAdmission>(&admission);
    if (!link.admitted && !admitting_) return;  // Its hello was ignored too.
    if (!link.admitted || route_mesh == nullptr || refusal(link, *route_mesh)) {
        return refuse(link.peer.link, Errc::ProtocolError, "an update does not fit its admission");
    }
    link.peer.descriptor = *route_mesh;
    events_.on_peer_updated(link.peer);
}

// --- liveness ---------------------------------------------------------------------------------

void Mesh::start_liveness(Link& link) {
    link.deadline = deadline_after(services_.world.now(), kPeerDeadline);
    link.probe_timer = services_.world.arm(deadline_after(services_.world.now(), kProbeInterval),
                                           [this, id = link.peer.link] { probe(id); });
}

void Mesh::probe(LinkId id) {
    const auto found = links_.find(id);
    if (found == links_.end()) return;
    Link& link = found->second;
    const TimePoint now = services_.world.now();
    if (now >= link.deadline) {
        return refuse(id, Errc::Unavailable, "the node answered no probe for 15 s");
    }
    send_probe(link);
    link.probe_timer = services_.world.arm(
        std::min(deadline_after(now, kProbeInterval), link.deadline), [this, id] { probe(id); });
}

void Mesh::send_probe(Link& link) {
    if (link.outstanding_probe == 0) link.outstanding_probe = next_sequence();
    send_control(link.peer.link,
                 protocol::encode_record(protocol::LivenessProbe{link.outstanding_probe}));
}

void Mesh::flush(UniqueFunction<void()> done) {
    flushed_ = std::move(done);
    for (auto& [id, link] : links_) {
        if (!link.admitted) continue;
        // One that is on its way already was sent too early; another may follow only its answer
        // (spec/zmp.md section 17.6).
        link.flushing = link.outstanding_probe == 0 ? 1 : 2;
        if (link.flushing == 1) send_probe(link);
    }
    maybe_flushed();
}

void Mesh::maybe_flushed() {
    if (!flushed_) return;
    for (const auto& [id, link] : links_) {
        if (link.flushing > 0) return;
    }
    services_.world.post(std::exchange(flushed_, nullptr));
}

}  // namespace shunt::host
