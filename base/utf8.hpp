#pragma once
// Strict UTF-8 as the wire demands it (spec/wire.md section 2, text rules).

#include <string_view>

namespace shunt {

/// True for well-formed UTF-8: no overlong form, no surrogate, at most U+10FFFF. NUL counts as
/// ordinary text here; callers that forbid it check for it.
bool is_strict_utf8(std::string_view text) noexcept;

}  // namespace shunt
