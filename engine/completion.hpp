#pragma once
// The words of a completion: what kind of operation it ends, whose it was, and the number that
// carries both through the kernel (design-notes/io-uring.md section 8). user_data is an index, a
// generation and a kind, never a pointer: a late completion finds a newer generation, not freed
// memory.

#include <cstdint>

#include <liburing.h>

namespace shunt::engine {

/// What was asked of the kernel. The two buffered receives are named apart so that even a
/// completion nobody owns any more tells which buffer ring its buffer belongs to.
enum class OpKind : std::uint8_t {
    Receive,       // One shot, into the target's own memory.
    ReceiveBulk,   // Multishot, application lanes.
    ReceiveSmall,  // Multishot, completion lanes.
    Send,
    Accept,
    Connect,
    Cancel,
    Wake,
};

/// Names one IoTarget of one shard.
struct TargetId {
    std::uint32_t index = 0;
    /// 24 bits travel through the kernel.
    std::uint32_t generation = 0;
    constexpr bool operator==(const TargetId&) const noexcept = default;
};

inline constexpr std::uint32_t kGenerationMask = 0x00FF'FFFF;

constexpr std::uint64_t user_data_of(TargetId target, OpKind kind) noexcept {
    return (std::uint64_t{target.index} << 32U) |
           (std::uint64_t{target.generation & kGenerationMask} << 8U) |
           static_cast<std::uint64_t>(kind);
}

/// One completion, copied out of the ring before any handler runs.
struct Completion {
    std::uint64_t user_data = 0;
    /// Bytes, a descriptor, or a negative errno.
    std::int32_t result = 0;
    std::uint32_t flags = 0;

    constexpr TargetId target() const noexcept {
        return {.index = static_cast<std::uint32_t>(user_data >> 32U),
                .generation = static_cast<std::uint32_t>(user_data >> 8U) & kGenerationMask};
    }
    constexpr OpKind kind() const noexcept { return static_cast<OpKind>(user_data & 0xFFU); }
    /// The operation is over: the kernel holds nothing of it any more.
    constexpr bool terminal() const noexcept { return (flags & IORING_CQE_F_MORE) == 0; }
    constexpr bool has_buffer() const noexcept { return (flags & IORING_CQE_F_BUFFER) != 0; }
    constexpr std::uint16_t buffer_id() const noexcept {
        return static_cast<std::uint16_t>(flags >> IORING_CQE_BUFFER_SHIFT);
    }
};

}  // namespace shunt::engine
