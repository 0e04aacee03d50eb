#pragma once
// How much memory decoding takes. The programs that link memory_meter.cpp count every operator
// new; one thread measures at a time.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace shunt::fuzz {

/// Starts a measurement at zero.
void meter_start() noexcept;
/// The most that was held at once since then, as the allocator rounds it.
std::size_t meter_peak_bytes() noexcept;

/// What decoding `input_bytes` hostile bytes may hold at once.
constexpr std::size_t memory_bytes_max(std::size_t input_bytes) noexcept {
    return 16 * input_bytes + 64 * 1024;
}

/// Runs `decode`, which reads `input_bytes`, and aborts if it took more memory than it may.
template <class Decode>
auto metered(std::size_t input_bytes, Decode&& decode) {
    meter_start();
    auto result = std::forward<Decode>(decode)();
    const std::size_t peak = meter_peak_bytes();
    if (peak <= memory_bytes_max(input_bytes)) return result;
    std::fprintf(stderr, "%zu bytes took %zu bytes of memory\n", input_bytes, peak);
    std::abort();
}

}  // namespace shunt::fuzz
