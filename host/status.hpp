#pragma once
// The host as one value (spec/observability.md section 2, narrow): built at one point in time,
// refers to nothing of the runtime.

#include <cstdint>
#include <optional>

#include "host/options.hpp"

namespace shunt::host {

struct HostStatus {
    HostState state = HostState::Preparing;
    /// True exactly in Serving.
    bool is_ready = false;
    std::optional<RelocationResult> relocation_result;
    std::optional<TerminationResult> termination_result;
    /// Every follow route and retransmission copy of this host's moves is over (section 3).
    bool safe_to_shutdown = true;
    std::uint64_t actors = 0;
    std::uint64_t ready_peers = 0;
    std::uint64_t permits_in_use = 0;
    std::uint64_t permits_peak = 0;
    std::uint64_t permits_max = 0;
    std::uint64_t moves_out = 0;
    std::uint64_t moves_in = 0;
    /// Charge of relocation chunks that the pipes still hold.
    std::uint64_t in_flight_payload_bytes = 0;
    std::uint64_t pending_requests = 0;
    std::uint64_t unacknowledged_replies = 0;
};

}  // namespace shunt::host
