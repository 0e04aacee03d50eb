#pragma once
// Hierarchical timer wheel of one shard: absolute deadlines, O(1) arm and cancel, never early.
// Pure: `now` comes in as an argument (design.md section 2).

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "base/unique_function.hpp"

namespace shunt::engine {

/// Names one armed timer; never reused while its shard lives. Zero names none.
struct TimerId {
    std::uint64_t value = 0;
    constexpr auto operator<=>(const TimerId&) const noexcept = default;
    explicit constexpr operator bool() const noexcept { return value != 0; }
};

class TimerWheel final {
  public:
    /// A timer runs at its deadline or less than one tick later.
    static constexpr Duration kTick{std::int64_t{1} << 18};  // about 0.26 ms

    explicit TimerWheel(TimePoint now);
    TimerWheel(const TimerWheel&) = delete;
    TimerWheel& operator=(const TimerWheel&) = delete;

    /// Runs `fn` in the first run_due() at or after `deadline`; a past deadline in the next one.
    TimerId arm(TimePoint deadline, UniqueFunction<void()> fn);

    /// After this the function will not run and is destroyed. Unknown and spent ids are ignored.
    void cancel(TimerId timer) noexcept;

    /// Runs what is due, in deadline order, equal deadlines in the order of arming. Functions may
    /// arm and cancel; what they arm for the past waits for the next call. Returns how many ran.
    std::size_t run_due(TimePoint now);

    /// No timer runs before this instant; kNever when none is armed. May be early by the width of
    /// a wheel level, never late.
    TimePoint next_wake() const noexcept;

    std::size_t armed_count() const noexcept { return armed_count_; }

  private:
    static constexpr std::uint32_t kSlotBits = 6;
    static constexpr std::uint32_t kSlots = 1U << kSlotBits;
    static constexpr std::uint32_t kLevels = 8;
    // Eight levels of six bits hold every TimePoint, so no deadline needs clamping.
    static_assert(kNever.time_since_epoch() / kTick < (std::int64_t{1} << (kSlotBits * kLevels)));
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    enum class State : std::uint8_t { Free, InSlot, Due };

    struct Node {
        TimePoint deadline{};
        std::uint64_t order = 0;  // Of arming; settles equal deadlines.
        UniqueFunction<void()> fn;
        std::uint32_t generation = 1;
        std::uint32_t next = kNone;
        std::uint32_t previous = kNone;
        std::uint8_t level = 0;
        std::uint8_t slot = 0;
        State state = State::Free;
    };

    struct Level {
        std::uint64_t occupied = 0;  // Bit per slot.
        std::array<std::uint32_t, kSlots> heads{};
    };

    struct DueTimer {
        TimePoint deadline;
        std::uint64_t order;
        TimerId id;
    };

    std::uint32_t take_node();
    void free_node(std::uint32_t index) noexcept;
    void insert(std::uint32_t index);
    void unlink(std::uint32_t index) noexcept;
    void empty_slot(std::uint32_t level, std::uint32_t slot, TimePoint now);
    void place(std::uint32_t index, TimePoint now);
    std::uint64_t next_occupied_tick() const noexcept;
    Node* find(TimerId timer) noexcept;

    std::vector<Node> nodes_;
    std::vector<std::uint32_t> free_;
    std::array<Level, kLevels> levels_;
    std::vector<DueTimer> due_;
    std::uint64_t current_tick_;  // Every slot before it has been emptied.
    std::uint64_t orders_ = 0;
    std::size_t armed_count_ = 0;
};

}  // namespace shunt::engine
