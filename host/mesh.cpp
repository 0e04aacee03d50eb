#include "host/mesh.hpp"

#include <algorithm>

#include "host/errc.hpp"
#include "protocol/errc.hpp"

namespace shunt::host {

using protocol::RejectReason;
using relocation::LogLevel;

namespace {

/// Asks for the report of a reject: the connection closes behind it. Tokens of relocation count up
/// from one and never get here.
constexpr SubmitToken kRejectToken{~std::uint64_t{0}};
/// A peer that does not read its reject is closed all the same.
constexpr std::chrono::seconds kGoodbyeMax{1};

}  // namespace

Mesh::Mesh(HostServices& services, MeshEvents& events) : services_(services), events_(events) {}

Mesh::~Mesh() {
    for (auto& [id, link] : links_) services_.world.cancel(link.timer);
}

result<std::string> Mesh::listen(const NodeRid& rid, std::uint32_t chunk_limit_bytes) {
    rid_ = rid;
    ListenOptions options;
    options.bind_address = services_.options.listen_address;
    options.rid = rid;
    options.chunk_limit_bytes = chunk_limit_bytes;
    BOOST_OUTCOME_TRY(std::string listening, services_.world.listen(options, *this));
    const std::string& advertised = services_.options.advertised_address;
    return advertised.empty() ? listening : "tcp://" + advertised;
}

void Mesh::set_descriptor(protocol::RouteMeshAdmission descriptor) {
    descriptor_ = std::move(descriptor);
    for (auto& [id, link] : links_) {
        if (link.admitted && !link.refused) {
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
    ++counters_.links_up;
    Link& link = links_[id];
    link.peer.link = id;
    link.peer.rid = info.peer_rid;
    link.peer.chunk_limit_bytes = info.peer_chunk_limit_bytes;
    link.dialed_here = info.dialed_here;
    if (info.peer_rid == rid_) {
        return refuse(link, LinkEnd::OwnRid, Errc::ProtocolError,
                      "a peer announced this node's own routing id");
    }
    link.timer =
        services_.world.arm(deadline_after(services_.world.now(), kAdmissionTimeout), [this, id] {
            const auto found = links_.find(id);
            if (found == links_.end()) return;
            refuse(found->second, LinkEnd::AdmissionTimeout, Errc::DeadlineExceeded,
                   "the peer said no hello");
        });
    if (admitting_) send_control(id, protocol::encode_record(protocol::Hello{descriptor_}));
}

void Mesh::on_link_down(LinkId id, std::error_code reason) {
    const auto found = links_.find(id);
    if (found == links_.end()) return;
    services_.world.cancel(found->second.timer);
    const NodeRid rid = found->second.peer.rid;
    const bool counted = counts(found->second);
    if (counted) {
        ready_.erase(rid);
        services_.log(LogLevel::Info, "peer_lost", "The link to a node ended: " + reason.message());
    }
    if (found->second.told_ready) events_.on_peer_lost(found->second.peer);
    links_.erase(id);
    if (counted) close_standbys(rid);
    maybe_flushed();
}

void Mesh::on_record(LinkId id, const protocol::InRecord& in) {
    const auto found = links_.find(id);
    if (found == links_.end() || found->second.refused) return;
    Link& link = found->second;
    const result<protocol::DecodedRecord> decoded = protocol::decode_record(in, kReplyContext);
    if (!decoded) {
        return refuse(link, LinkEnd::Undecodable, decoded.error(), "a record could not be read");
    }
    const protocol::Command& command = decoded.value().command;
    if (!leg_fits(command, in.leg)) {
        return refuse(link, LinkEnd::WrongLeg, Errc::ProtocolError,
                      "a command came where it never travels");
    }
    if (handle_infrastructure(link, command)) return;
    if (!link.admitted) {
        return refuse(link, LinkEnd::BeforeAdmission, Errc::ProtocolError,
                      "a record came before admission");
    }
    events_.on_arrival({link.peer, in.leg, in.sequence, decoded.value(), in.parts});
}

void Mesh::on_submitted(LinkId id, SubmitToken token, protocol::SubmitResult result) {
    if (token != kRejectToken) return events_.on_link_submitted(id, token, result);
    services_.world.close_link(id, Errc::Rejected);
}

void Mesh::on_writable(LinkId link) {
    events_.on_link_writable(link);
}

// --- closing ----------------------------------------------------------------------------------

void Mesh::mark_refused(Link& link, LinkEnd end, std::error_code reason, const std::string& what) {
    link.refused = true;
    services_.world.cancel(std::exchange(link.timer, {}));
    ++counters_.closed[static_cast<std::size_t>(end)];
    services_.log(LogLevel::Warning, "peer_refused",
                  "Closed a mesh connection (" + std::string(name_of(end)) + "): " + what + ". " +
                      reason.message());
}

void Mesh::refuse(Link& link, LinkEnd end, std::error_code reason, const std::string& what) {
    if (link.refused) return;
    mark_refused(link, end, reason, what);
    services_.world.close_link(link.peer.link, reason);
}

// The peer should learn why, so the connection closes behind the record and not in front of it.
void Mesh::reject(Link& link, RejectReason reason) {
    const LinkId id = link.peer.link;
    mark_refused(
        link, LinkEnd::AdmissionRefused, Errc::Rejected,
        "its admission was rejected, reason " + std::to_string(static_cast<unsigned>(reason)));
    const auto close = [this, id] { services_.world.close_link(id, Errc::Rejected); };
    if (services_.world.send(id, protocol::encode_record(protocol::Reject{reason}), Gate::None,
                             kRejectToken) != Admission::Queued) {
        return close();
    }
    link.timer = services_.world.arm(deadline_after(services_.world.now(), kGoodbyeMax), close);
}

// --- admission --------------------------------------------------------------------------------

bool Mesh::handle_infrastructure(Link& link, const protocol::Command& command) {
    const bool speaks_early = std::holds_alternative<protocol::Update>(command) ||
                              std::holds_alternative<protocol::LivenessProbe>(command) ||
                              std::holds_alternative<protocol::LivenessAck>(command);
    if (speaks_early && !link.admitted) {
        // A sealed node took no hello, so it cannot blame the peer for what follows one.
        if (admitting_) {
            refuse(link, LinkEnd::BeforeAdmission, Errc::ProtocolError,
                   "an update, probe or answer came before admission");
        }
        return true;
    }
    if (const auto* hello = std::get_if<protocol::Hello>(&command)) {
        on_hello(link, *hello);
    } else if (const auto* accepted = std::get_if<protocol::Admit>(&command)) {
        on_admit(link, *accepted);
    } else if (const auto* update = std::get_if<protocol::Update>(&command)) {
        on_update(link, *update);
    } else if (const auto* rejected = std::get_if<protocol::Reject>(&command)) {
        refuse(link, LinkEnd::RejectedByPeer, Errc::Rejected,
               "the peer refused this node, reason " +
                   std::to_string(static_cast<unsigned>(rejected->reason)));
    } else if (const auto* probed = std::get_if<protocol::LivenessProbe>(&command)) {
        send_control(link.peer.link,
                     protocol::encode_record(protocol::LivenessAck{probed->probe_id}));
    } else if (const auto* ack = std::get_if<protocol::LivenessAck>(&command)) {
        on_ack(link, *ack);
    } else {
        return false;
    }
    return true;
}

void Mesh::on_hello(Link& link, const protocol::Hello& hello) {
    const LinkId id = link.peer.link;
    // The answer goes first: behind on_peer_ready() the host may send at once.
    if (!admitting_) return;
    const auto* route_mesh = std::get_if<protocol::RouteMeshAdmission>(&hello.admission);
    if (route_mesh != nullptr && !refusal(link, *route_mesh)) {
        send_control(id, protocol::encode_record(protocol::Admit{descriptor_}));
    }
    take(link, hello.admission);
}

void Mesh::on_admit(Link& link, const protocol::Admit& accepted) {
    const bool was_admitted = link.admitted;
    link.peer.admits_us = true;
    if (take(link, accepted.admission) && was_admitted && link.told_ready) {
        events_.on_peer_updated(link.peer);
    }
}

bool Mesh::take(Link& link, const protocol::ServiceAdmission& admission) {
    if (!admitting_) return false;
    const auto* route_mesh = std::get_if<protocol::RouteMeshAdmission>(&admission);
    const std::optional<RejectReason> reason =
        route_mesh == nullptr ? RejectReason::TopologyMismatch : refusal(link, *route_mesh);
    if (reason) {
        reject(link, *reason);
        return false;
    }
    if (link.admitted) {
        link.peer.descriptor = *route_mesh;
    } else {
        admit(link, *route_mesh);
    }
    return true;
}

std::optional<RejectReason> Mesh::refusal(const Link& link,
                                          const protocol::RouteMeshAdmission& admission) const {
    if (link.admitted) return refuse_successor(link.peer.descriptor, admission);
    const std::optional<ExpectedPeer> expected = events_.expected_peer(link.peer.rid);
    if (const auto reason = refuse_newcomer(descriptor_, admission, expected)) return reason;
    const Peer* current = find(link.peer.rid);
    const bool same_run =
        current == nullptr || current->generation == admission.lifecycle_generation;
    // Another run of a node that is still here: only discovery can say that the earlier one is over
    // (spec/zmp.md section 17.4).
    if (same_run || (expected && expected->generation == admission.lifecycle_generation)) {
        return std::nullopt;
    }
    return RejectReason::LifecycleGenerationStale;
}

void Mesh::admit(Link& link, const protocol::RouteMeshAdmission& admission) {
    ++counters_.admitted;
    link.peer.descriptor = admission;
    link.peer.generation = admission.lifecycle_generation;
    link.admitted = true;
    services_.world.trust(link.peer.link);
    start_liveness(link);
    choose(link);
}

// A connection that loses the choice while it stands stays as a standby: it still delivers, and
// closing it would only make its dial come back.
void Mesh::choose(Link& newer) {
    const auto current = ready_.find(newer.peer.rid);
    if (current != ready_.end()) {
        Link& earlier = links_.at(current->second);
        const bool same_run = earlier.peer.generation == newer.peer.generation;
        if (same_run &&
            !newer_counts(rid_, newer.peer.rid, {earlier.dialed_here}, {newer.dialed_here})) {
            return;
        }
        if (!same_run || earlier.dialed_here == newer.dialed_here) {
            // Whoever dials again has lost the connection before.
            refuse(earlier, LinkEnd::Replaced, Errc::Cancelled, "another one to the node counts");
        }
    }
    ready_[newer.peer.rid] = newer.peer.link;
    newer.told_ready = true;
    events_.on_peer_ready(newer.peer);
}

bool Mesh::counts(const Link& link) const {
    const auto found = ready_.find(link.peer.rid);
    return found != ready_.end() && found->second == link.peer.link;
}

// None of them takes over: only a fresh exchange of hellos tells both sides at the same point of
// the stream which connection carries what follows.
void Mesh::close_standbys(const NodeRid& rid) {
    for (auto& [id, link] : links_) {
        if (link.admitted && link.peer.rid == rid) {
            refuse(link, LinkEnd::Replaced, Errc::Cancelled,
                   "the connection that counted has ended");
        }
    }
}

void Mesh::on_update(Link& link, const protocol::Update& update) {
    const auto* route_mesh = std::get_if<protocol::RouteMeshAdmission>(&update.admission);
    if (route_mesh == nullptr || refuse_successor(link.peer.descriptor, *route_mesh)) {
        return refuse(link, LinkEnd::UpdateRefused, Errc::ProtocolError,
                      "an update does not fit its admission");
    }
    if (*route_mesh == link.peer.descriptor) return;
    link.peer.descriptor = *route_mesh;
    if (link.told_ready) events_.on_peer_updated(link.peer);
}

// --- liveness ---------------------------------------------------------------------------------

void Mesh::start_liveness(Link& link) {
    services_.world.cancel(link.timer);
    link.deadline = deadline_after(services_.world.now(), kPeerDeadline);
    link.timer = services_.world.arm(deadline_after(services_.world.now(), kProbeInterval),
                                     [this, id = link.peer.link] { probe(id); });
}

void Mesh::probe(LinkId id) {
    const auto found = links_.find(id);
    if (found == links_.end()) return;
    Link& link = found->second;
    const TimePoint now = services_.world.now();
    if (now >= link.deadline) {
        return refuse(link, LinkEnd::LivenessExpired, Errc::Unavailable,
                      "the node answered no probe for 15 s");
    }
    send_probe(link);
    link.timer = services_.world.arm(std::min(deadline_after(now, kProbeInterval), link.deadline),
                                     [this, id] { probe(id); });
}

// Only the answer to the outstanding id counts: a repeated one, one of another connection and
// ordinary traffic prove nothing about the way there and back (spec/zmp.md section 17.6).
void Mesh::on_ack(Link& link, const protocol::LivenessAck& ack) {
    if (link.outstanding_probe == 0 || ack.probe_id != link.outstanding_probe) return;
    link.outstanding_probe = 0;
    link.deadline = deadline_after(services_.world.now(), kPeerDeadline);
    if (link.flushing > 0 && --link.flushing > 0) send_probe(link);
    maybe_flushed();
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
