#include "engine/mesh_endpoint.hpp"

#include <algorithm>
#include <sys/resource.h>

#include "base/assert.hpp"
#include "engine/errc.hpp"

namespace shunt::engine {
namespace {

// A flood of connections must leave descriptors for links, dials, and the rest of the process.
std::size_t half_open_bound(std::size_t wanted) noexcept {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
    return std::min(wanted, std::max<std::size_t>(limit.rlim_cur / 4, 2));
}

// Whoever floods the port must not fill the log as well.
constexpr Duration kEvictionReportEvery = std::chrono::seconds(1);

std::mt19937_64 seeded_random() {
    // Jitter and pair ids must differ between nodes that start in the same instant.
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return std::mt19937_64(seed);
}

}  // namespace

MeshEndpoint::MeshEndpoint(Shard& shard, const MeshOptions& options)
    : shard_(shard),
      options_(options),
      random_(seeded_random()),
      self_(std::make_shared<MeshEndpoint*>(this)) {
    options_.half_open_max = half_open_bound(options.half_open_max);
}

MeshEndpoint::~MeshEndpoint() {
    SHUNT_ASSERT((lanes_.empty() && listener_ == nullptr) || !shard_.on_this_thread());
    *self_ = nullptr;
}

result<std::string> MeshEndpoint::listen(const ListenOptions& options, LinkEvents& events) {
    SHUNT_ASSERT(events_ == nullptr);
    SHUNT_ASSERT(!options.rid.empty() && options.rid.value.size() <= kIdBytesMax);
    BOOST_OUTCOME_TRY(const SocketAddress address, parse_address(options.bind_address));
    BOOST_OUTCOME_TRY(UniqueFd fd, open_listener(address, options_.socket));
    const std::string advertised = "tcp://" + local_address(fd.get()).text();
    events_ = &events;
    node_ = {.rid = options.rid,
             .chunk_limit_bytes = options.chunk_limit_bytes,
             .record_bytes_max = options_.record_bytes_max};
    listener_ = &shard_.adopt(std::make_unique<Listener>(
        shard_, std::move(fd), [this](UniqueFd accepted) { on_accepted(std::move(accepted)); },
        [this] {
            listener_ = nullptr;
            maybe_stopped();
        }));
    listener_->start();
    return advertised;
}

// --- sending and closing --------------------------------------------------------------------

Admission MeshEndpoint::send(LinkId id, protocol::OutRecord&& record, Gate gate,
                             SubmitToken token) {
    Link* link = find_up(id);
    if (link == nullptr) return Admission::NoLink;
    if (!link->takes(record)) {
        ++counters_.refused_too_large;
        return Admission::NoLink;
    }
    if (record.leg == protocol::Leg::Reply) {
        link->lane(protocol::Lane::Completion)->send(std::move(record), token);
    } else {
        if (link->pipe.take(record.charge(), gate) == Admission::Full) {
            ++counters_.refused_full;
            return Admission::Full;
        }
        link->lane(protocol::Lane::Application)->send(std::move(record), token);
    }
    ++counters_.records_sent;
    return Admission::Queued;
}

void MeshEndpoint::trust(LinkId id) {
    Link* link = find_up(id);
    if (link == nullptr) return;
    for (Lane* lane : link->lanes) {
        if (lane == nullptr) continue;
        end_half_open(*lane);
        lane->trust();
    }
}

void MeshEndpoint::close_link(LinkId id, std::error_code reason) {
    if (Link* link = find_up(id)) close_lanes(*link, reason);
}

void MeshEndpoint::set_receiving(bool receiving) {
    receiving_ = receiving;
    for (const auto& [id, link] : up_) {
        if (Lane* lane = link->lane(protocol::Lane::Application)) lane->set_receiving(receiving);
    }
}

void MeshEndpoint::stop(UniqueFunction<void()> done) {
    SHUNT_ASSERT(!stopping_);
    stopping_ = true;
    stopped_ = std::move(done);
    for (auto& [id, dial] : dials_) shard_.cancel(dial.timer);
    dials_.clear();
    if (listener_ != nullptr) listener_->close();
    for (const auto& link : links_) close_lanes(*link, Errc::Stopped);
    for (const auto& [key, entry] : lanes_) {
        if (entry.lane->link == nullptr) entry.lane->close(CloseMode::Graceful);
    }
    // With nothing to wait for, `done` still must not run inside the call.
    shard_.post([self = self_] {
        if (*self != nullptr) (*self)->maybe_stopped();
    });
}

void MeshEndpoint::maybe_stopped() {
    if (!stopping_ || listener_ != nullptr || !lanes_.empty() || !stopped_) return;
    UniqueFunction<void()> done = std::exchange(stopped_, nullptr);
    done();  // May destroy this endpoint.
}

MeshCounters MeshEndpoint::counters() const noexcept {
    MeshCounters out = counters_;
    out.half_open = half_open_.size();
    out.stranger_bytes = strangers_.bytes;
    out.stranger_bytes_peak = strangers_.peak_bytes;
    for (const auto& [key, entry] : lanes_) {
        out.bytes_sent += entry.lane->bytes_sent();
        out.bytes_received += entry.lane->bytes_received();
    }
    return out;
}

std::uint64_t MeshEndpoint::closed_for(std::error_code reason) const noexcept {
    const auto found = closed_for_.find(reason);
    return found == closed_for_.end() ? 0 : found->second;
}

std::uint64_t MeshEndpoint::charge_bytes(LinkId id) const noexcept {
    const Link* link = find_up(id);
    return link == nullptr ? 0 : link->pipe.in_flight();
}

// --- lanes ----------------------------------------------------------------------------------

void MeshEndpoint::on_accepted(UniqueFd fd) {
    if (stopping_) return;
    ++counters_.accepted;
    // The oldest goes, not the newcomer: an honest peer needs milliseconds, so whoever has waited
    // longest is the least likely to be one, and a flood cannot lock the port.
    if (half_open_.size() >= options_.half_open_max) {
        ++counters_.evicted_half_open;
        evict(*half_open_.begin()->second);
    }
    add_lane(std::move(fd), Handshake::acceptor(node_), Side::Accepted).begin_accepted();
}

// Silent and with a reset: it costs nothing more, and an honest peer comes back.
void MeshEndpoint::evict(Lane& lane) {
    if (shard_.now() >= evictions_silent_until_) {
        evictions_silent_until_ = deadline_after(shard_.now(), kEvictionReportEvery);
        events_->on_protocol_error(lane.peer_text(), Errc::TooManyHalfOpen);
    }
    Link* link = lane.link;
    if (link == nullptr) {
        end_half_open(lane);
        return lane.close(CloseMode::Abort);
    }
    for (Lane* each : link->lanes) {
        if (each != nullptr) end_half_open(*each);
    }
    close_lanes(*link, Errc::TooManyHalfOpen, nullptr, CloseMode::Abort);
}

Lane* MeshEndpoint::largest_half_open() const noexcept {
    Lane* largest = nullptr;
    for (const auto& [number, lane] : half_open_) {
        if (largest == nullptr || lane->stranger_bytes() > largest->stranger_bytes()) {
            largest = lane;
        }
    }
    return largest;
}

// Whoever holds the most goes first, so that an honest newcomer, who needs little, stays.
void MeshEndpoint::on_stranger_grew(Lane& lane) {
    while (strangers_.bytes > options_.stranger_bytes_max && !half_open_.empty()) {
        ++counters_.evicted_for_memory;
        evict(*largest_half_open());
    }
    if (strangers_.bytes > options_.stranger_bytes_max && lane.link != nullptr) {
        // Only peers that this node dialed are left.
        ++counters_.evicted_for_memory;
        close_lanes(*lane.link, Errc::TooManyHalfOpen, nullptr, CloseMode::Abort);
    }
}

Lane& MeshEndpoint::add_lane(UniqueFd fd, Handshake handshake, Side side) {
    const LaneOptions options{
        .record_bytes_max = options_.record_bytes_max,
        .handshake_deadline = deadline_after(shard_.now(), options_.handshake_timeout),
        .strangers = &strangers_,
    };
    auto lane = std::make_unique<Lane>(shard_, std::move(fd), std::move(handshake), options,
                                       static_cast<LaneEvents&>(*this));
    Lane& added = *lane;
    LaneEntry& entry = lanes_[&added];
    entry.lane = std::move(lane);
    if (side == Side::Dialed) return added;
    entry.half_open = ++last_half_open_;
    half_open_.emplace(entry.half_open, &added);
    counters_.half_open_peak = std::max<std::uint64_t>(counters_.half_open_peak, half_open_.size());
    return added;
}

void MeshEndpoint::end_half_open(Lane& lane) noexcept {
    half_open_.erase(std::exchange(lanes_.at(&lane).half_open, 0));
}

void MeshEndpoint::on_lane_ready(Lane& lane) {
    if (lane.link == nullptr) join(lane);
    if (lane.link == nullptr || lane.link->state != Link::State::Forming) return;
    Link& link = *lane.link;
    if (!link.all_ready()) return;
    if (link.lanes[0]->handshake().peer_rid() != link.lanes[1]->handshake().peer_rid()) {
        report(lane, Errc::LaneMismatch);
        return close_lanes(link, Errc::LaneMismatch);
    }
    bring_up(link);
}

// Finds the set an accepted lane belongs to: by its pair key, or by rid for a peer without one.
void MeshEndpoint::join(Lane& lane) {
    const Handshake& handshake = lane.handshake();
    const auto key = handshake.pair_key();
    const auto found = std::find_if(links_.begin(), links_.end(), [&](const auto& link) {
        // Without a key only a set that still forms can be meant.
        if (!key && link->state != Link::State::Forming) return false;
        return link->joins(key, handshake.peer_rid());
    });
    if (found == links_.end()) {
        Link& link = add_link();
        link.key = key;
        link.info.peer_rid = handshake.peer_rid();
        link.lane(handshake.lane()) = &lane;
        lane.link = &link;
        return;
    }
    Link& link = **found;
    const bool fits = link.state == Link::State::Forming &&
                      link.lane(handshake.lane()) == nullptr &&
                      link.info.peer_rid == handshake.peer_rid();
    if (fits) {
        link.lane(handshake.lane()) = &lane;
        lane.link = &link;
        return;
    }
    report(lane, Errc::LaneMismatch);
    lane.close(CloseMode::Graceful);
    // A set that stands has proven itself; a stray copy of its key does not bring it down.
    if (link.state == Link::State::Forming) close_lanes(link, Errc::LaneMismatch);
}

RecordSink::Next MeshEndpoint::on_lane_record(Lane& lane, const protocol::InRecord& record) {
    SHUNT_ASSERT(lane.link != nullptr && lane.link->state != Link::State::Forming);
    if (lane.link->state != Link::State::Up) return RecordSink::Next::Stop;
    ++counters_.records_received;
    events_->on_record(lane.link->id, record);
    return lane.link->state == Link::State::Up ? RecordSink::Next::Continue
                                               : RecordSink::Next::Stop;
}

void MeshEndpoint::on_lane_settled(Lane& lane, const SettledRecord& record) {
    Link& link = *lane.link;
    const bool application = lane.handshake().lane() == protocol::Lane::Application;
    const bool writable = application && link.pipe.release(record.charge);
    if (record.token.value != 0) events_->on_submitted(link.id, record.token, record.result);
    if (writable && link.state == Link::State::Up) events_->on_writable(link.id);
}

void MeshEndpoint::on_lane_failed(Lane& lane, std::error_code reason) {
    if (is_offence(reason)) report(lane, reason);
    if (lane.link != nullptr) close_lanes(*lane.link, reason, &lane);
}

void MeshEndpoint::on_lane_closed(Lane& lane) {
    Link* link = lane.link;
    end_half_open(lane);
    if (link != nullptr) {
        *std::find(link->lanes.begin(), link->lanes.end(), &lane) = nullptr;
    }
    counters_.bytes_sent += lane.bytes_sent();
    counters_.bytes_received += lane.bytes_received();
    lanes_.erase(&lane);
    if (link != nullptr && link->empty()) finish(*link);
    maybe_stopped();
}

void MeshEndpoint::report(const Lane& lane, std::error_code reason) {
    ++counters_.protocol_errors;
    ++closed_for_[reason];
    events_->on_protocol_error(lane.peer_text(), reason);
}

// --- links ----------------------------------------------------------------------------------

Link& MeshEndpoint::add_link() {
    links_.push_back(std::make_unique<Link>(options_.high_water_bytes));
    return *links_.back();
}

Link* MeshEndpoint::find_up(LinkId id) const noexcept {
    const auto found = up_.find(id.value);
    if (found == up_.end() || found->second->state != Link::State::Up) return nullptr;
    return found->second;
}

void MeshEndpoint::bring_up(Link& link) {
    Lane& application = *link.lane(protocol::Lane::Application);
    const protocol::ZmpReady& ready = application.handshake().peer_ready();
    link.state = Link::State::Up;
    link.id = {++last_link_};
    link.up_since = shard_.now();
    link.info = {
        .peer_rid = application.handshake().peer_rid(),
        .dialed_here = link.dial.value != 0,
        .dial = link.dial,
        .peer_chunk_limit_bytes = ready.shunt_chunk_limit.value_or(kChunkLimitDefault),
        .peer_record_bytes_max = ready.max_message_bytes.value_or(0),
        .peer_is_shunt = ready.shunt_lanes.has_value(),
        .peer_address = application.peer_text(),
    };
    up_.emplace(link.id.value, &link);
    if (Dial* dial = find_dial(link.dial)) dial->forming = nullptr;
    ++counters_.links_up;
    application.set_receiving(receiving_);
    for (Lane* lane : link.lanes) lane->open();
    events_->on_link_up(link.id, link.info);
}

// Both lanes always go together; `but` is one that is closing by itself with its last words.
void MeshEndpoint::close_lanes(Link& link, std::error_code reason, const Lane* but,
                               CloseMode mode) {
    if (link.state == Link::State::Closing) return;
    link.reason = reason;
    // Forming stays visible in link.id: only a link that was up has one.
    link.state = Link::State::Closing;
    for (Lane* lane : link.lanes) {
        if (lane != nullptr && lane != but) lane->close(mode);
    }
}

void MeshEndpoint::finish(Link& link) {
    const auto at = std::find_if(links_.begin(), links_.end(),
                                 [&](const auto& other) { return other.get() == &link; });
    const std::unique_ptr<Link> gone = std::move(*at);
    links_.erase(at);
    const bool was_up = static_cast<bool>(gone->id);
    if (was_up) {
        up_.erase(gone->id.value);
        ++counters_.links_down;
    }
    if (Dial* dial = find_dial(gone->dial)) {
        if (was_up) {
            dial->backoff.on_link_lasted(shard_.now() - gone->up_since);
            ++dial->key.generation;
        }
        dial->forming = nullptr;
        // A stopping shard ends whatever is connected anew, so there is nothing to try.
        if (gone->reason != Errc::Stopped) {
            dial_again(*dial, was_up ? std::error_code() : gone->reason);
        }
    }
    if (was_up) events_->on_link_down(gone->id, gone->reason);
}

// --- dials ----------------------------------------------------------------------------------

DialId MeshEndpoint::dial(const DialOptions& options) {
    SHUNT_ASSERT(events_ != nullptr);
    const DialId id{++last_dial_};
    if (stopping_) return id;
    const auto address = parse_address(options.endpoint);
    if (!address) {
        shard_.post([self = self_, id, reason = address.error()] {
            if (*self != nullptr) (*self)->events_->on_dial_failed(id, reason);
        });
        return id;
    }
    Dial& dial = dials_
                     .emplace(id.value, Dial{.id = id,
                                             .options = options,
                                             .address = address.value(),
                                             .key = {.id = random_() | 1U, .generation = 1},
                                             .backoff = Backoff(options_.redial),
                                             .timer = {}})
                     .first->second;
    attempt(dial);
    return id;
}

void MeshEndpoint::undial(DialId id) {
    Dial* dial = find_dial(id);
    if (dial == nullptr) return;
    shard_.cancel(dial->timer);
    Link* forming = dial->forming;
    dials_.erase(id.value);
    if (forming != nullptr) close_lanes(*forming, Errc::ClosedHere);
}

MeshEndpoint::Dial* MeshEndpoint::find_dial(DialId id) noexcept {
    const auto found = dials_.find(id.value);
    return found == dials_.end() ? nullptr : &found->second;
}

// Both connects start together; the acceptor tells the lanes apart by property, not by order.
void MeshEndpoint::attempt(Dial& dial) {
    ++counters_.dial_attempts;
    auto first = open_socket(dial.address, options_.socket);
    auto second = open_socket(dial.address, options_.socket);
    if (!first || !second) {
        return dial_again(dial, first ? second.error() : first.error());
    }
    Link& link = add_link();
    link.dial = dial.id;
    link.key = dial.key;
    dial.forming = &link;
    for (const auto which : {protocol::Lane::Application, protocol::Lane::Completion}) {
        UniqueFd& fd = which == protocol::Lane::Application ? first.value() : second.value();
        Lane& lane = add_lane(std::move(fd),
                              Handshake::dialer(node_, dial.key, which, dial.options.expected_rid),
                              Side::Dialed);
        lane.link = &link;
        link.lane(which) = &lane;
        lane.connect(dial.address);
    }
}

void MeshEndpoint::dial_again(Dial& dial, std::error_code reason) {
    const TimePoint at = deadline_after(shard_.now(), dial.backoff.next(random_()));
    // Found by id when it fires, so an undial() meanwhile leaves nothing dangling.
    dial.timer = shard_.arm(at, [this, id = dial.id] {
        Dial* again = find_dial(id);
        if (again == nullptr) return;
        again->timer = {};
        attempt(*again);
    });
    if (!reason) return;
    shard_.post([self = self_, id = dial.id, reason] {
        if (*self != nullptr) (*self)->events_->on_dial_failed(id, reason);
    });
}

}  // namespace shunt::engine
