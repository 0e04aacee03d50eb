#pragma once
// The public error kinds (spec/execution.md section 8) and the local ones a caller meets before
// anything was submitted. Numbers of the first twelve are the protocol's.

#include <cstdint>
#include <system_error>

#include "protocol/enums.hpp"

namespace shunt::host {

enum class Errc : std::uint8_t {
    NotFound = 1,  // std::error_code keeps zero for success; the protocol's kind is this minus one.
    AlreadyExists,
    TypeMismatch,
    NotConfigured,
    Rejected,
    Unavailable,
    DeadlineExceeded,
    ShuttingDown,
    ProtocolError,
    InvalidOperation,
    DataLost,
    InternalFailure,

    InvalidArgument = 32,
    Cancelled,
    ListenFailed,
    LeaseNotClaimed,
};

std::error_code make_error_code(Errc code) noexcept;

/// What a reply carries for a failure: the wire code and the one terminal result it pairs with
/// (spec/wire.md section 3.3).
struct WireFailure {
    protocol::RequestTerminalResult result;
    protocol::FrameworkErrorCode code;
};
WireFailure to_wire(std::error_code error) noexcept;

/// The kind a receiver derives from a reply, by its code first (spec/execution.md section 8).
Errc from_wire(protocol::RequestTerminalResult result, protocol::FrameworkErrorCode code) noexcept;

/// Command 53 pairs differently (spec/wire.md section 3.4).
Errc from_relocation_failure(protocol::FrameworkErrorCode code) noexcept;

}  // namespace shunt::host

template <>
struct std::is_error_code_enum<shunt::host::Errc> : std::true_type {};
