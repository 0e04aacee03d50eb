#pragma once
// One thread with one ring: its timers, its receive buffers, its inbox and every IoTarget it owns
// (design.md section 2). Drives the turn of design-notes/io-uring.md section 2: completions,
// messages, timers, one gather per connection, one system call.

#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/unique_function.hpp"
#include "engine/buffer_ring.hpp"
#include "engine/inbox.hpp"
#include "engine/io_target.hpp"
#include "engine/ring.hpp"
#include "engine/timer_wheel.hpp"

namespace shunt::engine {

struct ShardOptions {
    /// Thread name, at most 15 bytes show.
    std::string name = "shard";
    RingOptions ring{};
    /// Buffers of application lanes.
    BufferRingOptions bulk_buffers{};
    /// Buffers of completion lanes: a group of their own, so that bulk cannot starve replies.
    BufferRingOptions small_buffers{.buffer_bytes = 16 * 1024, .buffer_count = 32};
    /// CPU to pin the thread to; none leaves it to the scheduler.
    std::optional<unsigned> pin_cpu{};
    /// All shards of this process, for the default of `spin`.
    std::size_t shards_in_process = 1;
    /// How long an idle shard polls before it sleeps; zero never polls; absent takes
    /// default_spin().
    std::optional<Duration> spin{};
    /// How long stop() waits for operations to end by themselves before it cancels them.
    Duration stop_grace = std::chrono::seconds(2);
    /// For tests: sees each operation just before the kernel does and may turn it into another,
    /// such as one that fails or a shorter send.
    std::function<void(OpKind, io_uring_sqe&)> before_submit{};
};

struct ShardCounters {
    std::uint64_t turns = 0;
    std::uint64_t sleeps = 0;
    std::uint64_t completions = 0;
    /// Completions of targets that are gone; their buffers were given back.
    std::uint64_t stale_completions = 0;
    std::uint64_t cq_overflows = 0;
    /// Receives that found no buffer.
    std::uint64_t buffers_starved = 0;
};

class Shard final {
  public:
    explicit Shard(ShardOptions options);
    Shard(const Shard&) = delete;
    Shard& operator=(const Shard&) = delete;
    /// Stops if nobody did.
    ~Shard();

    /// Starts the thread, its ring and buffers, then runs `init` there; returns when `init` has.
    /// Fails with the probe's blocker or what refused the set-up; nothing runs then.
    result<void> start(UniqueFunction<void()> init = {});

    /// Ends every operation and the thread, then returns (design-notes/io-uring.md section 8).
    /// Functions and timers that did not run are destroyed on the shard's thread. Not from the
    /// shard's own thread. May be called twice.
    void stop();

    /// Runs `fn` in a later turn. Any thread; calls of one thread keep their order. A stopped
    /// shard destroys it unrun.
    void post(UniqueFunction<void()> fn);

    bool on_this_thread() const noexcept;
    const ShardOptions& options() const noexcept { return options_; }

    // --- everything below: the shard's own thread only --------------------------------------

    /// Monotonic time, read once a turn.
    TimePoint now() const noexcept { return now_; }
    TimerId arm(TimePoint deadline, UniqueFunction<void()> fn);
    void cancel(TimerId timer) noexcept;
    ShardCounters counters() const noexcept;

    /// Takes the target over; it lives until it has retired.
    template <class T>
    T& adopt(std::unique_ptr<T> target) {
        T& adopted = *target;
        register_target(std::move(target));
        return adopted;
    }

    /// Prepares one operation of `target`: `prepare(io_uring_sqe&)` fills it in. Every operation
    /// of the transport is armed here and completes in dispatch().
    template <class Prepare>
    void submit(IoTarget& target, OpKind kind, Prepare&& prepare) {
        io_uring_sqe& sqe = ring_->next_sqe();
        std::forward<Prepare>(prepare)(sqe);
        if (options_.before_submit) options_.before_submit(kind, sqe);
        io_uring_sqe_set_data64(&sqe, user_data_of(target.id_, kind));
        ++target.ops_in_kernel_;
        ++ops_in_kernel_;
    }
    /// Asks the kernel to end `target`'s operation of that kind; its own completion follows.
    void submit_cancel(IoTarget& target, OpKind kind);

    /// Calls target.flush() at the end of this turn.
    void request_flush(IoTarget& target);
    /// Destroys `target` once the kernel has let go of it; on_retired() comes first, never inside
    /// this call.
    void retire(IoTarget& target);

    /// The ring of OpKind::ReceiveBulk or OpKind::ReceiveSmall.
    BufferRing& buffers(OpKind receive_kind) noexcept;
    std::uint32_t ops_in_kernel() const noexcept { return ops_in_kernel_; }

  private:
    class Doorbell;
    struct Slot {
        std::unique_ptr<IoTarget> target;
        std::uint32_t generation = 1;
    };

    void run(UniqueFunction<void()> init);
    result<void> set_up();
    void loop();
    bool turn();
    std::size_t drain_completions();
    void dispatch(const Completion& completion);
    std::size_t run_posted();
    void flush_requested();
    bool retire_idle();
    bool has_work() const noexcept;
    void rest(bool was_useful);
    void begin_stop();
    void shut_down_targets();
    void end_operations();
    void leak_what_is_busy();
    void register_target(std::unique_ptr<IoTarget> target);
    void destroy_target(IoTarget& target) noexcept;

    ShardOptions options_;
    Duration spin_{};
    Inbox inbox_;
    std::thread thread_;
    std::latch started_{1};
    std::error_code start_error_;

    std::unique_ptr<Ring> ring_;
    std::unique_ptr<BufferRing> bulk_buffers_;
    std::unique_ptr<BufferRing> small_buffers_;
    std::unique_ptr<TimerWheel> wheel_;
    TimePoint now_{};
    TimePoint last_useful_{};

    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_slots_;
    std::vector<IoTarget*> flush_list_;
    std::vector<IoTarget*> retiring_;
    std::vector<UniqueFunction<void()>> posted_;
    std::uint32_t ops_in_kernel_ = 0;
    std::uint32_t target_count_ = 0;
    bool stopping_ = false;
    TimePoint stop_deadline_ = kNever;
    ShardCounters counters_;
};

}  // namespace shunt::engine
