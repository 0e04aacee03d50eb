#include "host/room.hpp"

#include "host/shard_core.hpp"

namespace shunt::host {

using relocation::Claim;
using relocation::PeerBudget;

// --- RoomDesk ---------------------------------------------------------------------------------

void RoomDesk::release(PeerBudget& peer, std::uint64_t charge) {
    budget_.release(peer, charge);
    if (!budget_.waiting()) return;
    crew_.world(ShardId{}).post([this, alive = alive_] {
        if (*alive) serve();
    });
}

void RoomDesk::wait(ShardId shard, RoomTicket ticket, PeerRoom peer, std::uint64_t charge,
                    Claim claim) {
    auto place = std::make_unique<Place>();
    place->shard = shard;
    place->ticket = ticket;
    place->peer = std::move(peer);
    if (budget_.ask(*place->peer, charge, claim, *place)) return grant(shard, ticket);
    places_.emplace(Key{shard, ticket.value}, std::move(place));
    serve();
}

void RoomDesk::withdraw(ShardId shard, RoomTicket ticket) {
    const auto found = places_.find(Key{shard, ticket.value});
    if (found == places_.end()) return;  // Granted: the port gives the charge back.
    budget_.withdraw(*found->second);
    places_.erase(found);
    crew_.post(shard, [ticket](ShardCore& core) { core.room().withdrawn(ticket); });
    serve();
}

void RoomDesk::serve() {
    while (relocation::RoomWaiter* granted = budget_.next_granted()) {
        const auto& place = static_cast<Place&>(*granted);
        grant(place.shard, place.ticket);
        places_.erase(Key{place.shard, place.ticket.value});
    }
}

void RoomDesk::grant(ShardId shard, RoomTicket ticket) {
    crew_.post(shard, [ticket](ShardCore& core) { core.room().granted(ticket); });
}

void RoomDesk::clear() {
    for (auto& [key, place] : places_) budget_.withdraw(*place);
    places_.clear();
    *alive_ = false;
}

// --- RoomPort ---------------------------------------------------------------------------------

RoomTicket RoomPort::ask(const PeerRoom& peer, std::uint64_t charge, Claim claim,
                         UniqueFunction<void()> granted) {
    if (desk_.try_ask(*peer, charge, claim)) return {};
    const RoomTicket ticket{++last_ticket_};
    waits_.emplace(ticket.value, Wait{peer, charge, claim, std::move(granted)});
    crew_.world(ShardId{}).post([&desk = desk_, shard = shard_, ticket, peer, charge, claim] {
        desk.wait(shard, ticket, peer, charge, claim);
    });
    return ticket;
}

void RoomPort::withdraw(RoomTicket& ticket) {
    const auto found = waits_.find(std::exchange(ticket, RoomTicket{}).value);
    if (found == waits_.end()) return;
    found->second.granted = nullptr;
    crew_.world(ShardId{}).post([&desk = desk_, shard = shard_, ticket = RoomTicket{found->first}] {
        desk.withdraw(shard, ticket);
    });
}

void RoomPort::granted(RoomTicket ticket) {
    const auto found = waits_.find(ticket.value);
    if (found == waits_.end()) return;
    Wait wait = std::move(found->second);
    waits_.erase(found);
    if (wait.granted) return wait.granted();
    if (wait.claim == Claim::Take) desk_.release(*wait.peer, wait.charge);
}

}  // namespace shunt::host
