#pragma once
// The one spelling of a number in the stores: ASCII decimal, no sign, no leading zero
// (spec/stores.md sections 5.1, 5.7 and 5.8).

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shunt::store {

/// 2^63-1: the largest number any record holds. As a generation it means "exhausted".
inline constexpr std::uint64_t kNumberMax = 0x7FFF'FFFF'FFFF'FFFF;
/// The largest generation a counter ever issues.
inline constexpr std::uint64_t kIssuedMax = kNumberMax - 1;

/// Nothing for an empty text, other bytes, a leading zero or a value above `max`.
inline std::optional<std::uint64_t> parse_decimal(std::string_view text,
                                                  std::uint64_t max = kNumberMax) noexcept {
    if (text.empty() || (text.front() == '0' && text.size() > 1)) return std::nullopt;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value > max) {
        return std::nullopt;
    }
    return value;
}

inline std::string decimal_of(std::uint64_t value) {
    return std::to_string(value);
}

}  // namespace shunt::store
