#include "protocol/errc.hpp"

#include <string>

namespace shunt::protocol {
namespace {

constexpr const char* describe(Errc code) noexcept {
    switch (code) {
        case Errc::TruncatedField:
            return "The bytes end inside a field. Look for a sender that cuts records short.";
        case Errc::InvalidField:
            return "A field holds a value its type does not allow. Compare the sender's version "
                   "with this one.";
        case Errc::InvalidBodyLength:
            return "A declared length does not match its content. Compare the sender's version "
                   "with this one.";
        case Errc::LimitExceeded:
            return "A whole value is larger than its format allows. Make the sender send less.";
        case Errc::TrailingByte:
            return "Bytes are left behind the last field. Compare the sender's version with this "
                   "one.";
        case Errc::InvalidHeader:
            return "The bytes are not a stored value of this format. Look for another writer of "
                   "this key.";
        case Errc::ChecksumMismatch:
            return "The checksum does not match the bytes. They were damaged on their way or in "
                   "their store; nothing was used.";
        case Errc::InvalidMagic:
            return "The record does not open as a service record. Check that the peer is a mesh "
                   "node.";
        case Errc::UnsupportedMajor:
            return "The record is of another major version. Run nodes of one generation.";
        case Errc::UnknownCommand:
            return "The command is not one of this generation. Compare the sender's version with "
                   "this one.";
        case Errc::ForbiddenFlag:
            return "The command does not allow one of its flags. Compare the sender's version with "
                   "this one.";
        case Errc::FrameCount:
            return "The record has a frame too many or too few. Compare the sender's version with "
                   "this one.";
        case Errc::Semantic:
            return "The record is readable and contradicts itself. Look at the sender's log.";
        case Errc::FrameMagic:
            return "The connection does not speak ZMP. Check what is dialing this port.";
        case Errc::FrameVersion:
            return "The peer speaks another ZMP version. Run nodes of one generation.";
        case Errc::FrameFlags:
            return "A frame has flags that exclude each other. Compare the peer's version with "
                   "this one.";
        case Errc::FrameTooLarge:
            return "A frame or record is larger than this node accepts. Make the peer send less or "
                   "raise the limit.";
        case Errc::FrameKind:
            return "A frame is of an unknown kind. Compare the peer's version with this one.";
        case Errc::FrameSequence:
            return "A request or reply frame has no sequence. Compare the peer's version with this "
                   "one.";
        case Errc::FrameMultipart:
            return "A frame that stands alone came inside a record. Compare the peer's version "
                   "with this one.";
        case Errc::FrameIncomplete:
            return "The connection ended inside a record. The record was dropped; the peer sends "
                   "again what must arrive.";
        case Errc::ControlEmpty:
            return "A control frame is empty. Compare the peer's version with this one.";
        case Errc::ControlUnknown:
            return "A control frame came that the handshake does not know. Compare the peer's "
                   "version with this one.";
        case Errc::HelloTooShort:
            return "The peer's HELLO is too short. Check that the peer is a mesh node.";
        case Errc::HelloTooLarge:
            return "The peer's HELLO is too large. Check that the peer is a mesh node.";
        case Errc::HelloIdentity:
            return "The peer's HELLO contradicts its own length. Check that the peer is a mesh "
                   "node.";
        case Errc::ReadyMetadata:
            return "The peer's READY is malformed. Compare the peer's version with this one.";
        case Errc::ReadyLanes:
            return "The peer's READY does not say which lane it is. Compare the peer's version "
                   "with this one.";
        case Errc::ReadyMaximum:
            return "The peer's READY announces a malformed message limit. Compare the peer's "
                   "version with this one.";
        case Errc::ErrorTooShort:
            return "The peer's ERROR is cut short. The peer is closing the connection anyway.";
        case Errc::SocketTypeMismatch:
            return "The peer's socket type may not talk to a mesh node. Check what is dialing this "
                   "port.";
        case Errc::HandshakeTimeout:
            return "The peer did not finish its handshake in time. Check that the peer is a mesh "
                   "node and that it is not overloaded.";
        case Errc::MissingHello:
            return "The peer sent READY before HELLO. Compare the peer's version with this one.";
        case Errc::DataBeforeReady:
            return "The peer sent data before READY. Compare the peer's version with this one.";
        case Errc::DuplicateReady:
            return "The peer sent READY twice. Compare the peer's version with this one.";
        case Errc::PeerError:
            return "The peer refused the connection with an ERROR frame. Look at the peer's log.";
    }
    return "Unknown protocol error.";
}

class Category final : public std::error_category {
  public:
    const char* name() const noexcept override { return "shunt.protocol"; }
    std::string message(int code) const override { return describe(static_cast<Errc>(code)); }
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
