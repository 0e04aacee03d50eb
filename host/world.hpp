#pragma once
// Everything a host needs from outside (design.md section 3): clocks, timers, random numbers, mesh
// links, and a way onto its shards. Two implementations: engine_world.* on io_uring, and tests/sim,
// which makes all of it up from one seed. Crossed per record or per effect, never per byte.
//
// All members are called on, and call back on, the shard they belong to, unless a comment says
// otherwise. No callback ever runs inside a call into the World.

#include <cstdint>
#include <string>
#include <system_error>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "base/unique_function.hpp"
#include "protocol/record.hpp"

namespace shunt::host {

/// One establishment of one mesh link (both lanes ready). A reconnect is another LinkId; ids are
/// never reused while the World lives.
struct LinkId {
    std::uint64_t value = 0;
    constexpr auto operator<=>(const LinkId&) const noexcept = default;
    explicit constexpr operator bool() const noexcept { return value != 0; }
};

/// A standing wish to be connected to an endpoint.
struct DialId {
    std::uint64_t value = 0;
    constexpr auto operator<=>(const DialId&) const noexcept = default;
};

struct TimerId {
    std::uint64_t value = 0;
    constexpr auto operator<=>(const TimerId&) const noexcept = default;
    explicit constexpr operator bool() const noexcept { return value != 0; }
};

/// Names one submitted record in on_submitted(); zero asks for no report.
struct SubmitToken {
    std::uint64_t value = 0;
    constexpr auto operator<=>(const SubmitToken&) const noexcept = default;
};

/// What the transport handshake told about the peer (spec/zmp.md section 4).
struct LinkInfo {
    NodeRid peer_rid;
    bool dialed_here = false;
    /// READY property `Shunt-Chunk-Limit`, or the 32 KiB every peer can take (decision 20).
    std::uint32_t peer_chunk_limit_bytes = 32 * 1024;
    /// The peer announced `Shunt-Lanes`: it is another Shunt (decision 25).
    bool peer_is_shunt = false;
};

/// Whether a record was taken. Full is an answer, not an error.
enum class Admission : std::uint8_t { Queued, Full, NoLink };

/// Ordinary sends respect the pipe's high-water mark. Control and relocation records do not: the
/// in-flight budget bounds those (spec/zmp.md section 16.7).
enum class Gate : std::uint8_t { HighWaterMark, None };

/// What the World tells the host. Implemented by the host, called by the World.
class LinkEvents {
  public:
    virtual ~LinkEvents() = default;

    /// Both lanes are ready. Records may follow at once.
    virtual void on_link_up(LinkId link, const LinkInfo& info) = 0;
    /// Comes exactly once per link that was up, after every on_submitted() of that link.
    virtual void on_link_down(LinkId link, std::error_code reason) = 0;
    /// Records of one lane arrive in sending order.
    virtual void on_record(LinkId link, const protocol::InRecord& record) = 0;
    /// The pipe released the record and its charge (design.md section 3, in-flight budget).
    virtual void on_submitted(LinkId link, SubmitToken token, protocol::SubmitResult result) = 0;
    /// After a Full answer: the pipe is below its mark again.
    virtual void on_writable(LinkId link) = 0;
};

/// How this node presents itself to the mesh.
struct ListenOptions {
    /// `host:port`; port 0 takes a free one.
    std::string bind_address;
    NodeRid rid;
    /// What this node takes per relocation chunk (READY `Shunt-Chunk-Limit`).
    std::uint32_t chunk_limit_bytes = 256 * 1024;
};

struct DialOptions {
    /// `tcp://host:port`.
    std::string endpoint;
    /// The rid the peer must announce; empty accepts any.
    NodeRid expected_rid;
};

/// What every shard of a host has.
class ShardWorld {
  public:
    ShardWorld() = default;
    ShardWorld(const ShardWorld&) = delete;
    ShardWorld& operator=(const ShardWorld&) = delete;
    virtual ~ShardWorld() = default;

    // --- time and chance --------------------------------------------------------------------
    virtual TimePoint now() const noexcept = 0;
    virtual UnixMillis unix_now() const noexcept = 0;
    /// Unpredictable on the engine, reproducible in the simulator.
    virtual std::uint64_t random() noexcept = 0;

    /// Runs `fn` once at or after `deadline`.
    virtual TimerId arm(TimePoint deadline, UniqueFunction<void()> fn) = 0;
    /// After this `fn` will not run; unknown and spent ids are ignored.
    virtual void cancel(TimerId timer) noexcept = 0;

    /// Runs `fn` in a later turn of this shard. Any thread; what one thread posts stays in order.
    virtual void post(UniqueFunction<void()> fn) = 0;
};

/// Shard 0, which also holds the links.
class World : public ShardWorld {
  public:
    // --- mesh links -------------------------------------------------------------------------
    /// Opens the listener and starts delivering to `events`, which must outlive stop_links().
    /// Returns the endpoint to advertise, `tcp://host:port`.
    virtual result<std::string> listen(const ListenOptions& options, LinkEvents& events) = 0;

    /// Keeps trying to hold a link to the endpoint, with back-off, until undial().
    virtual DialId dial(const DialOptions& options) = 0;
    virtual void undial(DialId dial) noexcept = 0;

    /// Takes `record` only when the answer is Queued. Records of one link and lane leave in the
    /// order of the calls.
    [[nodiscard]] virtual Admission send(LinkId link, protocol::OutRecord&& record, Gate gate,
                                         SubmitToken token) = 0;
    /// The peer was admitted: bounds that hold for strangers end for this link.
    virtual void trust(LinkId link) { static_cast<void>(link); }
    /// Both lanes; on_link_down() follows.
    virtual void close_link(LinkId link, std::error_code reason) = 0;

    /// Stops (false) or resumes reading ordinary records from every peer; replies still arrive
    /// (spec/execution.md section 3).
    virtual void set_receiving(bool receiving) = 0;

    /// Closes listener, dials and links; `done` runs when the last on_link_down() was delivered.
    virtual void stop_links(UniqueFunction<void()> done) = 0;
};

}  // namespace shunt::host
