#pragma once
// The host-wide count of application jobs accepted but not yet started (spec/execution.md
// section 3). Exact, and of one shard: step 2 of the plan spreads it over several.

#include <cstdint>
#include <utility>

#include "base/assert.hpp"
#include "base/unique_function.hpp"

namespace shunt::host {

class JobPermits;

/// One accepted job's place in the count; gives it back exactly once.
class JobPermit {
  public:
    JobPermit() noexcept = default;
    explicit JobPermit(JobPermits& permits) noexcept;
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
    JobPermits* permits_ = nullptr;
};

/// The counter with its pressure hysteresis. Crossing a threshold drops nothing: it only says that
/// the host should stop, or may go on, receiving ordinary records.
class JobPermits {
  public:
    enum class Pressure : std::uint8_t { Running, Paused };

    struct Limits {
        std::uint64_t max = 128;
        std::uint32_t pause_percent = 80;
        std::uint32_t resume_percent = 60;
    };

    JobPermits(Limits limits, UniqueFunction<void(Pressure)> on_pressure)
        : max_(limits.max),
          pause_at_((limits.max * limits.pause_percent + 99) / 100),
          resume_at_(limits.max * limits.resume_percent / 100),
          on_pressure_(std::move(on_pressure)) {}
    JobPermits(const JobPermits&) = delete;
    JobPermits& operator=(const JobPermits&) = delete;
    ~JobPermits() { SHUNT_ASSERT(in_use_ == 0); }

    /// A local submission or an already received record always gets its permit: reception is what
    /// stops at the maximum, never a record that is here (spec/execution.md section 3).
    [[nodiscard]] JobPermit acquire() noexcept { return JobPermit(*this); }

    /// Room for one more runnable backlog turn (one live permit at a time, seed unit section 4.6).
    bool has_room() const noexcept { return in_use_ < max_; }
    /// A unit is sealed only below the pause threshold (spec/execution.md section 10.9).
    bool below_pause() const noexcept { return in_use_ < pause_at_; }

    /// Reception goes on at this count at the latest.
    std::uint64_t resume_at() const noexcept { return resume_at_; }

    std::uint64_t in_use() const noexcept { return in_use_; }
    std::uint64_t peak() const noexcept { return peak_; }
    std::uint64_t max() const noexcept { return max_; }
    Pressure pressure() const noexcept { return pressure_; }

    /// Called whenever a permit came back: the backlog waiting for one may go on.
    void on_release(UniqueFunction<void()> waiter) { on_release_ = std::move(waiter); }

  private:
    friend class JobPermit;

    void add() noexcept {
        ++in_use_;
        if (in_use_ > peak_) peak_ = in_use_;
        if (pressure_ == Pressure::Running && in_use_ >= pause_at_) set(Pressure::Paused);
    }

    void remove() noexcept {
        SHUNT_ASSERT(in_use_ > 0);
        --in_use_;
        if (pressure_ == Pressure::Paused && in_use_ <= resume_at_) set(Pressure::Running);
        if (on_release_) on_release_();
    }

    void set(Pressure pressure) noexcept {
        pressure_ = pressure;
        if (on_pressure_) on_pressure_(pressure);
    }

    std::uint64_t max_;
    std::uint64_t pause_at_;
    std::uint64_t resume_at_;
    std::uint64_t in_use_ = 0;
    std::uint64_t peak_ = 0;
    Pressure pressure_ = Pressure::Running;
    UniqueFunction<void(Pressure)> on_pressure_;
    UniqueFunction<void()> on_release_;
};

inline JobPermit::JobPermit(JobPermits& permits) noexcept : permits_(&permits) {
    permits.add();
}

inline void JobPermit::release() noexcept {
    if (permits_ != nullptr) std::exchange(permits_, nullptr)->remove();
}

}  // namespace shunt::host
