#pragma once
// Lines of a decoded capture: fields by name, and what is wrong where.

#include <string>
#include <string_view>
#include <system_error>

#include "base/bytes.hpp"
#include "protocol/fault.hpp"

namespace shunt::tools {

/// The fields of a JSON document, a line each, indented by two blanks per level from `level` on.
/// Long values are shortened and say how long they are.
std::string field_lines(const std::string& json, int level);

/// Where bytes that were read as one piece lie in the capture.
struct Piece {
    ByteView bytes;
    /// Of its first byte in the capture.
    std::size_t offset_bytes = 0;
};

/// `error at offset 21, field probeId: truncated-field`, the category's sentence, and the bytes
/// around it.
std::string fault_lines(std::error_code why, const protocol::Fault& fault, const Piece& piece);

}  // namespace shunt::tools
