#include "protocol/crc32c.hpp"

#include <algorithm>

#include <isa-l/crc.h>

namespace shunt::protocol {

std::uint32_t crc32c(ByteView bytes, std::uint32_t seed) noexcept {
    // ISA-L counts in int and starts from the inverted value.
    constexpr std::size_t kStepBytes = std::size_t{1} << 30U;
    std::uint32_t inverted = ~seed;
    while (!bytes.empty()) {
        const ByteView step = bytes.first(std::min(bytes.size(), kStepBytes));
        // The library promises not to write through its non-const pointer.
        auto* data =
            const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(step.data()));
        inverted = crc32_iscsi(data, static_cast<int>(step.size()), inverted);
        bytes = bytes.subspan(step.size());
    }
    return ~inverted;
}

std::uint32_t crc32c(std::span<const Segment> segments, std::uint32_t seed) noexcept {
    for (const Segment& segment : segments) seed = crc32c(segment.view(), seed);
    return seed;
}

}  // namespace shunt::protocol
