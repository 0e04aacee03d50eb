#pragma once
// Bulk bytes of a field: a payload, a chunk, a captured state. A decoder lends them out of its
// input; an encoder passes segments on without copying them (design.md section 2, payload memory).

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "base/assert.hpp"
#include "base/bytes.hpp"

namespace shunt::protocol {

/// Opaque bytes, either borrowed or shared. A decoded Blob is borrowed: it lives as long as the
/// bytes that were decoded, unless own() made it independent.
class Blob {
  public:
    Blob() = default;
    /// Borrows.
    Blob(ByteView bytes) noexcept : borrowed_(bytes) {}
    /// Shares.
    Blob(Segments segments) noexcept : shared_(std::move(segments)) {}
    Blob(Segment segment) { shared_.push_back(std::move(segment)); }
    /// Takes over.
    Blob(Bytes&& bytes) : Blob(Segment(std::move(bytes))) {}

    std::size_t size() const noexcept { return borrowed_.size() + total_bytes(shared_); }
    bool empty() const noexcept { return size() == 0; }

    /// The bytes as one view; only for a Blob in one piece (every decoded one is).
    ByteView view() const noexcept {
        if (shared_.empty()) return borrowed_;
        SHUNT_ASSERT(shared_.size() == 1);
        return shared_.front().view();
    }
    operator ByteView() const noexcept { return view(); }

    /// Empty when the bytes are borrowed.
    std::span<const Segment> segments() const noexcept { return shared_; }

    /// The same bytes independent of their lender: borrowed ones are copied, shared ones shared.
    Segments own() const {
        if (!shared_.empty() || borrowed_.empty()) return shared_;
        return {Segment(copy_of(borrowed_))};
    }

    /// Compares bytes, not pieces.
    friend bool operator==(const Blob& a, const Blob& b) {
        if (a.size() != b.size()) return false;
        if (a.shared_.size() <= 1 && b.shared_.size() <= 1) return same_bytes(a.view(), b.view());
        return flatten(a.own()) == flatten(b.own());
    }

  private:
    ByteView borrowed_;
    Segments shared_;
};

}  // namespace shunt::protocol
