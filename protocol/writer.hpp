#pragma once
// Where encoders write. Two sinks with one interface: SizeCounter knows how long an encoding will
// be, Writer makes it. Small fields are copied into a head, bulk segments are passed on as they
// are, so a state blob is never copied (design.md section 2).

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/bytes.hpp"
#include "protocol/record.hpp"

namespace shunt::protocol {

/// Segments up to this size are copied: a gather entry costs more than so few bytes.
inline constexpr std::size_t kCopyBytesMax = 256;

/// Measures; `copied` is the part of `total` that a Writer would copy.
class SizeCounter {
  public:
    static constexpr bool kCounts = true;

    template <std::unsigned_integral T>
    void integer(T /*value*/) noexcept {
        total_ += sizeof(T);
        copied_ += sizeof(T);
    }
    void copy(ByteView bytes) noexcept {
        total_ += bytes.size();
        copied_ += bytes.size();
    }
    void share(const Segment& segment) noexcept {
        total_ += segment.size();
        if (segment.size() <= kCopyBytesMax) copied_ += segment.size();
    }

    std::uint64_t total_bytes() const noexcept { return total_; }
    std::size_t copied_bytes() const noexcept { return copied_; }

  private:
    std::uint64_t total_ = 0;
    std::size_t copied_ = 0;
};

/// Writes big-endian fields and collects shared segments between them, in order.
class Writer {
  public:
    static constexpr bool kCounts = false;

    Writer() = default;
    /// Reserves room for that many copied bytes, where they are known.
    explicit Writer(std::size_t copied_bytes) { open_.reserve(copied_bytes); }

    template <std::unsigned_integral T>
    void integer(T value) {
        std::byte raw[sizeof(T)];
        std::uint64_t rest = value;
        for (std::size_t i = sizeof(T); i > 0; --i) {
            raw[i - 1] = static_cast<std::byte>(rest & 0xFFU);
            rest >>= 8U;
        }
        copy(raw);
    }
    void copy(ByteView bytes) { open_.insert(open_.end(), bytes.begin(), bytes.end()); }
    void share(const Segment& segment) {
        if (segment.size() <= kCopyBytesMax) return copy(segment.view());
        seal();
        part_.tail.push_back(segment);
    }

    /// What was written, as one frame body. Ends the writer.
    OutPart take_part() && {
        if (!sealed_) {
            part_.head = std::move(open_);
        } else if (!open_.empty()) {
            part_.tail.emplace_back(std::move(open_));
        }
        return std::move(part_);
    }

    /// What was written, as segments that read as one byte sequence. Ends the writer.
    Segments take_segments() && {
        OutPart part = std::move(*this).take_part();
        if (!part.head.empty()) {
            part.tail.insert(part.tail.begin(), Segment(std::move(part.head)));
        }
        return std::move(part.tail);
    }

  private:
    void seal() {
        if (!sealed_) {
            part_.head = std::exchange(open_, {});
            sealed_ = true;
        } else if (!open_.empty()) {
            part_.tail.emplace_back(std::exchange(open_, {}));
        }
    }

    Bytes open_;  // Bytes behind the last shared segment.
    OutPart part_;
    bool sealed_ = false;  // part_.head is complete; open_ belongs to the tail.
};

}  // namespace shunt::protocol
