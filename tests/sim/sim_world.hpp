#pragma once
// The simulator's World: what one host lifecycle sees of a simulated node. Another lifecycle of the
// same node is another SimWorld with the same NodeIndex and clocks, and so is a further shard of
// the same lifecycle, which never opens a link. Every call and callback happens on the one thread
// of the scheduler; a callback inside a call is an assertion.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "base/assert.hpp"
#include "host/world.hpp"
#include "tests/sim/network.hpp"
#include "tests/sim/random.hpp"
#include "tests/sim/scheduler.hpp"

namespace shunt::sim {

/// What makes one machine differ from another.
struct NodeOptions {
    NodeIndex node;
    /// Which shard of the host this is; 0 holds the links.
    ShardId shard{};
    /// Added to virtual time to give the node's monotonic clock.
    Duration monotonic_offset{0};
    /// Added to the true wall clock; either sign.
    std::chrono::milliseconds wall_skew{0};
    /// Timers fire at the next multiple of this, as on a timer wheel. Zero: exactly.
    Duration timer_tick = std::chrono::milliseconds(1);
    /// False makes it look like a peer that does not announce `Shunt-Lanes`.
    bool is_shunt = true;
};

/// True wall time when the simulation starts, in Unix milliseconds.
inline constexpr std::uint64_t kWallClockStart = 1'700'000'000'000;

class SimWorld final : public host::World {
  public:
    /// `lifecycle` counts the host runs of the whole simulation; it selects the random stream.
    SimWorld(Network& network, const NodeOptions& options, std::uint64_t seed,
             std::uint64_t lifecycle);
    ~SimWorld() override;

    TimePoint now() const noexcept override;
    UnixMillis unix_now() const noexcept override;
    std::uint64_t random() noexcept override { return random_.next(); }
    host::TimerId arm(TimePoint deadline, UniqueFunction<void()> fn) override;
    void cancel(host::TimerId timer) noexcept override;
    void post(UniqueFunction<void()> fn) override;
    result<std::string> listen(const host::ListenOptions& options,
                               host::LinkEvents& events) override;
    host::DialId dial(const host::DialOptions& options) override;
    void undial(host::DialId dial) noexcept override;
    [[nodiscard]] host::Admission send(host::LinkId link, protocol::OutRecord&& record,
                                       host::Gate gate, host::SubmitToken token) override;
    void close_link(host::LinkId link, std::error_code reason) override;
    void set_receiving(bool receiving) override;
    void stop_links(UniqueFunction<void()> done) override;

    // --- for the test -----------------------------------------------------------------------
    /// The process dies here: no callback ever again, every link breaks. Destroy the host next;
    /// what its destructors call is ignored.
    void kill(CutKind kind = CutKind::Reset);

    /// Keeps a callback that another simulated service runs later with run_held(); kill() destroys
    /// it unrun. The service reaches this world through handle(), which reads null after kill().
    std::uint64_t hold(UniqueFunction<void()> fn);
    void run_held(std::uint64_t held);
    std::shared_ptr<SimWorld* const> handle() const noexcept { return handle_; }

    NodeIndex node() const noexcept { return options_.node; }
    /// Counts host runs; tells two runs of one node apart.
    std::uint64_t lifecycle() const noexcept { return lifecycle_; }
    const NodeOptions& node_options() const noexcept { return options_; }
    std::size_t armed_timers() const noexcept { return timers_.size(); }
    std::size_t posted() const noexcept { return posted_.size(); }
    bool receiving() const noexcept { return receiving_; }

  private:
    friend class Network;

    template <class Callback>
    void call(Callback&& callback) {
        SHUNT_ASSERT(!inside_callback_);
        inside_callback_ = true;
        callback();
        inside_callback_ = false;
    }

    SimTime to_sim(TimePoint at) const noexcept;
    void run_timer(std::uint64_t id);
    void arm_post();
    void run_posted();
    /// Runs the callback of stop_links() when nothing stands any more.
    void maybe_stopped();
    void run_stopped();

    Network& network_;
    NodeOptions options_;
    std::uint64_t lifecycle_;
    std::shared_ptr<SimWorld*> handle_;
    Random random_;         // What the host draws.
    Random timing_random_;  // What the simulator draws for this world.
    host::LinkEvents* events_ = nullptr;
    host::ListenOptions listen_options_;
    std::map<std::uint64_t, std::pair<EventId, UniqueFunction<void()>>> timers_;
    std::deque<UniqueFunction<void()>> posted_;
    std::map<std::uint64_t, UniqueFunction<void()>> held_;
    std::uint64_t last_held_ = 0;
    EventId post_event_;
    UniqueFunction<void()> stopped_;
    std::uint64_t last_timer_ = 0;
    EventId stop_event_;
    bool receiving_ = true;
    bool stopping_ = false;
    bool killed_ = false;
    bool inside_callback_ = false;
};

}  // namespace shunt::sim
