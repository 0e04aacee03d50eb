#include "relocation/assembly.hpp"

#include "base/assert.hpp"
#include "protocol/crc32c.hpp"

namespace shunt::relocation {

Assembly::Assembly(const StreamManifest& manifest) : manifest_(manifest) {
    taken_.reserve(manifest.chunk_count);
}

ChunkVerdict Assembly::accept(std::uint32_t ordinal, ByteView bytes) {
    if (ordinal < next_ordinal()) {
        const Taken& taken = taken_[ordinal];
        const bool same = bytes.size() == taken.size_bytes &&
                          protocol::crc32c(bytes, taken.crc_before) == taken.crc_after;
        return same ? ChunkVerdict::Repeated : ChunkVerdict::Conflict;
    }
    if (ordinal > next_ordinal()) return ChunkVerdict::Conflict;
    if (ordinal >= manifest_.chunk_count) return ChunkVerdict::Conflict;

    // Subtracted, because a sum of peer-chosen lengths could wrap.
    const bool overflown = assembled_bytes_ > manifest_.total_length_bytes;
    if (overflown || bytes.size() > manifest_.total_length_bytes - assembled_bytes_) {
        assembled_bytes_ += bytes.size();
        return ChunkVerdict::Overflow;
    }
    const std::uint32_t crc_before = checksum_crc32c_;
    checksum_crc32c_ = protocol::crc32c(bytes, crc_before);
    assembled_bytes_ += bytes.size();
    taken_.push_back({bytes.size(), crc_before, checksum_crc32c_});
    return ChunkVerdict::Append;
}

std::optional<TargetEvent> Assembly::event_for(ChunkVerdict verdict,
                                               const RelocationIdentity& identity,
                                               ConnectionId connection,
                                               std::uint32_t ordinal) const {
    switch (verdict) {
        case ChunkVerdict::Append:
        case ChunkVerdict::Overflow:
            return ChunkAssembled{.identity = identity,
                                  .connection = connection,
                                  .ordinal = ordinal,
                                  .assembled_bytes = assembled_bytes_,
                                  .checksum_crc32c = checksum_crc32c_};
        case ChunkVerdict::Repeated:
            return std::nullopt;
        case ChunkVerdict::Conflict:
            return ChunkConflict{.identity = identity, .connection = connection};
    }
    assertion_failed("a declared ChunkVerdict", __FILE__, __LINE__);
}

}  // namespace shunt::relocation
