#pragma once
// Cursor over borrowed bytes (design-notes style, section 6): never trusts a length, never copies.
// enter() and leave() are the body-length rule of spec/wire.md section 14, in one place for every
// delimited form.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "protocol/errc.hpp"

namespace shunt::protocol {

/// Bounds-checked; integers are big-endian, as on the wire. After a failure offset() is where the
/// unreadable field starts, or lies within it.
class Reader {
  public:
    explicit Reader(ByteView bytes) noexcept : bytes_(bytes), end_(bytes.size()) {}

    /// Borrows the next `size_bytes`; valid as long as the bytes given to the constructor.
    result<ByteView> take(std::uint64_t size_bytes) noexcept {
        if (size_bytes > left()) return Errc::TruncatedField;
        const auto size = static_cast<std::size_t>(size_bytes);
        return bytes_.subspan(std::exchange(offset_, offset_ + size), size);
    }

    template <std::unsigned_integral T>
    result<T> integer() noexcept {
        BOOST_OUTCOME_TRY(const ByteView raw, take(sizeof(T)));
        std::uint64_t value = 0;
        for (const std::byte b : raw) value = (value << 8U) | std::to_integer<std::uint64_t>(b);
        return static_cast<T>(value);
    }

    /// A length-delimited body being read: between enter() and leave() no byte beyond it is seen.
    struct Scope {
        std::uint64_t declared;
        std::size_t present;
        std::size_t start;
        std::size_t outer_end;
    };

    Scope enter(std::uint64_t declared) noexcept {
        const Scope scope{declared, left(), offset_, end_};
        end_ = offset_ + static_cast<std::size_t>(std::min<std::uint64_t>(declared, left()));
        return scope;
    }

    /// What reading the content amounts to: it must have consumed exactly the declared length.
    /// Content that ran out is truncation only where the bytes that are there ran out as well;
    /// otherwise the declared length is what is wrong.
    result<void> leave(const Scope& scope, const result<void>& content) noexcept {
        end_ = scope.outer_end;
        if (content.has_error()) {
            const bool ran_out = content.error() == Errc::TruncatedField;
            if (ran_out && scope.declared <= scope.present) return Errc::InvalidBodyLength;
            return content;
        }
        if (offset_ - scope.start != scope.declared) return Errc::InvalidBodyLength;
        return outcome::success();
    }

    /// Every decoder ends with this: bytes nobody read are an error, not padding.
    result<void> finish() const noexcept {
        if (left() != 0) return Errc::TrailingByte;
        return outcome::success();
    }

    std::size_t offset() const noexcept { return offset_; }
    std::size_t left() const noexcept { return end_ - offset_; }

  private:
    ByteView bytes_;
    std::size_t offset_ = 0;  // Never past end_, so the subtraction in left() is safe.
    std::size_t end_;         // Of the innermost scope.
};

}  // namespace shunt::protocol
