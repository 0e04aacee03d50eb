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

JobPermits::Limits limits_of(const HostOptions& options, std::uint64_t shards) {
    const std::uint64_t max = options.max_queued_application_jobs != 0
                                  ? options.max_queued_application_jobs
                                  : kJobsPerProcessor * shards;
    return {max, options.pause_threshold_percent, options.resume_threshold_percent};
}

std::vector<ShardWorld*> worlds_of(World& first, const std::vector<FurtherShard>& further) {
    std::vector<ShardWorld*> worlds{&first};
    for (const FurtherShard& shard : further) worlds.push_back(shard.world);
    return worlds;
}

}  // namespace

HostCore::HostCore(World& world, store::LocationStore& store,
                   const std::vector<FurtherShard>& further, const Registry& registry,
                   HostOptions options, Probe& probe, LogSink log)
    : world_(world),
      options_(std::move(options)),
      self_(fresh_identity(world, options_)),
      log_(std::move(log)),
      probe_(probe),
      crew_(worlds_of(world, further)),
      permits_(limits_of(options_, crew_.size()),
               [this] { crew_.post(ShardId{}, [this](ShardCore&) { apply_pressure(); }); }),
      desk_(crew_, options_.relocation_node_in_flight_payload_budget),
      services_{world, options_, probe_, log_},
      hub_(services_, crew_, permits_, *this),
      directory_(services_, self_, registry, store, hub_.mesh(), *this),
      lifecycle_({services_, self_, crew_, hub_.mesh(), directory_,
                  [this](UniqueFunction<void()> done) { close_shards(std::move(done)); }}) {
    const ShardContext context{crew_, options_, self_, permits_, probe_,
                               log_,  desk_,    hub_,  registry};
    for (std::uint32_t shard = 0; shard < crew_.size(); ++shard) {
        store::LocationStore& own = shard == 0 ? store : *further[shard - 1].store;
        shards_.push_back(std::make_unique<ShardCore>(ShardId{shard}, context, own));
        crew_.set_core(ShardId{shard}, shards_.back().get());
    }
    permits_.on_wake([this](ShardId shard) {
        crew_.post(shard, [](ShardCore& core) { core.permit_returned(); });
    });
}

HostCore::~HostCore() {
    desk_.clear();
    for (std::uint32_t shard = 0; shard < crew_.size(); ++shard) {
        shards_[shard].reset();
        crew_.set_core(ShardId{shard}, nullptr);
    }
}

void HostCore::start(UniqueFunction<void(std::error_code)> done) {
    const result<std::string> endpoint =
        hub_.mesh().listen(self_.rid, options_.relocation_payload_chunk_limit);
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
                           [this, done = std::move(done)](std::error_code error) mutable {
                               published(error, std::move(done));
                           });
    });
}

void HostCore::published(std::error_code error, UniqueFunction<void(std::error_code)> done) {
    if (error) {
        lifecycle_.set_error();
        return done(error);
    }
    directory_.start_polling();
    if (lifecycle_.state() != HostState::Preparing) return done({});
    lifecycle_.set_serving();
    crew_.gather<std::uint8_t>(
        [](ShardCore& shard) {
            shard.open();
            return std::uint8_t{1};
        },
        [done = std::move(done)](const std::vector<std::uint8_t>&) mutable { done({}); });
}

// Each shard ends on its own thread; whatever is posted to it afterwards finds nobody.
void HostCore::close_shards(UniqueFunction<void()> done) {
    closed_counts_.resize(crew_.size());
    auto missing = std::make_shared<std::size_t>(crew_.size());
    auto shared_done = std::make_shared<UniqueFunction<void()>>(std::move(done));
    for (std::uint32_t shard = 0; shard < crew_.size(); ++shard) {
        crew_.post(ShardId{shard}, [this, shard, missing, shared_done](ShardCore& core) {
            const ShardCounts counts = core.counts();
            crew_.set_core(ShardId{shard}, nullptr);
            shards_[shard].reset();
            world_.post([this, shard, missing, shared_done, counts] {
                closed_counts_[shard] = counts;
                if (--*missing == 0) (*shared_done)();
            });
        });
    }
}

// --- what callers ask -------------------------------------------------------------------------

void HostCore::create_actor(ActorId id, std::string stable_type,
                            UniqueFunction<void(result<void>)> done) {
    const ShardId home = crew_.home_of(id);
    crew_.world(home).post([this, home, id = std::move(id), type = std::move(stable_type),
                            done = std::move(done)]() mutable {
        ShardCore* shard = crew_.core(home);
        if (shard == nullptr) return done(Errc::ShuttingDown);
        shard->create_actor(std::move(id), type, std::move(done));
    });
}

void HostCore::send(ActorId target, Packet packet, Outbound::Admitted admitted) {
    const ShardId home = crew_.home_of(target);
    crew_.world(home).post([this, home, target = std::move(target), packet = std::move(packet),
                            admitted = std::move(admitted)]() mutable {
        if (ShardCore* shard = crew_.core(home)) {
            return shard->router().send(nullptr, std::move(target), std::move(packet),
                                        std::move(admitted));
        }
        if (admitted) admitted(Errc::ShuttingDown);
    });
}

void HostCore::request(ActorId target, Packet packet, std::chrono::milliseconds timeout,
                       Outbound::Answered answered) {
    const ShardId home = crew_.home_of(target);
    crew_.world(home).post([this, home, target = std::move(target), packet = std::move(packet),
                            timeout, answered = std::move(answered)]() mutable {
        ShardCore* shard = crew_.core(home);
        if (shard == nullptr) return answered(Errc::ShuttingDown);
        shard->router().request(nullptr, std::move(target), std::move(packet), timeout,
                                std::move(answered));
    });
}

// --- status -----------------------------------------------------------------------------------

void HostCore::ask_status(UniqueFunction<void(HostStatus)> done) {
    if (!closed_counts_.empty()) return done(status_of(closed_counts_));
    crew_.gather<ShardCounts>(
        [](ShardCore& shard) { return shard.counts(); },
        [this, done = std::move(done)](const std::vector<ShardCounts>& shards) mutable {
            done(status_of(shards));
        });
}

HostStatus HostCore::status() const {
    std::vector<ShardCounts> counts = closed_counts_;
    counts.resize(shards_.size());
    for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
        if (shards_[shard] != nullptr) counts[shard] = shards_[shard]->counts();
    }
    return status_of(counts);
}

HostStatus HostCore::status_of(const std::vector<ShardCounts>& shards) const {
    HostStatus status;
    status.state = lifecycle_.state();
    status.is_ready = status.state == HostState::Serving;
    status.relocation_result = lifecycle_.relocation_result();
    status.termination_result = lifecycle_.termination_result();
    status.safe_to_shutdown = status.state != HostState::Relocating;
    for (const ShardCounts& shard : shards) {
        status.actors += shard.actors;
        status.moves_out += shard.moves_out;
        status.moves_in += shard.moves_in;
        status.pending_requests += shard.pending_requests;
        status.unacknowledged_replies += shard.unacknowledged_replies;
        status.safe_to_shutdown = status.safe_to_shutdown && shard.safe_to_shutdown;
    }
    status.ready_peers = hub_.mesh().ready().size();
    status.permits_in_use = permits_.in_use();
    status.permits_peak = permits_.peak();
    status.permits_max = permits_.max();
    status.in_flight_payload_bytes = desk_.in_flight();
    return status;
}

bool HostCore::has_actor(const ActorId& id) const {
    const auto& shard = shards_[crew_.home_of(id).value];
    return shard != nullptr && shard->has_actor(id);
}

// --- news -------------------------------------------------------------------------------------

void HostCore::apply_pressure() {
    const bool receive = permits_.pressure() == JobPermits::Pressure::Running;
    if (std::exchange(receiving_, receive) != receive) world_.set_receiving(receive);
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
    crew_.post_all([deadline](ShardCore& shard) { shard.admit_until(deadline); });
}

void HostCore::on_lease_lost() {
    log_(relocation::LogLevel::Error, "owner_lease_lost",
         "Another process holds this host's lease. Nothing is admitted any more: shut it down.");
    lifecycle_.set_error();
    crew_.post_all([](ShardCore& shard) { shard.stop_admitting(); });
}

}  // namespace shunt::host
