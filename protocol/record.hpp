#pragma once
// A multipart record on its way over a mesh link: what the transport carries and what the host
// hands over (spec/wire.md section 1, spec/zmp.md sections 7 and 8). The transport frames it and
// reads nothing in it.

#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "base/static_vector.hpp"

namespace shunt::protocol {

/// How a record rides the transport. Replies use the completion lane, the others the application
/// lane (spec/zmp.md section 8.3).
enum class Leg : std::uint8_t { Send, Request, Reply };

/// Frame 0, the metadata frame and the payload envelope.
inline constexpr std::size_t kRecordPartsMax = 3;

/// What one frame costs in the pipe beyond its body (spec/zmp.md section 16.1).
inline constexpr std::uint64_t kFrameCharge = 64;

/// One frame body to send: `head` written by an encoder, then `tail` gathered untouched.
struct OutPart {
    Bytes head;
    Segments tail;

    std::size_t size_bytes() const noexcept { return head.size() + total_bytes(tail); }
};

/// One record to send. Owns or shares everything it points at.
struct OutRecord {
    Leg leg = Leg::Send;
    /// Pairs a request with its reply; zero exactly when `leg` is Send.
    std::uint64_t sequence = 0;
    StaticVector<OutPart, kRecordPartsMax> parts;

    /// What the pipe accounts for this record (spec/zmp.md section 16.1).
    std::uint64_t charge() const noexcept {
        std::uint64_t sum = 0;
        for (const OutPart& part : parts) sum += part.size_bytes() + kFrameCharge;
        return sum;
    }
};

/// One received record; the bytes are borrowed for the duration of the call that hands it over.
struct InRecord {
    Leg leg = Leg::Send;
    std::uint64_t sequence = 0;
    std::span<const ByteView> parts;
};

/// Terminal of one submitted record: what became of the send that carried its last byte
/// (design.md decision 23). Says nothing about the peer having read it.
enum class SubmitResult : std::uint8_t {
    Sent,     // The kernel took every byte.
    Failed,   // Certainly never left: the link was gone before a byte was handed over.
    Unknown,  // The connection broke around it.
};

}  // namespace shunt::protocol
