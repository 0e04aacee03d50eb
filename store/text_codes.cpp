#include "store/text_codes.hpp"

#include <array>
#include <cstdint>

namespace shunt::store {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xFF;

constexpr std::array<std::uint8_t, 256> values_of(std::string_view digits) {
    std::array<std::uint8_t, 256> values{};
    values.fill(kNoDigit);
    for (std::size_t i = 0; i < digits.size(); ++i) {
        values[static_cast<unsigned char>(digits[i])] = static_cast<std::uint8_t>(i);
    }
    return values;
}

constexpr auto kHexValues = values_of(kHexDigits);
constexpr auto kBase64Values = values_of(kBase64Digits);

std::uint8_t value_of(const std::array<std::uint8_t, 256>& values, char digit) noexcept {
    return values[static_cast<unsigned char>(digit)];
}

}  // namespace

std::string hex_of(ByteView bytes) {
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const std::byte byte : bytes) {
        const auto value = std::to_integer<unsigned>(byte);
        text.push_back(kHexDigits[value >> 4U]);
        text.push_back(kHexDigits[value & 0xFU]);
    }
    return text;
}

std::optional<Bytes> parse_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    Bytes bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const std::uint8_t high = value_of(kHexValues, text[i]);
        const std::uint8_t low = value_of(kHexValues, text[i + 1]);
        if (high == kNoDigit || low == kNoDigit) return std::nullopt;
        bytes.push_back(static_cast<std::byte>(high << 4U | low));
    }
    return bytes;
}

std::string base64_of(ByteView bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group <<= 8U;
            if (k < count) group |= std::to_integer<std::uint32_t>(bytes[i + k]);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            const std::uint32_t digit = group >> (18U - 6U * k) & 0x3FU;
            text.push_back(k <= count ? kBase64Digits[digit] : '=');
        }
    }
    return text;
}

std::optional<Bytes> parse_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    Bytes bytes;
    bytes.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        std::string_view digits = text.substr(i, 4);
        if (i + 4 == text.size()) {
            while (digits.size() > 2 && digits.back() == '=') digits.remove_suffix(1);
        }
        std::uint32_t group = 0;
        for (const char digit : digits) {
            const std::uint8_t value = value_of(kBase64Values, digit);
            if (value == kNoDigit) return std::nullopt;
            group = group << 6U | value;
        }
        group <<= 6U * (4 - digits.size());
        const std::size_t count = digits.size() - 1;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto byte = static_cast<std::byte>(group >> (16U - 8U * k) & 0xFFU);
            if (k < count) {
                bytes.push_back(byte);
            } else if (byte != std::byte{0}) {
                return std::nullopt;
            }
        }
    }
    return bytes;
}

}  // namespace shunt::store
