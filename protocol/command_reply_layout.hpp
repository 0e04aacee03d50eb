#pragma once
// How terminals lie on the wire (spec/wire.md sections 4.5, 4.8, 5.5).

#include "protocol/command_info.hpp"
#include "protocol/command_reply.hpp"
#include "protocol/envelope.hpp"
#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"
#include "protocol/shared_layout.hpp"
#include "protocol/terminal.hpp"

namespace shunt::protocol {

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
    return fields(field("spot", &ActorJoinRejected::spot,
                        wrapped<std::uint16_t>("hasSpot", "spot", Nested{})));
}
constexpr auto layout(Of<ActorJoinTail>) {
    using T = ActorJoinTail;
    return fields(group(
        "join", kind("joinResult", &T::join, ActorJoinResult::Accepted, ActorJoinResult::Rejected),
        body<std::uint16_t>(content(&T::join))));
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

template <class T>
constexpr bool is_ok(const T& terminal) noexcept {
    return terminal.terminal_result == RequestTerminalResult::Ok;
}
/// Section 3.3.
template <class T>
bool is_paired(const T& terminal) noexcept {
    return is_terminal_pair(terminal.terminal_result, terminal.failure_code);
}

constexpr CommandInfo info(Of<Reply>) {
    return {.id = CommandId::Reply,
            .name = "reply",
            .leg = Leg::Reply,
            .payload = PayloadFrame::Optional};
}
constexpr auto layout(Of<Reply>) {
    using T = Reply;
    return fields(field("correlation", &T::correlation, kNonzero),
                  field("terminalResult", &T::terminal_result),
                  field("failureCode", &T::failure_code),
                  group("tail", when(&is_ok<T>, content(&T::tail))), rule(&is_paired<T>));
}

// --- 4.5 and 5.5 ------------------------------------------------------------------------------

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
                  field("failureCode", &T::failure_code), rule(&is_paired<T>));
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
