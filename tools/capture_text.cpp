#include "tools/capture_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "tools/hex_text.hpp"
#include "tools/vector_check.hpp"

namespace shunt::tools {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kShownMax = 160;
constexpr std::size_t kContextBytes = 8;

std::string indent(int level) {
    return std::string(static_cast<std::size_t>(level) * 2, ' ');
}

/// Numbers and hex are strings in the document and need no quotes; anything else keeps them, so
/// that no text from the wire reaches a terminal unescaped.
std::string scalar(const ordered_json& value) {
    if (!value.is_string()) return value.dump();
    const std::string& text = value.get_ref<const std::string&>();
    const bool plain = !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    });
    const std::string shown = plain ? text : value.dump(-1, ' ', true);
    if (shown.size() <= kShownMax) return shown;
    return shown.substr(0, kShownMax) + "... (" + std::to_string(text.size()) + " characters)";
}

void put(const std::string& name, const ordered_json& value, int level, std::string& out) {
    const std::string head = indent(level) + name + ":";
    if (!value.is_structured()) {
        out += head + " " + scalar(value) + "\n";
        return;
    }
    if (value.empty()) {
        out += head + (value.is_array() ? " []\n" : " -\n");
        return;
    }
    out += head + "\n";
    std::size_t index = 0;
    for (const auto& [key, member] : value.items()) {
        const std::string shown = value.is_array() ? "[" + std::to_string(index++) + "]" : key;
        put(shown, member, level + 1, out);
    }
}

/// The bytes around `at`, the one at fault between brackets.
std::string context_of(ByteView bytes, std::size_t at) {
    const std::size_t from = at > kContextBytes ? at - kContextBytes : 0;
    const std::size_t to = std::min(bytes.size(), at + kContextBytes + 1);
    std::string text = from > 0 ? "... " : "";
    for (std::size_t i = from; i < to; ++i) {
        const std::string digits = hex_of(bytes.subspan(i, 1));
        text += (i == at ? "[" + digits + "]" : digits) + " ";
    }
    if (at >= bytes.size()) return text + "[end]";
    if (to < bytes.size()) return text + "...";
    text.pop_back();
    return text;
}

}  // namespace

std::string field_lines(const std::string& json, int level) {
    const ordered_json document = ordered_json::parse(json);
    std::string out;
    if (!document.is_object()) {
        put("value", document, level, out);
        return out;
    }
    for (const auto& [key, member] : document.items()) put(key, member, level, out);
    return out;
}

std::string fault_lines(std::error_code why, const protocol::Fault& fault, const Piece& piece) {
    std::string out = "error at offset " + std::to_string(piece.offset_bytes + fault.offset_bytes);
    if (!fault.field.empty()) out += ", field " + fault.field;
    out += ": " + category_of(why) + "\n  " + why.message() + "\n";
    out += "  bytes: " + context_of(piece.bytes, fault.offset_bytes) + "\n";
    return out;
}

}  // namespace shunt::tools
