#include "host/options.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ids.hpp"
#include "host/errc.hpp"
#include "host/job_permits.hpp"

namespace shunt::host {
namespace {

bool is_prefix(std::string_view text) noexcept {
    if (text.empty() || text.size() > 64) return false;
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-';
    });
}

struct Rule {
    bool holds;
    const char* sentence;
};

using std::chrono::milliseconds;
constexpr milliseconds kZero{0};

/// The sender must forget a route before the old address forgets to forward.
bool route_cache_fits(const HostOptions& o) noexcept {
    if (o.route_cache_max_age == kZero || o.message_follow_duration == kZero) return true;
    const milliseconds margin = std::min(milliseconds(5'000), o.message_follow_duration / 2);
    return o.route_cache_max_age <= o.message_follow_duration - margin;
}

}  // namespace

result<void> HostOptions::validate(std::string* why) const {
    const auto lease_cycle =
        std::max(owner_lease_renew_interval, owner_lease_renew_timeout) + owner_lease_renew_timeout;
    const auto rules = std::to_array<Rule>({
        {is_prefix(node_prefix), "node_prefix must be 1..64 of [A-Za-z0-9._-]."},
        {is_valid_id(mesh_name), "mesh_name must be 1..255 bytes of UTF-8 without NUL."},
        {!listen_address.empty(), "listen_address must be host:port."},
        {application_version >= 0, "application_version must not be negative."},
        {!maintenance_wave || is_valid_id(*maintenance_wave),
         "maintenance_wave must be 1..255 bytes of UTF-8 without NUL."},
        {shards <= JobPermits::kShardsMax, "shards must be 0..64."},
        {placement_weight <= 10'000, "placement_weight must be 0..10000."},
        {relocation_payload_chunk_limit >= 1 && relocation_payload_chunk_limit <= 67'108'864,
         "relocation_payload_chunk_limit must be 1..67108864 bytes."},
        {relocation_cutover_wait_timeout > kZero,
         "relocation_cutover_wait_timeout must be above zero."},
        {relocation_restore_validity > kZero, "relocation_restore_validity must be above zero."},
        {message_follow_duration >= kZero, "message_follow_duration must not be negative."},
        {message_follow_relay_window > kZero, "message_follow_relay_window must be above zero."},
        {route_cache_max_age >= kZero, "route_cache_max_age must not be negative."},
        {route_cache_fits(*this),
         "route_cache_max_age must stay 5 s (or half, when follow is shorter than 10 s) below "
         "message_follow_duration."},
        {owner_lease_renew_interval > kZero && owner_lease_renew_timeout > kZero &&
             owner_lease_fencing_margin > kZero && owner_lease_ttl > kZero,
         "every owner_lease setting must be above zero."},
        {lease_cycle < owner_lease_ttl - owner_lease_fencing_margin,
         "max(owner_lease_renew_interval, owner_lease_renew_timeout) + owner_lease_renew_timeout "
         "must stay below owner_lease_ttl - owner_lease_fencing_margin."},
        {polling_interval > kZero, "polling_interval must be above zero."},
        {store_operation_timeout > kZero, "store_operation_timeout must be above zero."},
        {default_request_timeout > kZero, "default_request_timeout must be above zero."},
        {send_timeout > kZero, "send_timeout must be above zero."},
        {max_queued_application_jobs <= 0x7FFF'FFFF,
         "max_queued_application_jobs must be at most 2147483647."},
        {pause_threshold_percent >= 1 && pause_threshold_percent <= 100 &&
             resume_threshold_percent < pause_threshold_percent,
         "thresholds must hold 1 <= pause <= 100 and resume < pause."},
    });
    for (const Rule& rule : rules) {
        if (rule.holds) continue;
        if (why != nullptr) *why = rule.sentence;
        return Errc::InvalidArgument;
    }
    return outcome::success();
}

std::string_view name_of(HostState state) noexcept {
    switch (state) {
        case HostState::Preparing:
            return "preparing";
        case HostState::Serving:
            return "serving";
        case HostState::Relocating:
            return "relocating";
        case HostState::Relocated:
            return "relocated";
        case HostState::Draining:
            return "draining";
        case HostState::Stopped:
            return "stopped";
        case HostState::Error:
            return "error";
    }
    return "?";
}

std::string_view name_of(RelocationMode mode) noexcept {
    return mode == RelocationMode::PlannedMaintenance ? "PlannedMaintenance" : "RollingUpdate";
}

std::string_view name_of(RelocationOutcome outcome) noexcept {
    return outcome == RelocationOutcome::Relocated ? "Relocated" : "Blocked";
}

std::string_view name_of(RelocationReason reason) noexcept {
    switch (reason) {
        case RelocationReason::None:
            return "None";
        case RelocationReason::TargetUnavailable:
            return "TargetUnavailable";
        case RelocationReason::StoreUnavailable:
            return "StoreUnavailable";
        case RelocationReason::RelocationDisabled:
            return "RelocationDisabled";
        case RelocationReason::StateIncompatible:
            return "StateIncompatible";
        case RelocationReason::DeadlineExceeded:
            return "DeadlineExceeded";
        case RelocationReason::RelocationFailed:
            return "RelocationFailed";
        case RelocationReason::RuntimeNotReady:
            return "RuntimeNotReady";
        case RelocationReason::ManualTopologyUnsupported:
            return "ManualTopologyUnsupported";
        case RelocationReason::ShutdownRequested:
            return "ShutdownRequested";
        case RelocationReason::OperationInProgress:
            return "OperationInProgress";
    }
    return "?";
}

std::string_view name_of(TerminationOutcome outcome) noexcept {
    return outcome == TerminationOutcome::Stopped ? "Stopped" : "ForceStopped";
}

std::string_view name_of(TerminationReason reason) noexcept {
    switch (reason) {
        case TerminationReason::None:
            return "None";
        case TerminationReason::DeadlineExceeded:
            return "DeadlineExceeded";
        case TerminationReason::TeardownFailed:
            return "TeardownFailed";
    }
    return "?";
}

}  // namespace shunt::host
