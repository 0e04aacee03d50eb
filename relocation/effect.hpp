#pragma once
// What a machine may ask of the world. Nothing here has happened when step() returns; the driver
// performs effects in list order and answers with events.

#include <cstdint>
#include <variant>

#include "base/static_vector.hpp"
#include "base/time.hpp"
#include "protocol/enums.hpp"
#include "relocation/event.hpp"
#include "relocation/identity.hpp"
#include "relocation/log_code.hpp"

namespace shunt::relocation {

/// The points of seed host section 8; the driver stamps them on its own clock.
enum class Point : std::uint8_t { S0, S1, S2, S3, S4 };

/// How a unit's move ended for the host plan.
enum class SourceOutcome : std::uint8_t {
    Detached,     // The cutover submit reached its terminal (either result).
    Restored,     // Explicit failure before the boundary: dispatch runs again.
    Unavailable,  // The relay-ready reply stayed indeterminate: closed, left to reconciliation.
};

// clang-format off

// --- both -----------------------------------------------------------------------------------
struct ArmTimer    { TimerKind timer; TimePoint deadline; };   // absolute, never extended
struct CancelTimer { TimerKind timer; };
struct Report      { LogCode code; };                          // the machine never logs
struct Mark        { Point point; };                           // stamp S0..S4

// --- source ---------------------------------------------------------------------------------
struct PauseAtTurnEnd     {};                     // start no new turn once the current one ends
struct CancelPause        {};                     // the unit was never sealed: serve on
struct CaptureUnit        {};                     // state, unexecuted queue, timers -> one stream
struct SendPrepare        { ConnectionId connection; };   // command 40, as a request
// Ask the budget for this chunk; answered by ChunkRoomGranted with the same values, or never when
// the connection is lost meanwhile.
struct RequestChunkRoom   { ConnectionId connection; std::uint32_t ordinal; };
struct ReturnChunkRoom    { ConnectionId connection; std::uint32_t ordinal; };  // that grant is not needed
struct SubmitChunk        { ConnectionId connection; std::uint32_t ordinal; };  // command 52
struct RelayHold          { ConnectionId connection; };   // everything held so far, as 31s: the batch
struct SubmitCutover      { ConnectionId connection; };   // command 34 with the batch's proof
struct ResendBatch        { ConnectionId connection; };   // the same 31s and a fresh 34
struct RestoreQueue       {};                     // saved work, then the hold, in original order
struct EndDispatch        {};                     // for good
struct ReleasePermits     {};                     // of the captured queue items
struct ReleaseCopies      {};                     // payload and boundary batch, exactly once
struct BeginFollow        {};                     // install the route: Ingress::Follow from here on
struct DrainHold          {};                     // forward what was held after the boundary
struct FailHold           {};                     // held requests end Unavailable
struct EndFollow          {};                     // remove the route
struct ReadSourceOwner    {};                     // answered by OwnerRead
struct Conclude           { SourceOutcome outcome; protocol::FrameworkErrorCode code; };

using SourceEffect =
    std::variant<ArmTimer, CancelTimer, Report, Mark, PauseAtTurnEnd, CancelPause, CaptureUnit,
                 SendPrepare, RequestChunkRoom, ReturnChunkRoom, SubmitChunk, RelayHold, SubmitCutover, ResendBatch,
                 RestoreQueue, EndDispatch, ReleasePermits, ReleaseCopies, BeginFollow, DrainHold,
                 FailHold, EndFollow, ReadSourceOwner, Conclude>;

// --- target ---------------------------------------------------------------------------------
struct RegisterTemporaryQueue {};                 // before lookup, factory and first chunk
struct CheckOwner         {};                     // answered by OwnerChecked or OwnerRefused
struct RestoreUnit        {};                     // decode, factory, restore, timers; dispatch closed
struct SendReady          { ConnectionId connection; };   // reply 30 to the latest 40
struct SendFailed         { ConnectionId connection; protocol::FrameworkErrorCode code; };  // reply 53
struct AssembleChunk      {};                     // the chunk at hand may join the assembly
struct DropChunk          {};                     // it may not
struct StageRelay         {};                     // append the record at hand to the relay span
struct StageLateRelay     {};                     // append it behind everything staged so far
struct DropRelay          {};                     // the record at hand is not ours
struct DiscardRelaySpan   {};                     // a retransmitted batch replaces the partial span
struct SkipRelay          {};                     // already merged: the span is a prefix of the batch
struct CasOwner           {};                     // the one owner change; answered by CasAnswered
struct ReadTargetOwner    {};                     // answered by TargetOwnerRead
struct OrderBacklog       {};                     // saved, relay, temporary; switch the route
struct OpenQueue          {};                     // only from OwnerCommitted
struct WriteSteady        {};                     // background Preserve: relocation state cleared
struct RemovePrepared     {};                     // instance, queues, assembly

using TargetEffect =
    std::variant<ArmTimer, CancelTimer, Report, Mark, RegisterTemporaryQueue, CheckOwner,
                 RestoreUnit, SendReady, SendFailed, AssembleChunk, DropChunk, StageRelay, StageLateRelay, DropRelay,
                 DiscardRelaySpan, SkipRelay, CasOwner, ReadTargetOwner, OrderBacklog, OpenQueue,
                 WriteSteady, RemovePrepared>;

// clang-format on

inline constexpr std::size_t kEffectsPerStepMax = 16;
/// Bounded: step() never allocates.
using SourceEffects = StaticVector<SourceEffect, kEffectsPerStepMax>;
using TargetEffects = StaticVector<TargetEffect, kEffectsPerStepMax>;

}  // namespace shunt::relocation
