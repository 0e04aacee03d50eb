#pragma once
// How a host is set up (spec/execution.md section 9; names are the spec's in snake_case), and what
// its operations take and give back (seed host sections 2 and 3).

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace shunt::host {

/// Everything a host is started with. Startup only; validate() is called by start.
struct HostOptions {
    // The constructor keeps this from being an aggregate: g++ 12 miscompiles aggregate temporaries
    // beside a co_await (design.md section 2).
    HostOptions() {}

    /// Opens every node rid: 1..64 of [A-Za-z0-9._-]; a fresh UUID follows it.
    std::string node_prefix = "node";
    /// Nodes of one mesh find and admit each other; others refuse. 1..255 bytes.
    std::string mesh_name = "default";
    /// Mesh listener, `host:port`; port 0 takes a free one.
    std::string listen_address = "127.0.0.1:0";
    /// What peers dial instead of the listener's own address, `host:port`, when something stands in
    /// between (0.0.0.0, an address translation, a proxy); empty is the listener's own.
    std::string advertised_address;
    /// Version of the application's state formats; selects relocation targets. At least 0.
    std::int64_t application_version = 0;
    /// Hosts under the same maintenance; never a relocation target of one another.
    std::optional<std::string> maintenance_wave;
    /// 0..10000; 0 takes no relocation in.
    std::uint32_t placement_weight = 100;

    // --- threads ----------------------------------------------------------------------------
    /// Shards, each one thread with its ring: 1..64, or 0 for one per usable processor.
    std::uint32_t shards = 0;

    // --- relocation -------------------------------------------------------------------------
    /// Encoded bytes of one chunk, 1..67108864.
    std::uint32_t relocation_payload_chunk_limit = 256 * 1024;
    /// Chunk bytes in flight to one peer; 0 is no limit.
    std::uint64_t relocation_in_flight_payload_budget = 16 * 1024 * 1024;
    /// Chunk bytes in flight over all peers; 0 is no limit.
    std::uint64_t relocation_node_in_flight_payload_budget = 0;
    /// Wait for cutover at the target, and retransmission window at the source.
    std::chrono::milliseconds relocation_cutover_wait_timeout{1000};
    /// How long a target may try to become owner, from the first Restore request.
    std::chrono::milliseconds relocation_restore_validity{30'000};
    /// How long the old address forwards after a move; 0 is off.
    std::chrono::milliseconds message_follow_duration{30'000};
    /// How long one hop waits for the reply of a followed request (design.md decision 22).
    std::chrono::milliseconds message_follow_relay_window{5'000};
    /// At least 5 s below message_follow_duration, unless one of them is 0 or follow is shorter
    /// than 10 s, when half of it is the bound. 0 is off.
    std::chrono::milliseconds route_cache_max_age{15'000};

    // --- store and discovery ----------------------------------------------------------------
    std::chrono::milliseconds owner_lease_renew_interval{5'000};
    std::chrono::milliseconds owner_lease_ttl{15'000};
    std::chrono::milliseconds owner_lease_renew_timeout{3'000};
    std::chrono::milliseconds owner_lease_fencing_margin{5'000};
    std::chrono::milliseconds polling_interval{1'000};
    std::chrono::milliseconds store_operation_timeout{5'000};

    // --- messaging --------------------------------------------------------------------------
    std::chrono::milliseconds default_request_timeout{30'000};
    /// How long a one-way send may wait for room before it is dropped and counted.
    std::chrono::milliseconds send_timeout{1'000};
    /// Jobs accepted and not started; 0 takes 128 per processor.
    std::uint64_t max_queued_application_jobs = 0;
    std::uint32_t pause_threshold_percent = 80;
    std::uint32_t resume_threshold_percent = 60;
    /// Stamps every message with its route, for ledgers that check order. Costs a metadata frame.
    bool stamp_routes = false;

    /// Errc::InvalidArgument with a sentence naming the setting in `why`.
    result<void> validate(std::string* why = nullptr) const;
};

// The numbers of the enumerations below are the protocol's (seed host section 3).

enum class HostState : std::uint8_t {
    Preparing,
    Serving,
    Relocating,
    Relocated,
    Draining,
    Stopped,
    Error,
};

enum class RelocationMode : std::uint8_t { PlannedMaintenance, RollingUpdate };
enum class RelocationOutcome : std::uint8_t { Relocated, Blocked };
enum class RelocationReason : std::uint8_t {
    None,
    TargetUnavailable,
    StoreUnavailable,
    RelocationDisabled,
    StateIncompatible,
    DeadlineExceeded,
    RelocationFailed,
    RuntimeNotReady,
    ManualTopologyUnsupported,
    ShutdownRequested,
    OperationInProgress,
};
enum class TerminationOutcome : std::uint8_t { Stopped, ForceStopped };
enum class TerminationReason : std::uint8_t { None, DeadlineExceeded, TeardownFailed };

std::string_view name_of(HostState state) noexcept;
std::string_view name_of(RelocationMode mode) noexcept;
std::string_view name_of(RelocationOutcome outcome) noexcept;
std::string_view name_of(RelocationReason reason) noexcept;
std::string_view name_of(TerminationOutcome outcome) noexcept;
std::string_view name_of(TerminationReason reason) noexcept;

struct RelocateOptions {
    /// There is no default on purpose: maintenance and update choose different targets.
    explicit RelocateOptions(RelocationMode chosen) : mode(chosen) {}

    RelocationMode mode;
    /// Only for RollingUpdate, and then above this host's version.
    std::optional<std::int64_t> target_application_version;
    /// Above zero; 30 s when absent.
    std::optional<std::chrono::milliseconds> deadline;
};

struct RelocationResult {
    RelocationMode mode = RelocationMode::PlannedMaintenance;
    /// The effective version: this host's own for PlannedMaintenance.
    std::int64_t target_application_version = 0;
    RelocationOutcome outcome = RelocationOutcome::Blocked;
    RelocationReason reason = RelocationReason::None;
    bool operator==(const RelocationResult&) const = default;
};

struct TerminationResult {
    TerminationOutcome outcome = TerminationOutcome::Stopped;
    TerminationReason reason = TerminationReason::None;
    bool operator==(const TerminationResult&) const = default;
};

}  // namespace shunt::host
