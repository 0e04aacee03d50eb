#include "host/follow.hpp"

#include "host/errc.hpp"
#include "host/message_codec.hpp"

namespace shunt::host {

void Follow::begin(FollowRoute route) {
    const ActorId actor = route.target.actor.actor_id;
    notified_.erase(actor);
    routes_.insert_or_assign(actor, std::move(route));
}

void Follow::end(const ActorId& actor, RelocationId relocation) {
    const auto found = routes_.find(actor);
    if (found == routes_.end() || found->second.relocation != relocation) return;
    routes_.erase(found);
    notified_.erase(actor);
    const auto parked = parked_.find(actor);
    if (parked == parked_.end()) return;
    const std::deque<MessageJob> stranded = std::move(parked->second);
    parked_.erase(parked);
    for (const MessageJob& job : stranded) fail(job, Errc::Unavailable, "follow_target_lost");
}

void Follow::on_peer_ready(const Peer& peer) {
    for (auto at = parked_.begin(); at != parked_.end();) {
        const auto route = routes_.find(at->first);
        const bool reachable = route != routes_.end() &&
                               route->second.target.target_node_rid == peer.rid &&
                               route->second.target.target_node_generation == peer.generation;
        while (reachable && !at->second.empty() && send(route->second, at->second.front())) {
            at->second.pop_front();
        }
        at = at->second.empty() ? parked_.erase(at) : std::next(at);
    }
}

const FollowRoute* Follow::find(const ActorId& actor) const {
    const auto found = routes_.find(actor);
    return found == routes_.end() ? nullptr : &found->second;
}

void Follow::forward(const FollowRoute& route, const MessageJob& job, const Peer* from) {
    if (job.hop_count >= protocol::kMessageFollowHopsMax) {
        return fail(job, Errc::Unavailable, "follow_hops_spent");
    }
    const auto parked = parked_.find(route.target.actor.actor_id);
    if (parked != parked_.end()) return parked->second.push_back(job);
    if (!send(route, job)) return parked_[route.target.actor.actor_id].push_back(job);
    if (from != nullptr) notify(route, job, *from);
}

/// False when the target is no ready peer now.
bool Follow::send(const FollowRoute& route, const MessageJob& job) {
    const Peer* peer = mesh_.find(route.target.target_node_rid);
    if (peer == nullptr || peer->generation != route.target.target_node_generation) return false;
    const ActorAddress address{route.target, job.operation,
                               static_cast<std::uint8_t>(job.hop_count + 1), source_actor_of(job)};
    const protocol::Metadata* metadata = job.metadata ? &*job.metadata : nullptr;
    const bool asks = !std::holds_alternative<NoReply>(job.reply);
    const std::uint64_t sequence = asks ? mesh_.next_sequence() : 0;
    const auto* link = std::get_if<LinkReply>(&job.reply);
    const std::uint64_t correlation = link != nullptr ? link->correlation : sequence;
    const Admission admission =
        mesh_.send(peer->link, encode_message(address, job.packet, metadata, correlation, sequence),
                   Gate::None);
    // NoLink: the link is ending and on_peer_lost() is on its way.
    if (admission == Admission::NoLink) return false;
    if (asks) {
        // The hop waits by its own window, never by the caller's remaining time (seed unit §10).
        pending_.add(
            sequence, job.operation,
            deadline_after(services_.world.now(), services_.options.message_follow_relay_window),
            [this, reply = job.reply, operation = job.operation](result<Packet> answer) mutable {
                // A hop that hears nothing stays silent: the caller's own deadline decides.
                if (!answer && answer.error() == make_error_code(Errc::DeadlineExceeded)) return;
                replies_.answer(reply, operation, std::move(answer));
            });
    }
    return true;
}

void Follow::notify(const FollowRoute& route, const MessageJob& job, const Peer& from) {
    const ActorId& actor = route.target.actor.actor_id;
    if (!notified_[actor].emplace(from.link, route.relocation).second) return;
    protocol::MessageFollow notice;
    notice.route.source = route.source;
    notice.route.target = route.target;
    notice.route.hop_count = static_cast<std::uint8_t>(job.hop_count + 1);
    notice.route.original_operation = job.operation;
    if (const auto* link = std::get_if<LinkReply>(&job.reply)) {
        notice.route.original_reply_route_id = link->correlation;
    }
    mesh_.send_control(from.link, protocol::encode_record(notice));
}

void Follow::fail(const MessageJob& job, std::error_code error, const char* reason) {
    services_.probe.on_message_dropped(reason, job.packet.payload.view());
    replies_.answer(job.reply, job.operation, error);
}

}  // namespace shunt::host
