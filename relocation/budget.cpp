#include "relocation/budget.hpp"

#include "base/assert.hpp"

namespace shunt::relocation {

bool ChargeCounter::fits(std::uint64_t charge) const noexcept {
    if (limit_ == 0 || in_flight_ == 0) return true;
    return in_flight_ <= limit_ && charge <= limit_ - in_flight_;
}

bool ChargeCounter::try_take(std::uint64_t charge) noexcept {
    if (!fits(charge)) return false;
    in_flight_ += charge;
    return true;
}

void ChargeCounter::release(std::uint64_t charge) noexcept {
    SHUNT_ASSERT(charge <= in_flight_);
    in_flight_ -= charge;
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

bool InFlightBudget::ask(PeerBudget& peer, std::uint64_t charge, Claim claim,
                         RoomWaiter& waiter) noexcept {
    SHUNT_ASSERT(!waiter.waiting());
    // Whoever already waits for the same room comes first.
    const bool must_queue = peer.waiter_count_ > 0 || node_held_up_;
    if (!must_queue) {
        if (try_meet(peer, charge, claim)) return true;
        node_held_up_ = peer.counter_.fits(charge);
    }
    waiter.peer_ = &peer;
    waiter.charge_ = charge;
    waiter.claim_ = claim;
    waiter.next_ = nullptr;
    waiter.previous_ = last_;
    (last_ == nullptr ? first_ : last_->next_) = &waiter;
    last_ = &waiter;
    ++peer.waiter_count_;
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
        const bool met = try_meet(peer, waiter->charge_, waiter->claim_);
        SHUNT_ASSERT(met);
        unlink(*waiter);
        return waiter;
    }
    return nullptr;
}

bool InFlightBudget::try_meet(PeerBudget& peer, std::uint64_t charge, Claim claim) noexcept {
    if (!peer.counter_.fits(charge) || !node_.fits(charge)) return false;
    if (claim == Claim::Observe) return true;
    const bool peer_taken = peer.counter_.try_take(charge);
    const bool node_taken = node_.try_take(charge);
    SHUNT_ASSERT(peer_taken);
    SHUNT_ASSERT(node_taken);
    return true;
}

void InFlightBudget::unlink(RoomWaiter& waiter) noexcept {
    (waiter.previous_ == nullptr ? first_ : waiter.previous_->next_) = waiter.next_;
    (waiter.next_ == nullptr ? last_ : waiter.next_->previous_) = waiter.previous_;
    SHUNT_ASSERT(waiter.peer_->waiter_count_ > 0);
    --waiter.peer_->waiter_count_;
    waiter.peer_ = nullptr;
    waiter.next_ = nullptr;
    waiter.previous_ = nullptr;
}

}  // namespace shunt::relocation
