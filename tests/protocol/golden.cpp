#include "golden.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

namespace shunt::protocol::test {
namespace {

namespace fs = std::filesystem;

/// The published vectors lie beside the repository or beside one of the folders above it.
std::optional<fs::path> golden_dir() {
    if (const char* shared = std::getenv("SHUNT_SHARED")) return fs::path(shared) / "golden";
    const char* root = std::getenv("SHUNT_SOURCE_ROOT");
    for (fs::path at = fs::absolute(root != nullptr ? root : "."); at != at.root_path();
         at = at.parent_path()) {
        const fs::path golden = at.parent_path() / "shared" / "golden";
        if (fs::exists(golden)) return golden;
    }
    return std::nullopt;
}

}  // namespace

std::vector<tools::WireVector> golden(std::string_view format) {
    const std::optional<fs::path> dir = golden_dir();
    if (!dir) {
        std::printf("golden vectors %.*s are not at hand: nothing compared\n",
                    static_cast<int>(format.size()), format.data());
        return {};
    }
    std::string why;
    const auto file =
        tools::read_vector_file((*dir / (std::string(format) + ".json")).string(), &why);
    EXPECT_TRUE(file.has_value()) << why;
    return file.has_value() ? file.value().vectors : std::vector<tools::WireVector>();
}

void check_golden(std::string_view format) {
    const tools::VectorReport report = tools::check_vectors({std::string(format), golden(format)});
    for (const std::string& mismatch : report.mismatches) {
        ADD_FAILURE() << format << "/" << mismatch;
    }
}

Bytes unhex(std::string_view hex) {
    std::string why;
    const auto bytes = tools::parse_hex(hex, &why);
    EXPECT_TRUE(bytes.has_value()) << why;
    return bytes.has_value() ? bytes.value() : Bytes();
}

std::string hex(ByteView bytes) {
    return tools::hex_of(bytes);
}

}  // namespace shunt::protocol::test
