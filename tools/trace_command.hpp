#pragma once
// `shunt trace generate` and `shunt trace check`.

#include <string>

#include "tools/trace_generate.hpp"

namespace shunt::tools {

/// Writes a trace to stdout. 0, or 2 with a sentence on stderr.
int run_trace_generate(const TraceModel& model);
/// Reads a whole trace and says what it holds. 0, or 2 with `FILE:LINE: reason` on stderr.
int run_trace_check(const std::string& path);

}  // namespace shunt::tools
