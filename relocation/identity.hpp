#pragma once
// What binds Restore request, chunks, relay, cutover and CAS to one move (seed unit section 3).
// Attribution is decided by these values and the connection alone; arrival order and time never.

#include <cstdint>

#include "base/ids.hpp"
#include "protocol/shared.hpp"

namespace shunt::relocation {

/// One establishment of the mesh connection a move rides on; a reconnect is another id.
struct ConnectionId {
    std::uint64_t value = 0;
    constexpr auto operator<=>(const ConnectionId&) const noexcept = default;
};

/// The relocation identity: all three must match.
struct RelocationIdentity {
    RelocationId relocation;
    TargetAttemptGeneration attempt;
    protocol::RelocationCoordinatorFence coordinator;

    bool operator==(const RelocationIdentity&) const = default;
};

/// What command 40 declares about the whole encoded stream (spec/wire.md section 8).
struct StreamManifest {
    std::uint64_t total_length_bytes = 0;
    std::uint32_t chunk_count = 0;
    std::uint32_t checksum_crc32c = 0;

    bool operator==(const StreamManifest&) const = default;
};

/// What cutover declares about the relay sent before it.
struct BoundaryProof {
    std::uint64_t record_count = 0;
    std::uint32_t checksum_crc32c = 0;

    bool operator==(const BoundaryProof&) const = default;
};

}  // namespace shunt::relocation
