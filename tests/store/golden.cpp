#include "golden.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "store/text_codes.hpp"

namespace shunt::store::test {
namespace {

using nlohmann::json;

/// The shared material lies beside the repository or beside one of the folders above it.
std::optional<json> load_golden() {
    namespace fs = std::filesystem;
    for (fs::path at = SHUNT_SOURCE_ROOT; at != at.root_path(); at = at.parent_path()) {
        std::ifstream file(at.parent_path() / "shared" / "golden" / "store-records.json");
        if (file) return json::parse(file);
    }
    std::puts("store-records.json is missing: its vectors are not checked");
    return std::nullopt;
}

}  // namespace

void for_each_golden(const std::string& kind, const std::function<void(const json&)>& check) {
    static const std::optional<json> golden = load_golden();
    if (!golden) return;
    int seen = 0;
    for (const json& vector : golden->at("vectors")) {
        if (vector.at("kind") != kind) continue;
        ++seen;
        SCOPED_TRACE(vector.at("name").get<std::string>());
        check(vector);
    }
    EXPECT_GT(seen, 0) << "no vector of kind " << kind;
}

Bytes unhex(const std::string& hex) {
    const std::optional<Bytes> bytes = parse_hex(hex);
    EXPECT_TRUE(bytes) << hex;
    return bytes.value_or(Bytes{});
}

}  // namespace shunt::store::test
