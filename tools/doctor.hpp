#pragma once
// `shunt doctor`: what this kernel and this process may do with io_uring, and what to change.

namespace shunt::tools {

/// Prints the whole probe to stdout. 0 when hosts can run here, 1 when not, 2 when the output
/// cannot be written.
int run_doctor();

}  // namespace shunt::tools
