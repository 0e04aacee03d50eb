#pragma once
// The mesh transport of one node on one shard: a listener, dials, and the links they make
// (spec/zmp.md sections 4, 5, 10, 15 and 16). host/engine_world.* wraps it into the World.

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "base/unique_function.hpp"
#include "engine/backoff.hpp"
#include "engine/lane.hpp"
#include "engine/link.hpp"
#include "engine/link_types.hpp"
#include "engine/listener.hpp"
#include "engine/shard.hpp"
#include "engine/socket.hpp"

namespace shunt::engine {

struct MeshOptions {
    /// Mark of gated records per link, in charge (spec/zmp.md section 16.2); zero is no limit.
    std::uint64_t high_water_bytes = 4'096'000;
    /// Sum over the parts of one received record: a chunk of the hard ceiling and its head.
    std::uint64_t record_bytes_max = 68ULL * 1024 * 1024 + 64 * 1024;
    /// From connect or accept until both lanes of the link are ready.
    Duration handshake_timeout = std::chrono::seconds(30);
    /// Accepted connections of peers that are not trusted yet. Never more than a quarter of what
    /// the process may open.
    std::size_t half_open_max = 1024;
    /// What connections of strangers may take together, dialed ones included.
    std::uint64_t stranger_bytes_max = 16ULL * 1024 * 1024;
    BackoffOptions redial{};
    SocketOptions socket{};
};

/// How this node presents itself.
struct ListenOptions {
    /// `host:port`, numeric; port 0 takes a free one.
    std::string bind_address;
    NodeRid rid;
    std::uint32_t chunk_limit_bytes = 256 * 1024;
};

struct DialOptions {
    /// `tcp://host:port`, numeric.
    std::string endpoint;
    /// The rid the peer must announce; empty accepts any.
    NodeRid expected_rid{};
};

struct MeshCounters {
    std::uint64_t accepted = 0;
    /// Accepted and not trusted yet: in their handshake, waiting for their sister lane, or up
    /// without an admission.
    std::uint64_t half_open = 0;
    std::uint64_t half_open_peak = 0;
    /// The oldest of them, closed when another came and half_open_max was reached.
    std::uint64_t evicted_half_open = 0;
    /// The largest of them, closed when stranger_bytes_max was passed.
    std::uint64_t evicted_for_memory = 0;
    /// Of connections that are not trusted, dialed ones included.
    std::uint64_t stranger_bytes = 0;
    std::uint64_t stranger_bytes_peak = 0;
    std::uint64_t dial_attempts = 0;
    std::uint64_t links_up = 0;
    std::uint64_t links_down = 0;
    /// Connections closed for what their peer did; each was reported.
    std::uint64_t protocol_errors = 0;
    std::uint64_t records_sent = 0;
    std::uint64_t records_received = 0;
    /// Answers Full.
    std::uint64_t refused_full = 0;
    /// Records above what their peer announced to take; answered NoLink.
    std::uint64_t refused_too_large = 0;
    /// On all connections, handshakes included.
    std::uint64_t bytes_sent = 0;
    std::uint64_t bytes_received = 0;
};

/// Everything is called, and calls back, on the shard's thread; no callback runs inside a call.
/// After stop() has run `done`, or after Shard::stop(), it may be destroyed.
class MeshEndpoint final : private LaneEvents {
  public:
    MeshEndpoint(Shard& shard, const MeshOptions& options);
    MeshEndpoint(const MeshEndpoint&) = delete;
    MeshEndpoint& operator=(const MeshEndpoint&) = delete;
    ~MeshEndpoint() override;

    /// Opens the listener and starts delivering to `events`, which must outlive the endpoint.
    /// Returns what to advertise, `tcp://host:port`. Once, and before dial().
    result<std::string> listen(const ListenOptions& options, LinkEvents& events);

    /// Keeps trying to hold a link to the endpoint, with back-off, until undial().
    DialId dial(const DialOptions& options);
    /// Ends the wish and an attempt under way; a link that is up stays.
    void undial(DialId dial);

    /// Takes `record` only when the answer is Queued. Records of one link and lane leave in the
    /// order of the calls. Replies pass the gate: their lane has no mark. A record above the
    /// peer's announced maximum would cost the link, so it is answered NoLink (zmp.md section 7).
    [[nodiscard]] Admission send(LinkId link, protocol::OutRecord&& record, Gate gate,
                                 SubmitToken token);
    /// The peer of this link was admitted by whoever may judge that. Until then its records are
    /// bounded by RecordReader::kStrangerRecordBytesMax, and the link may be evicted.
    void trust(LinkId link);
    /// Both lanes; what is queued is settled as Failed or Unknown, then on_link_down() follows. A
    /// dial that stands connects again.
    void close_link(LinkId link, std::error_code reason);

    /// Stops (false) or resumes delivering records of every application lane; replies go on.
    /// Nothing is delivered after the call until it is resumed.
    void set_receiving(bool receiving);

    /// Closes listener, dials and links; `done` runs after the last on_link_down().
    void stop(UniqueFunction<void()> done);

    /// Charge in the pipe of the link's application lane; zero for a link that is not up.
    std::uint64_t charge_bytes(LinkId link) const noexcept;
    MeshCounters counters() const noexcept;
    /// How often a connection was closed for this reason; sums up to protocol_errors.
    std::uint64_t closed_for(std::error_code reason) const noexcept;

  private:
    struct Dial {
        DialId id;
        DialOptions options;
        SocketAddress address;
        protocol::PairKey key;
        Backoff backoff;
        TimerId timer;
        Link* forming = nullptr;
    };
    struct LaneEntry {
        std::unique_ptr<Lane> lane;
        /// Key in half_open_; zero when it is not there.
        std::uint64_t half_open = 0;
    };
    enum class Side : std::uint8_t { Dialed, Accepted };

    void on_lane_ready(Lane& lane) override;
    RecordSink::Next on_lane_record(Lane& lane, const protocol::InRecord& record) override;
    void on_lane_settled(Lane& lane, const SettledRecord& record) override;
    void on_lane_failed(Lane& lane, std::error_code reason) override;
    void on_stranger_grew(Lane& lane) override;
    void on_lane_closed(Lane& lane) override;

    void on_accepted(UniqueFd fd);
    Lane& add_lane(UniqueFd fd, Handshake handshake, Side side);
    void end_half_open(Lane& lane) noexcept;
    void evict(Lane& lane);
    Lane* largest_half_open() const noexcept;

    Link& add_link();
    Link* find_up(LinkId id) const noexcept;
    void join(Lane& lane);
    void bring_up(Link& link);
    void close_lanes(Link& link, std::error_code reason, const Lane* but = nullptr,
                     CloseMode mode = CloseMode::Graceful);
    void finish(Link& link);

    Dial* find_dial(DialId id) noexcept;
    void attempt(Dial& dial);
    void dial_again(Dial& dial, std::error_code reason);
    void report(const Lane& lane, std::error_code reason);
    void maybe_stopped();

    Shard& shard_;
    MeshOptions options_;
    LocalNode node_;
    LinkEvents* events_ = nullptr;
    Listener* listener_ = nullptr;  // Owned by the shard until it has closed.
    std::unordered_map<const Lane*, LaneEntry> lanes_;
    std::map<std::uint64_t, Lane*> half_open_;  // In the order of their arrival.
    std::uint64_t last_half_open_ = 0;
    StrangerMemory strangers_;
    TimePoint evictions_silent_until_{};
    std::vector<std::unique_ptr<Link>> links_;
    std::unordered_map<std::uint64_t, Link*> up_;  // By LinkId.
    std::map<std::uint64_t, Dial> dials_;          // By DialId; addresses must not move.
    std::uint64_t last_link_ = 0;
    std::uint64_t last_dial_ = 0;
    bool receiving_ = true;
    bool stopping_ = false;
    UniqueFunction<void()> stopped_;
    std::mt19937_64 random_;
    MeshCounters counters_;
    std::map<std::error_code, std::uint64_t> closed_for_;
    // Posted work must not find an endpoint that is gone.
    std::shared_ptr<MeshEndpoint*> self_;
};

}  // namespace shunt::engine
