#pragma once
// How many files the process may have open: the demo's hosts need rings, sockets and events.

#include <cstddef>
#include <string>

#include "base/result.hpp"
#include "tools/errc.hpp"

namespace shunt::tools {

/// Raises the soft limit to `files` where the hard one allows it; a higher one stays.
/// Errc::InvalidArgument when it does not, then with a sentence in `why`.
result<void> allow_open_files(std::size_t files, std::string* why);

}  // namespace shunt::tools
