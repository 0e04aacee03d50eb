#include "protocol/errc.hpp"

#include <string>

namespace shunt::protocol {
namespace {

struct Description {
    Errc code;
    const char* text;
};

constexpr Description kDescriptions[] = {
    {Errc::TruncatedField,
     "The bytes end inside a field. Look for a sender that cuts records short."},
    {Errc::InvalidField,
     "A field holds a value its type does not allow. Compare the sender's version "
     "with this one."},
    {Errc::InvalidBodyLength,
     "A declared length does not match its content. Compare the sender's version "
     "with this one."},
    {Errc::LimitExceeded,
     "A whole value is larger than its format allows. Make the sender send less."},
    {Errc::TrailingByte,
     "Bytes are left behind the last field. Compare the sender's version with this "
     "one."},
    {Errc::InvalidHeader,
     "The bytes are not a stored value of this format. Look for another writer of "
     "this key."},
    {Errc::ChecksumMismatch,
     "The checksum does not match the bytes. They were damaged on their way or in "
     "their store; nothing was used."},
    {Errc::InvalidMagic,
     "The record does not open as a service record. Check that the peer is a mesh "
     "node."},
    {Errc::UnsupportedMajor,
     "The record is of another major version. Run nodes of one generation."},
    {Errc::UnknownCommand,
     "The command is not one of this generation. Compare the sender's version with "
     "this one."},
    {Errc::ForbiddenFlag,
     "The command does not allow one of its flags. Compare the sender's version with "
     "this one."},
    {Errc::FrameCount,
     "The record has a frame too many or too few. Compare the sender's version with "
     "this one."},
    {Errc::Semantic, "The record is readable and contradicts itself. Look at the sender's log."},
    {Errc::FrameMagic, "The connection does not speak ZMP. Check what is dialing this port."},
    {Errc::FrameVersion, "The peer speaks another ZMP version. Run nodes of one generation."},
    {Errc::FrameFlags,
     "A frame has flags that exclude each other. Compare the peer's version with "
     "this one."},
    {Errc::FrameTooLarge,
     "A frame or record is larger than this node accepts. Make the peer send less or "
     "raise the limit."},
    {Errc::FrameKind, "A frame is of an unknown kind. Compare the peer's version with this one."},
    {Errc::FrameSequence,
     "A request or reply frame has no sequence. Compare the peer's version with this "
     "one."},
    {Errc::FrameMultipart,
     "A frame that stands alone came inside a record. Compare the peer's version "
     "with this one."},
    {Errc::FrameIncomplete,
     "The connection ended inside a record. The record was dropped; the peer sends "
     "again what must arrive."},
    {Errc::ControlEmpty, "A control frame is empty. Compare the peer's version with this one."},
    {Errc::ControlUnknown,
     "A control frame came that the handshake does not know. Compare the peer's "
     "version with this one."},
    {Errc::HelloTooShort, "The peer's HELLO is too short. Check that the peer is a mesh node."},
    {Errc::HelloTooLarge, "The peer's HELLO is too large. Check that the peer is a mesh node."},
    {Errc::HelloIdentity,
     "The peer's HELLO contradicts its own length. Check that the peer is a mesh "
     "node."},
    {Errc::ReadyMetadata,
     "The peer's READY is malformed. Compare the peer's version with this one."},
    {Errc::ReadyLanes,
     "The peer's READY does not say which lane it is. Compare the peer's version "
     "with this one."},
    {Errc::ReadyMaximum,
     "The peer's READY announces a malformed message limit. Compare the peer's "
     "version with this one."},
    {Errc::ErrorTooShort,
     "The peer's ERROR is cut short. The peer is closing the connection anyway."},
    {Errc::SocketTypeMismatch,
     "The peer's socket type may not talk to a mesh node. Check what is dialing this "
     "port."},
    {Errc::HandshakeTimeout,
     "The peer did not finish its handshake in time. Check that the peer is a mesh "
     "node and that it is not overloaded."},
    {Errc::MissingHello,
     "The peer sent READY before HELLO. Compare the peer's version with this one."},
    {Errc::DataBeforeReady,
     "The peer sent data before READY. Compare the peer's version with this one."},
    {Errc::DuplicateReady, "The peer sent READY twice. Compare the peer's version with this one."},
    {Errc::PeerError,
     "The peer refused the connection with an ERROR frame. Look at the peer's log."},
};

/// Whether row n describes the n-th code, so that none is missing or out of place.
constexpr bool in_order() noexcept {
    int code = static_cast<int>(Errc::TruncatedField);
    for (const Description& description : kDescriptions) {
        if (static_cast<int>(description.code) != code++) return false;
    }
    return code == static_cast<int>(Errc::PeerError) + 1;
}
static_assert(in_order());

const char* describe(int code) noexcept {
    for (const Description& description : kDescriptions) {
        if (static_cast<int>(description.code) == code) return description.text;
    }
    return "Unknown protocol error.";
}

class Category final : public std::error_category {
  public:
    const char* name() const noexcept override { return "shunt.protocol"; }
    std::string message(int code) const override { return describe(code); }
};

}  // namespace

std::error_code make_error_code(Errc code) noexcept {
    static const Category category;
    return {static_cast<int>(code), category};
}

const char* category_name(Errc code) noexcept {
    switch (code) {
        case Errc::TruncatedField:
            return "truncated-field";
        case Errc::InvalidField:
            return "invalid-field";
        case Errc::InvalidBodyLength:
            return "invalid-body-length";
        case Errc::LimitExceeded:
            return "limit-exceeded";
        case Errc::TrailingByte:
            return "trailing-byte";
        case Errc::InvalidHeader:
            return "invalid-header";
        case Errc::ChecksumMismatch:
            return "checksum-mismatch";
        case Errc::InvalidMagic:
            return "invalid-magic";
        case Errc::UnsupportedMajor:
            return "unsupported-major";
        case Errc::UnknownCommand:
            return "unknown-command";
        case Errc::ForbiddenFlag:
            return "forbidden-flag";
        case Errc::FrameCount:
            return "frame-count";
        case Errc::Semantic:
            return "semantic";
        case Errc::FrameMagic:
        case Errc::FrameVersion:
        case Errc::FrameFlags:
        case Errc::FrameTooLarge:
        case Errc::FrameKind:
        case Errc::FrameSequence:
        case Errc::FrameMultipart:
        case Errc::FrameIncomplete:
        case Errc::ControlEmpty:
        case Errc::ControlUnknown:
        case Errc::HelloTooShort:
        case Errc::HelloTooLarge:
        case Errc::HelloIdentity:
        case Errc::ReadyMetadata:
        case Errc::ReadyLanes:
        case Errc::ReadyMaximum:
        case Errc::ErrorTooShort:
        case Errc::SocketTypeMismatch:
        case Errc::HandshakeTimeout:
        case Errc::MissingHello:
        case Errc::DataBeforeReady:
        case Errc::DuplicateReady:
        case Errc::PeerError:
            return "frame";
    }
    return "unknown";
}

}  // namespace shunt::protocol
