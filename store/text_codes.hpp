#pragma once
// Bytes as text inside keys and records: lower-case hex for routing ids, padded base64 for the
// authority payload (spec/stores.md sections 4 and 5).

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace shunt::store {

/// Lower-case hex, two digits per byte.
std::string hex_of(ByteView bytes);
/// Nothing for an odd length or anything but lower-case hex digits.
std::optional<Bytes> parse_hex(std::string_view text);

/// Standard alphabet, padded.
std::string base64_of(ByteView bytes);
/// Accepts exactly what base64_of() writes: no line break, full padding, unused bits zero.
std::optional<Bytes> parse_base64(std::string_view text);

}  // namespace shunt::store
