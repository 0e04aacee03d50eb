#include "store/json_fields.hpp"

#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "store/text_codes.hpp"

namespace shunt::store {
namespace {

using nlohmann::json;

/// No record nests deeper than four; the bound keeps a hostile value from exhausting the stack.
constexpr int kDepthMax = 16;

/// Duplicate names are corruption, but the parser keeps the last one silently, so names are
/// collected per open object while it runs.
std::optional<json> parse_strictly(std::string_view text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) return std::nullopt;  // The parser would skip it.

    bool fit = true;
    std::vector<std::set<std::string>> open_names;
    const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
        if (depth > kDepthMax) fit = false;
        if (event == json::parse_event_t::object_start) open_names.emplace_back();
        if (event == json::parse_event_t::object_end) open_names.pop_back();
        if (event == json::parse_event_t::key) {
            fit = open_names.back().insert(parsed.get_ref<const std::string&>()).second && fit;
        }
        return true;
    };
    json document = json::parse(text.begin(), text.end(), watch, false);
    if (document.is_discarded() || !fit) return std::nullopt;
    return document;
}

}  // namespace

bool JsonFields::read_record(ByteView bytes, const std::function<void(JsonFields&)>& decode) {
    const std::optional<json> document = parse_strictly(text_of(bytes));
    if (!document || !document->is_object()) return false;
    bool ok = true;
    JsonFields fields(*document, ok);
    fields.require(fields.integer("recordVersion", 1) == 1);
    if (ok) decode(fields);
    return ok;
}

const json* JsonFields::find(std::string_view name) {
    const auto member = object_->find(name);
    if (member == object_->end()) {
        require(false);
        return nullptr;
    }
    return &*member;
}

std::string JsonFields::text(std::string_view name) {
    const json* value = find(name);
    if (value == nullptr || !value->is_string()) {
        require(false);
        return {};
    }
    return value->get_ref<const std::string&>();
}

std::optional<std::string> JsonFields::text_or_null(std::string_view name) {
    if (is_null(name)) return std::nullopt;
    return text(name);
}

std::uint64_t JsonFields::integer(std::string_view name, std::uint64_t max) {
    const json* value = find(name);
    if (value == nullptr || !value->is_number_unsigned() || value->get<std::uint64_t>() > max) {
        require(false);
        return 0;
    }
    return value->get<std::uint64_t>();
}

std::uint64_t JsonFields::decimal(std::string_view name, std::uint64_t min, std::uint64_t max) {
    const std::optional<std::uint64_t> value = parse_decimal(text(name), max);
    require(value && *value >= min);
    return value.value_or(0);
}

bool JsonFields::boolean(std::string_view name) {
    const json* value = find(name);
    if (value == nullptr || !value->is_boolean()) {
        require(false);
        return false;
    }
    return value->get<bool>();
}

NodeRid JsonFields::rid(std::string_view name) {
    const std::optional<Bytes> bytes = parse_hex(text(name));
    require(bytes && !bytes->empty() && bytes->size() <= kIdBytesMax);
    return bytes ? NodeRid{std::string(text_of(*bytes))} : NodeRid{};
}

bool JsonFields::is_null(std::string_view name) {
    const json* value = find(name);
    return value != nullptr && value->is_null();
}

void JsonFields::object(std::string_view name, const std::function<void(JsonFields&)>& decode) {
    const json* value = find(name);
    if (value == nullptr || !value->is_object()) return require(false);
    JsonFields fields(*value, *ok_);
    decode(fields);
}

void JsonFields::list(std::string_view name, std::size_t size_max,
                      const std::function<void(JsonFields&)>& decode) {
    const json* value = find(name);
    if (value == nullptr || !value->is_array() || value->size() > size_max) return require(false);
    for (const json& element : *value) {
        if (!element.is_object()) return require(false);
        JsonFields fields(element, *ok_);
        decode(fields);
    }
}

void JsonFields::integer_map(std::string_view name, std::uint64_t max,
                             const std::function<void(const std::string&, std::uint64_t)>& take) {
    const json* value = find(name);
    if (value == nullptr || !value->is_object()) return require(false);
    JsonFields fields(*value, *ok_);
    for (const auto& [key, element] : value->items()) take(key, fields.integer(key, max));
}

}  // namespace shunt::store
