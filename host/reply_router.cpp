#include "host/reply_router.hpp"

#include "host/errc.hpp"
#include "host/message_codec.hpp"

namespace shunt::host {
namespace {

result<Packet> answer_of(protocol::RequestTerminalResult terminal,
                         protocol::FrameworkErrorCode code,
                         const std::optional<protocol::TypedPayloadView>& payload) {
    if (terminal != protocol::RequestTerminalResult::Ok) return from_wire(terminal, code);
    return payload ? own_packet(*payload) : Packet();
}

}  // namespace

void ReplyRouter::answer(const ReplyRoute& route, OperationId operation, result<Packet> answer) {
    if (const auto* local = std::get_if<LocalReply>(&route)) {
        static_cast<void>(pending_.complete(local->request_id, operation, std::move(answer)));
        return;
    }
    if (const auto* link = std::get_if<LinkReply>(&route)) {
        // With the link gone the caller's own deadline decides (seed unit section 5.2).
        if (mesh_.find(link->link) == nullptr) return services_.probe.on_dropped("reply_link_lost");
        return mesh_.send_control(link->link, encode_reply(*link, answer));
    }
    if (const auto* relay = std::get_if<RelayReply>(&route)) {
        const RelayKey key{relay->source.source_node_rid, relay->reply_route_id, operation};
        Relay entry{*relay, std::move(answer),
                    deadline_after(services_.world.now(), kRelayLifetime)};
        send_relay(key, entry);
        relays_.insert_or_assign(key, std::move(entry));
        arm();
    }
}

void ReplyRouter::on_reply(const Arrival& arrival, const protocol::Reply& reply) {
    if (arrival.leg != protocol::Leg::Reply) return services_.probe.on_dropped("reply_wrong_lane");
    const bool taken = pending_.complete(
        arrival.sequence,
        answer_of(reply.terminal_result, reply.failure_code, arrival.record.payload));
    if (!taken) services_.probe.on_dropped("late_reply");
}

void ReplyRouter::on_relay(const Arrival& arrival, const protocol::ReplyRelay& relay) {
    const bool taken = pending_.complete(
        relay.reply_route_id, relay.operation,
        answer_of(relay.terminal_result, relay.failure_code, arrival.record.payload));
    const auto* context = std::get_if<protocol::MaintenanceRelocationContext>(&relay.context);
    if (context == nullptr) return services_.probe.on_dropped("relay_without_relocation");
    protocol::ReplyRelayAck ack;
    ack.relocation = context->relocation;
    ack.coordinator = context->coordinator;
    ack.operation = relay.operation;
    ack.reply_route_id = relay.reply_route_id;
    ack.request_source = {services_.self.owner_id, services_.self.lease_generation,
                          services_.self.rid, services_.self.generation};
    ack.status = taken ? protocol::ReplyRelayAckStatus::TerminalReceived
                       : protocol::ReplyRelayAckStatus::AlreadyTerminal;
    mesh_.send_control(arrival.peer.link, protocol::encode_record(ack));
}

void ReplyRouter::on_relay_ack(const protocol::ReplyRelayAck& ack) {
    relays_.erase({ack.request_source.source_node_rid, ack.reply_route_id, ack.operation});
}

void ReplyRouter::send_relay(const RelayKey& key, const Relay& relay) {
    const Peer* peer = mesh_.find(key.node);
    if (peer == nullptr || peer->generation != relay.route.source.source_node_generation) return;
    protocol::ReplyRelay command;
    command.operation = key.operation;
    command.reply_route_id = key.reply_route_id;
    command.context = protocol::MaintenanceRelocationContext{
        relay.route.relocation, relay.route.attempt, relay.route.coordinator,
        relay.route.participant, relay.route.sequence};
    if (relay.answer) {
        const protocol::TypedPayload payload = typed_payload(relay.answer.value());
        return mesh_.send_control(peer->link, protocol::encode_record(command, &payload));
    }
    const WireFailure failure = to_wire(relay.answer.error());
    command.terminal_result = failure.result;
    command.failure_code = failure.code;
    mesh_.send_control(peer->link, protocol::encode_record(command));
}

void ReplyRouter::repeat() {
    timer_ = TimerId{};
    const TimePoint now = services_.world.now();
    for (auto at = relays_.begin(); at != relays_.end();) {
        if (at->second.give_up <= now) {
            services_.probe.on_dropped("reply_relay_unacknowledged");
            at = relays_.erase(at);
            continue;
        }
        send_relay(at->first, at->second);
        ++at;
    }
    arm();
}

void ReplyRouter::arm() {
    if (relays_.empty() || timer_) return;
    timer_ = services_.world.arm(deadline_after(services_.world.now(), kRelayInterval),
                                 [this] { repeat(); });
}

}  // namespace shunt::host
