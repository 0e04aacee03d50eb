#pragma once
// The in-flight payload budget (seed unit section 5.3, design.md section 3): how many bytes of
// relocation chunks, as the pipe charges them, may be under way per peer connection and on the
// whole node. Waiters are served first in, first out. Copies kept for retransmission occupy no pipe
// and are never counted.
//
// The counters are lock-free: any shard takes and gives back. The queue belongs to one shard, and
// whoever finds waiters in front of it, or no room, goes there.

#include <atomic>
#include <cstdint>

namespace shunt::relocation {

/// One limit and what is charged against it. Zero means no limit; the charge is counted all the
/// same. Any thread.
class ChargeCounter {
  public:
    explicit ChargeCounter(std::uint64_t limit) noexcept : limit_(limit) {}

    /// True when `charge` has been taken. A charge above the whole limit passes when nothing else
    /// is in flight: no payload is too large to move.
    bool try_take(std::uint64_t charge) noexcept;
    /// Gives back exactly what was taken.
    void release(std::uint64_t charge) noexcept;
    /// Whether try_take would answer true.
    bool fits(std::uint64_t charge) const noexcept;

    std::uint64_t in_flight() const noexcept { return in_flight_.load(); }
    std::uint64_t limit() const noexcept { return limit_; }

  private:
    bool fits(std::uint64_t charge, std::uint64_t in_flight) const noexcept;

    std::uint64_t limit_;
    std::atomic<std::uint64_t> in_flight_{0};
};

/// The budget of one peer connection. Outlives its waiters and its charges; the node's budget
/// outlives it.
class PeerBudget {
  public:
    explicit PeerBudget(std::uint64_t limit) noexcept : counter_(limit) {}
    PeerBudget(const PeerBudget&) = delete;
    PeerBudget& operator=(const PeerBudget&) = delete;
    /// Nobody may be waiting and every charge must be back.
    ~PeerBudget();

    std::uint64_t in_flight() const noexcept { return counter_.in_flight(); }

  private:
    friend class InFlightBudget;
    ChargeCounter counter_;
    std::atomic<std::uint64_t> waiter_count_{0};
    std::uint64_t blocked_in_scan_ = 0;  // Number of the latest scan that found it full.
};

/// What a waiter wants once there is room.
enum class Claim : std::uint8_t {
    Take,     // The charge of a chunk about to be submitted.
    Observe,  // Only to know that there is room: a new unit waiting before its seal.
};

/// One place in the queue. The owner keeps it alive and in place until it is granted or withdrawn,
/// and usually derives from it to find itself again.
class RoomWaiter {
  public:
    RoomWaiter() = default;
    RoomWaiter(const RoomWaiter&) = delete;
    RoomWaiter& operator=(const RoomWaiter&) = delete;
    /// Must not be waiting.
    ~RoomWaiter();

    bool waiting() const noexcept { return peer_ != nullptr; }

  private:
    friend class InFlightBudget;
    PeerBudget* peer_ = nullptr;
    std::uint64_t charge_ = 0;
    Claim claim_ = Claim::Take;
    RoomWaiter* next_ = nullptr;
    RoomWaiter* previous_ = nullptr;
};

/// Both budgets of one source node and the queue in front of them. A waiter held up by its own
/// connection lets others pass; one held up by the node does not, so a large chunk is never starved
/// by small ones.
class InFlightBudget {
  public:
    /// `node_limit` zero: only the peers' budgets count.
    explicit InFlightBudget(std::uint64_t node_limit) noexcept : node_(node_limit) {}
    InFlightBudget(const InFlightBudget&) = delete;
    InFlightBudget& operator=(const InFlightBudget&) = delete;
    /// Nobody may be waiting.
    ~InFlightBudget();

    /// Any thread. True when the claim was met at once: there is room and nobody waits for it.
    bool try_ask(PeerBudget& peer, std::uint64_t charge, Claim claim) noexcept;
    /// True when the claim was met at once; otherwise `waiter` stands at the end of the queue.
    /// Follow with next_granted(): room may have come between the look and the queue.
    bool ask(PeerBudget& peer, std::uint64_t charge, Claim claim, RoomWaiter& waiter) noexcept;
    /// Leaves the queue, which may let others through: follow with next_granted(). Nothing happens
    /// to a waiter that does not wait.
    void withdraw(RoomWaiter& waiter) noexcept;
    /// Any thread. Gives a taken charge back; while anyone is waiting(), follow with next_granted()
    /// on the queue's shard until it returns null.
    void release(PeerBudget& peer, std::uint64_t charge) noexcept;
    /// Takes the next waiter whose claim can be met off the queue, with its charge taken; null when
    /// there is none. Pulled, not called back, so a granted unit may ask again right away.
    RoomWaiter* next_granted() noexcept;

    /// Any thread.
    std::uint64_t in_flight() const noexcept { return node_.in_flight(); }
    bool waiting() const noexcept { return waiter_count_.load() > 0; }

  private:
    bool try_meet(PeerBudget& peer, std::uint64_t charge, Claim claim) noexcept;
    void unlink(RoomWaiter& waiter) noexcept;

    ChargeCounter node_;
    RoomWaiter* first_ = nullptr;
    RoomWaiter* last_ = nullptr;
    std::atomic<std::uint64_t> waiter_count_{0};
    std::uint64_t scan_ = 0;
    /// The first waiter its peer would let through is too large for the node's room.
    std::atomic<bool> node_held_up_{false};
};

}  // namespace shunt::relocation
