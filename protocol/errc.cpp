#include "protocol/errc.hpp"

#include <array>
#include <string>

namespace shunt::protocol {
namespace {

/// One sentence on what happened and one on what to do.
struct Row {
    Errc code;
    const char* category;
    const char* message;
};

using enum Errc;

// clang-format off
constexpr auto kRows = std::to_array<Row>({
    {TruncatedField, "truncated-field",
     "The bytes end inside a field. Look for a sender that cuts records short."},
    {InvalidField, "invalid-field",
     "A field holds a value its type does not allow. Compare the sender's version with this one."},
    {InvalidBodyLength, "invalid-body-length",
     "A declared length does not match its content. Compare the sender's version with this one."},
    {LimitExceeded, "limit-exceeded",
     "A whole value is larger than its format allows. Make the sender send less."},
    {TrailingByte, "trailing-byte",
     "Bytes are left behind the last field. Compare the sender's version with this one."},
    {InvalidHeader, "invalid-header",
     "The bytes are not a stored value of this format. Look for another writer of this key."},
    {ChecksumMismatch, "checksum-mismatch",
     "The checksum does not match the bytes, and nothing was used. Look for damage on the way or in the store."},
    {InvalidMagic, "invalid-magic",
     "The record does not open as a service record. Check that the peer is a mesh node."},
    {UnsupportedMajor, "unsupported-major",
     "The record is of another major version. Run nodes of one generation."},
    {UnknownCommand, "unknown-command",
     "The command is not one of this generation. Compare the sender's version with this one."},
    {ForbiddenFlag, "forbidden-flag",
     "The command does not allow one of its flags. Compare the sender's version with this one."},
    {FrameCount, "frame-count",
     "The record has a frame too many or too few. Compare the sender's version with this one."},
    {Semantic, "semantic",
     "The record is readable and contradicts itself. Look at the sender's log."},
    {FrameMagic, "frame",
     "The connection does not speak ZMP. Check what is dialing this port."},
    {FrameVersion, "frame",
     "The peer speaks another ZMP version. Run nodes of one generation."},
    {FrameFlags, "frame",
     "A frame has flags that exclude each other. Compare the peer's version with this one."},
    {FrameTooLarge, "frame",
     "A frame or record is larger than this node accepts. Make the peer send less or raise the limit."},
    {FrameKind, "frame",
     "A frame is of an unknown kind. Compare the peer's version with this one."},
    {FrameSequence, "frame",
     "A request or reply frame has no sequence. Compare the peer's version with this one."},
    {FrameMultipart, "frame",
     "A frame that stands alone came inside a record. Compare the peer's version with this one."},
    {FrameIncomplete, "frame",
     "The connection ended inside a record, which was dropped. The peer sends again what must arrive."},
    {ControlEmpty, "frame",
     "A control frame is empty. Compare the peer's version with this one."},
    {ControlUnknown, "frame",
     "A control frame came that the handshake does not know. Compare the peer's version with this one."},
    {HelloTooShort, "frame",
     "The peer's HELLO is too short. Check that the peer is a mesh node."},
    {HelloTooLarge, "frame",
     "The peer's HELLO is too large. Check that the peer is a mesh node."},
    {HelloIdentity, "frame",
     "The peer's HELLO contradicts its own length. Check that the peer is a mesh node."},
    {ReadyMetadata, "frame",
     "The peer's READY is malformed. Compare the peer's version with this one."},
    {ReadyLanes, "frame",
     "The peer's READY does not say which lane it is. Compare the peer's version with this one."},
    {ReadyMaximum, "frame",
     "The peer's READY announces a malformed message limit. Compare the peer's version with this one."},
    {ErrorTooShort, "frame",
     "The peer's ERROR is cut short. The peer is closing the connection anyway."},
    {SocketTypeMismatch, "frame",
     "The peer's socket type may not talk to a mesh node. Check what is dialing this port."},
    {HandshakeTimeout, "frame",
     "The peer did not finish its handshake in time. Check that the peer is a mesh node and not overloaded."},
    {MissingHello, "frame",
     "The peer sent READY before HELLO. Compare the peer's version with this one."},
    {DataBeforeReady, "frame",
     "The peer sent data before READY. Compare the peer's version with this one."},
    {DuplicateReady, "frame",
     "The peer sent READY twice. Compare the peer's version with this one."},
    {PeerError, "frame",
     "The peer refused the connection with an ERROR frame. Look at the peer's log."},
});
// clang-format on

// The table is complete and in the order of the codes, so a code is its own index.
static_assert(kRows.size() == static_cast<std::size_t>(Errc::PeerError));
static_assert([] {
    for (std::size_t i = 0; i < kRows.size(); ++i) {
        if (static_cast<std::size_t>(kRows[i].code) != i + 1) return false;
    }
    return true;
}());

const Row* find(int code) noexcept {
    const bool known = code >= 1 && static_cast<std::size_t>(code) <= kRows.size();
    return known ? &kRows[static_cast<std::size_t>(code) - 1] : nullptr;
}

class Category final : public std::error_category {
  public:
    const char* name() const noexcept override { return "shunt.protocol"; }
    std::string message(int code) const override {
        const Row* row = find(code);
        return row != nullptr ? row->message : "Unknown protocol error.";
    }
};

}  // namespace

std::error_code make_error_code(Errc code) noexcept {
    static const Category category;
    return {static_cast<int>(code), category};
}

const char* category_name(Errc code) noexcept {
    const Row* row = find(static_cast<int>(code));
    return row != nullptr ? row->category : "unknown";
}

}  // namespace shunt::protocol
