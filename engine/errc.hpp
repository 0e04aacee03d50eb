#pragma once
// What can go wrong in the transport, as values. The first group stops a node at start-up, the
// others end one connection or one link and harm nothing else.

#include <system_error>

namespace shunt::engine {

enum class Errc {
    // The ring cannot be had (design-notes/io-uring.md section 10).
    RingMissing = 1,
    RingForbidden,
    RingMemory,
    RingTooOld,
    ShardNotStarted,
    // Addresses.
    BadAddress,
    AddressInUse,
    AddressUnavailable,
    NotPermitted,
    // A connection ended.
    PeerClosed,
    ConnectionReset,
    ConnectRefused,
    ConnectTimeout,
    // A link was given up.
    HandshakeTimeout,
    SisterLaneMissing,
    LaneMismatch,
    UnexpectedPeer,
    PeerGenerationUnsupported,
    TooManyHalfOpen,
    RecordTooLarge,
    ProtocolViolation,
    PeerReportedError,
    ClosedHere,
    Stopped,
};

/// The one category of this folder; errors compare by its address.
const std::error_category& error_category() noexcept;
std::error_code make_error_code(Errc code) noexcept;

/// The peer's doing, as opposed to a connection that merely ended; counted and reported.
bool is_offence(std::error_code reason) noexcept;

/// The code for a positive errno of a socket operation; one without a name here keeps its number
/// in the system category, so that nothing is swallowed.
std::error_code socket_error(int error_number) noexcept;
/// The same for a refused ring set-up or registration.
std::error_code ring_error(int error_number) noexcept;

}  // namespace shunt::engine

template <>
struct std::is_error_code_enum<shunt::engine::Errc> : std::true_type {};
