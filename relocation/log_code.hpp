#pragma once
// Everything a machine may report. Names are the spec's (spec/observability.md section 6.2); the
// codes below the gap are Shunt's own, for conditions that are ignored by rule yet must be visible.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shunt::relocation {

enum class LogLevel : std::uint8_t { Debug, Info, Warning, Error };

enum class LogCode : std::uint8_t {
    CutoverTimeout,
    LateCutover,
    LocationUpdateFailed,
    CutoverVerificationFailed,
    PayloadChecksumMismatch,
    RestoreConflict,
    CutoverResultUnknown,
    ReconciliationUnresolved,

    ForeignIdentity,     // Another move's record, or ours on a foreign connection.
    RepeatedPrepare,     // The same 40 again: progress is reused.
    LateRelay,           // A 31 behind the boundary.
    LateReply,           // 30 or 53 for a request that has ended.
    StaleOwner,          // The store names another owner or incarnation.
    CasRetried,          // Transient or unanswered CAS, same fence again.
    LateStoreAnswer,     // A store answer for a move that has ended.
    BatchRetransmitted,  // The batch and a fresh cutover left on a new connection.
    AttemptResent,       // 40 and its chunks left again on a new connection.
    RouteAdopted,        // Reconciliation found the target committed.
    BoundaryUnknown,     // No reply by the deadline although the target may be ready.
    AbortTooLate,        // A safe abort was asked for where none exists any more.
    OutOfTurn,           // A record of this move at a stage whose peer never sends it.
    EventIgnored,        // A spent timer and the like: nothing to do at this stage.
};
inline constexpr std::size_t kLogCodeCount = 22;

/// snake_case, as it stands in logs and metrics.
std::string_view name_of(LogCode code) noexcept;
LogLevel level_of(LogCode code) noexcept;

}  // namespace shunt::relocation
