#include "store/json_writer.hpp"

#include "store/decimal.hpp"

namespace shunt::store {

void JsonWriter::begin_object() {
    separate();
    open('{');
}

void JsonWriter::begin_object(std::string_view name) {
    begin_member(name);
    open('{');
}

void JsonWriter::end_object() {
    close('}');
}

void JsonWriter::begin_list(std::string_view name) {
    begin_member(name);
    open('[');
}

void JsonWriter::end_list() {
    close(']');
}

void JsonWriter::text(std::string_view name, std::string_view value) {
    begin_member(name);
    quote(value);
    needs_comma_ = true;
}

void JsonWriter::integer(std::string_view name, std::uint64_t value) {
    begin_member(name);
    out_ += decimal_of(value);
    needs_comma_ = true;
}

void JsonWriter::decimal(std::string_view name, std::uint64_t value) {
    text(name, decimal_of(value));
}

void JsonWriter::boolean(std::string_view name, bool value) {
    begin_member(name);
    out_ += value ? "true" : "false";
    needs_comma_ = true;
}

void JsonWriter::null(std::string_view name) {
    begin_member(name);
    out_ += "null";
    needs_comma_ = true;
}

void JsonWriter::separate() {
    if (needs_comma_) out_.push_back(',');
}

void JsonWriter::begin_member(std::string_view name) {
    separate();
    quote(name);
    out_.push_back(':');
}

void JsonWriter::open(char bracket) {
    out_.push_back(bracket);
    needs_comma_ = false;
}

void JsonWriter::close(char bracket) {
    out_.push_back(bracket);
    needs_comma_ = true;
}

void JsonWriter::quote(std::string_view value) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out_.push_back('"');
    for (const char c : value) {
        // clang-format off
        switch (c) {
            case '"':  out_ += "\\\""; continue;
            case '\\': out_ += "\\\\"; continue;
            case '\b': out_ += "\\b";  continue;
            case '\f': out_ += "\\f";  continue;
            case '\n': out_ += "\\n";  continue;
            case '\r': out_ += "\\r";  continue;
            case '\t': out_ += "\\t";  continue;
            default: break;
        }
        // clang-format on
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20) {
            out_.push_back(c);
            continue;
        }
        out_ += "\\u00";
        out_.push_back(kHex[byte >> 4U]);
        out_.push_back(kHex[byte & 0xFU]);
    }
    out_.push_back('"');
}

}  // namespace shunt::store
