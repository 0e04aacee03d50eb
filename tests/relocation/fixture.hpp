#pragma once
// Files under fixtures/transcripts that the tests of this folder write and compare with.

#include <string>

namespace shunt::relocation::testing {

/// First line of every file, so that a reader knows where it comes from.
inline constexpr char kMadeBy[] =
    "# Made by tests/relocation (relocation_test); SHUNT_REWRITE=1 makes it anew. Do not edit "
    "what stands behind ----.\n";

std::string fixture_path(const std::string& name);
/// Empty when the file is missing.
std::string read_fixture(const std::string& name);
/// Compares `made` with the file as a test expectation, or writes it when SHUNT_REWRITE is 1.
void expect_fixture(const std::string& name, const std::string& made);

}  // namespace shunt::relocation::testing
