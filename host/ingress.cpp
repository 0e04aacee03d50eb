#include "host/ingress.hpp"

#include "host/errc.hpp"
#include "host/message_codec.hpp"

namespace shunt::host {

template <class Command>
JobPtr Ingress::job_of(const Arrival& arrival, const Command& command, JobPermit permit) const {
    MessageJob message;
    message.packet = own_packet(*arrival.record.payload);
    message.operation = command.operation;
    message.hop_count = command.message_follow_hop_count;
    // The wire names a sender's lease in frozen records only; the node's generation fences as well.
    message.source = {arrival.peer.rid, arrival.peer.generation, OwnerId{arrival.peer.rid.value},
                      OwnerLeaseGeneration{1}, protocol::FromNode{}};
    if (command.source_actor) message.source.origin = protocol::FromActor{*command.source_actor};
    message.metadata = arrival.record.metadata;
    auto job = std::make_shared<Job>();
    job->work = std::move(message);
    job->permit = std::move(permit);
    return job;
}

void Ingress::on_send(const Arrival& arrival, const protocol::ActorSend& command,
                      JobPermit permit) {
    accept(command.target_actor.actor.actor_id, job_of(arrival, command, std::move(permit)),
           &arrival.peer);
}

void Ingress::on_request(const Arrival& arrival, const protocol::ActorRequest& command,
                         JobPermit permit) {
    JobPtr job = job_of(arrival, command, std::move(permit));
    std::get<MessageJob>(job->work).reply =
        LinkReply{arrival.peer.link, arrival.sequence, command.correlation};
    accept(command.target_actor.actor.actor_id, std::move(job), &arrival.peer);
}

void Ingress::accept(const ActorId& actor, JobPtr job, const Peer* from) {
    if (TargetMove* staging = targets_->staging(actor)) {
        // Work that cannot run yet owns no permit (seed unit section 4.4).
        job->permit.release();
        return staging->queue_direct(std::move(job));
    }
    const std::shared_ptr<ActorCell> cell = cells_.find(actor);
    if (cell != nullptr && cell->mode() != ActorCell::Mode::Ended) {
        if (closed_) return refuse(job, Errc::ShuttingDown, "draining");
        return cell->deliver(std::move(job));
    }
    if (const FollowRoute* route = follow_.find(actor)) {
        return follow_.forward(*route, std::get<MessageJob>(job->work), from);
    }
    refuse(job, Errc::Unavailable, "no_route_here");
}

void Ingress::refuse(const JobPtr& job, std::error_code error, const char* reason) {
    const auto& message = std::get<MessageJob>(job->work);
    services_.probe.on_message_dropped(reason, message.packet.payload.view());
    replies_.answer(message.reply, message.operation, error);
}

}  // namespace shunt::host
