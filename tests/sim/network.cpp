#include "tests/sim/network.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "tests/sim/sim_world.hpp"

namespace shunt::sim {
namespace {

constexpr std::string_view kScheme = "tcp://";

}  // namespace

Network::Network(Scheduler& scheduler, std::uint64_t seed, const NetworkOptions& options)
    : scheduler_(scheduler), options_(options), random_(Random(seed).split("network")) {}

Network::~Network() {
    SHUNT_ASSERT(listeners_.empty());
    SHUNT_ASSERT(dials_.empty());
}

EventLabel Network::label(const char* what, NodeIndex node, std::uint64_t detail) const {
    return {.kind = EventKind::Network, .what = what, .node = node, .detail = detail};
}

// --- observation ----------------------------------------------------------------------------

std::vector<LinkNumber> Network::live_links() const {
    std::vector<LinkNumber> numbers;
    for (const auto& [number, link] : links_) numbers.push_back(number);
    return numbers;
}

std::vector<LinkNumber> Network::links_between(NodeIndex a, NodeIndex b) const {
    std::vector<LinkNumber> numbers;
    for (const auto& [number, link] : links_) {
        const auto& [dialer, acceptor] = link->sides;
        const bool ours =
            (dialer.node == a && acceptor.node == b) || (dialer.node == b && acceptor.node == a);
        if (ours && !link->broken && dialer.state == SimLink::State::Up &&
            acceptor.state == SimLink::State::Up) {
            numbers.push_back(number);
        }
    }
    return numbers;
}

std::uint64_t Network::charged_bytes() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& [number, link] : links_) {
        for (const SimLink::Side& side : link->sides) {
            for (const SimLink::LaneState& lane : side.lanes) {
                for (const SimLink::Pending& pending : lane.pipe) sum += pending.charge;
            }
        }
    }
    return sum;
}

// --- faults ---------------------------------------------------------------------------------

void Network::silence(NodeIndex from, NodeIndex to, SimTime end) {
    SimTime& held = silences_[{from, to}];
    held = std::max(held, end);
}

void Network::slow_down(NodeIndex from, NodeIndex to, Duration extra, SimTime end) {
    slowness_[{from, to}] = Slowness{extra, end};
}

void Network::refuse_dials(NodeIndex a, NodeIndex b, SimTime end) {
    SimTime& refused = refusals_[std::minmax(a, b)];
    refused = std::max(refused, end);
}

bool Network::dials_refused(NodeIndex a, NodeIndex b) const {
    const auto found = refusals_.find(std::minmax(a, b));
    return found != refusals_.end() && found->second > scheduler_.now();
}

void Network::heal() {
    slowness_.clear();
    refusals_.clear();
    // Deliveries that wait for the end of a silence look again right away.
    silences_.clear();
    for (const LinkNumber number : live_links()) {
        SimLink* link = find(number);
        for (const SideIndex side : {kDialer, kAcceptor}) {
            if (link->broken) {
                // Whoever has not noticed the break does so now.
                arm_notice(number, side, random_.between(Duration(0), options_.break_notice_max),
                           make_error_code(std::errc::connection_reset));
            }
            for (const Lane lane : {Lane::Application, Lane::Completion}) {
                SimLink::LaneState& state = link->sides[side].lane(lane);
                scheduler_.cancel(std::exchange(state.delivery, EventId{}));
                arm_delivery(*link, side, lane);
            }
        }
    }
}

// --- endpoints ------------------------------------------------------------------------------

result<std::string> Network::listen(SimWorld& world, const std::string& bind_address) {
    const std::size_t colon = bind_address.rfind(':');
    if (colon == std::string::npos) return make_error_code(std::errc::invalid_argument);
    const std::string name = bind_address.substr(0, colon);
    std::string endpoint = std::string(kScheme) + bind_address;
    if (bind_address.substr(colon + 1) == "0") {
        do {
            endpoint = std::string(kScheme) + name + ":" + std::to_string(++last_port_);
        } while (listeners_.contains(endpoint));
    }
    if (!listeners_.emplace(endpoint, &world).second) {
        return make_error_code(std::errc::address_in_use);
    }
    return endpoint;
}

void Network::stop_listening(SimWorld& world) {
    std::erase_if(listeners_, [&](const auto& entry) { return entry.second == &world; });
}

// --- dials ----------------------------------------------------------------------------------

host::DialId Network::start_dial(SimWorld& world, const host::DialOptions& options) {
    const std::uint64_t id = ++last_dial_;
    dials_.emplace(id, Dial{&world, options, options_.backoff_min, {}, {}});
    arm_attempt(id, random_.between(Duration(0), options_.delay_max));
    return host::DialId{id};
}

void Network::stop_dial(host::DialId dial) {
    const auto found = dials_.find(dial.value);
    if (found == dials_.end()) return;
    scheduler_.cancel(found->second.attempt);
    dials_.erase(found);
}

void Network::stop_dials(SimWorld& world) {
    std::erase_if(dials_, [&](const auto& entry) {
        if (entry.second.world != &world) return false;
        scheduler_.cancel(entry.second.attempt);
        return true;
    });
}

void Network::arm_attempt(std::uint64_t dial_id, Duration wait) {
    Dial& dial = dials_.at(dial_id);
    dial.attempt = scheduler_.after(wait, label("dial", dial.world->node(), dial_id),
                                    [this, dial_id] { attempt(dial_id); });
}

void Network::attempt(std::uint64_t dial_id) {
    const Dial& dial = dials_.at(dial_id);
    SimWorld* acceptor = reachable(dial);
    if (acceptor == nullptr) return back_off(dial_id);
    open_link(dial_id, *acceptor);
}

void Network::back_off(std::uint64_t dial_id) {
    Dial& dial = dials_.at(dial_id);
    const Duration wait = random_.between(dial.backoff / 2, dial.backoff);
    dial.backoff = std::min(dial.backoff * 2, options_.backoff_max);
    arm_attempt(dial_id, wait);
}

SimWorld* Network::reachable(const Dial& dial) const {
    const auto found = listeners_.find(dial.options.endpoint);
    if (found == listeners_.end()) return nullptr;
    SimWorld* acceptor = found->second;
    if (dials_refused(dial.world->node(), acceptor->node())) return nullptr;
    const NodeRid& expected = dial.options.expected_rid;
    if (!expected.empty() && expected != acceptor->listen_options_.rid) return nullptr;
    return acceptor;
}

void Network::open_link(std::uint64_t dial_id, SimWorld& acceptor) {
    Dial& dial = dials_.at(dial_id);
    const LinkNumber number{++last_link_};
    auto link = std::make_unique<SimLink>();
    link->number = number;
    link->sides[kDialer].world = dial.world;
    link->sides[kDialer].node = dial.world->node();
    link->sides[kAcceptor].world = &acceptor;
    link->sides[kAcceptor].node = acceptor.node();
    const NodeIndex dialer_node = dial.world->node();
    links_.emplace(number, std::move(link));
    dial.link = number;

    // A peer that is paused or silent leaves the handshake hanging; the dialer gives up in time.
    scheduler_.after(options_.handshake_timeout,
                     label("handshake timeout", dialer_node, number.value), [this, number] {
                         SimLink* late = find(number);
                         if (late == nullptr) return;
                         if (late->sides[kDialer].state == SimLink::State::Connecting) {
                             break_link(*late);
                             begin_closing(*late, kDialer, make_error_code(std::errc::timed_out));
                             arm_notice(number, kAcceptor, options_.delay_max,
                                        make_error_code(std::errc::connection_reset));
                         }
                     });
    scheduler_.after(random_.between(options_.delay_min, options_.handshake_max),
                     label("accept", acceptor.node(), number.value),
                     [this, number] { accept(number); });
}

void Network::accept(LinkNumber number) {
    SimLink* link = find(number);
    if (link == nullptr || link->broken) return;
    // Each side is ready once it has seen the other's READY on both lanes; either may be first.
    for (const SideIndex side : {kDialer, kAcceptor}) {
        const SimTime ready =
            scheduler_.now() + random_.between(options_.delay_min, options_.handshake_max);
        scheduler_.at(held_until(*link, other(side), ready),
                      label("link up", link->sides[side].node, number.value),
                      [this, number, side] { come_up(number, side); });
    }
}

void Network::come_up(LinkNumber number, SideIndex side) {
    SimLink* link = find(number);
    if (link == nullptr || link->broken) return;
    SimLink::Side& here = link->sides[side];
    const SimLink::Side& there = link->sides[other(side)];
    if (here.state != SimLink::State::Connecting || there.world == nullptr) return;
    here.state = SimLink::State::Up;
    for (auto& [id, dial] : dials_) {
        if (dial.link == number) dial.backoff = options_.backoff_min;
    }
    const host::LinkInfo info{
        .peer_rid = there.world->listen_options_.rid,
        .dialed_here = side == kDialer,
        .peer_chunk_limit_bytes = there.world->options_.is_shunt
                                      ? there.world->listen_options_.chunk_limit_bytes
                                      : host::LinkInfo{}.peer_chunk_limit_bytes,
        .peer_is_shunt = there.world->options_.is_shunt,
    };
    SimWorld* world = here.world;
    world->call([&] { world->events_->on_link_up(id_of(number, side), info); });
    for (const Lane lane : {Lane::Application, Lane::Completion}) {
        arm_delivery(*link, other(side), lane);
    }
}

void Network::dial_again(LinkNumber number) {
    for (auto& [id, dial] : dials_) {
        if (dial.link != number) continue;
        dial.link = {};
        back_off(id);
        return;
    }
}

}  // namespace shunt::sim
