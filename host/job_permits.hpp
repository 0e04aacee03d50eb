#pragma once
// The host-wide count of application jobs accepted but not yet started (spec/execution.md
// section 3). Exact and lock-free: shards add and remove, shard 0 acts on the pressure.

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/assert.hpp"
#include "base/ids.hpp"
#include "base/unique_function.hpp"

namespace shunt::host {

class JobPermits;

/// One accepted job's place in the count; gives it back exactly once. Any thread.
class JobPermit {
  public:
    JobPermit() noexcept = default;
    JobPermit(JobPermit&& other) noexcept : permits_(std::exchange(other.permits_, nullptr)) {}
    JobPermit& operator=(JobPermit&& other) noexcept {
        if (this != &other) {
            release();
            permits_ = std::exchange(other.permits_, nullptr);
        }
        return *this;
    }
    JobPermit(const JobPermit&) = delete;
    JobPermit& operator=(const JobPermit&) = delete;
    ~JobPermit() { release(); }

    void release() noexcept;
    explicit operator bool() const noexcept { return permits_ != nullptr; }

  private:
    friend class JobPermits;
    explicit JobPermit(JobPermits& permits) noexcept : permits_(&permits) {}
    JobPermits* permits_ = nullptr;
};

/// The counter with its pressure hysteresis. Crossing a threshold drops nothing: it only says that
/// the host should stop, or may go on, receiving ordinary records. Every member may be called by
/// every shard.
class JobPermits {
  public:
    enum class Pressure : std::uint8_t { Running, Paused };

    /// Shards that can wait for a permit: one bit each.
    static constexpr std::uint32_t kShardsMax = 64;

    struct Limits {
        std::uint64_t max = 128;
        std::uint32_t pause_percent = 80;
        std::uint32_t resume_percent = 60;
    };

    /// `on_pressure` runs on the shard that crossed a threshold: look at pressure() on the shard
    /// that acts, for two crossings may be reported in either order.
    JobPermits(Limits limits, UniqueFunction<void()> on_pressure)
        : max_(limits.max),
          pause_at_((limits.max * limits.pause_percent + 99) / 100),
          resume_at_(limits.max * limits.resume_percent / 100),
          on_pressure_(std::move(on_pressure)) {}
    JobPermits(const JobPermits&) = delete;
    JobPermits& operator=(const JobPermits&) = delete;
    ~JobPermits() { SHUNT_ASSERT(in_use() == 0); }

    /// A local submission or an already received record always gets its permit: reception is what
    /// stops at the maximum, never a record that is here (spec/execution.md section 3).
    [[nodiscard]] JobPermit acquire() noexcept {
        added(in_use_.fetch_add(1) + 1);
        return JobPermit(*this);
    }
    /// For one more runnable backlog turn (one live permit at a time, seed unit section 4.6); an
    /// empty permit at the maximum.
    [[nodiscard]] JobPermit try_acquire() noexcept;

    /// How many more backlog turns could get a permit now.
    std::uint64_t room() const noexcept {
        const std::uint64_t used = in_use();
        return used < max_ ? max_ - used : 0;
    }
    /// A unit is sealed only below the pause threshold (spec/execution.md section 10.9).
    bool below_pause() const noexcept { return in_use() < pause_at_; }

    std::uint64_t in_use() const noexcept { return in_use_.load(); }
    std::uint64_t peak() const noexcept { return peak_.load(); }
    std::uint64_t max() const noexcept { return max_; }
    Pressure pressure() const noexcept {
        return paused_.load() ? Pressure::Paused : Pressure::Running;
    }

    // --- jobs captured by moves -------------------------------------------------------------
    /// Captured jobs keep their permits. Together they never hold so many that reception could not
    /// go on. False leaves the count as it is.
    [[nodiscard]] bool try_capture(std::uint64_t jobs) noexcept;
    void release_captured(std::uint64_t jobs) noexcept {
        const std::uint64_t before = captured_.fetch_sub(jobs);
        SHUNT_ASSERT(before >= jobs);
    }

    // --- waiting ----------------------------------------------------------------------------
    /// The next permit that comes back wakes `shard`, once. Look at room() again after the call: a
    /// permit may have come back just before it.
    void watch(ShardId shard) noexcept { watching_.fetch_or(1ULL << shard.value); }
    /// Runs on the shard that gave a permit back, once per shard to wake.
    void on_wake(UniqueFunction<void(ShardId)> wake) { wake_ = std::move(wake); }

  private:
    friend class JobPermit;

    void added(std::uint64_t in_use) noexcept;
    void remove() noexcept;

    std::uint64_t max_;
    std::uint64_t pause_at_;
    std::uint64_t resume_at_;
    std::atomic<std::uint64_t> in_use_{0};
    std::atomic<std::uint64_t> peak_{0};
    std::atomic<std::uint64_t> captured_{0};
    std::atomic<std::uint64_t> watching_{0};
    std::atomic<bool> paused_{false};
    UniqueFunction<void()> on_pressure_;
    UniqueFunction<void(ShardId)> wake_;
};

inline void JobPermit::release() noexcept {
    if (permits_ != nullptr) std::exchange(permits_, nullptr)->remove();
}

}  // namespace shunt::host
