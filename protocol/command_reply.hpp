#pragma once
// Terminals of requests: command 20 with its tails (spec/wire.md section 4.8) and the relay of
// terminals after a move (section 5.5).

#include <cstdint>
#include <optional>
#include <variant>

#include "base/ids.hpp"
#include "protocol/enums.hpp"
#include "protocol/shared.hpp"

namespace shunt::protocol {

/// Tails of command 20 (section 4.8): which one is read depends on the pending operation and on
/// terminal_result, never on the bytes.
struct ActorLookupTail {
    ActorRef actor;
    SpotId spot_id;
    ObjectGeneration spot_generation;
    std::uint64_t membership_epoch = 0;
    AuthorityOwnerGeneration authority_owner_generation;
    bool operator==(const ActorLookupTail&) const = default;
};
struct ActorJoinAccepted {
    SpotRef spot;
    std::uint64_t membership_epoch = 0;
    /// 0 = not advertised.
    std::uint32_t receive_chunk_limit_bytes = 0;
    bool operator==(const ActorJoinAccepted&) const = default;
};
struct ActorJoinRejected {
    std::optional<SpotRef> spot{};
    bool operator==(const ActorJoinRejected&) const = default;
};
struct ActorJoinTail {
    std::variant<ActorJoinAccepted, ActorJoinRejected> join;
    bool operator==(const ActorJoinTail&) const = default;
};
struct StreamBindTail {
    BindingGeneration binding_generation;
    AuthorityOwnerGeneration authority_owner_generation;
    bool operator==(const StreamBindTail&) const = default;
};
struct UserSpotCreateTail {
    CreateResult create_result = CreateResult::Created;
    SpotRef spot;
    bool operator==(const UserSpotCreateTail&) const = default;
};
struct UserSpotCloseTail {
    bool closed = false;
    bool operator==(const UserSpotCloseTail&) const = default;
};
struct ActorExisting {
    ActorRef actor;
    bool operator==(const ActorExisting&) const = default;
};
struct ActorCreated {
    ActorRef actor;
    bool operator==(const ActorCreated&) const = default;
};
struct ActorCreationRejected {
    bool operator==(const ActorCreationRejected&) const = default;
};
/// `actor-create-terminal`.
using ActorCreateTerminal = std::variant<ActorExisting, ActorCreated, ActorCreationRejected>;
struct ActorCreateTail {
    ActorCreateTerminal creation;
    bool operator==(const ActorCreateTail&) const = default;
};
struct NoTail {
    bool operator==(const NoTail&) const = default;
};
using ReplyTail = std::variant<NoTail, ActorLookupTail, ActorJoinTail, StreamBindTail,
                               UserSpotCreateTail, UserSpotCloseTail, ActorCreateTail>;

struct Reply {
    std::uint64_t correlation = 0;
    RequestTerminalResult terminal_result = RequestTerminalResult::Ok;
    FrameworkErrorCode failure_code = FrameworkErrorCode::None;
    /// NoTail unless terminal_result is Ok.
    ReplyTail tail{};
    bool operator==(const Reply&) const = default;
};

// --- reply-relay-context (section 4.5) ---------------------------------------------------------

struct ActivationReadyBarrier {
    AuthorityGenerationFence authority;
    bool operator==(const ActivationReadyBarrier&) const = default;
};
struct ActivationFailed {
    AuthorityGenerationFence authority;
    bool operator==(const ActivationFailed&) const = default;
};
/// The alternative is the completionKind.
struct ColdActivationContext {
    std::variant<ActivationReadyBarrier, ActivationFailed> completion;
    bool operator==(const ColdActivationContext&) const = default;
};
struct MaintenanceRelocationContext {
    RelocationId relocation;
    TargetAttemptGeneration target_attempt_generation;
    RelocationCoordinatorFence coordinator;
    ParticipantId participant_id;
    /// Saved order; relayed work counts on from the highest (section 17.11).
    std::uint64_t sequence = 0;
    bool operator==(const MaintenanceRelocationContext&) const = default;
};
using ReplyRelayContext = std::variant<ColdActivationContext, MaintenanceRelocationContext>;

struct ReplyRelay {
    OperationId operation;
    std::uint64_t reply_route_id = 0;
    ReplyRelayContext context;
    RequestTerminalResult terminal_result = RequestTerminalResult::Ok;
    FrameworkErrorCode failure_code = FrameworkErrorCode::None;
    bool operator==(const ReplyRelay&) const = default;
};

struct ReplyRelayAck {
    RelocationId relocation;
    RelocationCoordinatorFence coordinator;
    OperationId operation;
    std::uint64_t reply_route_id = 0;
    RequestSourceFence request_source;
    ReplyRelayAckStatus status = ReplyRelayAckStatus::TerminalReceived;
    bool operator==(const ReplyRelayAck&) const = default;
};

}  // namespace shunt::protocol
