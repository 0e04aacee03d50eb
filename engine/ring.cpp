#include "engine/ring.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/assert.hpp"
#include "engine/errc.hpp"

namespace shunt::engine {
namespace {

constexpr std::uint32_t kSizing = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;

// Strongest first; the next is tried when the kernel answers -EINVAL (io-uring.md section 2).
constexpr std::array<std::uint32_t, 4> kFlagSets = {
    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SUBMIT_ALL | kSizing,
    IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SUBMIT_ALL | kSizing,
    kSizing,
    0,
};

// Smaller and smaller rings with one flag set. Returns 0 or a negative errno.
int set_up(io_uring& ring, std::uint32_t flags, RingOptions size) {
    for (;;) {
        io_uring_params params{};
        params.flags = flags;
        params.cq_entries = size.cq_entries;
        const int error = io_uring_queue_init_params(size.sq_entries, &ring, &params);
        const bool smallest = size.sq_entries <= kSqEntriesMin && size.cq_entries <= kCqEntriesMin;
        if (error != -ENOMEM || smallest) return error;
        size.sq_entries = std::max(size.sq_entries / 2, kSqEntriesMin);
        size.cq_entries = std::max(size.cq_entries / 2, kCqEntriesMin);
    }
}

}  // namespace

result<std::unique_ptr<Ring>> Ring::create(const RingOptions& options) {
    std::unique_ptr<Ring> ring(new Ring);
    int error = -EINVAL;
    for (const std::uint32_t flags : kFlagSets) {
        error = set_up(ring->ring_, flags, options);
        if (error != -EINVAL) break;
    }
    if (error < 0) return ring_error(-error);
    ring->ready_ = true;
    // A child process must not share the ring; failure only means that forking stays unwise.
    (void)io_uring_ring_dontfork(&ring->ring_);
    // Saves a descriptor lookup per system call; optional by nature.
    (void)io_uring_register_ring_fd(&ring->ring_);
    return ring;
}

Ring::~Ring() {
    if (ready_) io_uring_queue_exit(&ring_);
}

io_uring_sqe& Ring::next_sqe() {
    io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
    while (sqe == nullptr) {
        const int submitted = io_uring_submit(&ring_);
        if (submitted == -EBUSY || submitted == -EAGAIN) {
            // The overflow list must drain before the kernel takes more work.
            spill_completions();
        } else {
            SHUNT_ASSERT(submitted > 0 || submitted == -EINTR);
        }
        sqe = io_uring_get_sqe(&ring_);
    }
    return *sqe;
}

void Ring::enter(Duration wait_max) {
    flush_overflow();
    // What the flush moved aside is work already: do not sleep on it.
    if (!spilled_.empty()) wait_max = Duration::zero();
    int answer = 0;
    if (wait_max > Duration::zero()) {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait_max);
        __kernel_timespec timeout{.tv_sec = seconds.count(),
                                  .tv_nsec = (wait_max - seconds).count()};
        io_uring_cqe* ignored = nullptr;
        answer = io_uring_submit_and_wait_timeout(&ring_, &ignored, 1, &timeout, nullptr);
    } else {
        answer = io_uring_submit_and_get_events(&ring_);
    }
    switch (answer) {
        case -ETIME:
        case -EINTR:
            return;
        case -EBUSY:
        case -EAGAIN:
            // Completions are waiting for room; the caller's next collect() makes it.
            spill_completions();
            return;
        default:
            // Anything else says that the ring is used from another thread or torn down: ours.
            SHUNT_ASSERT(answer >= 0);
    }
}

std::size_t Ring::collect(std::span<Completion> room) {
    std::size_t count = 0;
    if (!spilled_.empty()) {
        count = std::min(room.size(), spilled_.size());
        const auto end = spilled_.begin() + static_cast<std::ptrdiff_t>(count);
        std::copy(spilled_.begin(), end, room.begin());
        spilled_.erase(spilled_.begin(), end);
    }
    const unsigned mask = ring_.cq.ring_mask;
    const unsigned head = *ring_.cq.khead;
    const auto ready = std::min<std::size_t>(io_uring_cq_ready(&ring_), room.size() - count);
    for (unsigned i = 0; i < ready; ++i) {
        const io_uring_cqe& cqe = ring_.cq.cqes[(head + i) & mask];
        room[count++] = {.user_data = cqe.user_data, .result = cqe.res, .flags = cqe.flags};
    }
    io_uring_cq_advance(&ring_, static_cast<unsigned>(ready));
    return count;
}

bool Ring::has_completions() const noexcept {
    return !spilled_.empty() || io_uring_cq_ready(&ring_) > 0;
}

void Ring::cancel_all(Duration wait) noexcept {
    io_uring_sync_cancel_reg cancel{};
    cancel.fd = -1;
    cancel.flags = IORING_ASYNC_CANCEL_ALL | IORING_ASYNC_CANCEL_ANY;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
    cancel.timeout.tv_sec = seconds.count();
    cancel.timeout.tv_nsec = (wait - seconds).count();
    // -ENOENT (nothing left) and -ETIME are ordinary; the caller counts what is still out.
    (void)io_uring_register_sync_cancel(&ring_, &cancel);
}

void Ring::spill_completions() {
    (void)io_uring_get_events(&ring_);
    std::array<Completion, 64> batch;
    // Not through collect(): it would take the spilled ones first and turn the order around.
    std::vector<Completion> earlier = std::move(spilled_);
    spilled_.clear();
    while (const std::size_t count = collect(batch)) {
        earlier.insert(earlier.end(), batch.begin(),
                       batch.begin() + static_cast<std::ptrdiff_t>(count));
    }
    spilled_ = std::move(earlier);
}

void Ring::flush_overflow() {
    if (!io_uring_cq_has_overflow(&ring_)) return;
    ++overflow_count_;
    while (io_uring_cq_has_overflow(&ring_)) spill_completions();
}

std::string setup_flag_names(std::uint32_t flags) {
    struct Name {
        std::uint32_t bit;
        const char* text;
    };
    static constexpr std::array<Name, 6> kNames = {{
        {IORING_SETUP_SINGLE_ISSUER, "SINGLE_ISSUER"},
        {IORING_SETUP_DEFER_TASKRUN, "DEFER_TASKRUN"},
        {IORING_SETUP_COOP_TASKRUN, "COOP_TASKRUN"},
        {IORING_SETUP_SUBMIT_ALL, "SUBMIT_ALL"},
        {IORING_SETUP_CQSIZE, "CQSIZE"},
        {IORING_SETUP_CLAMP, "CLAMP"},
    }};
    std::string out;
    for (const Name& name : kNames) {
        if ((flags & name.bit) == 0) continue;
        if (!out.empty()) out += '|';
        out += name.text;
    }
    return out.empty() ? "none" : out;
}

}  // namespace shunt::engine
