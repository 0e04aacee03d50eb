#pragma once
// Requests, replies and controls between peers of the pair-id generation (spec/zmp.md section 8.1):
// four leading parts where the lane-count generation has a longer frame header. Which of the two a
// connection uses is said by the peer's READY (section 15).

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "protocol/control_frame.hpp"
#include "protocol/frame.hpp"
#include "protocol/record.hpp"

namespace shunt::protocol {

/// Parts before the payload: protocol, version, kind, sequence.
inline constexpr std::size_t kPairHeadParts = 4;

/// How a peer writes its requests: pair keys without a lane count are the pair-id generation's;
/// whoever names a count, as every Shunt node does beside its pair keys, reads the longer header.
WireGeneration generation_of(const ZmpReady& ready) noexcept;

/// What the leading parts of a record say.
struct PairRecord {
    enum class Kind : std::uint8_t { Plain, Request, Reply, ErrorReply, Control };
    Kind kind = Kind::Plain;
    /// Not zero for Request, Reply and ErrorReply; zero otherwise.
    std::uint64_t sequence = 0;
    /// The application's parts; for ErrorReply those behind the error number. Borrowed.
    std::span<const ByteView> parts{};
    /// Only for ErrorReply; zero stands for a first part that is missing or no error number.
    std::uint32_t error_number = 0;
};

/// Reads the head of a record of plain data parts. A record that merely begins like one, such as a
/// request without a sequence or without a payload, is Plain and whole.
PairRecord read_pair_record(std::span<const ByteView> parts) noexcept;

/// The four leading parts as frames, to be sent in front of the frames of the payload. `leg` is
/// Request or Reply; `sequence` is not zero.
using EncodedPairHead = std::array<std::byte, kPairHeadParts * kFrameHeaderBytes + 3 + 8>;
EncodedPairHead encode_pair_head(Leg leg, std::uint64_t sequence) noexcept;

}  // namespace shunt::protocol
