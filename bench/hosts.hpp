#pragma once
// Two hosts of this process on loopback and a clock on the points of their moves.

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "host/probe.hpp"

namespace shunt::bench {

/// When each Actor passed S0, S1 and S3, on this process's clock.
class PointClock final : public host::Probe {
  public:
    using Clock = std::chrono::steady_clock;

    void on_point(const ActorId& actor, relocation::Point point, TimePoint at) override;
    bool passed(const ActorId& actor, relocation::Point point) const;
    Clock::time_point at(const ActorId& actor, relocation::Point point) const;
    /// Seconds from S0 to S1 of every Actor that passed both.
    std::vector<double> stops() const;
    void clear();

  private:
    mutable std::mutex mutex_;
    std::map<ActorId, std::map<relocation::Point, Clock::time_point>> points_;
};

/// An Actor whose state is one buffer, handed over without a copy.
struct Ballast {
    std::shared_ptr<const Bytes> state;

    void echo(host::Turn turn, host::Message message);
};

/// Two hosts; Actors are created on the source and relocated to the target.
class HostPair {
  public:
    /// New Actors of type `ballast` get `state_bytes` of state.
    HostPair(std::uint32_t shards, std::size_t state_bytes);

    host::Host& source() noexcept { return *source_; }
    host::Host& target() noexcept { return *target_; }
    void create(const ActorId& actor);
    /// Moves everything off the source. Once.
    void relocate();
    PointClock& clock() noexcept { return clock_; }

  private:
    std::unique_ptr<host::Host> start(const char* prefix);
    void await_peers();

    PointClock clock_;
    host::Registry types_;
    host::LocalStore store_;
    std::uint32_t shards_;
    std::unique_ptr<host::Host> source_;
    std::unique_ptr<host::Host> target_;
};

}  // namespace shunt::bench
