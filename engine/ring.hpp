#pragma once
// One io_uring: set-up with weaker flags and smaller sizes where the first wish is refused, room
// for submissions, completions copied out in batches, overflow (design-notes/io-uring.md sections
// 2, 8 and 9). The thread that creates a Ring owns it: every other call comes from that thread.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "engine/completion.hpp"

namespace shunt::engine {

struct RingOptions {
    std::uint32_t sq_entries = 256;
    /// Must hold a burst of multishot completions: buffers in the rings plus sends in flight.
    std::uint32_t cq_entries = 4096;
};

/// The smallest ring worth having; below it set-up fails with Errc::RingMemory.
inline constexpr std::uint32_t kSqEntriesMin = 64;
inline constexpr std::uint32_t kCqEntriesMin = 256;

class Ring final {
  public:
    /// Creates the ring for the calling thread. Errc::RingMissing, RingForbidden, RingMemory or
    /// RingTooOld say what to do.
    static result<std::unique_ptr<Ring>> create(const RingOptions& options);

    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;
    ~Ring();

    /// Room for one submission; submits what is there when the queue is full, so a cancel is
    /// never dropped. The caller prepares it and sets user_data before any other call.
    io_uring_sqe& next_sqe();

    /// Hands everything prepared to the kernel and runs deferred kernel work. With `wait_max`
    /// above zero it sleeps until one completion or that long.
    void enter(Duration wait_max);

    /// Copies up to `room.size()` completions out and frees their entries.
    std::size_t collect(std::span<Completion> room);

    /// True when collect() would find something.
    bool has_completions() const noexcept;

    /// Asks the kernel to cancel every operation and waits up to `wait` for it.
    void cancel_all(Duration wait) noexcept;

    io_uring& raw() noexcept { return ring_; }
    std::uint32_t setup_flags() const noexcept { return ring_.flags; }
    std::uint32_t features() const noexcept { return ring_.features; }
    std::uint32_t sq_entries() const noexcept { return ring_.sq.ring_entries; }
    std::uint32_t cq_entries() const noexcept { return ring_.cq.ring_entries; }
    /// Turns that found completions on the kernel's overflow list. A steady rise means that the
    /// CQ is too small or handlers are too slow.
    std::uint64_t overflow_count() const noexcept { return overflow_count_; }

  private:
    Ring() = default;
    void spill_completions();
    void flush_overflow();

    io_uring ring_{};
    bool ready_ = false;
    std::uint64_t overflow_count_ = 0;
    // Completions moved aside because the kernel would take no submission before (-EBUSY).
    std::vector<Completion> spilled_;
};

/// Names of the set-up flags in `flags`, joined by '|'; "none" when empty.
std::string setup_flag_names(std::uint32_t flags);

}  // namespace shunt::engine
