#include "tools/vector_file.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "tools/errc.hpp"
#include "tools/hex_text.hpp"
#include "tools/read_file.hpp"

namespace shunt::tools {
namespace {

using nlohmann::json;

/// Takes the members of one vector out of its JSON; remembers the first that is not as it must be.
class Members {
  public:
    explicit Members(const json& vector) : vector_(vector) {}

    std::string text(const char* key) {
        const auto found = vector_.find(key);
        if (found == vector_.end()) return {};
        if (!found->is_string()) return refuse(key, "is no text");
        return found->get<std::string>();
    }
    Bytes bytes(const char* key) { return unhex(key, text(key)); }
    std::vector<Bytes> list(const char* key) {
        std::vector<Bytes> items;
        const auto found = vector_.find(key);
        if (found == vector_.end()) return items;
        for (const json& item : *found) {
            if (item.is_string()) {
                items.push_back(unhex(key, item.get<std::string>()));
            } else {
                refuse(key, "holds something that is no text");
            }
        }
        return items;
    }
    const std::string& problem() const noexcept { return problem_; }
    std::string refuse(const char* key, const std::string& why) {
        if (problem_.empty()) problem_ = std::string("'") + key + "' " + why;
        return {};
    }

  private:
    Bytes unhex(const char* key, const std::string& digits) {
        std::string why;
        result<Bytes> bytes = parse_hex(digits, &why);
        if (bytes.has_value()) return std::move(bytes).value();
        refuse(key, "is no hex: " + why);
        return {};
    }

    const json& vector_;
    std::string problem_;
};

void read_context(const json& item, Members& members, WireVector& vector) {
    const auto context = item.find("context");
    if (context == item.end()) return;
    Members inner(*context);
    vector.original_operation = inner.text("originalOperationKind");
    if (!inner.problem().empty()) members.refuse("context", inner.problem());
    const auto limit = context->find("effectiveMaxBytes");
    if (limit == context->end()) return;
    if (limit->is_number_unsigned()) {
        vector.payload_bytes_max = limit->get<std::uint32_t>();
    } else {
        members.refuse("effectiveMaxBytes", "is no number");
    }
}

result<WireVector> read_vector(const json& item, std::string* why) {
    Members members(item);
    WireVector vector;
    vector.name = members.text("name");
    vector.kind = members.text("kind");
    vector.type = members.text(item.contains("command") ? "command" : "type");
    const bool is_wire =
        vector.kind == "command" || vector.kind == "type" || vector.kind == "logical";
    if (is_wire) {
        vector.bytes = members.bytes("hex");
        vector.frames = members.list("frames");
        if (vector.frames.empty()) vector.frames.push_back(vector.bytes);
        vector.accepted = members.text("expect") != "reject";
        vector.error = members.text("error");
        vector.prepare = members.bytes("prepare");
        vector.chunks = members.list("chunks");
        vector.records = members.list("records");
        vector.decoded = item.contains("decoded") ? item.at("decoded").dump() : "null";
        read_context(item, members, vector);
    }
    if (members.problem().empty()) return vector;
    *why = "vector '" + vector.name + "': " + members.problem();
    return Errc::InputMalformed;
}

}  // namespace

result<VectorFile> read_vector_file(const std::string& path, std::string* why) {
    BOOST_OUTCOME_TRY(const std::string text, read_file(path, why));
    const auto malformed = [&](const std::string& reason) {
        *why = path + ": " + reason;
        return make_error_code(Errc::InputMalformed);
    };
    const json document = json::parse(text, nullptr, false);
    if (document.is_discarded()) return malformed("is no JSON document");
    if (!document.is_object() || !document.contains("vectors")) {
        return malformed("holds no \"vectors\"");
    }
    VectorFile file;
    if (document.contains("format") && document["format"].is_string()) {
        file.format = document["format"].get<std::string>();
    }
    for (const json& item : document["vectors"]) {
        if (!item.is_object()) return malformed("a vector is no object");
        std::string reason;
        result<WireVector> vector = read_vector(item, &reason);
        if (vector.has_error()) return malformed(reason);
        file.vectors.push_back(std::move(vector).value());
    }
    return file;
}

}  // namespace shunt::tools
