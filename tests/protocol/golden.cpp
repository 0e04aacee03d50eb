#include "golden.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

namespace shunt::protocol::test {
namespace {

std::filesystem::path golden_dir() {
    if (const char* shared = std::getenv("SHUNT_SHARED")) {
        return std::filesystem::path(shared) / "golden";
    }
    const char* root = std::getenv("SHUNT_SOURCE_ROOT");
    return std::filesystem::path(root != nullptr ? root : ".") / ".." / "shared" / "golden";
}

std::vector<Bytes> hex_list(const nlohmann::json& vector, const char* key) {
    std::vector<Bytes> list;
    if (!vector.contains(key)) return list;
    for (const auto& item : vector[key]) list.push_back(unhex(item.get<std::string>()));
    return list;
}

Vector parse(const nlohmann::json& json, std::string_view format) {
    Vector vector;
    vector.format = format;
    vector.name = json.at("name");
    vector.kind = json.at("kind");
    vector.type = json.contains("command") ? json.at("command").get<std::string>()
                                           : json.value("type", std::string());
    vector.bytes = unhex(json.value("hex", std::string()));
    vector.frames = hex_list(json, "frames");
    if (vector.frames.empty()) vector.frames.push_back(vector.bytes);
    vector.error = json.value("error", std::string());
    if (json.contains("context")) {
        vector.original_operation =
            json.at("context").value("originalOperationKind", std::string());
    }
    vector.prepare = unhex(json.value("prepare", std::string()));
    vector.chunks = hex_list(json, "chunks");
    vector.records = hex_list(json, "records");
    vector.decoded = json.contains("decoded") ? json.at("decoded").dump() : "null";
    return vector;
}

}  // namespace

std::vector<Vector> golden(std::string_view format) {
    std::ifstream file(golden_dir() / (std::string(format) + ".json"));
    if (!file) {
        std::printf("golden vectors %.*s are not at hand: nothing compared\n",
                    static_cast<int>(format.size()), format.data());
        return {};
    }
    std::vector<Vector> vectors;
    const nlohmann::json json = nlohmann::json::parse(file);
    for (const auto& item : json.at("vectors")) vectors.push_back(parse(item, format));
    return vectors;
}

Bytes unhex(std::string_view hex) {
    const auto digit = [](char c) {
        return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    };
    Bytes bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        bytes.push_back(static_cast<std::byte>((digit(hex[i]) << 4U) | digit(hex[i + 1])));
    }
    return bytes;
}

std::string hex(ByteView bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const std::byte b : bytes) {
        text += kDigits[std::to_integer<unsigned>(b) >> 4U];
        text += kDigits[std::to_integer<unsigned>(b) & 0xFU];
    }
    return text;
}

std::string category_of(std::error_code code) {
    if (code.category() != make_error_code(Errc::Semantic).category()) return code.message();
    return category_name(static_cast<Errc>(code.value()));
}

}  // namespace shunt::protocol::test
