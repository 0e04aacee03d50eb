#pragma once
// Bookkeeping of the chunks of one payload (spec/wire.md section 8): ordinals, lengths and the
// running CRC-32C. Pure: the driver hands over each chunk once, after AssembleChunk, and copies the
// bytes itself when told to. Memory is taken at construction, bounded by the chunk count.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "relocation/event.hpp"
#include "relocation/identity.hpp"

namespace shunt::relocation {

/// What one chunk is to the assembly.
enum class ChunkVerdict : std::uint8_t {
    Append,    // Next in order: copy it behind what is there.
    Repeated,  // The same bytes again, after a reconnect: nothing to do.
    Conflict,  // Out of order, beyond the count, or other bytes than before.
    Overflow,  // Longer than the manifest declares: counted, not to be copied.
};

class Assembly {
  public:
    /// `manifest.chunk_count` is 1..kRelocationChunksMax, as the decoder of command 40 guarantees.
    explicit Assembly(const StreamManifest& manifest);

    /// Judges `bytes`, borrowed for the call, and counts them unless they are Repeated or Conflict.
    /// The CRC runs once over each byte.
    ChunkVerdict accept(std::uint32_t ordinal, ByteView bytes);

    /// The event the Target has to see for the chunk just judged; none for a repeated one.
    std::optional<TargetEvent> event_for(ChunkVerdict verdict, const RelocationIdentity& identity,
                                         ConnectionId connection, std::uint32_t ordinal) const;

    /// Counted so far; above the manifest's total after Overflow.
    std::uint64_t assembled_bytes() const noexcept { return assembled_bytes_; }
    std::uint32_t checksum_crc32c() const noexcept { return checksum_crc32c_; }
    std::uint32_t next_ordinal() const noexcept {
        return static_cast<std::uint32_t>(taken_.size());
    }

  private:
    /// Enough to tell a repeated chunk without a second checksum over each byte: the running CRC
    /// continues from `crc_before` to the next entry's.
    struct Taken {
        std::uint64_t size_bytes = 0;
        std::uint32_t crc_before = 0;
        std::uint32_t crc_after = 0;
    };

    StreamManifest manifest_;
    std::vector<Taken> taken_;
    std::uint64_t assembled_bytes_ = 0;
    std::uint32_t checksum_crc32c_ = 0;
};

}  // namespace shunt::relocation
