#pragma once
// Durations as people type them: `250ms`, `10s`, `5m`, `2h`.

#include <chrono>
#include <optional>
#include <string_view>

namespace shunt::tools {

/// Digits and one of those units, at most a year; anything else is nothing.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept;

}  // namespace shunt::tools
