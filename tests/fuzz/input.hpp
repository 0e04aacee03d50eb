#pragma once
// Cuts a fuzzer's bytes into what a target needs, and says when a target's rule is broken.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/bytes.hpp"

namespace shunt::fuzz {

/// Aborts with what was expected: the fuzzer keeps the input.
inline void must_hold(bool holds, const char* expectation) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", expectation);
    std::abort();
}

/// The next byte of `input`, or 0 when there is none.
inline std::uint8_t take_byte(ByteView& input) noexcept {
    if (input.empty()) return 0;
    const auto byte = std::to_integer<std::uint8_t>(input.front());
    input = input.subspan(1);
    return byte;
}

/// The next bytes of `input`, as many as a 16-bit length before them says or as there are.
inline ByteView take_piece(ByteView& input) noexcept {
    const unsigned high = take_byte(input);
    const unsigned size = (high << 8U) | take_byte(input);
    const ByteView piece = input.first(std::min<std::size_t>(size, input.size()));
    input = input.subspan(piece.size());
    return piece;
}

}  // namespace shunt::fuzz
