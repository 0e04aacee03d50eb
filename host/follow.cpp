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
}

const FollowRoute* Follow::find(const ActorId& actor) const {
    const auto found = routes_.find(actor);
    return found == routes_.end() ? nullptr : &found->second;
}

void Follow::forward(const FollowRoute& route, const MessageJob& job, const Peer* from) {
    if (job.hop_count >= protocol::kMessageFollowHopsMax) {
        return fail(job, Errc::Unavailable, "follow_hops_spent");
    }
    const Peer* peer = mesh_.find(route.target.target_node_rid);
    if (peer == nullptr || peer->generation != route.target.target_node_generation) {
        return fail(job, Errc::Unavailable, "follow_target_lost");
    }
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
    if (admission == Admission::NoLink) {
        // The link is ending and on_peer_lost() is on its way: nobody else would speak for it.
        return fail(job, Errc::Unavailable, "follow_target_lost");
    }
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
    if (from != nullptr) notify(route, job, *from);
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
