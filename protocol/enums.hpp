#pragma once
// The enumerations of the wire (spec/wire.md section 3). The underlying type is the width on the
// wire; a value that is not listed here is refused by every decoder. Names for printing and the
// list of declared values stand in enum_names.hpp.

#include <cstdint>

namespace shunt::protocol {

/// The command ids (byte 3 of the head prefix).
enum class CommandId : std::uint8_t {
    Hello = 1,
    Admit = 2,
    Reject = 3,
    Update = 4,
    LivenessProbe = 5,
    LivenessAck = 6,
    Reply = 20,
    ActorSend = 24,
    ActorRequest = 25,
    RelocationReady = 30,
    RelocationData = 31,
    ReplyRelay = 33,
    RelocationCutover = 34,
    RelocationPrepare = 40,
    ReplyRelayAck = 46,
    MessageFollow = 50,
    RelocationState = 52,
    RelocationFailed = 53,
};

enum class RuntimeState : std::uint8_t { Preparing, Serving, Draining, Stopped, Error };
enum class StatefulObjectKind : std::uint8_t { Actor = 1, UserSpot, InstanceSpot };
enum class AuthorityObjectKind : std::uint8_t { Actor = 1, Spot };
enum class SpotKind : std::uint8_t { Entry = 1, User, Instance };
enum class ActorSpotKind : std::uint8_t { Entry = 1, User };
enum class ObjectRole : std::uint8_t { None, Client, Server };
/// Coordinator can be decoded and is never a legal sender (section 15.1).
enum class RelocationRole : std::uint8_t { Source = 1, Target, Coordinator };
enum class RelocationPhase : std::uint8_t {
    None,
    Preparing,
    Captured,
    Prepared,
    Committed,
    Activating,
    Activated,
    Cleaning,
    Completed,
    Aborted,
};
enum class RelocationPolicyKind : std::uint8_t { Disabled, Recreate, Snapshot };
enum class SourceCleanupState : std::uint8_t { Pending, Completed, SourceLeaseExpired };
enum class TimerOverrunPolicyKind : std::uint8_t {
    SkipLateTicks = 1,
    CatchUpBounded,
    DelayNextTick,
};
enum class ActorLifecycleKind : std::uint8_t { Created = 1, Joined, Left, Disconnected, Destroyed };
enum class FrozenSourceKind : std::uint8_t { Node = 1, Spot, Actor, BoundSession };
enum class MeshRecordKind : std::uint8_t {
    NodeSend = 1,
    NodeRequest,
    ChannelSend,
    ChannelRequest,
    SpotSend,
    SpotRequest,
    SpotMulticast,
    SpotControl,
    ActorSend,
    ActorRequest,
    Completion,
    SendReady,
    RelocationControl,
    InstanceSpotActivation,
};
enum class MeshDestinationKind : std::uint8_t { Node = 1, Channel, Spot, Actor, BoundSession };
enum class MeshOperationKind : std::uint32_t {
    None,
    NodeRequest,
    ChannelRequest,
    SpotRequest,
    ActorRequest,
    ActorLookup,
    ActorDestroy,
    ActorJoin,
    ActorLeave,
    StreamBind,
    StreamUnbind,
    StreamClose,
    InstanceSpotRequest,
    UserSpotCreate,
    UserSpotClose,
    ActorCreate,
};
enum class ActorJoinResult : std::uint32_t { Accepted, Rejected };
enum class SessionRelocationRouteAction : std::uint8_t { Commit = 1, Abort };
enum class BoundSessionBindingState : std::uint8_t { Active = 1, Tombstone };
enum class ReplyRelayContextKind : std::uint8_t { ColdActivation = 1, MaintenanceRelocation };
enum class ColdActivationCompletionKind : std::uint8_t { ReadyBarrier = 1, ActivationFailure };
enum class ReplyRelayAckStatus : std::uint8_t { TerminalReceived = 1, AlreadyTerminal };
enum class InstanceOperationKind : std::uint8_t { Send = 1, Request };
enum class InstanceRouteKind : std::uint8_t { Ready = 1, ColdActivation };
/// Of user Spots and of Actors (`user-spot-create-result`, `actor-create-result`).
enum class CreateResult : std::uint8_t { Existing = 1, Created, Rejected };
enum class ServiceTopologyKind : std::uint8_t { RouteMesh = 1, ClientServer };
enum class ClientServerRole : std::uint8_t { Client = 1, Server };
enum class ClientServerDirection : std::uint8_t { ClientToServer = 1 };
enum class AuthorityOperationKind : std::uint8_t {
    Steady,
    ColdActivation,
    MaintenanceRelocation,
    Close,
};
enum class EntryUserSpotAuthorityState : std::uint8_t { Creating, Ready, Closing, Relocating };
enum class ActorAuthorityState : std::uint8_t { Creating, Ready };
enum class InstanceAuthorityState : std::uint8_t {
    ColdActivating = 1,
    Ready,
    Closing,
    Relocating,
};
enum class RejectReason : std::uint32_t {
    ProtocolVersionUnsupported = 1,
    TopologyMismatch,
    IdentityMismatch,
    SecurityIdentityMismatch,
    ChannelMismatch,
    LifecycleGenerationStale,
    DescriptorRevisionStale,
    CapabilityMismatch,
    RuntimeNotServing,
    DuplicateConnection,
    InvalidDescriptor,
    ResourceLimit,
};

/// Section 3.1.
enum class RequestTerminalResult : std::uint32_t {
    Ok = 0,
    TimedOut = 101,
    NotFound,
    Terminated,
    ProtocolError,
    InternalError,
    Rejected,
    Conflict,
    Busy,
    NotConnected,
    InvalidArgument,
    InvalidState,
    NotSupported,
    Backpressured,
};

/// Section 3.2. Each code pairs with one terminal result only: see terminal.hpp.
enum class FrameworkErrorCode : std::uint32_t {
    None = 0,
    ActorRouteNotFound,
    ActorCreateFailed,
    ActorAlreadyExists,
    ActorTypeMismatch,
    SpotCreateFailed,
    SpotRouteNotFound,
    SpotTypeMismatch,
    ActorSessionNotBound,
    HandlerNotFound,
    RouteHandlerNotFound,
    ActorDispatchHandlerNotFound,
    PayloadDecodeFailed,
    RouteNotConnected,
    RequestTargetNotFound,
    RequestRejected,
    RequestProtocolError,
    RequestFailed,
    WorkerQueueFull,
    WorkerTimedOut,
    WorkerFailed,
    ActorLocationStale,
    ActorCreateRejected,
    SpotGenerationStale = 33,
    SpotMoving,
    RelocationDataLost,
};

}  // namespace shunt::protocol
