#pragma once
// What the parts of one host share: the World, the settings and each other's narrow faces. Owned by
// HostCore and its shards; every reference lives as long as its owner does.

#include <memory>
#include <string>

#include "host/job.hpp"
#include "host/job_permits.hpp"
#include "host/options.hpp"
#include "host/probe.hpp"
#include "host/task.hpp"
#include "host/world.hpp"
#include "relocation/log_code.hpp"

namespace shunt::host {

class Scheduler;

/// Who this host is for one process run. Settled before any shard but the first one opens.
struct NodeIdentity {
    NodeRid rid;
    NodeGeneration generation;
    OwnerId owner_id;
    /// Zero until the lease is claimed.
    OwnerLeaseGeneration lease_generation;
    std::string mesh_name;
    /// Where Actors of this node live (spec/objects.md section 1.1).
    SpotId entry_spot;
    /// Advertised mesh endpoint, `tcp://host:port`.
    std::string endpoint;

    protocol::FrozenSourceIdentity as_source() const {
        return {rid, generation, owner_id, lease_generation, protocol::FromNode{}};
    }
};

/// Messages leaving a turn. Implemented by Router.
class Outbound {
  public:
    virtual ~Outbound() = default;
    using Admitted = UniqueFunction<void(result<void>)>;
    using Answered = UniqueFunction<void(result<Packet>)>;

    /// `from` is absent for callers that are no Actor. Callbacks run in a later step.
    virtual void send(const protocol::ActorRef* from, ActorId target, Packet packet,
                      Admitted admitted) = 0;
    virtual void request(const protocol::ActorRef* from, ActorId target, Packet packet,
                         std::chrono::milliseconds timeout, Answered answered) = 0;
    /// Answers the request `job`, once.
    virtual void reply(const MessageJob& job, result<Packet> answer) = 0;
};

/// Where diagnostics go. Level, a stable name (snake_case), and a sentence for a person. Called by
/// every shard of the host, possibly at once.
using LogSink = UniqueFunction<void(relocation::LogLevel, std::string_view, const std::string&)>;

/// For what is host-wide and lives on shard 0.
struct HostServices {
    World& world;
    const HostOptions& options;
    Probe& probe;
    LogSink& log;
};

/// For what lives on one shard. Options, permits, probe and log are the host's: any thread.
struct Services {
    ShardId shard;
    ShardWorld& world;
    const HostOptions& options;
    const NodeIdentity& self;
    JobPermits& permits;
    Scheduler& scheduler;
    Outbound& outbound;
    Resumer& resumer;
    Probe& probe;
    LogSink& log;
};

}  // namespace shunt::host
