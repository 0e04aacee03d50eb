#pragma once
// Between jobs and the records that carry them: actorSend/actorRequest (24, 25), reply (20), and
// frozen records (spec/wire.md sections 5.2, 4.8 and 6).

#include "host/job.hpp"
#include "host/mesh.hpp"
#include "host/services.hpp"

namespace shunt::host {

protocol::TypedPayload typed_payload(const Packet& packet);

/// Owns everything: payload bytes are copied out of the receive buffer here, once.
Packet own_packet(const protocol::TypedPayloadView& view);

/// What a 24 or 25 addresses: who, where it is believed to be, and how far it has come.
struct ActorAddress {
    protocol::ActorRouteFence fence;
    OperationId operation;
    std::uint8_t hop_count = 0;
    std::optional<protocol::ActorRef> source_actor;
};

/// One-way when `sequence` is zero, else a request with that correlation and transport sequence.
protocol::OutRecord encode_message(const ActorAddress& address, const Packet& packet,
                                   const protocol::Metadata* metadata, std::uint64_t correlation,
                                   std::uint64_t sequence);

protocol::OutRecord encode_reply(const LinkReply& route, const result<Packet>& answer);

/// The Actor that sent it, when one did.
std::optional<protocol::ActorRef> source_actor_of(const MessageJob& job);

/// The record of a job that has not run. `target` is the fence under which it was accepted.
/// LinkReply, LocalReply and RelayReply all become a reply route of the node named by `source`.
protocol::FrozenRecord freeze(const MessageJob& job, const protocol::ActorRouteFence& target);

}  // namespace shunt::host
