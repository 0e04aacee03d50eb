#include "tools/hex_text.hpp"

#include <array>
#include <cctype>
#include <cstdio>
#include <optional>

#include "tools/errc.hpp"

namespace shunt::tools {
namespace {

std::optional<unsigned> digit_of(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    return std::nullopt;
}

/// A byte that may not be printable, as text for a person.
std::string shown_char(char c) {
    if (std::isprint(static_cast<unsigned char>(c)) != 0) return std::string("'") + c + "'";
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "byte 0x%02x", static_cast<unsigned char>(c));
    return text.data();
}

}  // namespace

result<Bytes> parse_hex(std::string_view digits, std::string* why) {
    Bytes bytes;
    bytes.reserve(digits.size() / 2);
    std::optional<unsigned> high;
    for (const char c : digits) {
        if (c == ' ' || c == '\t' || c == '\r') continue;
        const std::optional<unsigned> digit = digit_of(c);
        if (!digit) {
            *why = shown_char(c) + " is no hex digit";
            return Errc::InputMalformed;
        }
        if (high) {
            bytes.push_back(static_cast<std::byte>((*high << 4U) | *digit));
            high.reset();
        } else {
            high = digit;
        }
    }
    if (high) {
        *why = "the last byte has one hex digit only";
        return Errc::InputMalformed;
    }
    return bytes;
}

result<std::vector<Bytes>> parse_hex_lines(std::string_view text, std::string* why) {
    std::vector<Bytes> lines;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        line = line.substr(0, line.find('#'));
        result<Bytes> bytes = parse_hex(line, why);
        if (bytes.has_error()) {
            *why = "line " + std::to_string(number) + ": " + *why;
            return bytes.error();
        }
        if (!bytes.value().empty()) lines.push_back(std::move(bytes).value());
    }
    return lines;
}

std::string hex_of(ByteView bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const std::byte b : bytes) {
        text += kDigits[std::to_integer<unsigned>(b) >> 4U];
        text += kDigits[std::to_integer<unsigned>(b) & 0xFU];
    }
    return text;
}

}  // namespace shunt::tools
