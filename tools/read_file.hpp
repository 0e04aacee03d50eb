#pragma once
// A whole file in memory.

#include <string>

#include "base/result.hpp"

namespace shunt::tools {

/// The content of the file at `path`; `-` is standard input. Errc::InputUnreadable, then with a
/// sentence in `why`.
result<std::string> read_file(const std::string& path, std::string* why);

}  // namespace shunt::tools
