#pragma once
// How each command lies on the wire, and what a record of it consists of (spec/wire.md section 5).
// A command is declared by two functions: info() and layout().

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "protocol/command.hpp"
#include "protocol/envelope.hpp"
#include "protocol/frozen_record_layout.hpp"
#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"
#include "protocol/record.hpp"
#include "protocol/shared_layout.hpp"
#include "protocol/terminal.hpp"

namespace shunt::protocol {

/// Flags of the head prefix (section 1.2).
namespace command_flag {
inline constexpr std::uint8_t kMetadata = 0x01;
/// Bits boundSession and sourceSpotId: both or neither.
inline constexpr std::uint8_t kBoundSession = 0x06;
}  // namespace command_flag

enum class PayloadFrame : std::uint8_t { Forbidden, Optional, Required };

/// What section 5 says about a command beside its body.
struct CommandInfo {
    CommandId id;
    std::string_view name;
    Leg leg = Leg::Send;
    PayloadFrame payload = PayloadFrame::Forbidden;
    std::uint8_t flags_allowed = 0;
};

/// A role that section 15.1 demands of the sender; any declared role decodes.
struct RoleOf {
    RelocationRole required;

    template <class Sink>
    void encode(Sink& sink, RelocationRole role) const {
        SHUNT_ASSERT(role == required);
        EnumCodec<RelocationRole>{}.encode(sink, role);
    }
    result<void> decode(Reader& reader, RelocationRole& role) const {
        return EnumCodec<RelocationRole>{}.decode(reader, role);
    }
    result<void> validate(RelocationRole role) const {
        if (role != required) return Errc::Semantic;
        return outcome::success();
    }
};
inline constexpr RoleOf kFromSource{RelocationRole::Source};
inline constexpr RoleOf kFromTarget{RelocationRole::Target};

// --- 5.1 admission and liveness ---------------------------------------------------------------

constexpr CommandInfo info(Of<Hello>) {
    return {.id = CommandId::Hello, .name = "hello"};
}
constexpr auto layout(Of<Hello>) {
    return fields(field("admission", &Hello::admission));
}

constexpr CommandInfo info(Of<Admit>) {
    return {.id = CommandId::Admit, .name = "admit"};
}
constexpr auto layout(Of<Admit>) {
    return fields(field("admission", &Admit::admission));
}

constexpr CommandInfo info(Of<Reject>) {
    return {.id = CommandId::Reject, .name = "reject"};
}
constexpr auto layout(Of<Reject>) {
    return fields(field("reason", &Reject::reason));
}

constexpr CommandInfo info(Of<Update>) {
    return {.id = CommandId::Update, .name = "update"};
}
constexpr auto layout(Of<Update>) {
    return fields(field("admission", &Update::admission));
}

constexpr CommandInfo info(Of<LivenessProbe>) {
    return {.id = CommandId::LivenessProbe, .name = "livenessProbe"};
}
constexpr auto layout(Of<LivenessProbe>) {
    return fields(field("probeId", &LivenessProbe::probe_id, kNonzero));
}

constexpr CommandInfo info(Of<LivenessAck>) {
    return {.id = CommandId::LivenessAck, .name = "livenessAck"};
}
constexpr auto layout(Of<LivenessAck>) {
    return fields(field("probeId", &LivenessAck::probe_id, kNonzero));
}

// --- 5.2 messaging ----------------------------------------------------------------------------

constexpr auto layout(Of<NoTail>) {
    return fields();
}

constexpr auto layout(Of<ActorLookupTail>) {
    using T = ActorLookupTail;
    return fields(field("actor", &T::actor), field("spotId", &T::spot_id),
                  field("spotGeneration", &T::spot_generation),
                  field("membershipEpoch", &T::membership_epoch, kNonzero),
                  field("authorityOwnerGeneration", &T::authority_owner_generation));
}

constexpr auto layout(Of<ActorJoinAccepted>) {
    using T = ActorJoinAccepted;
    return fields(field("spot", &T::spot), field("membershipEpoch", &T::membership_epoch, kNonzero),
                  field("receiveChunkLimitBytes", &T::receive_chunk_limit_bytes,
                        up_to(kRelocationChunkBytesMax)));
}
constexpr auto layout(Of<ActorJoinRejected>) {
    return wrapped<std::uint16_t>("hasSpot", "spot", &ActorJoinRejected::spot);
}
constexpr auto layout(Of<ActorJoinTail>) {
    return fields(kind("joinResult", &ActorJoinTail::join, ActorJoinResult::Accepted,
                       ActorJoinResult::Rejected),
                  body<std::uint16_t>(content(&ActorJoinTail::join)));
}

constexpr auto layout(Of<StreamBindTail>) {
    using T = StreamBindTail;
    return fields(field("bindingGeneration", &T::binding_generation),
                  field("authorityOwnerGeneration", &T::authority_owner_generation));
}

constexpr auto layout(Of<UserSpotCreateTail>) {
    return fields(field("createResult", &UserSpotCreateTail::create_result),
                  field("spot", &UserSpotCreateTail::spot));
}

constexpr auto layout(Of<UserSpotCloseTail>) {
    return fields(field("closed", &UserSpotCloseTail::closed));
}

constexpr auto layout(Of<ActorExisting>) {
    return fields(field("actor", &ActorExisting::actor));
}
constexpr auto layout(Of<ActorCreated>) {
    return fields(field("actor", &ActorCreated::actor));
}
constexpr auto layout(Of<ActorCreationRejected>) {
    return fields();
}
constexpr auto layout(Of<ActorCreateTerminal>) {
    return fields(kind("createResult", kSelf, CreateResult::Existing, CreateResult::Created,
                       CreateResult::Rejected),
                  body<std::uint16_t>(content(kSelf)));
}
constexpr auto layout(Of<ActorCreateTail>) {
    return fields(field("creation", &ActorCreateTail::creation));
}

constexpr CommandInfo info(Of<Reply>) {
    return {.id = CommandId::Reply,
            .name = "reply",
            .leg = Leg::Reply,
            .payload = PayloadFrame::Optional};
}
constexpr auto layout(Of<Reply>) {
    using T = Reply;
    return fields(
        field("correlation", &T::correlation, kNonzero),
        field("terminalResult", &T::terminal_result), field("failureCode", &T::failure_code),
        when([](const T& reply) { return reply.terminal_result == RequestTerminalResult::Ok; },
             content(&T::tail)),
        rule([](const T& reply) {
            return is_terminal_pair(reply.terminal_result, reply.failure_code);
        }));
}

/// The fields that commands 24 and 25 share, from `operation` on.
template <class T>
constexpr auto actor_message_fields() {
    return fields(
        field("operation", &T::operation),
        field("messageFollowHopCount", &T::message_follow_hop_count, up_to(kMessageFollowHopsMax)),
        field("sourceActor", &T::source_actor, OptionalActorRef{}),
        field("targetActor", &T::target_actor),
        when(present(&T::bound_session), some("boundSessionTail", &T::bound_session)));
}

constexpr CommandInfo info(Of<ActorSend>) {
    return {.id = CommandId::ActorSend,
            .name = "actorSend",
            .payload = PayloadFrame::Required,
            .flags_allowed = command_flag::kMetadata | command_flag::kBoundSession};
}
constexpr auto layout(Of<ActorSend>) {
    return actor_message_fields<ActorSend>();
}

constexpr CommandInfo info(Of<ActorRequest>) {
    return {.id = CommandId::ActorRequest,
            .name = "actorRequest",
            .leg = Leg::Request,
            .payload = PayloadFrame::Required,
            .flags_allowed = command_flag::kMetadata | command_flag::kBoundSession};
}
constexpr auto layout(Of<ActorRequest>) {
    return fields(field("correlation", &ActorRequest::correlation, kNonzero),
                  actor_message_fields<ActorRequest>());
}

constexpr CommandInfo info(Of<MessageFollow>) {
    return {.id = CommandId::MessageFollow, .name = "messageFollow"};
}
constexpr auto layout(Of<MessageFollow>) {
    return fields(field("route", &MessageFollow::route));
}

// --- 5.3 relocation ---------------------------------------------------------------------------

/// A stream is never empty, and no chunk is (section 15.1).
inline bool manifest_adds_up(const RelocationPrepare& prepare) {
    return (prepare.payload_total_length == 0) == (prepare.payload_chunk_count == 0) &&
           prepare.payload_chunk_count <= prepare.payload_total_length;
}

/// What every relocation command opens with.
template <class T>
constexpr auto relocation_identity() {
    return fields(field("relocation", &T::relocation),
                  field("targetAttemptGeneration", &T::target_attempt_generation),
                  field("coordinator", &T::coordinator));
}

constexpr CommandInfo info(Of<RelocationPrepare>) {
    return {.id = CommandId::RelocationPrepare, .name = "relocationPrepare", .leg = Leg::Request};
}
constexpr auto layout(Of<RelocationPrepare>) {
    using T = RelocationPrepare;
    return fields(
        relocation_identity<T>(), field("target", &T::target),
        field("initiatorRole", &T::initiator_role, kFromSource), field("object", &T::object),
        field("sourceNodeRid", &T::source_node_rid),
        field("sourceNodeGeneration", &T::source_node_generation),
        field("payloadTotalLength", &T::payload_total_length, up_to(kRelocationStreamBytesMax)),
        field("payloadChunkCount", &T::payload_chunk_count, up_to(kRelocationChunksMax)),
        field("payloadChecksumCrc32c", &T::payload_checksum_crc32c),
        field("applicationVersion", &T::application_version, kOrdinal), rule(&manifest_adds_up));
}

constexpr CommandInfo info(Of<RelocationReady>) {
    return {.id = CommandId::RelocationReady, .name = "relocationReady", .leg = Leg::Reply};
}
constexpr auto layout(Of<RelocationReady>) {
    using T = RelocationReady;
    return fields(relocation_identity<T>(), field("target", &T::target),
                  field("object", &T::object), field("senderRole", &T::sender_role, kFromTarget));
}

constexpr CommandInfo info(Of<RelocationFailed>) {
    return {.id = CommandId::RelocationFailed, .name = "relocationFailed", .leg = Leg::Reply};
}
constexpr auto layout(Of<RelocationFailed>) {
    using T = RelocationFailed;
    return fields(
        relocation_identity<T>(), field("target", &T::target), field("object", &T::object),
        field("senderRole", &T::sender_role, kFromTarget), field("failureCode", &T::failure_code),
        rule([](const T& failed) { return failed.failure_code != FrameworkErrorCode::None; }));
}

constexpr CommandInfo info(Of<RelocationState>) {
    return {.id = CommandId::RelocationState, .name = "relocationState"};
}
constexpr auto layout(Of<RelocationState>) {
    using T = RelocationState;
    return fields(
        relocation_identity<T>(), field("senderRole", &T::sender_role, kFromSource),
        field("object", &T::object), field("chunkOrdinal", &T::chunk_ordinal),
        field("chunkData", &T::chunk_data, Bulk<std::uint32_t>{.max = kRelocationChunkBytesMax}));
}

/// These two are local to their node and never relayed (section 15.1).
inline bool may_be_relayed(const FrozenRecord& record) {
    return record.kind() != MeshRecordKind::SendReady &&
           record.kind() != MeshRecordKind::RelocationControl;
}

template <class Record>
constexpr CommandInfo info(Of<BasicRelocationData<Record>>) {
    return {.id = CommandId::RelocationData, .name = "relocationData"};
}
template <class Record>
constexpr auto layout(Of<BasicRelocationData<Record>>) {
    using T = BasicRelocationData<Record>;
    constexpr auto head =
        fields(relocation_identity<T>(), field("senderRole", &T::sender_role, kFromSource),
               field("object", &T::object));
    if constexpr (std::is_same_v<Record, FrozenRecord>) {
        return fields(head, field("record", &T::record),
                      rule([](const T& data) { return may_be_relayed(data.record); }));
    } else {
        return fields(head, field("record", &T::record, kRest));
    }
}

constexpr CommandInfo info(Of<RelocationCutover>) {
    return {.id = CommandId::RelocationCutover, .name = "relocationCutover"};
}
constexpr auto layout(Of<RelocationCutover>) {
    using T = RelocationCutover;
    return fields(relocation_identity<T>(), field("senderRole", &T::sender_role, kFromSource),
                  field("object", &T::object),
                  field("boundaryRecordCount", &T::boundary_record_count, kOrdinal),
                  field("boundaryChecksumCrc32c", &T::boundary_checksum_crc32c));
}

// --- 5.5 terminal relay -----------------------------------------------------------------------

constexpr auto layout(Of<ActivationReadyBarrier>) {
    return fields(field("authority", &ActivationReadyBarrier::authority));
}
constexpr auto layout(Of<ActivationFailed>) {
    return fields(field("authority", &ActivationFailed::authority));
}
constexpr auto layout(Of<ColdActivationContext>) {
    return fields(kind("completionKind", &ColdActivationContext::completion,
                       ColdActivationCompletionKind::ReadyBarrier,
                       ColdActivationCompletionKind::ActivationFailure),
                  body<std::uint16_t>(content(&ColdActivationContext::completion)));
}
constexpr auto layout(Of<MaintenanceRelocationContext>) {
    using T = MaintenanceRelocationContext;
    return fields(field("relocation", &T::relocation),
                  field("targetAttemptGeneration", &T::target_attempt_generation),
                  field("coordinator", &T::coordinator), field("participantId", &T::participant_id),
                  field("sequence", &T::sequence, kNonzero));
}
constexpr auto layout(Of<ReplyRelayContext>) {
    return fields(kind("contextKind", kSelf, ReplyRelayContextKind::ColdActivation,
                       ReplyRelayContextKind::MaintenanceRelocation),
                  body<std::uint16_t>(content(kSelf)));
}

constexpr CommandInfo info(Of<ReplyRelay>) {
    return {.id = CommandId::ReplyRelay, .name = "replyRelay", .payload = PayloadFrame::Optional};
}
constexpr auto layout(Of<ReplyRelay>) {
    using T = ReplyRelay;
    return fields(field("operation", &T::operation),
                  field("replyRouteId", &T::reply_route_id, kNonzero),
                  field("context", &T::context), field("terminalResult", &T::terminal_result),
                  field("failureCode", &T::failure_code), rule([](const T& relay) {
                      return is_terminal_pair(relay.terminal_result, relay.failure_code);
                  }));
}

constexpr CommandInfo info(Of<ReplyRelayAck>) {
    return {.id = CommandId::ReplyRelayAck, .name = "replyRelayAck"};
}
constexpr auto layout(Of<ReplyRelayAck>) {
    using T = ReplyRelayAck;
    return fields(field("relocation", &T::relocation), field("coordinator", &T::coordinator),
                  field("operation", &T::operation),
                  field("replyRouteId", &T::reply_route_id, kNonzero),
                  field("requestSource", &T::request_source), field("status", &T::status));
}

}  // namespace shunt::protocol
