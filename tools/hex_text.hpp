#pragma once
// Bytes as people write them down: hex digits with blanks between them, and back.

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace shunt::tools {

/// Bytes of a run of hex digits of either case, two per byte. Errc::InputMalformed with a sentence
/// in `why` otherwise.
result<Bytes> parse_hex(std::string_view digits, std::string* why);

/// The non-empty lines of a hex text, one entry each. Blanks within a line and everything behind a
/// `#` are skipped. Errc::InputMalformed with the line in `why`.
result<std::vector<Bytes>> parse_hex_lines(std::string_view text, std::string* why);

/// Lower-case digits without blanks.
std::string hex_of(ByteView bytes);

}  // namespace shunt::tools
