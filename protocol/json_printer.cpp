#include "protocol/json_printer.hpp"

namespace shunt::protocol {
namespace {

constexpr char kHex[] = "0123456789abcdef";

}  // namespace

void JsonPrinter::separate() {
    if (!first_ && !after_key_) out_ += ',';
    first_ = false;
    after_key_ = false;
}

void JsonPrinter::open(char bracket) {
    separate();
    out_ += bracket;
    first_ = true;
}

void JsonPrinter::close(char bracket) {
    out_ += bracket;
    first_ = false;
}

void JsonPrinter::raw(std::string_view token) {
    separate();
    out_ += token;
}

void JsonPrinter::quoted(std::string_view text) {
    out_ += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out_ += '\\';
            out_ += c;
        } else if (byte < 0x20) {
            out_ += "\\u00";
            out_ += kHex[byte >> 4U];
            out_ += kHex[byte & 0xFU];
        } else {
            out_ += c;
        }
    }
    out_ += '"';
}

void JsonPrinter::key(std::string_view name) {
    separate();
    quoted(name);
    out_ += ':';
    after_key_ = true;
}

void JsonPrinter::text(std::string_view text) {
    separate();
    quoted(text);
}

void JsonPrinter::bytes(ByteView bytes) {
    std::string hex;
    hex.reserve(bytes.size() * 2);
    for (const std::byte b : bytes) {
        hex += kHex[std::to_integer<unsigned>(b) >> 4U];
        hex += kHex[std::to_integer<unsigned>(b) & 0xFU];
    }
    text(hex);
}

}  // namespace shunt::protocol
