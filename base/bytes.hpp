#pragma once
// Words for bytes: borrowed views, owned buffers, and immutable shared segments. A captured state
// is a list of segments that are gathered onto the wire without a copy (design.md section 2).

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace shunt {

/// Borrowed bytes; whoever hands one out says how long it lives.
using ByteView = std::span<const std::byte>;
/// Owned bytes.
using Bytes = std::vector<std::byte>;

inline ByteView bytes_of(std::string_view text) noexcept {
    return std::as_bytes(std::span(text.data(), text.size()));
}

inline std::string_view text_of(ByteView bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline Bytes copy_of(ByteView bytes) {
    return Bytes(bytes.begin(), bytes.end());
}

inline bool same_bytes(ByteView a, ByteView b) noexcept {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

/// A slice of immutable bytes together with a share of what keeps them alive. Copying shares,
/// never duplicates; the last share frees the memory. Any thread may hold one.
class Segment {
  public:
    Segment() = default;

    /// Takes the buffer over; no byte is copied.
    explicit Segment(Bytes&& bytes) {
        auto owner = std::make_shared<const Bytes>(std::move(bytes));
        view_ = ByteView(*owner);
        owner_ = std::move(owner);
    }

    /// Shares `owner`, which must keep the bytes of `view` alive and unchanged.
    Segment(std::shared_ptr<const void> owner, ByteView view) noexcept
        : owner_(std::move(owner)), view_(view) {}

    ByteView view() const noexcept { return view_; }
    std::size_t size() const noexcept { return view_.size(); }
    bool empty() const noexcept { return view_.empty(); }

    /// Shares the part `[offset, offset + size_bytes)`, which must lie inside.
    Segment slice(std::size_t offset, std::size_t size_bytes) const {
        return Segment(owner_, view_.subspan(offset, size_bytes));
    }

  private:
    std::shared_ptr<const void> owner_;
    ByteView view_;
};

/// Segments that read as one byte sequence.
using Segments = std::vector<Segment>;

inline std::size_t total_bytes(std::span<const Segment> segments) noexcept {
    std::size_t sum = 0;
    for (const Segment& segment : segments) sum += segment.size();
    return sum;
}

/// One contiguous copy of all segments; for tests and for consumers that need one span.
inline Bytes flatten(std::span<const Segment> segments) {
    Bytes out;
    out.reserve(total_bytes(segments));
    for (const Segment& segment : segments) {
        out.insert(out.end(), segment.view().begin(), segment.view().end());
    }
    return out;
}

}  // namespace shunt
