#pragma once
// Scenarios of spec/wire.md section 16: a transfer (40 and its 52s) and a boundary (31s and their
// 34), judged as the target of a move judges them.

#include <string>

#include "tools/vector_file.hpp"

namespace shunt::tools {

/// True for the kinds that are more than one encoding.
bool is_scenario(const WireVector& vector);

/// What is wrong with a scenario; empty when it came out as expected.
std::string scenario_mismatch(const WireVector& vector);

}  // namespace shunt::tools
