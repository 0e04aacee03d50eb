#include "relocation/budget.hpp"

#include "base/assert.hpp"

namespace shunt::relocation {

bool ChargeCounter::fits(std::uint64_t charge, std::uint64_t in_flight) const noexcept {
    if (limit_ == 0 || in_flight == 0) return true;
    return in_flight <= limit_ && charge <= limit_ - in_flight;
}

bool ChargeCounter::fits(std::uint64_t charge) const noexcept {
    return fits(charge, in_flight_.load());
}

bool ChargeCounter::try_take(std::uint64_t charge) noexcept {
    std::uint64_t in_flight = in_flight_.load();
    while (fits(charge, in_flight)) {
        if (in_flight_.compare_exchange_weak(in_flight, in_flight + charge)) return true;
    }
    return false;
}

void ChargeCounter::release(std::uint64_t charge) noexcept {
    const std::uint64_t before = in_flight_.fetch_sub(charge);
    SHUNT_ASSERT(charge <= before);
}

PeerBudget::~PeerBudget() {
    SHUNT_ASSERT(waiter_count_ == 0);
    SHUNT_ASSERT(counter_.in_flight() == 0);
}

RoomWaiter::~RoomWaiter() {
    SHUNT_ASSERT(!waiting());
}

InFlightBudget::~InFlightBudget() {
    SHUNT_ASSERT(first_ == nullptr);
}

bool InFlightBudget::try_ask(PeerBudget& peer, std::uint64_t charge, Claim claim) noexcept {
    // Whoever already waits for the same room comes first.
    if (peer.waiter_count_ > 0 || node_held_up_) return false;
    return try_meet(peer, charge, claim);
}

bool InFlightBudget::ask(PeerBudget& peer, std::uint64_t charge, Claim claim,
                         RoomWaiter& waiter) noexcept {
    SHUNT_ASSERT(!waiter.waiting());
    if (try_ask(peer, charge, claim)) return true;
    if (peer.waiter_count_ == 0 && peer.counter_.fits(charge)) node_held_up_ = true;
    waiter.peer_ = &peer;
    waiter.charge_ = charge;
    waiter.claim_ = claim;
    waiter.next_ = nullptr;
    waiter.previous_ = last_;
    (last_ == nullptr ? first_ : last_->next_) = &waiter;
    last_ = &waiter;
    ++peer.waiter_count_;
    ++waiter_count_;
    return false;
}

void InFlightBudget::withdraw(RoomWaiter& waiter) noexcept {
    if (waiter.waiting()) unlink(waiter);
}

void InFlightBudget::release(PeerBudget& peer, std::uint64_t charge) noexcept {
    peer.counter_.release(charge);
    node_.release(charge);
}

RoomWaiter* InFlightBudget::next_granted() noexcept {
    ++scan_;
    node_held_up_ = false;
    for (RoomWaiter* waiter = first_; waiter != nullptr; waiter = waiter->next_) {
        PeerBudget& peer = *waiter->peer_;
        if (peer.blocked_in_scan_ == scan_) continue;
        if (!peer.counter_.fits(waiter->charge_)) {
            peer.blocked_in_scan_ = scan_;
            continue;
        }
        if (!node_.fits(waiter->charge_)) {
            node_held_up_ = true;
            return nullptr;
        }
        if (!try_meet(peer, waiter->charge_, waiter->claim_)) {
            // A shard that asked before anyone waited was quicker; its release comes.
            peer.blocked_in_scan_ = scan_;
            continue;
        }
        unlink(*waiter);
        return waiter;
    }
    return nullptr;
}

bool InFlightBudget::try_meet(PeerBudget& peer, std::uint64_t charge, Claim claim) noexcept {
    if (!peer.counter_.fits(charge) || !node_.fits(charge)) return false;
    if (claim == Claim::Observe) return true;
    if (!peer.counter_.try_take(charge)) return false;
    if (node_.try_take(charge)) return true;
    peer.counter_.release(charge);
    return false;
}

void InFlightBudget::unlink(RoomWaiter& waiter) noexcept {
    (waiter.previous_ == nullptr ? first_ : waiter.previous_->next_) = waiter.next_;
    (waiter.next_ == nullptr ? last_ : waiter.next_->previous_) = waiter.previous_;
    SHUNT_ASSERT(waiter.peer_->waiter_count_ > 0);
    --waiter.peer_->waiter_count_;
    --waiter_count_;
    waiter.peer_ = nullptr;
    waiter.next_ = nullptr;
    waiter.previous_ = nullptr;
}

}  // namespace shunt::relocation
