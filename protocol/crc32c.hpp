#pragma once
// CRC-32C, Castagnoli (spec/wire.md section 12), computed by ISA-L.

#include <cstdint>
#include <span>

#include "base/bytes.hpp"

namespace shunt::protocol {

/// Checksum of `bytes`; `seed` is the checksum of everything before them, 0 at the start.
std::uint32_t crc32c(ByteView bytes, std::uint32_t seed = 0) noexcept;

/// Checksum of the segments read as one byte sequence.
std::uint32_t crc32c(std::span<const Segment> segments, std::uint32_t seed = 0) noexcept;

/// Running checksum of bytes that arrive in pieces.
class Crc32c {
  public:
    void update(ByteView bytes) noexcept { value_ = crc32c(bytes, value_); }
    void update(std::span<const Segment> segments) noexcept { value_ = crc32c(segments, value_); }
    /// Of everything so far; 0 for nothing.
    std::uint32_t value() const noexcept { return value_; }

  private:
    std::uint32_t value_ = 0;
};

}  // namespace shunt::protocol
