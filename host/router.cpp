#include "host/router.hpp"

#include "host/errc.hpp"
#include "host/message_codec.hpp"

namespace shunt::host {
namespace {

constexpr std::chrono::milliseconds kBackoffFirst{10};
constexpr std::chrono::milliseconds kBackoffMax{200};
constexpr std::chrono::seconds kSweepInterval{5};

bool deliverable(const ActorCell* cell) noexcept {
    return cell != nullptr && cell->mode() != ActorCell::Mode::Ended &&
           cell->mode() != ActorCell::Mode::Staged;
}

}  // namespace

Router::Router(Services& services, MeshPort& mesh, Locator& locator, CellTable& cells,
               Follow& follow, PendingRequests& pending, ReplyRouter& replies)
    : services_(services),
      mesh_(mesh),
      locator_(locator),
      cells_(cells),
      follow_(follow),
      pending_(pending),
      replies_(replies) {}

void Router::open() {
    sweep_timer_ = services_.world.arm(deadline_after(services_.world.now(), kSweepInterval),
                                       [this] { sweep(); });
}

Router::~Router() {
    services_.world.cancel(sweep_timer_);
    for (auto& [target, lane] : lanes_) services_.world.cancel(lane.retry);
}

OperationId Router::new_operation() {
    OperationId operation{services_.world.random(), services_.world.random()};
    if (!operation) operation.low = 1;
    return operation;
}

// --- Outbound ---------------------------------------------------------------------------------

void Router::send(const protocol::ActorRef* from, ActorId target, Packet packet,
                  Admitted admitted) {
    Outgoing outgoing;
    if (from != nullptr) outgoing.from = *from;
    outgoing.packet = std::move(packet);
    outgoing.operation = new_operation();
    outgoing.admitted = std::move(admitted);
    outgoing.give_up = deadline_after(services_.world.now(), services_.options.send_timeout);
    submit(target, std::move(outgoing));
}

void Router::request(const protocol::ActorRef* from, ActorId target, Packet packet,
                     std::chrono::milliseconds timeout, Answered answered) {
    Outgoing outgoing;
    if (from != nullptr) outgoing.from = *from;
    outgoing.packet = std::move(packet);
    outgoing.operation = new_operation();
    outgoing.request_id = mesh_.next_sequence();
    outgoing.give_up = deadline_after(services_.world.now(), timeout);
    pending_.add(outgoing.request_id, outgoing.operation, outgoing.give_up, std::move(answered));
    submit(target, std::move(outgoing));
}

void Router::reply(const MessageJob& job, result<Packet> answer) {
    replies_.answer(job.reply, job.operation, std::move(answer));
}

// --- lanes ------------------------------------------------------------------------------------

void Router::submit(const ActorId& target, Outgoing outgoing) {
    if (!is_valid_id(target.value) || !is_valid_id(outgoing.packet.name) ||
        !is_valid_id(outgoing.packet.content_type)) {
        return finish(outgoing, Errc::InvalidArgument);
    }
    if (closed_) return finish(outgoing, closed_);
    lanes_[target].waiting.push_back(std::move(outgoing));
    flush(target);
}

void Router::flush(const ActorId& target) {
    const auto found = lanes_.find(target);
    if (found == lanes_.end()) return;
    Lane& lane = found->second;
    while (!lane.waiting.empty() && !lane.resolving && !lane.blocked) {
        const Outgoing& front = lane.waiting.front();
        const bool answered = front.request_id != 0 && !pending_.contains(front.request_id);
        if (answered) {
            lane.waiting.pop_front();  // Its deadline has ended it already.
            continue;
        }
        if (send_front(target, lane) == Step::Wait) return;
        lane.backoff = std::chrono::milliseconds(0);
    }
}

Router::Step Router::send_front(const ActorId& target, Lane& lane) {
    const std::shared_ptr<ActorCell> cell = cells_.find(target);
    if (deliverable(cell.get())) {
        Outgoing outgoing = std::move(lane.waiting.front());
        lane.waiting.pop_front();
        deliver_here(*cell, std::move(outgoing));
        return Step::Sent;
    }
    if (const FollowRoute* followed = follow_.find(target)) {
        const Located route{followed->target, kNever};
        if (mesh_.find(followed->target.target_node_rid) != nullptr) {
            return send_remote(target, lane, route);
        }
    }
    if (lane.route && lane.route->valid_until > services_.world.now()) {
        const Located route = *lane.route;
        return send_remote(target, lane, route);
    }
    resolve(target, lane);
    return Step::Wait;
}

Router::Step Router::send_remote(const ActorId& target, Lane& lane, const Located& route) {
    const Peer* peer = mesh_.find(route.fence.target_node_rid);
    if (peer == nullptr || peer->generation != route.fence.target_node_generation) {
        lane.route.reset();
        unreachable_.insert(target);
        retry_later(target, lane);
        return Step::Wait;
    }
    Outgoing& front = lane.waiting.front();
    const ActorAddress address{route.fence, front.operation, 0, front.from};
    const std::optional<protocol::Metadata> metadata =
        stamp(peer->link, route.fence.expected_authority_owner_generation);
    protocol::OutRecord record = encode_message(
        address, front.packet, metadata ? &*metadata : nullptr, front.request_id, front.request_id);
    switch (mesh_.send(peer->link, std::move(record), Gate::HighWaterMark)) {
        case Admission::Queued:
            break;
        case Admission::Full:
            lane.blocked = true;
            blocked_[peer->link].insert(target);
            return Step::Wait;
        case Admission::NoLink:
            lane.route.reset();
            retry_later(target, lane);
            return Step::Wait;
    }
    finish(front, outcome::success());
    lane.waiting.pop_front();
    return Step::Sent;
}

void Router::deliver_here(ActorCell& cell, Outgoing outgoing) {
    MessageJob message;
    message.packet = std::move(outgoing.packet);
    message.operation = outgoing.operation;
    message.source = services_.self.as_source();
    if (outgoing.from) message.source.origin = protocol::FromActor{*outgoing.from};
    message.metadata = stamp(LinkId{}, cell.ownership().owner_generation);
    if (outgoing.request_id != 0) message.reply = LocalReply{outgoing.request_id};
    auto job = std::make_shared<Job>();
    job->work = std::move(message);
    cell.deliver(std::move(job));
    finish(outgoing, outcome::success());
}

void Router::finish(Outgoing& outgoing, result<void> admitted) {
    if (!admitted && outgoing.request_id != 0) {
        static_cast<void>(
            pending_.complete(outgoing.request_id, outgoing.operation, admitted.error()));
        return;
    }
    if (!admitted) services_.probe.on_dropped("send_not_admitted");
    if (!outgoing.admitted) return;
    services_.world.post(
        [callback = std::move(outgoing.admitted), admitted]() mutable { callback(admitted); });
}

std::optional<protocol::Metadata> Router::stamp(LinkId link, AuthorityOwnerGeneration owner) const {
    if (!services_.options.stamp_routes) return std::nullopt;
    protocol::Metadata metadata;
    metadata.entries.push_back({kRouteKey, std::to_string(services_.self.generation.value) + "." +
                                               std::to_string(link.value) + "." +
                                               std::to_string(owner.value)});
    return metadata;
}

// --- resolving --------------------------------------------------------------------------------

void Router::resolve(const ActorId& target, Lane& lane) {
    lane.resolving = true;
    locator_.locate(target,
                    [this, target](result<Located> found) { resolved(target, std::move(found)); });
}

void Router::resolved(const ActorId& target, result<Located> found) {
    const auto at = lanes_.find(target);
    if (at == lanes_.end()) return;
    Lane& lane = at->second;
    lane.resolving = false;
    if (closed_) return fail_lane(lane, closed_);
    if (!found) {
        if (found.error() == make_error_code(Errc::NotFound)) return fail_lane(lane, found.error());
        return retry_later(target, lane);
    }
    const bool here = found.value().fence.target_node_rid == services_.self.rid;
    if (here && !deliverable(cells_.find(target).get())) {
        // The store is ahead of this host (a move is about to open) or behind it (it just left).
        return retry_later(target, lane);
    }
    if (!here) {
        lane.route = std::move(found.value());
        const auto max_age = services_.options.route_cache_max_age;
        const TimePoint oldest =
            max_age.count() == 0
                ? deadline_after(services_.world.now(), std::chrono::milliseconds(1))
                : deadline_after(services_.world.now(), max_age);
        if (lane.route->valid_until > oldest) lane.route->valid_until = oldest;
    }
    flush(target);
}

void Router::retry_later(const ActorId& target, Lane& lane) {
    drop_expired(lane);
    if (lane.waiting.empty() || lane.retry) return;
    lane.backoff =
        lane.backoff.count() == 0 ? kBackoffFirst : std::min(lane.backoff * 2, kBackoffMax);
    lane.retry =
        services_.world.arm(deadline_after(services_.world.now(), lane.backoff), [this, target] {
            const auto found = lanes_.find(target);
            if (found == lanes_.end()) return;
            found->second.retry = TimerId{};
            unreachable_.erase(target);
            drop_expired(found->second);
            flush(target);
        });
}

void Router::drop_expired(Lane& lane) {
    const TimePoint now = services_.world.now();
    while (!lane.waiting.empty() && lane.waiting.front().give_up <= now) {
        Outgoing outgoing = std::move(lane.waiting.front());
        lane.waiting.pop_front();
        finish(outgoing, Errc::Unavailable);
    }
}

void Router::fail_lane(Lane& lane, std::error_code error) {
    while (!lane.waiting.empty()) {
        Outgoing outgoing = std::move(lane.waiting.front());
        lane.waiting.pop_front();
        finish(outgoing, error);
    }
}

// --- news -------------------------------------------------------------------------------------

void Router::on_peer_ready() {
    const std::set<ActorId> waiting = std::exchange(unreachable_, {});
    for (const ActorId& target : waiting) {
        const auto found = lanes_.find(target);
        if (found == lanes_.end()) continue;
        services_.world.cancel(found->second.retry);
        found->second.retry = TimerId{};
        flush(target);
    }
}

void Router::on_peer_lost(const Peer& peer) {
    const auto blocked = blocked_.find(peer.link);
    if (blocked == blocked_.end()) return;
    const std::set<ActorId> targets = std::move(blocked->second);
    blocked_.erase(blocked);
    for (const ActorId& target : targets) {
        lanes_[target].blocked = false;
        flush(target);
    }
}

void Router::on_link_writable(LinkId link) {
    const auto found = blocked_.find(link);
    if (found == blocked_.end()) return;
    const std::set<ActorId> targets = std::move(found->second);
    blocked_.erase(found);
    for (const ActorId& target : targets) {
        Lane& lane = lanes_[target];
        lane.blocked = false;
        drop_expired(lane);
        flush(target);
    }
}

void Router::on_follow_notice(const protocol::MessageFollow& notice) {
    const auto* source = std::get_if<protocol::ActorRouteFence>(&notice.route.source);
    if (source == nullptr) return;
    const auto found = lanes_.find(source->actor.actor_id);
    if (found == lanes_.end() || !found->second.route) return;
    const protocol::ActorRouteFence& cached = found->second.route->fence;
    const bool names_it =
        cached.actor == source->actor && cached.target_node_rid == source->target_node_rid &&
        cached.expected_authority_owner_generation == source->expected_authority_owner_generation;
    if (names_it) found->second.route.reset();
}

void Router::forget(const ActorId& actor) {
    const auto found = lanes_.find(actor);
    if (found != lanes_.end()) found->second.route.reset();
}

void Router::close(std::error_code why) {
    closed_ = why;
    for (auto& [target, lane] : lanes_) fail_lane(lane, why);
}

std::size_t Router::cached_routes() const noexcept {
    std::size_t count = 0;
    for (const auto& [target, lane] : lanes_) count += lane.route ? 1U : 0U;
    return count;
}

void Router::sweep() {
    const TimePoint now = services_.world.now();
    for (auto at = lanes_.begin(); at != lanes_.end();) {
        const Lane& lane = at->second;
        const bool idle = lane.waiting.empty() && !lane.resolving && !lane.retry && !lane.blocked;
        const bool stale = !lane.route || lane.route->valid_until <= now;
        at = idle && stale ? lanes_.erase(at) : std::next(at);
    }
    sweep_timer_ = services_.world.arm(deadline_after(now, kSweepInterval), [this] { sweep(); });
}

}  // namespace shunt::host
