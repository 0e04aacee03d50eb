#pragma once
// What can happen to a move. A driver turns the outside world (records, submit results, timers,
// store answers) into these values and feeds them to Source::step and Target::step together with
// `now`. Closed variants: a new alternative fails to compile until both machines have decided.

#include <cstdint>
#include <variant>

#include "base/time.hpp"
#include "protocol/enums.hpp"
#include "protocol/record.hpp"
#include "relocation/identity.hpp"

namespace shunt::relocation {

/// Every timer a machine may arm; one instance of each at most.
enum class TimerKind : std::uint8_t {
    OperationDeadline,     // source: the host operation's absolute deadline
    RetransmissionWindow,  // source: S1 + cutover_wait_timeout
    FollowEnd,             // source: S1 + message_follow_duration (S4)
    ReconcileSweep,        // source: once a second while the owner is unknown
    CutoverWait,           // target: relay-ready + cutover_wait_timeout
    RestoreValidity,       // target: first 40 + relocation_restore_validity
    CasRetry,              // target: back-off before the same CAS again
};

struct TimerElapsed {
    TimerKind timer;
};

// --- source ---------------------------------------------------------------------------------

/// Target chosen, peer ready, room in the budget: the unit may be paused at its next turn end.
/// `connection` is the mesh connection that carries the whole move.
struct MoveRequested {
    ConnectionId connection;
    TimePoint operation_deadline;
};
/// The current turn has ended and the admission seal is applied in this instant: S0.
struct TurnEnded {};
struct CaptureSucceeded {
    StreamManifest manifest;
};
/// The adapter failed, or the stream would need more chunks than the wire allows.
struct CaptureFailed {
    protocol::FrameworkErrorCode code;
};
/// The budget has taken the charge of one chunk: both values are those of RequestChunkRoom, so a
/// grant that comes after a reconnect or an abort is told from the one awaited.
struct ChunkRoomGranted {
    ConnectionId connection;
    std::uint32_t ordinal = 0;
};
/// Reply 30 taken out of the pending Restore request: the irreversible boundary.
struct RelayReadyReceived {
    RelocationIdentity identity;
    ConnectionId connection;
};
/// Reply 53: explicit failure.
struct RelocationFailedReceived {
    RelocationIdentity identity;
    ConnectionId connection;
    protocol::FrameworkErrorCode code;
};
/// Both machines: the connection that carries the move is gone.
struct ConnectionLost {
    ConnectionId connection;
};
/// Both machines: the same peer process is ready again on a new connection, on the lane of the old
/// one. From here only this connection carries the move.
struct ConnectionRestored {
    ConnectionId connection;
};
/// Terminal of the send that carried the cutover frame (design.md decision 23): once for
/// SubmitCutover and once for each ResendBatch, also when the connection broke.
struct CutoverTerminal {
    protocol::SubmitResult result;
};
/// The host asks for a safe abort (shutdown sealed first, operation cancelled).
struct AbortRequested {
    protocol::FrameworkErrorCode code;
};
/// Who the Location Store names, as far as one read tells.
enum class OwnerSeen : std::uint8_t { Source, Target, Other, Unreadable };
struct OwnerRead {
    OwnerSeen owner;
};

using SourceEvent =
    std::variant<MoveRequested, TurnEnded, CaptureSucceeded, CaptureFailed, ChunkRoomGranted,
                 RelayReadyReceived, RelocationFailedReceived, ConnectionLost, ConnectionRestored,
                 CutoverTerminal, AbortRequested, OwnerRead, TimerElapsed>;

// --- target ---------------------------------------------------------------------------------

/// Command 40 of this move, first or repeated; the machine is built from the first one.
struct PrepareReceived {
    RelocationIdentity identity;
    ConnectionId connection;
    StreamManifest manifest;
};
/// The row still names the source with every fence value of command 40, and there is room.
struct OwnerChecked {};
/// It does not, or the type is unknown here, or the node may not take objects now.
struct OwnerRefused {
    protocol::FrameworkErrorCode code;
};
/// Command 52. The machine says whether the driver may touch the assembly with it.
struct ChunkArrived {
    RelocationIdentity identity;
    ConnectionId connection;
};
/// One chunk counted by the assembly (assembly.hpp makes this event). `checksum_crc32c` runs over
/// all assembled bytes so far.
struct ChunkAssembled {
    RelocationIdentity identity;
    ConnectionId connection;
    std::uint32_t ordinal = 0;
    std::uint64_t assembled_bytes = 0;
    std::uint32_t checksum_crc32c = 0;
};
/// A chunk that breaks the ordinal rule or repeats one with other bytes.
struct ChunkConflict {
    RelocationIdentity identity;
    ConnectionId connection;
};
/// Factory and restore have run, the saved work is decoded, every staged byte is owned here.
struct UnitRestored {};
struct UnitRestoreFailed {
    protocol::FrameworkErrorCode code;
};
/// Command 31. The machine says where it goes; the driver appends it there.
struct RelayArrived {
    RelocationIdentity identity;
    ConnectionId connection;
};
/// Command 34 with what it declares; `received` is what this connection really brought.
struct CutoverArrived {
    RelocationIdentity identity;
    ConnectionId connection;
    BoundaryProof declared;
    BoundaryProof received;
};
/// Answer to CasOwner.
enum class CasAnswer : std::uint8_t { Applied, Conflict, Transient, Indeterminate };
struct CasAnswered {
    CasAnswer answer;
};
/// Answer to ReadOwner (spec/stores.md section 13): Target = this move is committed, Source = the
/// row is as first read, Other = somebody else's or another incarnation.
struct TargetOwnerRead {
    OwnerSeen owner;
};
/// Saved work, relay and temporary work stand in the real queue, the regular route is switched and
/// lifecycle callbacks are done.
struct BacklogReady {};
/// The host ends (shutdown or lost lease): whatever is not committed goes.
struct TargetAborted {
    protocol::FrameworkErrorCode code;
};

using TargetEvent =
    std::variant<PrepareReceived, OwnerChecked, OwnerRefused, ChunkArrived, ChunkAssembled,
                 ChunkConflict, UnitRestored, UnitRestoreFailed, RelayArrived, CutoverArrived,
                 CasAnswered, TargetOwnerRead, BacklogReady, ConnectionLost, ConnectionRestored,
                 TargetAborted, TimerElapsed>;

}  // namespace shunt::relocation
