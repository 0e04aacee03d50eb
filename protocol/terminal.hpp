#pragma once
// How a request may end: the pairing of terminal result and failure code (spec/wire.md sections
// 3.2 and 3.3). One table, used by commands 20 and 33 and by the completion record.

#include "protocol/enums.hpp"

namespace shunt::protocol {

/// The only result `code` may be paired with; Ok for FrameworkErrorCode::None.
RequestTerminalResult result_of(FrameworkErrorCode code) noexcept;

/// True when section 3.3 allows the pair.
bool is_terminal_pair(RequestTerminalResult result, FrameworkErrorCode code) noexcept;

}  // namespace shunt::protocol
