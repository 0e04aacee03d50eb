#pragma once
// The public face of Shunt: one Host per node and process run. Include this and write Actors.
//
//     Registry types;
//     types.add(ActorType<Counter>("counter").on("add", &Counter::add).preserve_state(...));
//     auto store = LocalStore();                          // shared by the hosts of one process
//     auto host = Host::start(options, types, store);
//     host.value()->create_actor({"c1"}, "counter", ...);
//
// Every member may be called from any thread; callbacks run on a shard of the host, those about an
// Actor on its own, and must not block it. Tasks may be awaited from a coroutine of a handler or
// given to block_on() on any other thread.

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "host/actor.hpp"
#include "host/block_on.hpp"
#include "host/errc.hpp"
#include "host/options.hpp"
#include "host/status.hpp"
#include "host/task.hpp"

namespace shunt::host {

class Probe;

/// The embedded Location Store of one process; hosts given copies of it find each other in it.
/// Everything in it is gone when the process ends.
class LocalStore {
  public:
    LocalStore();

    struct Shared;
    const std::shared_ptr<Shared>& shared() const noexcept { return shared_; }

  private:
    std::shared_ptr<Shared> shared_;
};

/// Severity of a log line.
enum class LogLevel : std::uint8_t { Debug, Info, Warning, Error };
/// Level, a stable name in snake_case, a sentence. Called on any shard, one call at a time.
using Logger = UniqueFunction<void(LogLevel, std::string_view, const std::string&)>;

/// What a host may be given beside its options; all of it optional.
struct HostExtras {
    HostExtras() {}
    /// Absent: warnings and errors go to stderr.
    Logger logger;
    /// Observer for tests and tools; outlives the host. Called on every shard, possibly at once.
    Probe* probe = nullptr;
};

class Host {
  public:
    /// Opens the mesh listener, claims the lease and publishes the node; the host serves when this
    /// returns. `types` is copied. Errors: Errc::InvalidArgument (with the reason logged),
    /// ListenFailed, LeaseNotClaimed, Unavailable, or what refused io_uring.
    static result<std::unique_ptr<Host>> start(const HostOptions& options, const Registry& types,
                                               const LocalStore& store, HostExtras extras = {});

    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;
    /// Shuts down with a deadline of zero if nobody did.
    ~Host();

    /// Creates an Actor on this node. Errors: AlreadyExists, NotFound (type not registered),
    /// Unavailable (not serving, or the store fails), InvalidArgument.
    void create_actor(ActorId id, std::string stable_type, UniqueFunction<void(result<void>)> done);
    Task<result<void>> create_actor(ActorId id, std::string stable_type);

    /// One-way from outside any Actor; `admitted` as in Turn::send.
    void send(ActorId target, Packet packet, UniqueFunction<void(result<void>)> admitted = nullptr);
    void request(ActorId target, Packet packet, std::chrono::milliseconds timeout,
                 UniqueFunction<void(result<Packet>)> answered);
    Task<result<Packet>> request(ActorId target, Packet packet, std::chrono::milliseconds timeout);

    /// Moves every stateful object off this host, then leaves it in HostState::Relocated.
    ///
    /// Does not stop the host: infrastructure stays connected until shutdown(). Calling shutdown()
    /// before status().safe_to_shutdown also ends Message Follow and cutover retransmission early.
    ///
    /// @param options  `mode` must be chosen. `target_application_version` belongs to RollingUpdate
    ///                 and must exceed this host's. `deadline` is above zero; 30 s when absent.
    /// @return Relocated, or Blocked with its reason; both name the mode and the effective version.
    ///         Errc::InvalidArgument before any state has changed when the options contradict.
    ///
    /// Equal options share one operation; different ones get OperationInProgress. (Seed host §2,
    /// §3.)
    void relocate(RelocateOptions options, UniqueFunction<void(result<RelocationResult>)> done);
    Task<result<RelocationResult>> relocate(RelocateOptions options);

    /// Seals admission, lets accepted work end until `deadline`, and releases everything this host
    /// holds in store and mesh. Objects that are still here end. Concurrent calls share one
    /// operation and its result. (Seed host §14.)
    void shutdown(std::chrono::milliseconds deadline, UniqueFunction<void(TerminationResult)> done);
    Task<TerminationResult> shutdown(
        std::chrono::milliseconds deadline = std::chrono::milliseconds(30'000));

    /// One picture, put together from all shards. Waits for them: not from a handler.
    HostStatus status() const;
    /// This run's routing id on the mesh.
    const NodeRid& node_rid() const noexcept;
    /// Advertised mesh endpoint, `tcp://host:port`.
    const std::string& endpoint() const noexcept;

  private:
    class Impl;
    explicit Host(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

}  // namespace shunt::host
