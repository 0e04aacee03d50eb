#pragma once
// Errors of reading bytes: the categories of spec/wire.md section 14 for records, and the causes
// of a transport ERROR frame (spec/zmp.md section 10). To the protocol every one of them is the
// same thing, a refusal without partial effect; they differ for diagnostics and tests.

#include <system_error>
#include <type_traits>

namespace shunt::protocol {

enum class Errc {
    // --- service records, payload streams, durable envelopes (wire.md section 14) ---
    TruncatedField = 1,
    InvalidField,
    InvalidBodyLength,
    LimitExceeded,
    TrailingByte,
    InvalidHeader,
    ChecksumMismatch,
    InvalidMagic,
    UnsupportedMajor,
    UnknownCommand,
    ForbiddenFlag,
    FrameCount,
    Semantic,
    // --- transport frames and handshake (zmp.md section 10) ---
    FrameMagic,
    FrameVersion,
    FrameFlags,
    FrameTooLarge,
    FrameKind,
    FrameSequence,
    FrameMultipart,
    FrameIncomplete,
    ControlEmpty,
    ControlUnknown,
    HelloTooShort,
    HelloTooLarge,
    HelloIdentity,
    ReadyMetadata,
    ReadyLanes,
    ReadyMaximum,
    ErrorTooShort,
    SocketTypeMismatch,
    HandshakeTimeout,
    MissingHello,
    DataBeforeReady,
    DuplicateReady,
    PeerError,
};

std::error_code make_error_code(Errc) noexcept;

/// The spec's name of a category, letter for letter (`truncated-field`); for logs and fixtures.
const char* category_name(Errc) noexcept;

}  // namespace shunt::protocol

template <>
struct std::is_error_code_enum<shunt::protocol::Errc> : std::true_type {};
