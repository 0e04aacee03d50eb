#pragma once
// The commands of service wire v1 (spec/wire.md section 5) as plain values. Field order on the
// wire is declared in command_layout.hpp; command_record.hpp turns a command into a record and
// back.

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "base/ids.hpp"
#include "protocol/blob.hpp"
#include "protocol/enums.hpp"
#include "protocol/envelope.hpp"
#include "protocol/frozen_record.hpp"
#include "protocol/shared.hpp"

namespace shunt::protocol {

// --- 5.1 admission and liveness ---------------------------------------------------------------

struct Hello {
    ServiceAdmission admission;
    bool operator==(const Hello&) const = default;
};
struct Admit {
    ServiceAdmission admission;
    bool operator==(const Admit&) const = default;
};
struct Reject {
    RejectReason reason = RejectReason::InvalidDescriptor;
    bool operator==(const Reject&) const = default;
};
struct Update {
    ServiceAdmission admission;
    bool operator==(const Update&) const = default;
};
struct LivenessProbe {
    std::uint64_t probe_id = 0;
    bool operator==(const LivenessProbe&) const = default;
};
/// Carries the exact id of the probe it answers.
struct LivenessAck {
    std::uint64_t probe_id = 0;
    bool operator==(const LivenessAck&) const = default;
};

// --- 5.2 messaging ----------------------------------------------------------------------------

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
    std::optional<SpotRef> spot;
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
    ReplyTail tail;
    bool operator==(const Reply&) const = default;
};

// --- 5.5 terminal relay -----------------------------------------------------------------------

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

struct ActorSend {
    OperationId operation;
    std::uint8_t message_follow_hop_count = 0;  // 0..8
    std::optional<ActorRef> source_actor;
    ActorRouteFence target_actor;
    /// Present for a message that came in through a client session (flags 0x06).
    std::optional<BoundSessionTail> bound_session;
    bool operator==(const ActorSend&) const = default;
};

struct ActorRequest {
    std::uint64_t correlation = 0;
    OperationId operation;
    std::uint8_t message_follow_hop_count = 0;  // 0..8
    std::optional<ActorRef> source_actor;
    ActorRouteFence target_actor;
    std::optional<BoundSessionTail> bound_session;
    bool operator==(const ActorRequest&) const = default;
};

struct MessageFollow {
    MessageFollowNotice route;
    bool operator==(const MessageFollow&) const = default;
};

// --- 5.3 relocation ---------------------------------------------------------------------------

struct RelocationPrepare {
    RelocationId relocation;
    TargetAttemptGeneration target_attempt_generation;
    RelocationCoordinatorFence coordinator;
    RelocationTargetFence target;
    RelocationRole initiator_role = RelocationRole::Source;
    RelocationObjectIdentity object;
    NodeRid source_node_rid;
    NodeGeneration source_node_generation;
    /// Manifest of the encoded payload stream (section 8).
    std::uint64_t payload_total_length = 0;
    std::uint32_t payload_chunk_count = 0;
    std::uint32_t payload_checksum_crc32c = 0;
    std::uint64_t application_version = 0;  // 0..2^63-1
    bool operator==(const RelocationPrepare&) const = default;
};

struct RelocationReady {
    RelocationId relocation;
    TargetAttemptGeneration target_attempt_generation;
    RelocationCoordinatorFence coordinator;
    RelocationTargetFence target;
    RelocationObjectIdentity object;
    RelocationRole sender_role = RelocationRole::Target;
    bool operator==(const RelocationReady&) const = default;
};

struct RelocationFailed {
    RelocationId relocation;
    TargetAttemptGeneration target_attempt_generation;
    RelocationCoordinatorFence coordinator;
    RelocationTargetFence target;
    RelocationObjectIdentity object;
    RelocationRole sender_role = RelocationRole::Target;
    /// Never None.
    FrameworkErrorCode failure_code = FrameworkErrorCode::RequestFailed;
    bool operator==(const RelocationFailed&) const = default;
};

struct RelocationState {
    RelocationId relocation;
    TargetAttemptGeneration target_attempt_generation;
    RelocationCoordinatorFence coordinator;
    RelocationRole sender_role = RelocationRole::Source;
    RelocationObjectIdentity object;
    std::uint32_t chunk_ordinal = 0;
    /// At most kRelocationChunkBytesMax. Encoded from segments, decoded as a borrowed view.
    Blob chunk_data;
    bool operator==(const RelocationState&) const = default;
};

/// Command 31 with its record either as a value or as the bytes of encode_frozen_record().
template <class Record>
struct BasicRelocationData {
    RelocationId relocation;
    TargetAttemptGeneration target_attempt_generation;
    RelocationCoordinatorFence coordinator;
    RelocationRole sender_role = RelocationRole::Source;
    RelocationObjectIdentity object;
    Record record;
    bool operator==(const BasicRelocationData&) const = default;
};
using RelocationData = BasicRelocationData<FrozenRecord>;
/// For a sender that keeps boundary records encoded (checksum, retransmission). Decoding always
/// yields RelocationData.
using EncodedRelocationData = BasicRelocationData<Blob>;

struct RelocationCutover {
    RelocationId relocation;
    TargetAttemptGeneration target_attempt_generation;
    RelocationCoordinatorFence coordinator;
    RelocationRole sender_role = RelocationRole::Source;
    RelocationObjectIdentity object;
    std::uint64_t boundary_record_count = 0;  // 0..2^63-1
    std::uint32_t boundary_checksum_crc32c = 0;
    bool operator==(const RelocationCutover&) const = default;
};

/// Every command this generation of Shunt reads; visited without a default branch.
using Command = std::variant<Hello, Admit, Reject, Update, LivenessProbe, LivenessAck, Reply,
                             ActorSend, ActorRequest, RelocationReady, RelocationData, ReplyRelay,
                             RelocationCutover, RelocationPrepare, ReplyRelayAck, MessageFollow,
                             RelocationState, RelocationFailed>;

CommandId id_of(const Command& command) noexcept;
/// The spec's name, letter for letter (`relocationPrepare`).
std::string_view name_of(CommandId id) noexcept;

}  // namespace shunt::protocol
