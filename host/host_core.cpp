#include "host/host_core.hpp"

#include "host/errc.hpp"

namespace shunt::host {
namespace {

constexpr std::uint64_t kJobsPerProcessor = 128;

/// Two draws as a UUID v4 in lower case (spec/objects.md section 1.1).
std::string uuid_of(std::uint64_t high, std::uint64_t low) {
    high = (high & 0xFFFF'FFFF'FFFF'0FFFULL) | 0x4000ULL;
    low = (low & 0x3FFF'FFFF'FFFF'FFFFULL) | 0x8000'0000'0000'0000ULL;
    constexpr char kHex[] = "0123456789abcdef";
    std::string text;
    for (int nibble = 0; nibble < 32; ++nibble) {
        if (nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20) text.push_back('-');
        const std::uint64_t word = nibble < 16 ? high : low;
        text.push_back(kHex[(word >> (60 - 4 * (nibble % 16))) & 0xFU]);
    }
    return text;
}

std::string fresh_name(World& world, const std::string& prefix) {
    const std::uint64_t high = world.random();
    return prefix + "-" + uuid_of(high, world.random());
}

NodeIdentity fresh_identity(World& world, const HostOptions& options) {
    NodeIdentity self;
    self.rid = NodeRid{fresh_name(world, options.node_prefix)};
    self.generation = NodeGeneration{(world.random() >> 1U) | 1U};
    self.owner_id = OwnerId{fresh_name(world, "owner")};
    self.mesh_name = options.mesh_name;
    self.entry_spot = SpotId{fresh_name(world, options.node_prefix + "-entry")};
    return self;
}

JobPermits::Limits limits_of(const HostOptions& options) {
    const std::uint64_t max = options.max_queued_application_jobs != 0
                                  ? options.max_queued_application_jobs
                                  : kJobsPerProcessor;
    return {max, options.pause_threshold_percent, options.resume_threshold_percent};
}

}  // namespace

void HostCore::ShardResumer::post(std::coroutine_handle<> coroutine) {
    world_.post([coroutine, alive = alive_] {
        if (*alive) coroutine.resume();
    });
}

HostCore::HostCore(World& world, store::LocationStore& store, const Registry& registry,
                   HostOptions options, Probe& probe, LogSink log)
    : world_(world),
      registry_(registry),
      options_(std::move(options)),
      self_(fresh_identity(world, options_)),
      log_(std::move(log)),
      probe_(probe),
      scheduler_(world),
      permits_(limits_of(options_),
               [this](JobPermits::Pressure pressure) {
                   world_.set_receiving(pressure == JobPermits::Pressure::Running);
               }),
      resumer_(world),
      services_{world, options_, self_, permits_, scheduler_, router_, resumer_, probe_, log_},
      mesh_(services_, *this),
      pending_(world),
      replies_(services_, mesh_, pending_),
      follow_(services_, mesh_, pending_, replies_),
      directory_(services_, self_, registry, store, mesh_, *this),
      router_(services_, mesh_, directory_, cells_, follow_, pending_, replies_),
      ingress_(services_, cells_, follow_, replies_),
      sources_(services_, mesh_, cells_, follow_, replies_, directory_),
      targets_(services_, registry, mesh_, cells_, replies_, directory_,
               [this](const ActorId& actor, JobPtr job) {
                   ingress_.accept(actor, std::move(job), nullptr);
               }),
      lifecycle_({services_, mesh_, directory_, cells_, router_, ingress_, pending_, replies_,
                  sources_, targets_}) {
    ingress_.set_targets(targets_);
    permits_.on_release([this] {
        scheduler_.permit_returned();
        sources_.permit_returned();
    });
}

HostCore::~HostCore() {
    permits_.on_release(nullptr);
    for (const auto& cell : cells_.sorted()) cell->end();
}

void HostCore::start(UniqueFunction<void(std::error_code)> done) {
    const result<std::string> endpoint =
        mesh_.listen(self_.rid, options_.relocation_payload_chunk_limit);
    if (!endpoint) {
        lifecycle_.set_error();
        return world_.post(
            [done = std::move(done), error = endpoint.error()]() mutable { done(error); });
    }
    self_.endpoint = endpoint.value();
    directory_.claim([this, done = std::move(done)](std::error_code claimed) mutable {
        if (claimed) {
            lifecycle_.set_error();
            return done(claimed);
        }
        directory_.publish(store::NodeState::Serving,
                           [this, done = std::move(done)](std::error_code published) mutable {
                               if (published) {
                                   lifecycle_.set_error();
                                   return done(published);
                               }
                               if (lifecycle_.state() == HostState::Preparing) {
                                   lifecycle_.set_serving();
                               }
                               directory_.start_polling();
                               done({});
                           });
    });
}

// --- what callers ask -------------------------------------------------------------------------

void HostCore::create_actor(ActorId id, const std::string& stable_type,
                            UniqueFunction<void(result<void>)> done) {
    const auto refuse = [&](Errc error) {
        world_.post([done = std::move(done), error]() mutable { done(error); });
    };
    const ActorDefinition* definition = registry_.find(stable_type);
    if (!is_valid_id(id.value)) return refuse(Errc::InvalidArgument);
    if (definition == nullptr) return refuse(Errc::NotFound);
    if (lifecycle_.state() != HostState::Serving) return refuse(Errc::Unavailable);
    lifecycle_.creation_started();
    directory_.create(id, stable_type,
                      [this, id, definition,
                       done = std::move(done)](result<ActorCell::Ownership> created) mutable {
                          if (created) {
                              opened(id, *definition, created.value(), std::move(done));
                          } else {
                              done(created.error());
                          }
                          lifecycle_.creation_ended();
                      });
}

void HostCore::opened(const ActorId& id, const ActorDefinition& definition,
                      const ActorCell::Ownership& ownership,
                      UniqueFunction<void(result<void>)> done) {
    std::shared_ptr<void> instance;
    try {
        instance = definition.factory({id, ownership.object_generation, false});
    } catch (const std::exception& thrown) {
        log_(relocation::LogLevel::Error, "handler_failed",
             std::string("A factory threw: ") + thrown.what());
    } catch (...) {
        log_(relocation::LogLevel::Error, "handler_failed", "A factory threw.");
    }
    if (instance == nullptr) {
        return directory_.remove(
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

void HostCore::send(ActorId target, Packet packet, Outbound::Admitted admitted) {
    router_.send(nullptr, std::move(target), std::move(packet), std::move(admitted));
}

void HostCore::request(ActorId target, Packet packet, std::chrono::milliseconds timeout,
                       Outbound::Answered answered) {
    router_.request(nullptr, std::move(target), std::move(packet), timeout, std::move(answered));
}

bool HostCore::has_actor(const ActorId& id) const {
    return cells_.find(id) != nullptr;
}

HostStatus HostCore::status() const {
    HostStatus status;
    status.state = lifecycle_.state();
    status.is_ready = status.state == HostState::Serving;
    status.relocation_result = lifecycle_.relocation_result();
    status.termination_result = lifecycle_.termination_result();
    status.safe_to_shutdown = status.state != HostState::Relocating && sources_.safe_to_shutdown();
    status.actors = cells_.size();
    status.ready_peers = mesh_.ready().size();
    status.permits_in_use = permits_.in_use();
    status.permits_peak = permits_.peak();
    status.permits_max = permits_.max();
    status.moves_out = sources_.size();
    status.moves_in = targets_.running();
    status.in_flight_payload_bytes = sources_.in_flight_charge();
    status.pending_requests = pending_.size();
    status.unacknowledged_replies = replies_.unacknowledged();
    return status;
}

// --- news -------------------------------------------------------------------------------------

void HostCore::on_peer_ready(const Peer& peer) {
    log_(relocation::LogLevel::Info, "peer_ready", "A node was admitted.");
    sources_.on_peer_ready(peer);
    targets_.on_peer_ready(peer);
    // Behind the batches that were just sent again: what waits at the old address came later.
    follow_.on_peer_ready(peer);
    router_.on_peer_ready();
    lifecycle_.poke();
}

void HostCore::on_peer_lost(const Peer& peer) {
    sources_.on_peer_lost(peer);
    targets_.on_peer_lost(peer);
    router_.on_peer_lost(peer);
}

void HostCore::on_peer_updated(const Peer& peer) {
    sources_.on_peer_updated(peer);
    lifecycle_.poke();
}

void HostCore::on_arrival(const Arrival& arrival) {
    const auto& command = arrival.record.command;
    if (const auto* send = std::get_if<protocol::ActorSend>(&command)) {
        ingress_.on_send(arrival, *send);
    } else if (const auto* request = std::get_if<protocol::ActorRequest>(&command)) {
        ingress_.on_request(arrival, *request);
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
    } else if (const auto* ack = std::get_if<protocol::ReplyRelayAck>(&command)) {
        replies_.on_relay_ack(*ack);
    } else if (const auto* notice = std::get_if<protocol::MessageFollow>(&command)) {
        router_.on_follow_notice(*notice);
    } else {
        // Valid on the wire, served by later steps of the plan.
        probe_.on_dropped("command_not_served");
    }
}

void HostCore::on_link_submitted(LinkId, SubmitToken token, protocol::SubmitResult result) {
    sources_.on_submitted(token, result);
}

void HostCore::on_link_writable(LinkId link) {
    router_.on_link_writable(link);
}

std::optional<ExpectedPeer> HostCore::expected_peer(const NodeRid& rid) const {
    for (const store::ListedNode& listed : directory_.nodes()) {
        const store::NodeDescriptor& node = listed.descriptor;
        if (node.rid != rid) continue;
        return ExpectedPeer{node.lifecycle_generation, node.endpoint, node.security_identity};
    }
    return std::nullopt;
}

void HostCore::on_nodes_changed() {
    lifecycle_.poke();
}

void HostCore::on_admission_deadline(TimePoint deadline) {
    scheduler_.admit_until(deadline);
}

void HostCore::on_lease_lost() {
    log_(relocation::LogLevel::Error, "owner_lease_lost",
         "Another process holds this host's lease. Nothing is admitted any more: shut it down.");
    lifecycle_.set_error();
}

}  // namespace shunt::host
