// Network, second part: records on their way over a link, and the ways a link ends.

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "tests/sim/network.hpp"
#include "tests/sim/sim_world.hpp"

namespace shunt::sim {
namespace {

constexpr std::array kLanes = {Lane::Application, Lane::Completion};
constexpr std::array kSides = {kDialer, kAcceptor};
/// Records that a break may find half handed to the kernel.
constexpr std::uint64_t kGatherRecordsMax = 4;

std::uint64_t detail_of(LinkNumber link, SideIndex side, Lane lane) noexcept {
    return link.value * 4 + side * 2U + static_cast<std::uint64_t>(lane);
}

}  // namespace

SimLink* Network::find(LinkNumber number) {
    const auto found = links_.find(number);
    return found == links_.end() ? nullptr : found->second.get();
}

bool Network::has_links(const SimWorld& world) const {
    return std::any_of(links_.begin(), links_.end(), [&](const auto& entry) {
        const auto& sides = entry.second->sides;
        return std::any_of(sides.begin(), sides.end(), [&](const SimLink::Side& side) {
            return side.world == &world && side.state != SimLink::State::Down;
        });
    });
}

// --- sending --------------------------------------------------------------------------------

host::Admission Network::send(SimWorld& world, host::LinkId id, protocol::OutRecord&& record,
                              host::Gate gate, host::SubmitToken token) {
    SimLink* link = find(number_of(id));
    if (link == nullptr) return host::Admission::NoLink;
    const SideIndex index = side_of(id);
    SimLink::Side& side = link->sides[index];
    SHUNT_ASSERT(side.world == &world);
    if (side.state != SimLink::State::Up) return host::Admission::NoLink;
    SHUNT_ASSERT((record.leg == protocol::Leg::Send) == (record.sequence == 0));
    SHUNT_ASSERT(!record.parts.empty());

    const Lane lane = lane_of(record.leg);
    const std::uint64_t charge = record.charge();
    const bool gated = gate == host::Gate::HighWaterMark && lane == Lane::Application;
    // An empty pipe admits one record of any size (spec/zmp.md section 16.3).
    if (gated && side.charged != 0 && side.charged + charge > options_.high_water_mark) {
        side.wants_writable = true;
        return host::Admission::Full;
    }
    FlatRecord copy = FlatRecord::copy_of(record);
    scheduler_.note("send", copy.hash());
    side.lane(lane).pipe.push_back({std::move(record), std::move(copy), token, charge});
    if (lane == Lane::Application) side.charged += charge;
    arm_submit(*link, index, lane);
    return host::Admission::Queued;
}

void Network::arm_submit(SimLink& link, SideIndex side, Lane lane) {
    SimLink::Side& here = link.sides[side];
    SimLink::LaneState& state = here.lane(lane);
    if (state.submit_armed || state.pipe.empty() || here.state != SimLink::State::Up) return;
    if (state.pipe.front().handed_over || (link.broken && !here.swallows)) return;
    if (state.wire_bytes != 0 &&
        state.wire_bytes + state.pipe.front().copy.size_bytes() > options_.wire_bytes_max) {
        return;
    }
    state.submit_armed = true;
    const LinkNumber number = link.number;
    scheduler_.after(random_.between(Duration(0), options_.submit_delay_max),
                     label("submit", here.node, detail_of(number, side, lane)),
                     [this, number, side, lane] { take_records(number, side, lane); });
}

// One gather: the kernel takes as many records as it has room for and as the draw allows. Results
// are reported after the whole gather, as completions are.
void Network::take_records(LinkNumber number, SideIndex side, Lane lane) {
    SimLink* link = find(number);
    if (link == nullptr) return;
    SimLink::Side& here = link->sides[side];
    SimLink::LaneState& state = here.lane(lane);
    state.submit_armed = false;
    if (here.state != SimLink::State::Up) return;
    if (link->broken && !here.swallows) return;

    std::vector<host::SubmitToken> taken;
    for (std::uint64_t room = random_.between(1, 64); room > 0 && !state.pipe.empty(); --room) {
        SimLink::Pending& head = state.pipe.front();
        const std::size_t bytes = head.copy.size_bytes();
        if (head.handed_over) break;
        if (state.wire_bytes != 0 && state.wire_bytes + bytes > options_.wire_bytes_max) break;
        // Whoever shares bytes with a record must leave them alone until the kernel has them.
        SHUNT_ASSERT(same_record(head.copy, head.original));
        SimLink::Pending pending = std::move(head);
        state.pipe.pop_front();
        if (lane == Lane::Application) here.charged -= pending.charge;
        if (pending.token.value != 0) taken.push_back(pending.token);
        put_on_wire(*link, side, lane, std::move(pending.copy));
        if (link->broken && !here.swallows) break;
    }
    for (const host::SubmitToken token : taken) {
        here.world->call([&] {
            here.world->events_->on_submitted(id_of(number, side), token,
                                              protocol::SubmitResult::Sent);
        });
    }
    report_writable(*link, side);
    arm_submit(*link, side, lane);
}

void Network::put_on_wire(SimLink& link, SideIndex side, Lane lane, FlatRecord&& record) {
    SimLink::Side& here = link.sides[side];
    const SimLink::Side& there = link.sides[other(side)];
    Verdict verdict = Verdict::Pass;
    if (filter_ && !link.broken) verdict = filter_(here.node, there.node, record);
    SimLink::LaneState& state = here.lane(lane);
    if (verdict == Verdict::CutBefore) {
        state.severed = true;
        cut(link.number, CutKind::Reset);
    }
    if (link.broken) {
        // The local buffer fills up all the same: a peer that is gone looks like a slow one.
        state.wire_bytes += record.size_bytes();
        return lose(link, side, record);
    }
    if (verdict == Verdict::Drop) return lose(link, side, record);

    SimTime arrives = scheduler_.now() + random_.between(options_.delay_min, options_.delay_max);
    const auto slow = slowness_.find({here.node, there.node});
    if (slow != slowness_.end() && slow->second.end > scheduler_.now()) {
        arrives += random_.between(Duration(0), slow->second.extra);
    }
    state.last_arrival = std::max(state.last_arrival, arrives);
    state.wire_bytes += record.size_bytes();
    state.wire.push_back({std::move(record), state.last_arrival});
    arm_delivery(link, side, lane);
    if (verdict == Verdict::CutAfter) break_behind(link);
}

void Network::report_writable(SimLink& link, SideIndex side) {
    SimLink::Side& here = link.sides[side];
    if (!here.wants_writable || here.state != SimLink::State::Up) return;
    if (here.charged > options_.high_water_mark / 2) return;
    here.wants_writable = false;
    here.world->call([&] { here.world->events_->on_writable(id_of(link.number, side)); });
}

// --- receiving ------------------------------------------------------------------------------

SimTime Network::held_until(const SimLink& link, SideIndex sender, SimTime arrives) const {
    const auto found = silences_.find({link.sides[sender].node, link.sides[other(sender)].node});
    return found == silences_.end() ? arrives : std::max(arrives, found->second);
}

void Network::arm_delivery(SimLink& link, SideIndex sender, Lane lane) {
    SimLink::LaneState& state = link.sides[sender].lane(lane);
    const SimLink::Side& receiver = link.sides[other(sender)];
    if (state.delivery || state.wire.empty()) return;
    if (receiver.state != SimLink::State::Up) return;
    if (lane == Lane::Application && !receiver.world->receiving()) return;
    const LinkNumber number = link.number;
    state.delivery =
        scheduler_.at(held_until(link, sender, state.wire.front().arrives),
                      label("deliver", receiver.node, detail_of(number, sender, lane)),
                      [this, number, sender, lane] { deliver_head(number, sender, lane); });
}

void Network::deliver_head(LinkNumber number, SideIndex sender, Lane lane) {
    SimLink* link = find(number);
    if (link == nullptr) return;
    SimLink::LaneState& state = link->sides[sender].lane(lane);
    SimLink::Side& receiver = link->sides[other(sender)];
    state.delivery = {};
    if (state.wire.empty() || receiver.state != SimLink::State::Up) return;
    if (lane == Lane::Application && !receiver.world->receiving()) return;
    const SimTime due = held_until(*link, sender, state.wire.front().arrives);
    if (due > scheduler_.now()) return arm_delivery(*link, sender, lane);

    FlatRecord record = std::move(state.wire.front().record);
    state.wire.pop_front();
    state.wire_bytes -= record.size_bytes();
    ++records_delivered_;
    scheduler_.note("record", record.hash());
    if (delivery_) delivery_({link->sides[sender].node, receiver.node, number, record});
    SimWorld* world = receiver.world;
    lend(std::move(record), graveyard_, [&](const protocol::InRecord& lent) {
        world->call([&] { world->events_->on_record(id_of(number, other(sender)), lent); });
    });
    arm_delivery(*link, sender, lane);
    arm_submit(*link, sender, lane);
}

void Network::receiving_changed(SimWorld& world) {
    for (auto& [number, link] : links_) {
        for (const SideIndex side : kSides) {
            if (link->sides[side].world == &world) {
                arm_delivery(*link, other(side), Lane::Application);
            }
        }
    }
}

// --- ending ---------------------------------------------------------------------------------

void Network::lose(const SimLink& link, SideIndex sender, const FlatRecord& record) {
    ++records_lost_;
    scheduler_.note("lost", record.hash());
    if (loss_)
        loss_({link.sides[sender].node, link.sides[other(sender)].node, link.number, record});
}

void Network::drop_wire(SimLink& link, SideIndex sender, Lane lane, std::size_t keep) {
    SimLink::LaneState& state = link.sides[sender].lane(lane);
    while (state.wire.size() > keep) {
        // Oldest first, so that whoever listens hears of losses in sending order.
        const auto first = state.wire.begin() + static_cast<std::ptrdiff_t>(keep);
        state.wire_bytes -= first->record.size_bytes();
        lose(link, sender, first->record);
        state.wire.erase(first);
    }
}

// What the break leaves of one lane: a prefix of the wire; if that is all of it, perhaps also some
// records of the gather that was just being handed over.
void Network::break_lane(SimLink& link, SideIndex sender, Lane lane) {
    SimLink::Side& here = link.sides[sender];
    SimLink::LaneState& state = here.lane(lane);
    const bool keep_all = random_.chance(500);
    const std::size_t keep = keep_all ? state.wire.size() : random_.below(state.wire.size() + 1);
    const std::uint64_t half = random_.below(kGatherRecordsMax + 1);
    const std::uint64_t arrived = random_.below(half + 1);
    const bool whole = keep == state.wire.size() && !state.severed;
    drop_wire(link, sender, lane, keep);
    if (here.swallows) return;
    for (std::uint64_t i = 0; i < half && i < state.pipe.size(); ++i) {
        SimLink::Pending& pending = state.pipe[i];
        pending.handed_over = true;
        if (!whole || i >= arrived) {
            lose(link, sender, pending.copy);
            continue;
        }
        state.last_arrival = std::max(state.last_arrival, scheduler_.now() + options_.delay_min);
        state.wire_bytes += pending.copy.size_bytes();
        state.wire.push_back({pending.copy, state.last_arrival});
        arm_delivery(link, sender, lane);
    }
}

void Network::break_link(SimLink& link) {
    if (link.broken) return;
    link.broken = true;
    ++link_breaks_;
    for (const SideIndex side : kSides) {
        link.sides[side].swallows = random_.chance(300);
        for (const Lane lane : kLanes) break_lane(link, side, lane);
    }
}

// Everything the kernels have still arrives; then both sides see the end.
void Network::break_behind(SimLink& link) {
    link.broken = true;
    ++link_breaks_;
    for (const SideIndex side : kSides) arm_notice_behind_data(link.number, side);
}

void Network::cut(LinkNumber number, CutKind kind) {
    SimLink* link = find(number);
    if (link == nullptr) return;
    scheduler_.note("cut", number.value);
    break_link(*link);
    if (kind == CutKind::Silent) {
        // Nothing tells either side; their kernels go on taking what fits.
        for (SimLink::Side& side : link->sides) side.swallows = true;
        return;
    }
    for (const SideIndex side : kSides) {
        arm_notice(number, side, random_.between(Duration(0), options_.break_notice_max),
                   make_error_code(std::errc::connection_reset));
    }
}

std::size_t Network::cut_between(NodeIndex a, NodeIndex b, CutKind kind) {
    const std::vector<LinkNumber> numbers = links_between(a, b);
    for (const LinkNumber number : numbers) cut(number, kind);
    return numbers.size();
}

void Network::arm_notice(LinkNumber number, SideIndex side, Duration wait, std::error_code reason) {
    SimLink* link = find(number);
    if (link == nullptr) return;
    scheduler_.after(wait, label("link broken", link->sides[side].node, number.value),
                     [this, number, side, reason] {
                         SimLink* broken = find(number);
                         if (broken != nullptr) begin_closing(*broken, side, reason);
                     });
}

// An orderly end of the stream: it stands behind the data in both lanes, but a receiver that does
// not read the application lane learns of it all the same.
void Network::arm_notice_behind_data(LinkNumber number, SideIndex side) {
    SimLink* link = find(number);
    if (link == nullptr) return;
    SimTime due = scheduler_.now() + random_.between(options_.delay_min, options_.delay_max);
    for (const Lane lane : kLanes) {
        const SimLink::LaneState& state = link->sides[other(side)].lane(lane);
        if (state.delivery) due = std::max(due, held_until(*link, other(side), state.last_arrival));
    }
    scheduler_.at(
        due, label("link ended", link->sides[side].node, number.value), [this, number, side] {
            SimLink* ended = find(number);
            if (ended == nullptr) return;
            SimLink::Side& sender = ended->sides[other(side)];
            const bool more = std::any_of(sender.lanes.begin(), sender.lanes.end(),
                                          [](const auto& lane) { return bool(lane.delivery); });
            if (more) return arm_notice_behind_data(number, side);
            begin_closing(*ended, side, make_error_code(std::errc::connection_reset));
        });
}

// From here on this side sends and receives nothing on the link; what it had queued is reported,
// then the link is down for it.
void Network::begin_closing(SimLink& link, SideIndex side, std::error_code reason) {
    SimLink::Side& here = link.sides[side];
    if (here.state == SimLink::State::Closing || here.state == SimLink::State::Down) return;
    const bool was_up = here.state == SimLink::State::Up;
    here.state = SimLink::State::Closing;
    here.reason = reason;
    here.wants_writable = false;
    for (const Lane lane : kLanes) drop_wire(link, other(side), lane, 0);
    if (!was_up) return finish_side(link.number, side);
    const LinkNumber number = link.number;
    scheduler_.after(random_.between(Duration(0), options_.submit_delay_max),
                     label("drain", here.node, number.value * 2 + side),
                     [this, number, side] { drain_side(number, side); });
}

// One submit result per event, lanes in a drawn order, then on_link_down().
void Network::drain_side(LinkNumber number, SideIndex side) {
    SimLink* link = find(number);
    if (link == nullptr) return;
    SimLink::Side& here = link->sides[side];
    const std::uint64_t first = random_.below(kLaneCount);
    for (std::uint64_t i = 0; i < kLaneCount; ++i) {
        const Lane lane = kLanes[(first + i) % kLaneCount];
        SimLink::LaneState& state = here.lane(lane);
        while (!state.pipe.empty()) {
            SimLink::Pending pending = std::move(state.pipe.front());
            state.pipe.pop_front();
            if (lane == Lane::Application) here.charged -= pending.charge;
            if (!pending.handed_over) lose(*link, side, pending.copy);
            if (pending.token.value == 0) continue;
            const auto result = pending.handed_over ? protocol::SubmitResult::Unknown
                                                    : protocol::SubmitResult::Failed;
            here.world->call([&] {
                here.world->events_->on_submitted(id_of(number, side), pending.token, result);
            });
            scheduler_.after(Duration(0), label("drain", here.node, number.value * 2 + side),
                             [this, number, side] { drain_side(number, side); });
            return;
        }
    }
    SimWorld* world = here.world;
    const std::error_code reason = here.reason;
    world->call([&] { world->events_->on_link_down(id_of(number, side), reason); });
    finish_side(number, side);
}

void Network::finish_side(LinkNumber number, SideIndex side) {
    SimLink* link = find(number);
    link->sides[side].state = SimLink::State::Down;
    SimWorld* world = link->sides[side].world;
    if (side == kDialer && world != nullptr) dial_again(number);
    const SimLink::State there = link->sides[other(side)].state;
    if (there == SimLink::State::Down) links_.erase(number);
    if (world != nullptr) world->maybe_stopped();
}

void Network::close_link(SimWorld& world, host::LinkId id, std::error_code reason) {
    SimLink* link = find(number_of(id));
    if (link == nullptr) return;
    const SideIndex side = side_of(id);
    SHUNT_ASSERT(link->sides[side].world == &world);
    if (link->sides[side].state != SimLink::State::Up) return;
    const bool was_broken = link->broken;
    const bool rude = random_.chance(options_.rude_close_per_mille);
    if (rude) {
        break_link(*link);
    } else if (!was_broken) {
        // An orderly end: what the kernel has still arrives, unless the peer closes first.
        link->broken = true;
        for (SimLink::Side& each : link->sides) each.swallows = false;
    }
    begin_closing(*link, side, reason);
    if (was_broken) return;
    if (rude) {
        arm_notice(link->number, other(side),
                   random_.between(options_.delay_min, options_.break_notice_max),
                   make_error_code(std::errc::connection_reset));
    } else {
        arm_notice_behind_data(link->number, other(side));
    }
}

void Network::close_all(SimWorld& world, std::error_code reason) {
    for (const LinkNumber number : live_links()) {
        SimLink* link = find(number);
        for (const SideIndex side : kSides) {
            if (link == nullptr || link->sides[side].world != &world) continue;
            if (link->sides[side].state == SimLink::State::Up) {
                close_link(world, id_of(number, side), reason);
            } else if (link->sides[side].state == SimLink::State::Connecting) {
                break_link(*link);
                arm_notice(number, other(side), options_.delay_max,
                           make_error_code(std::errc::connection_reset));
                begin_closing(*link, side, reason);
                link = find(number);
            }
        }
    }
}

void Network::leave_side(SimLink& link, SideIndex side, CutKind kind) {
    SimLink::Side& here = link.sides[side];
    here.world = nullptr;
    if (here.state == SimLink::State::Down) return;
    if (!link.broken) {
        break_link(link);
        if (kind == CutKind::Reset) {
            arm_notice(link.number, other(side),
                       random_.between(options_.delay_min, options_.break_notice_max),
                       make_error_code(std::errc::connection_reset));
        }
    }
    for (const Lane lane : kLanes) {
        for (const SimLink::Pending& pending : here.lane(lane).pipe) {
            if (!pending.handed_over) lose(link, side, pending.copy);
        }
        here.lane(lane).pipe.clear();
        drop_wire(link, other(side), lane, 0);
    }
    here.charged = 0;
    here.state = SimLink::State::Down;
}

void Network::forget_world(SimWorld& world, CutKind kind) {
    for (const LinkNumber number : live_links()) {
        SimLink* link = find(number);
        for (const SideIndex side : kSides) {
            if (link->sides[side].world == &world) leave_side(*link, side, kind);
        }
        const bool over = std::all_of(link->sides.begin(), link->sides.end(), [](const auto& s) {
            return s.state == SimLink::State::Down;
        });
        if (over) links_.erase(number);
    }
}

}  // namespace shunt::sim
