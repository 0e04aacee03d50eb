#include "host/message_codec.hpp"

#include "host/errc.hpp"

namespace shunt::host {

using protocol::FrozenActorRequest;
using protocol::FrozenActorSend;

protocol::TypedPayload typed_payload(const Packet& packet) {
    return {packet.name, packet.content_type, protocol::Blob(packet.payload)};
}

Packet own_packet(const protocol::TypedPayloadView& view) {
    Packet packet(std::string(view.packet_name), copy_of(view.payload));
    packet.content_type = std::string(view.content_type);
    return packet;
}

protocol::OutRecord encode_message(const ActorAddress& address, const Packet& packet,
                                   const protocol::Metadata* metadata, std::uint64_t correlation,
                                   std::uint64_t sequence) {
    const protocol::TypedPayload payload = typed_payload(packet);
    if (sequence == 0) {
        protocol::ActorSend command;
        command.operation = address.operation;
        command.message_follow_hop_count = address.hop_count;
        command.source_actor = address.source_actor;
        command.target_actor = address.fence;
        return protocol::encode_record(command, &payload, metadata);
    }
    protocol::ActorRequest command;
    command.correlation = correlation;
    command.operation = address.operation;
    command.message_follow_hop_count = address.hop_count;
    command.source_actor = address.source_actor;
    command.target_actor = address.fence;
    protocol::OutRecord record = protocol::encode_record(command, &payload, metadata);
    record.sequence = sequence;
    return record;
}

protocol::OutRecord encode_reply(const LinkReply& route, const result<Packet>& answer) {
    protocol::Reply reply;
    reply.correlation = route.correlation;
    protocol::OutRecord record;
    if (answer) {
        const protocol::TypedPayload payload = typed_payload(answer.value());
        record = protocol::encode_record(reply, &payload);
    } else {
        const WireFailure failure = to_wire(answer.error());
        reply.terminal_result = failure.result;
        reply.failure_code = failure.code;
        record = protocol::encode_record(reply);
    }
    record.sequence = route.sequence;
    return record;
}

std::optional<protocol::ActorRef> source_actor_of(const MessageJob& job) {
    const auto* actor = std::get_if<protocol::FromActor>(&job.source.origin);
    if (actor == nullptr) return std::nullopt;
    return actor->source_actor;
}

protocol::FrozenRecord freeze(const MessageJob& job, const protocol::ActorRouteFence& target) {
    protocol::FrozenRecord record;
    record.source = job.source;
    record.metadata = job.metadata;
    record.operation_id = job.operation;
    if (const auto* local = std::get_if<LocalReply>(&job.reply)) {
        record.reply_route_id = local->request_id;
    } else if (const auto* link = std::get_if<LinkReply>(&job.reply)) {
        record.reply_route_id = link->sequence;
    } else if (const auto* relay = std::get_if<RelayReply>(&job.reply)) {
        record.reply_route_id = relay->reply_route_id;
    }
    if (record.reply_route_id) {
        record.operation_kind = protocol::MeshOperationKind::ActorRequest;
        record.body = FrozenActorRequest{target, typed_payload(job.packet)};
    } else {
        record.body = FrozenActorSend{target, typed_payload(job.packet)};
    }
    return record;
}

}  // namespace shunt::host
