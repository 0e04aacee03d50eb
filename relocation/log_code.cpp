#include "relocation/log_code.hpp"

#include <array>

#include "base/assert.hpp"

namespace shunt::relocation {
namespace {

struct Entry {
    LogCode code;
    LogLevel level;
    std::string_view name;
};

// clang-format off
constexpr auto kEntries = std::to_array<Entry>({
    {LogCode::CutoverTimeout,            LogLevel::Warning, "cutover_timeout"},
    {LogCode::LateCutover,               LogLevel::Warning, "late_cutover"},
    {LogCode::LocationUpdateFailed,      LogLevel::Error,   "location_update_failed"},
    {LogCode::CutoverVerificationFailed, LogLevel::Error,   "cutover_verification_failed"},
    {LogCode::PayloadChecksumMismatch,   LogLevel::Error,   "payload_checksum_mismatch"},
    {LogCode::RestoreConflict,           LogLevel::Error,   "restore_conflict"},
    {LogCode::CutoverResultUnknown,      LogLevel::Warning, "cutover_result_unknown"},
    {LogCode::ReconciliationUnresolved,  LogLevel::Error,   "reconciliation_unresolved"},
    {LogCode::ForeignIdentity,           LogLevel::Warning, "foreign_identity"},
    {LogCode::RepeatedPrepare,           LogLevel::Info,    "repeated_prepare"},
    {LogCode::LateRelay,                 LogLevel::Info,    "late_relay"},
    {LogCode::LateReply,                 LogLevel::Info,    "late_reply"},
    {LogCode::StaleOwner,                LogLevel::Warning, "stale_owner"},
    {LogCode::CasRetried,                LogLevel::Info,    "cas_retried"},
    {LogCode::LateStoreAnswer,           LogLevel::Info,    "late_store_answer"},
    {LogCode::BatchRetransmitted,        LogLevel::Info,    "batch_retransmitted"},
    {LogCode::AttemptResent,             LogLevel::Info,    "attempt_resent"},
    {LogCode::RouteAdopted,              LogLevel::Info,    "route_adopted"},
    {LogCode::BoundaryUnknown,           LogLevel::Warning, "boundary_unknown"},
    {LogCode::AbortTooLate,              LogLevel::Info,    "abort_too_late"},
    {LogCode::OutOfTurn,                 LogLevel::Warning, "out_of_turn"},
    {LogCode::EventIgnored,              LogLevel::Debug,   "event_ignored"},
});
// clang-format on

static_assert(kEntries.size() == kLogCodeCount);
static_assert(
    [] {
        for (std::size_t i = 0; i < kEntries.size(); ++i) {
            if (static_cast<std::size_t>(kEntries[i].code) != i) return false;
        }
        return true;
    }(),
    "in declaration order, so that a code is its index");

const Entry& entry_of(LogCode code) noexcept {
    const auto index = static_cast<std::size_t>(code);
    SHUNT_ASSERT(index < kEntries.size());
    return kEntries[index];
}

}  // namespace

std::string_view name_of(LogCode code) noexcept {
    return entry_of(code).name;
}

LogLevel level_of(LogCode code) noexcept {
    return entry_of(code).level;
}

}  // namespace shunt::relocation
