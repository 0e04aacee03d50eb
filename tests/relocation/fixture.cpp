#include "tests/relocation/fixture.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include <gtest/gtest.h>

namespace shunt::relocation::testing {

std::string fixture_path(const std::string& name) {
    return std::string(SHUNT_SOURCE_ROOT) + "/fixtures/transcripts/" + name;
}

std::string read_fixture(const std::string& name) {
    std::ifstream file(fixture_path(name));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void expect_fixture(const std::string& name, const std::string& made) {
    const char* rewrite = std::getenv("SHUNT_REWRITE");
    if (rewrite != nullptr && std::string_view(rewrite) == "1") {
        std::ofstream file(fixture_path(name));
        file << made;
        ASSERT_TRUE(file.good()) << name;
        return;
    }
    EXPECT_EQ(made, read_fixture(name)) << name << ": read the difference, then SHUNT_REWRITE=1";
}

}  // namespace shunt::relocation::testing
