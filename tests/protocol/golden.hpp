#pragma once
// The published golden vectors (spec/wire.md section 16), where they are at hand: the directory
// named by SHUNT_SHARED, or `shared` beside the source tree or one of the folders above it. Without
// them the tests that ask print one line and pass; fixtures/wire/ holds our own.

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "tools/hex_text.hpp"
#include "tools/vector_check.hpp"
#include "tools/vector_file.hpp"

namespace shunt::protocol::test {

using tools::category_of;

/// Every vector of one file (`reply-v1`); nothing when the golden files are not there.
std::vector<tools::WireVector> golden(std::string_view format);

/// Holds protocol/ to every vector of one file, as `shunt decode --vectors` does.
void check_golden(std::string_view format);

/// The same with a file of this repository, by its path from the root.
void check_fixture(const std::string& path);

/// Bytes of a string of hex digits.
Bytes unhex(std::string_view hex);
std::string hex(ByteView bytes);

}  // namespace shunt::protocol::test
