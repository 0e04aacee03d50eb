#pragma once
// Where a timer stands: which nominal tick comes next and when (spec/objects.md section 6). Pure
// arithmetic on wall-clock milliseconds, so a cursor can move to another node and go on.

#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "host/actor.hpp"

namespace shunt::host {

struct DueTick {
    std::uint64_t scheduled_index = 0;
    UnixMillis scheduled_at;
    bool operator==(const DueTick&) const = default;
};

class TimerCursor {
  public:
    TimerCursor(std::uint64_t period_milliseconds, TimerOverrun overrun,
                std::uint64_t max_catch_up_ticks, std::uint64_t next_index, UnixMillis next_at)
        : period_milliseconds_(period_milliseconds),
          overrun_(overrun),
          max_catch_up_ticks_(max_catch_up_ticks),
          next_index_(next_index),
          next_at_(next_at) {}

    UnixMillis next_at() const noexcept { return next_at_; }
    std::uint64_t next_index() const noexcept { return next_index_; }

    /// The ticks to deliver at `now`, in order, and moves past every tick that is due. Empty when
    /// the next one is still ahead. DelayNextTick stops there until handler_ended().
    std::vector<DueTick> advance(UnixMillis now) {
        if (now < next_at_) return {};
        const std::uint64_t late = (now.value - next_at_.value) / period_milliseconds_;
        const std::uint64_t newest = next_index_ + late;
        std::uint64_t first = newest;
        if (overrun_ == TimerOverrun::DelayNextTick) {
            first = next_index_;
        } else if (overrun_ == TimerOverrun::CatchUpBounded) {
            const std::uint64_t window = late + 1;
            first = newest + 1 - (window < max_catch_up_ticks_ ? window : max_catch_up_ticks_);
        }
        const std::uint64_t last = overrun_ == TimerOverrun::DelayNextTick ? first : newest;
        std::vector<DueTick> due;
        for (std::uint64_t index = first; index <= last; ++index) {
            due.push_back({index, at(index)});
        }
        next_at_ = at(last + 1);
        next_index_ = last + 1;
        return due;
    }

    /// DelayNextTick counts its period from the end of the handler.
    void handler_ended(UnixMillis now) noexcept {
        if (overrun_ == TimerOverrun::DelayNextTick) {
            next_at_ = UnixMillis{now.value + period_milliseconds_};
        }
    }

  private:
    UnixMillis at(std::uint64_t index) const noexcept {
        return UnixMillis{next_at_.value + (index - next_index_) * period_milliseconds_};
    }

    std::uint64_t period_milliseconds_;
    TimerOverrun overrun_;
    std::uint64_t max_catch_up_ticks_;
    std::uint64_t next_index_;
    UnixMillis next_at_;
};

}  // namespace shunt::host
