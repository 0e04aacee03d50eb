#include "host/shard_core.hpp"

#include <algorithm>

#include "host/errc.hpp"

namespace shunt::host {

void ShardCore::ShardResumer::post(std::coroutine_handle<> coroutine) {
    world_.post([coroutine, alive = alive_] {
        if (*alive) coroutine.resume();
    });
}

ShardCore::ShardCore(ShardId shard, const ShardContext& context, store::LocationStore& store)
    : context_(context),
      world_(context.crew.world(shard)),
      scheduler_(shard, world_, context.permits),
      resumer_(world_),
      courier_(shard, context.crew),
      services_{shard,      world_,   context.options, context.self,  context.permits,
                scheduler_, courier_, resumer_,        context.probe, context.log},
      port_(shard, context.crew, context.hub),
      room_(shard, context.crew, context.desk),
      pending_(world_),
      replies_(services_, port_, pending_),
      follow_(services_, port_, pending_, replies_),
      rows_(services_, store),
      router_(services_, port_, rows_, cells_, follow_, pending_, replies_),
      ingress_(services_, cells_, follow_, replies_),
      sources_(services_, port_, cells_, follow_, replies_, rows_, room_),
      targets_(services_, context.registry, port_, cells_, replies_, rows_,
               [this](const ActorId& actor, JobPtr job) {
                   ingress_.accept(actor, std::move(job), nullptr);
               }) {
    ingress_.set_targets(targets_);
}

ShardCore::~ShardCore() {
    *alive_ = false;
    for (const auto& cell : cells_.sorted()) cell->end();
}

void ShardCore::open() {
    router_.open();
    admits_creations_ = true;
}

// --- what callers ask -------------------------------------------------------------------------

void ShardCore::create_actor(ActorId id, const std::string& stable_type,
                             UniqueFunction<void(result<void>)> done) {
    const auto refuse = [&](Errc error) {
        world_.post([done = std::move(done), error]() mutable { done(error); });
    };
    const ActorDefinition* definition = context_.registry.find(stable_type);
    if (!is_valid_id(id.value)) return refuse(Errc::InvalidArgument);
    if (definition == nullptr) return refuse(Errc::NotFound);
    if (!admits_creations_) return refuse(Errc::Unavailable);
    ++creating_;
    rows_.create(id, stable_type,
                 [this, id, definition, alive = alive_,
                  done = std::move(done)](result<ActorCell::Ownership> created) mutable {
                     if (!*alive) return;
                     if (created) {
                         opened(id, *definition, created.value(), std::move(done));
                     } else {
                         done(created.error());
                     }
                     --creating_;
                 });
}

void ShardCore::opened(const ActorId& id, const ActorDefinition& definition,
                       const ActorCell::Ownership& ownership,
                       UniqueFunction<void(result<void>)> done) {
    std::shared_ptr<void> instance;
    try {
        instance = definition.factory({id, ownership.object_generation, false});
    } catch (const std::exception& thrown) {
        context_.log(relocation::LogLevel::Error, "handler_failed",
                     std::string("A factory threw: ") + thrown.what());
    } catch (...) {
        context_.log(relocation::LogLevel::Error, "handler_failed", "A factory threw.");
    }
    if (instance == nullptr) {
        return rows_.remove(
            id, [done = std::move(done)](std::error_code) mutable { done(Errc::InternalFailure); });
    }
    auto cell = std::make_shared<ActorCell>(services_, definition, id, ownership,
                                            std::move(instance), ActorCell::Mode::Serving);
    cells_.put(cell);
    if (definition.on_create) {
        auto first = std::make_shared<Job>();
        first->work = CreateJob{};
        cell->deliver(std::move(first));
    }
    done(outcome::success());
}

ShardCounts ShardCore::counts() const {
    ShardCounts counts;
    counts.actors = cells_.size();
    counts.moves_out = sources_.size();
    counts.moves_in = targets_.running();
    counts.pending_requests = pending_.size();
    counts.unacknowledged_replies = replies_.unacknowledged();
    counts.safe_to_shutdown = sources_.safe_to_shutdown();
    return counts;
}

// --- news -------------------------------------------------------------------------------------

void ShardCore::on_peer_ready(const Peer& peer, const PeerRoom& room) {
    const Peer& known = port_.peer_ready(peer, room);
    sources_.on_peer_ready(known);
    targets_.on_peer_ready(known);
    // Behind the batches that were just sent again: what waits at the old address came later.
    follow_.on_peer_ready(known);
    router_.on_peer_ready();
}

void ShardCore::on_peer_lost(const Peer& peer) {
    port_.peer_lost(peer);
    sources_.on_peer_lost(peer);
    targets_.on_peer_lost(peer);
    router_.on_peer_lost(peer);
}

void ShardCore::on_peer_updated(const Peer& peer) {
    if (const Peer* known = port_.peer_updated(peer)) sources_.on_peer_updated(*known);
}

void ShardCore::on_foreign(LinkId link, const protocol::InRecord& record, JobPermit permit) {
    const Peer* peer = port_.find(link);
    const result<protocol::DecodedRecord> decoded = protocol::decode_record(record, kReplyContext);
    // Shard 0 has read the same bytes of an admitted peer, and news of its end comes behind them.
    SHUNT_ASSERT(peer != nullptr && decoded.has_value());
    dispatch({*peer, record.leg, record.sequence, decoded.value(), record.parts},
             std::move(permit));
}

void ShardCore::dispatch(const Arrival& arrival, JobPermit permit) {
    const auto& command = arrival.record.command;
    if (const auto* send = std::get_if<protocol::ActorSend>(&command)) {
        ingress_.on_send(arrival, *send, std::move(permit));
    } else if (const auto* request = std::get_if<protocol::ActorRequest>(&command)) {
        ingress_.on_request(arrival, *request, std::move(permit));
    } else if (const auto* reply = std::get_if<protocol::Reply>(&command)) {
        replies_.on_reply(arrival, *reply);
    } else if (const auto* prepare = std::get_if<protocol::RelocationPrepare>(&command)) {
        targets_.on_prepare(arrival, *prepare);
    } else if (const auto* chunk = std::get_if<protocol::RelocationState>(&command)) {
        targets_.on_chunk(arrival, *chunk);
    } else if (const auto* relay = std::get_if<protocol::RelocationData>(&command)) {
        targets_.on_relay(arrival, *relay);
    } else if (const auto* cutover = std::get_if<protocol::RelocationCutover>(&command)) {
        targets_.on_cutover(arrival, *cutover);
    } else if (const auto* ready = std::get_if<protocol::RelocationReady>(&command)) {
        sources_.on_ready(arrival.peer.link, *ready);
    } else if (const auto* failed = std::get_if<protocol::RelocationFailed>(&command)) {
        sources_.on_failed(arrival.peer.link, *failed);
    } else if (const auto* relayed = std::get_if<protocol::ReplyRelay>(&command)) {
        replies_.on_relay(arrival, *relayed);
    } else if (const auto* notice = std::get_if<protocol::MessageFollow>(&command)) {
        router_.on_follow_notice(*notice);
    } else {
        // Valid on the wire, served by later steps of the plan.
        context_.probe.on_dropped("command_not_served");
    }
}

void ShardCore::on_taken(LinkId link, std::uint64_t charge) {
    if (port_.taken(link, charge)) router_.on_link_writable(link);
}

void ShardCore::admit_until(TimePoint deadline) {
    scheduler_.admit_until(deadline);
    rows_.admit_until(deadline);
}

void ShardCore::stop_admitting() {
    admits_creations_ = false;
    targets_.refuse_new();
}

void ShardCore::permit_returned() {
    scheduler_.permit_returned();
    sources_.permit_returned();
}

// --- Relocate ---------------------------------------------------------------------------------

Inventory ShardCore::inventory() const {
    Inventory inventory;
    inventory.actors = cells_.size();
    inventory.unfinished = creating_ + targets_.running();
    for (const auto& cell : cells_.sorted()) {
        inventory.types.emplace(cell->definition().stable_type, *cell->definition().policy);
        if (cell->mode() != ActorCell::Mode::Ended &&
            cell->definition().policy == RelocationPolicy::Disable) {
            inventory.disabled = true;
        }
    }
    return inventory;
}

bool ShardCore::try_seal() {
    if (creating_ > 0 || targets_.running() > 0) return false;
    stop_admitting();
    return true;
}

void ShardCore::unseal() {
    admits_creations_ = true;
    targets_.accept_new();
}

std::size_t ShardCore::start_units(const std::vector<MoveTarget>& targets, TimePoint deadline,
                                   const std::function<Concluded()>& concluded) {
    std::uint64_t weight_sum = 0;
    for (const MoveTarget& target : targets) weight_sum += target.weight;
    std::size_t started = 0;
    for (const auto& cell : cells_.sorted()) {
        if (cell->mode() != ActorCell::Mode::Serving) continue;
        std::uint64_t draw = world_.random() % weight_sum;
        std::size_t chosen = 0;
        while (draw >= targets[chosen].weight) draw -= targets[chosen++].weight;
        sources_.start(cell, targets[chosen], deadline, concluded());
        ++started;
    }
    return started;
}

// --- Shutdown ---------------------------------------------------------------------------------

void ShardCore::seal_admission(bool had_relocated) {
    stop_admitting();
    ingress_.close();
    for (const auto& cell : cells_.sorted()) cell->stop_timers();
    if (had_relocated) sources_.clear();
}

bool ShardCore::drained() const {
    if (creating_ > 0 || targets_.running() > 0 || replies_.unacknowledged() > 0) return false;
    const auto cells = cells_.sorted();
    return std::all_of(cells.begin(), cells.end(), [](const auto& cell) { return cell->idle(); });
}

void ShardCore::dispose(UniqueFunction<void(std::error_code)> done) {
    targets_.abort_all(protocol::FrameworkErrorCode::RequestFailed);
    router_.close(Errc::ShuttingDown);
    pending_.fail_all(Errc::ShuttingDown);
    sources_.clear();
    rows_.stop();
    struct Removal {
        // One more than the rows, so that an empty list ends here too.
        std::size_t missing = 1;
        std::error_code failed;
        UniqueFunction<void(std::error_code)> done;
    };
    auto removal = std::make_shared<Removal>();
    removal->done = std::move(done);
    const auto removed = [removal](std::error_code error) {
        if (error) removal->failed = error;
        if (--removal->missing == 0) removal->done(removal->failed);
    };
    for (const auto& cell : cells_.sorted()) {
        // Behind the seal a target may hold the unit and be about to take the row over: deleting it
        // would lose the object (seed unit section 9). A row that nobody takes names a dead lease.
        const bool was_here =
            cell->mode() == ActorCell::Mode::Serving || cell->mode() == ActorCell::Mode::Pausing;
        cell->end();
        cells_.remove(*cell);
        if (!was_here) continue;
        ++removal->missing;
        rows_.remove(cell->id(), removed);
    }
    removed({});
}

}  // namespace shunt::host
