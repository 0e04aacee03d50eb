#pragma once
// Provided receive buffers of one shard: the kernel picks one per completion, the shard gives it
// back once its bytes are used. Starvation is an ordinary state: who got -ENOBUFS waits here until
// a quarter of the ring is free again (design-notes/io-uring.md section 5).

#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "engine/io_target.hpp"
#include "engine/ring.hpp"

namespace shunt::engine {

struct BufferRingOptions {
    std::uint32_t buffer_bytes = 64 * 1024;
    /// A power of two, at most 32768.
    std::uint32_t buffer_count = 64;
};

class BufferRing final {
  public:
    /// Registers `group` with `ring`, which must outlive the result.
    static result<std::unique_ptr<BufferRing>> create(Ring& ring, std::uint16_t group,
                                                      const BufferRingOptions& options);
    BufferRing(const BufferRing&) = delete;
    BufferRing& operator=(const BufferRing&) = delete;
    /// Unregisters and frees; no operation on this group may be in the kernel.
    ~BufferRing();

    std::uint16_t group() const noexcept { return group_; }

    /// The first `size_bytes` of a buffer that a completion named: leased until give_back().
    ByteView lease(std::uint16_t id, std::size_t size_bytes) noexcept;
    /// The kernel may fill it again. Bytes of the lease are gone.
    void give_back(std::uint16_t id) noexcept;

    /// Puts `target`, whose receive ended with -ENOBUFS, on the waiting list (once).
    void wait_for_buffers(IoTarget& target);
    void stop_waiting(IoTarget& target) noexcept;
    /// Calls on_buffers_available() of all who wait, when enough buffers are free.
    void wake_waiting();

    /// Buffers the kernel has, as far as completions have told.
    std::uint32_t free_count() const noexcept { return buffer_count_ - leased_count_; }
    std::size_t waiting_count() const noexcept { return waiting_.size(); }
    /// How often a receive found the ring empty.
    std::uint64_t starved_count() const noexcept { return starved_count_; }

    /// Unregisters nothing and frees nothing: kernel work may still write to the memory.
    void leak() noexcept;

  private:
    BufferRing(Ring& ring, std::uint16_t group, const BufferRingOptions& options) noexcept;
    std::byte* buffer(std::uint16_t id) const noexcept;

    Ring* ring_;
    std::uint16_t group_;
    std::uint32_t buffer_bytes_;
    std::uint32_t buffer_count_;
    std::uint32_t leased_count_ = 0;
    std::uint64_t starved_count_ = 0;
    io_uring_buf_ring* entries_ = nullptr;
    std::byte* memory_ = nullptr;
    bool registered_ = false;
    std::vector<IoTarget*> waiting_;
};

}  // namespace shunt::engine
