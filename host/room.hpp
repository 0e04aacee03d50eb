#pragma once
// Room for relocation chunks across the shards of a host (seed unit section 5.3, design.md
// section 3): every shard takes and gives back on lock-free counters; whoever finds none waits in
// one queue on shard 0, first in, first out over all shards.

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "host/crew.hpp"
#include "relocation/budget.hpp"

namespace shunt::host {

/// The budget of one peer process; whoever holds charges of it holds this.
using PeerRoom = std::shared_ptr<relocation::PeerBudget>;

/// Names one wait; zero is none.
struct RoomTicket {
    std::uint64_t value = 0;
    constexpr auto operator<=>(const RoomTicket&) const noexcept = default;
    explicit constexpr operator bool() const noexcept { return value != 0; }
};

/// The host's budget and the queue in front of it. Counters: any shard; the queue: shard 0.
class RoomDesk {
  public:
    RoomDesk(Crew& crew, std::uint64_t node_limit) : crew_(crew), budget_(node_limit) {}
    RoomDesk(const RoomDesk&) = delete;
    RoomDesk& operator=(const RoomDesk&) = delete;
    ~RoomDesk() { clear(); }

    /// Any shard. What next_granted() would have to serve is served on shard 0 later.
    bool try_ask(relocation::PeerBudget& peer, std::uint64_t charge, relocation::Claim claim) {
        return budget_.try_ask(peer, charge, claim);
    }
    void release(relocation::PeerBudget& peer, std::uint64_t charge);
    std::uint64_t in_flight() const noexcept { return budget_.in_flight(); }

    /// Shard 0: queues a wait of another shard or its own. The grant reaches RoomPort::granted().
    void wait(ShardId shard, RoomTicket ticket, PeerRoom peer, std::uint64_t charge,
              relocation::Claim claim);
    void withdraw(ShardId shard, RoomTicket ticket);
    /// Forgets every wait: the shards are gone.
    void clear();

  private:
    struct Place : relocation::RoomWaiter {
        ShardId shard;
        RoomTicket ticket;
        PeerRoom peer;
    };
    using Key = std::pair<ShardId, std::uint64_t>;

    void serve();
    void grant(ShardId shard, RoomTicket ticket);

    Crew& crew_;
    relocation::InFlightBudget budget_;
    std::map<Key, std::unique_ptr<Place>> places_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

/// One shard's way to the desk.
class RoomPort {
  public:
    RoomPort(ShardId shard, Crew& crew, RoomDesk& desk) : shard_(shard), crew_(crew), desk_(desk) {}
    RoomPort(const RoomPort&) = delete;
    RoomPort& operator=(const RoomPort&) = delete;

    /// No ticket when the claim was met at once; otherwise `granted` runs once in a later step,
    /// unless the ticket is withdrawn.
    RoomTicket ask(const PeerRoom& peer, std::uint64_t charge, relocation::Claim claim,
                   UniqueFunction<void()> granted);
    /// Ends a wait; a grant that is on its way already is given back. No ticket: nothing.
    void withdraw(RoomTicket& ticket);
    void release(const PeerRoom& peer, std::uint64_t charge) { desk_.release(*peer, charge); }
    /// From the desk: the charge is taken, or observed.
    void granted(RoomTicket ticket);
    /// From the desk: the wait is over without a grant.
    void withdrawn(RoomTicket ticket) { waits_.erase(ticket.value); }
    std::uint64_t in_flight() const noexcept { return desk_.in_flight(); }

  private:
    struct Wait {
        PeerRoom peer;
        std::uint64_t charge = 0;
        relocation::Claim claim = relocation::Claim::Take;
        UniqueFunction<void()> granted;  // Null once withdrawn.
    };

    ShardId shard_;
    Crew& crew_;
    RoomDesk& desk_;
    std::uint64_t last_ticket_ = 0;
    std::unordered_map<std::uint64_t, Wait> waits_;
};

}  // namespace shunt::host
