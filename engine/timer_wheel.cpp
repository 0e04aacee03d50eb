#include "engine/timer_wheel.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "base/assert.hpp"

namespace shunt::engine {
namespace {

constexpr std::uint64_t tick_before(TimePoint at) noexcept {
    const auto ns = at.time_since_epoch().count();
    return ns <= 0 ? 0 : static_cast<std::uint64_t>(ns / TimerWheel::kTick.count());
}

// Rounded up, so that the tick's start is never before the deadline.
constexpr std::uint64_t tick_after(TimePoint at) noexcept {
    const auto ns = at.time_since_epoch().count();
    if (ns <= 0) return 0;
    return static_cast<std::uint64_t>((ns - 1) / TimerWheel::kTick.count()) + 1;
}

constexpr TimePoint start_of(std::uint64_t tick) noexcept {
    const auto ticks_max = static_cast<std::uint64_t>(Duration::max() / TimerWheel::kTick);
    if (tick >= ticks_max) return kNever;
    return TimePoint(TimerWheel::kTick * static_cast<std::int64_t>(tick));
}

}  // namespace

TimerWheel::TimerWheel(TimePoint now) : current_tick_(tick_before(now)) {
    for (Level& level : levels_) level.heads.fill(kNone);
}

TimerId TimerWheel::arm(TimePoint deadline, UniqueFunction<void()> fn) {
    const std::uint32_t index = take_node();
    Node& node = nodes_[index];
    node.deadline = deadline;
    node.order = ++orders_;
    node.fn = std::move(fn);
    ++armed_count_;
    insert(index);
    return {(std::uint64_t{node.generation} << 32U) | index};
}

void TimerWheel::cancel(TimerId timer) noexcept {
    Node* node = find(timer);
    if (node == nullptr) return;
    const auto index = static_cast<std::uint32_t>(timer.value);
    if (node->state == State::InSlot) unlink(index);
    // The function may own things whose destructors call back here; let it go last.
    const UniqueFunction<void()> doomed = std::move(node->fn);
    free_node(index);
}

std::size_t TimerWheel::run_due(TimePoint now) {
    const std::uint64_t target = tick_before(now);
    for (std::uint64_t at = next_occupied_tick(); at <= target; at = next_occupied_tick()) {
        current_tick_ = at;
        // Upper levels first: their timers may belong into the lower slots of this very tick.
        for (std::uint32_t level = kLevels; level-- > 0;) {
            const std::uint32_t shift = level * kSlotBits;
            if ((at & ((std::uint64_t{1} << shift) - 1)) != 0) continue;
            empty_slot(level, static_cast<std::uint32_t>(at >> shift) % kSlots, now);
        }
    }
    current_tick_ = std::max(current_tick_, target);

    std::vector<DueTimer> batch = std::move(due_);
    due_.clear();
    std::sort(batch.begin(), batch.end(), [](const DueTimer& a, const DueTimer& b) {
        return std::tie(a.deadline, a.order) < std::tie(b.deadline, b.order);
    });
    std::size_t run_count = 0;
    for (const DueTimer& timer : batch) {
        Node* node = find(timer.id);
        if (node == nullptr) continue;  // Cancelled by an earlier one of this batch.
        UniqueFunction<void()> fn = std::move(node->fn);
        free_node(static_cast<std::uint32_t>(timer.id.value));
        fn();
        ++run_count;
    }
    if (due_.empty()) {
        batch.clear();
        due_ = std::move(batch);  // Keeps the room for the next batch.
    }
    return run_count;
}

TimePoint TimerWheel::next_wake() const noexcept {
    if (armed_count_ == 0) return kNever;
    if (!due_.empty()) return TimePoint::min();
    return start_of(next_occupied_tick());
}

std::uint32_t TimerWheel::take_node() {
    if (!free_.empty()) {
        const std::uint32_t index = free_.back();
        free_.pop_back();
        return index;
    }
    SHUNT_ASSERT(nodes_.size() < kNone);
    nodes_.emplace_back();
    free_.reserve(nodes_.size());  // So that free_node() never allocates.
    return static_cast<std::uint32_t>(nodes_.size() - 1);
}

void TimerWheel::free_node(std::uint32_t index) noexcept {
    Node& node = nodes_[index];
    node.state = State::Free;
    if (++node.generation == 0) node.generation = 1;
    free_.push_back(index);
    --armed_count_;
}

// Chooses the level by the highest bit in which deadline tick and current tick differ, so a slot
// index never wraps around onto a slot that is still to come.
void TimerWheel::insert(std::uint32_t index) {
    Node& node = nodes_[index];
    // The current tick's slots are emptied already; a past deadline waits for the next tick.
    const std::uint64_t tick = std::max(tick_after(node.deadline), current_tick_ + 1);
    const auto bits = static_cast<std::uint32_t>(std::bit_width(tick ^ current_tick_));
    const std::uint32_t level = (bits - 1) / kSlotBits;
    SHUNT_ASSERT(level < kLevels);
    const std::uint32_t slot = static_cast<std::uint32_t>(tick >> (level * kSlotBits)) % kSlots;
    node.level = static_cast<std::uint8_t>(level);
    node.slot = static_cast<std::uint8_t>(slot);
    node.state = State::InSlot;
    node.previous = kNone;
    node.next = levels_[level].heads[slot];
    if (node.next != kNone) nodes_[node.next].previous = index;
    levels_[level].heads[slot] = index;
    levels_[level].occupied |= std::uint64_t{1} << slot;
}

void TimerWheel::unlink(std::uint32_t index) noexcept {
    Node& node = nodes_[index];
    Level& level = levels_[node.level];
    if (node.next != kNone) nodes_[node.next].previous = node.previous;
    if (node.previous != kNone) {
        nodes_[node.previous].next = node.next;
    } else {
        level.heads[node.slot] = node.next;
        if (node.next == kNone) level.occupied &= ~(std::uint64_t{1} << node.slot);
    }
}

void TimerWheel::empty_slot(std::uint32_t level, std::uint32_t slot, TimePoint now) {
    std::uint32_t index = std::exchange(levels_[level].heads[slot], kNone);
    levels_[level].occupied &= ~(std::uint64_t{1} << slot);
    while (index != kNone) {
        const std::uint32_t next = nodes_[index].next;
        place(index, now);
        index = next;
    }
}

void TimerWheel::place(std::uint32_t index, TimePoint now) {
    Node& node = nodes_[index];
    if (node.deadline > now) return insert(index);
    node.state = State::Due;
    due_.push_back({.deadline = node.deadline,
                    .order = node.order,
                    .id = {(std::uint64_t{node.generation} << 32U) | index}});
}

// The first tick at which some occupied slot must be emptied.
std::uint64_t TimerWheel::next_occupied_tick() const noexcept {
    std::uint64_t best = ~std::uint64_t{0};
    for (std::uint32_t level = 0; level < kLevels; ++level) {
        const std::uint64_t occupied = levels_[level].occupied;
        if (occupied == 0) continue;
        const std::uint32_t shift = level * kSlotBits;
        const std::uint64_t position = current_tick_ >> shift;
        const auto here = static_cast<std::uint32_t>(position % kSlots);
        // Slots of a level lie strictly ahead of the current one within the same revolution.
        const std::uint64_t ahead = here == kSlots - 1 ? 0 : occupied >> (here + 1);
        SHUNT_ASSERT(ahead != 0);
        const std::uint64_t tick =
            (position + 1 + static_cast<std::uint64_t>(std::countr_zero(ahead))) << shift;
        best = std::min(best, tick);
    }
    return best;
}

TimerWheel::Node* TimerWheel::find(TimerId timer) noexcept {
    const auto index = static_cast<std::uint32_t>(timer.value);
    if (index >= nodes_.size()) return nullptr;
    Node& node = nodes_[index];
    if (node.state == State::Free || node.generation != timer.value >> 32U) return nullptr;
    return &node;
}

}  // namespace shunt::engine
