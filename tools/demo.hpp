#pragma once
// `shunt demo`: hosts A, B and C in one process play a chat trace while they are restarted in turn,
// and every message is accounted for.

#include "tools/demo_options.hpp"

namespace shunt::tools {

/// Runs until the trace is over and the restarts are done, or until SIGINT or SIGTERM. Writes to
/// stdout, and what is wrong with the input to stderr.
/// Returns the exit code: as exit_code_of() says, or 2 for a trace that is missing or malformed, a
/// port that is taken, a kernel without io_uring, or an output that cannot be written.
int run_demo(const DemoOptions& options);

}  // namespace shunt::tools
