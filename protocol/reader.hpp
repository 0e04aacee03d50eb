#pragma once
// Cursor over borrowed bytes (design-notes style, section 6): never trusts a length, never copies.
// open() and leave() are the body-length rule of spec/wire.md section 14, in one place for every
// delimited form.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "protocol/errc.hpp"
#include "protocol/fault.hpp"

namespace shunt::protocol {

/// Bounds-checked; integers are big-endian, as on the wire. After a failure offset() is where the
/// unreadable field starts, or lies within it.
class Reader {
  public:
    /// `fault`, if there is one, learns where a failure lies; it outlives the reader.
    explicit Reader(ByteView bytes, Fault* fault = nullptr) noexcept
        : bytes_(bytes), end_(bytes.size()), fault_(fault) {}

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

    /// A length-delimited body being read: between open() and leave() no byte beyond it is seen.
    struct Scope {
        std::uint64_t declared;
        std::size_t present;
        std::size_t length_at;
        std::size_t start;
        std::size_t outer_end;
    };

    /// Reads a length and enters the body it announces. A length above `bytes_max` is refused
    /// before the body is looked at.
    template <std::unsigned_integral Length>
    result<Scope> open(Length bytes_max = std::numeric_limits<Length>::max()) {
        const std::size_t length_at = offset_;
        const result<Length> declared = integer<Length>();
        if (declared.has_error() || declared.value() > bytes_max) {
            failed_in("length", length_at);
            if (declared.has_error()) return declared.error();
            return Errc::LimitExceeded;
        }
        const Scope scope{declared.value(), left(), length_at, offset_, end_};
        end_ = offset_ + static_cast<std::size_t>(std::min<std::uint64_t>(scope.declared, left()));
        return scope;
    }

    /// What reading the content amounts to: it must have consumed exactly the declared length.
    /// Content that ran out is truncation only where the bytes that are there ran out as well;
    /// otherwise the declared length is what is wrong.
    result<void> leave(const Scope& scope, const result<void>& content) {
        end_ = scope.outer_end;
        const bool ran_out = content.has_error() && content.error() == Errc::TruncatedField &&
                             scope.declared <= scope.present;
        if (content.has_error() && !ran_out) return content;
        if (!ran_out && offset_ - scope.start == scope.declared) return outcome::success();
        if (fault_ != nullptr) fault_->blame("length", scope.length_at);
        return Errc::InvalidBodyLength;
    }

    /// Every decoder ends with this: bytes nobody read are an error, not padding.
    result<void> finish() const {
        if (left() == 0) return outcome::success();
        failed_in(nullptr, offset_);
        return Errc::TrailingByte;
    }

    /// Every part that fails says so, the innermost first. Out of the way of what succeeds.
    [[gnu::noinline, gnu::cold]] void failed_in(const char* name, std::size_t start) const {
        if (fault_ != nullptr) fault_->within(name, start);
    }
    void failed_in_item(std::size_t index, std::size_t start) const {
        if (fault_ != nullptr) fault_->within_item(index, start);
    }
    /// Passes on what a part called `name`, which began at `start`, came to. Inline: it stands
    /// behind every field.
    [[gnu::always_inline]] result<void> named(const char* name, std::size_t start,
                                              const result<void>& status) const {
        if (status.has_error()) [[unlikely]] {
            failed_in(name, start);
        }
        return status;
    }

    std::size_t offset() const noexcept { return offset_; }
    std::size_t left() const noexcept { return end_ - offset_; }

  private:
    ByteView bytes_;
    std::size_t offset_ = 0;  // Never past end_, so the subtraction in left() is safe.
    std::size_t end_;         // Of the innermost scope.
    Fault* fault_;
};

}  // namespace shunt::protocol
