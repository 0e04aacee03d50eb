#pragma once
// ZMP v1 frames (spec/zmp.md sections 1 and 8): the header in both generations' form, and an
// incremental parser that never sees a socket. Bodies of control frames are in control_frame.hpp.

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace shunt::protocol {

/// Gen A ties the two connections of a peer by a pair id, Gen B by a lane count and puts requests
/// into the frame header (zmp.md section 0). Between Shunt nodes: LaneCount.
enum class WireGeneration : std::uint8_t { PairId, LaneCount };

namespace frame_flag {
inline constexpr std::uint8_t kMore = 0x01;
inline constexpr std::uint8_t kControl = 0x02;
inline constexpr std::uint8_t kIdentity = 0x04;
inline constexpr std::uint8_t kSubscribe = 0x08;
inline constexpr std::uint8_t kCancel = 0x10;
}  // namespace frame_flag

/// Header byte 3 in Gen B; always Data in Gen A.
enum class FrameKind : std::uint8_t { Data, Request, Reply, ErrorReply };

inline constexpr std::size_t kFrameHeaderBytes = 8;
/// With the sequence that follows the length for every kind but Data.
inline constexpr std::size_t kFrameHeaderBytesMax = 16;
/// Bodies of control frames, whatever the data maximum (Gen B; applied to both).
inline constexpr std::uint32_t kControlBodyBytesMax = 4096;

struct FrameHeader {
    std::uint8_t flags = 0;
    FrameKind kind = FrameKind::Data;
    std::uint32_t body_bytes = 0;
    /// Not zero exactly when kind is not Data.
    std::uint64_t sequence = 0;

    bool more() const noexcept { return (flags & frame_flag::kMore) != 0; }
    bool control() const noexcept { return (flags & frame_flag::kControl) != 0; }
    /// To be swallowed: an identity frame is never data (zmp.md section 1).
    bool identity() const noexcept { return (flags & frame_flag::kIdentity) != 0; }
    std::size_t header_bytes() const noexcept {
        return kind == FrameKind::Data ? kFrameHeaderBytes : kFrameHeaderBytesMax;
    }
    bool operator==(const FrameHeader&) const = default;
};

/// A header as bytes, on the stack of whoever gathers the frame.
struct EncodedFrameHeader {
    std::array<std::byte, kFrameHeaderBytesMax> bytes;
    std::size_t size_bytes = 0;
    ByteView view() const noexcept { return ByteView(bytes).first(size_bytes); }
};

EncodedFrameHeader encode_frame_header(const FrameHeader& header) noexcept;

/// Cuts a byte stream into frames. Feed it whatever arrived, in order, however it was split.
///
/// next() eats from the front of `input` and answers with one event; call it until NeedInput.
/// A frame is one Header event, then one or more Body events whose pieces are the body in order;
/// the last one says so (an empty body is one empty last piece). The header is checked against the
/// limits before it is reported, so its length may be allocated. A body that lies wholly in `input`
/// comes as one piece and may be borrowed. Pieces point into `input`; the parser keeps no bytes
/// but those of an unfinished header. After an error the parser is spent: close the connection.
class FrameParser {
  public:
    struct Limits {
        /// Per frame and for the sum over the parts of one record.
        std::uint64_t record_bytes_max = 0xFFFF'FFFF;
    };

    struct Event {
        enum class Kind : std::uint8_t { NeedInput, Header, Body };
        Kind kind = Kind::NeedInput;
        /// The frame the event belongs to; not for NeedInput.
        FrameHeader header;
        /// Kind::Body: the next bytes of the body.
        ByteView piece;
        /// Kind::Body: the frame is complete. Without header.more() so is the record.
        bool last = false;
    };

    FrameParser() = default;
    explicit FrameParser(Limits limits) noexcept : limits_(limits) {}

    /// Errors: FrameMagic, FrameVersion, FrameFlags, FrameTooLarge, FrameKind, FrameSequence,
    /// FrameMultipart.
    result<Event> next(ByteView& input) noexcept;

    /// LaneCount until the peer's READY says otherwise; takes effect with the next header.
    void set_generation(WireGeneration generation) noexcept { generation_ = generation; }

    /// The stream may end here: between records. Otherwise its end is Errc::FrameIncomplete.
    bool at_record_boundary() const noexcept { return !in_body_ && !in_record_ && held_ == 0; }

  private:
    /// Moves input into held_bytes_ until it holds that many; false when input ran out first.
    bool hold(ByteView& input, std::size_t size_bytes) noexcept;
    result<void> read_fixed_header() noexcept;
    result<void> check_size() const noexcept;
    void open_body() noexcept;
    Event next_piece(ByteView& input) noexcept;

    Limits limits_;
    WireGeneration generation_ = WireGeneration::LaneCount;
    std::array<std::byte, kFrameHeaderBytesMax> held_bytes_{};
    std::size_t held_ = 0;  // Bytes of the unfinished header in held_bytes_.
    FrameHeader header_;
    std::uint32_t body_left_ = 0;
    std::uint64_t record_bytes_ = 0;
    bool in_body_ = false;
    bool in_record_ = false;  // A part with MORE was seen and its record is not finished.
};

}  // namespace shunt::protocol
