#include "base/utf8.hpp"

#include <cstddef>
#include <cstdint>

namespace shunt {
namespace {

/// Bytes of the sequence that `lead` opens, and the range of its second byte; 0 for no lead byte.
struct Lead {
    std::size_t size_bytes = 0;
    std::uint8_t second_min = 0x80;
    std::uint8_t second_max = 0xBF;
};

constexpr Lead classify(std::uint8_t lead) noexcept {
    if (lead < 0x80) return {.size_bytes = 1};
    if (lead < 0xC2) return {};  // A continuation byte, or an overlong two-byte form.
    if (lead < 0xE0) return {.size_bytes = 2};
    if (lead == 0xE0) return {.size_bytes = 3, .second_min = 0xA0};
    if (lead == 0xED) return {.size_bytes = 3, .second_max = 0x9F};  // Surrogates.
    if (lead < 0xF0) return {.size_bytes = 3};
    if (lead == 0xF0) return {.size_bytes = 4, .second_min = 0x90};
    if (lead < 0xF4) return {.size_bytes = 4};
    if (lead == 0xF4) return {.size_bytes = 4, .second_max = 0x8F};  // Above U+10FFFF.
    return {};
}

}  // namespace

bool is_strict_utf8(std::string_view text) noexcept {
    std::size_t at = 0;
    while (at < text.size()) {
        const Lead lead = classify(static_cast<std::uint8_t>(text[at]));
        if (lead.size_bytes == 0 || lead.size_bytes > text.size() - at) return false;
        for (std::size_t i = 1; i < lead.size_bytes; ++i) {
            const auto byte = static_cast<std::uint8_t>(text[at + i]);
            const std::uint8_t low = i == 1 ? lead.second_min : 0x80;
            const std::uint8_t high = i == 1 ? lead.second_max : 0xBF;
            if (byte < low || byte > high) return false;
        }
        at += lead.size_bytes;
    }
    return true;
}

}  // namespace shunt
