#include "relocation/chunk_plan.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "protocol/envelope.hpp"

namespace shunt::relocation {

std::optional<ChunkPlan> plan_chunks(std::uint64_t total_bytes,
                                     const ChunkLimits& limits) noexcept {
    SHUNT_ASSERT(total_bytes > 0);
    const auto count_of = [&](std::uint64_t chunk_bytes) {
        return total_bytes / chunk_bytes + (total_bytes % chunk_bytes == 0 ? 0U : 1U);
    };

    const std::uint64_t agreed_bytes =
        std::min({limits.setting_bytes, limits.advertised_bytes.value_or(kChunkBytesUnnegotiated),
                  std::uint64_t{protocol::kRelocationChunkBytesMax}});
    if (agreed_bytes == 0 || count_of(agreed_bytes) > protocol::kRelocationChunksMax) {
        return std::nullopt;
    }
    // The budget never stops a payload, so it gives way as far as the chunk count demands.
    const std::uint64_t needed_bytes =
        (total_bytes + protocol::kRelocationChunksMax - 1) / protocol::kRelocationChunksMax;
    const std::uint64_t budget_bytes =
        std::max(limits.budget_bytes.value_or(agreed_bytes), needed_bytes);
    const std::uint64_t chunk_bytes = std::min(agreed_bytes, budget_bytes);
    return ChunkPlan{.chunk_bytes = chunk_bytes,
                     .chunk_count = static_cast<std::uint32_t>(count_of(chunk_bytes))};
}

}  // namespace shunt::relocation
