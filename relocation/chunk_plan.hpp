#pragma once
// How a captured stream is cut into chunks (seed unit section 4.2, spec/wire.md section 17.7).

#include <cstdint>
#include <optional>

namespace shunt::relocation {

/// What every peer takes, for paths without a negotiated limit.
inline constexpr std::uint64_t kChunkBytesUnnegotiated = std::uint64_t{32} * 1024;

struct ChunkLimits {
    /// Setting relocation_payload_chunk_limit.
    std::uint64_t setting_bytes = std::uint64_t{256} * 1024;
    /// What the target advertised before the seal.
    std::optional<std::uint64_t> advertised_bytes = std::nullopt;
    /// The smaller of the budgets in force, less what the pipe charges around the chunk; none when
    /// both are off.
    std::optional<std::uint64_t> budget_bytes = std::nullopt;
};

struct ChunkPlan {
    std::uint64_t chunk_bytes = 0;
    std::uint32_t chunk_count = 0;
    bool operator==(const ChunkPlan&) const = default;
};

/// Cuts `total_bytes`, above zero. The budget yields where it alone would need more than
/// protocol::kRelocationChunksMax chunks; none when the other limits need more, too: fail before
/// command 40.
std::optional<ChunkPlan> plan_chunks(std::uint64_t total_bytes, const ChunkLimits& limits) noexcept;

}  // namespace shunt::relocation
