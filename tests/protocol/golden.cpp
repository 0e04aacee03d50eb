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

void expect_no_mismatch(const tools::VectorFile& file) {
    for (const std::string& mismatch : tools::check_vectors(file).mismatches) {
        ADD_FAILURE() << file.format << "/" << mismatch;
    }
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
    expect_no_mismatch({std::string(format), golden(format)});
}

void check_fixture(const std::string& path) {
    const char* root = std::getenv("SHUNT_SOURCE_ROOT");
    std::string why;
    const auto file =
        tools::read_vector_file((fs::path(root != nullptr ? root : ".") / path).string(), &why);
    ASSERT_TRUE(file.has_value()) << why;
    EXPECT_FALSE(file.value().vectors.empty());
    expect_no_mismatch(file.value());
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
