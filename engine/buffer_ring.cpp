#include "engine/buffer_ring.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <sys/mman.h>

#include "base/assert.hpp"
#include "engine/errc.hpp"

namespace shunt::engine {
namespace {

// Anonymous memory that a forked child does not see: it must not share what the kernel writes to.
void* map_pages(std::size_t size_bytes) noexcept {
    void* memory =
        ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    (void)::madvise(memory, size_bytes, MADV_DONTFORK);
    return memory;
}

}  // namespace

BufferRing::BufferRing(Ring& ring, std::uint16_t group, const BufferRingOptions& options) noexcept
    : ring_(&ring),
      group_(group),
      buffer_bytes_(options.buffer_bytes),
      buffer_count_(options.buffer_count) {}

result<std::unique_ptr<BufferRing>> BufferRing::create(Ring& ring, std::uint16_t group,
                                                       const BufferRingOptions& options) {
    SHUNT_ASSERT(std::has_single_bit(options.buffer_count));
    SHUNT_ASSERT(options.buffer_count <= 32768);
    SHUNT_ASSERT(options.buffer_bytes > 0);
    std::unique_ptr<BufferRing> out(new BufferRing(ring, group, options));
    const std::size_t entries_bytes = options.buffer_count * sizeof(io_uring_buf);
    const std::size_t memory_bytes = std::size_t{options.buffer_bytes} * options.buffer_count;
    out->entries_ = static_cast<io_uring_buf_ring*>(map_pages(entries_bytes));
    out->memory_ = static_cast<std::byte*>(map_pages(memory_bytes));
    if (out->entries_ == nullptr || out->memory_ == nullptr) return Errc::RingMemory;

    io_uring_buf_reg registration{};
    registration.ring_addr = reinterpret_cast<std::uint64_t>(out->entries_);
    registration.ring_entries = options.buffer_count;
    registration.bgid = group;
    const int error = io_uring_register_buf_ring(&ring.raw(), &registration, 0);
    if (error < 0) return ring_error(-error);
    out->registered_ = true;

    io_uring_buf_ring_init(out->entries_);
    out->leased_count_ = options.buffer_count;
    for (std::uint32_t id = 0; id < options.buffer_count; ++id) {
        out->give_back(static_cast<std::uint16_t>(id));
    }
    return out;
}

BufferRing::~BufferRing() {
    if (registered_) (void)io_uring_unregister_buf_ring(&ring_->raw(), group_);
    if (entries_ != nullptr) ::munmap(entries_, buffer_count_ * sizeof(io_uring_buf));
    if (memory_ != nullptr) ::munmap(memory_, std::size_t{buffer_bytes_} * buffer_count_);
}

ByteView BufferRing::lease(std::uint16_t id, std::size_t size_bytes) noexcept {
    SHUNT_ASSERT(id < buffer_count_);
    SHUNT_ASSERT(size_bytes <= buffer_bytes_);
    SHUNT_ASSERT(leased_count_ < buffer_count_);
    ++leased_count_;
    return {buffer(id), size_bytes};
}

void BufferRing::give_back(std::uint16_t id) noexcept {
    SHUNT_ASSERT(id < buffer_count_);
    SHUNT_ASSERT(leased_count_ > 0);
    --leased_count_;
    const int mask = io_uring_buf_ring_mask(buffer_count_);
    io_uring_buf_ring_add(entries_, buffer(id), buffer_bytes_, id, mask, 0);
    io_uring_buf_ring_advance(entries_, 1);
}

void BufferRing::wait_for_buffers(IoTarget& target) {
    ++starved_count_;
    if (std::exchange(target.waits_for_buffers_, true)) return;
    waiting_.push_back(&target);
}

void BufferRing::stop_waiting(IoTarget& target) noexcept {
    if (!std::exchange(target.waits_for_buffers_, false)) return;
    std::erase(waiting_, &target);
}

void BufferRing::wake_waiting() {
    // Arming on an empty group fails at once, so an early wake-up would be a busy loop.
    if (waiting_.empty() || free_count() < std::max(buffer_count_ / 4, 1U)) return;
    std::vector<IoTarget*> waiting = std::move(waiting_);
    waiting_.clear();
    for (IoTarget* target : waiting) target->waits_for_buffers_ = false;
    for (IoTarget* target : waiting) target->on_buffers_available();
}

void BufferRing::leak() noexcept {
    registered_ = false;
    entries_ = nullptr;
    memory_ = nullptr;
}

std::byte* BufferRing::buffer(std::uint16_t id) const noexcept {
    return memory_ + std::size_t{id} * buffer_bytes_;
}

}  // namespace shunt::engine
