#pragma once
// The maintenance that runs while the demo plays: each host in turn hands its Actors over, forwards
// for the follow period, shuts down, and starts again as a new lifecycle. Never waits: step() looks
// at where the running restart is.

#include <chrono>
#include <cstdint>
#include <future>
#include <optional>
#include <string>

#include "tools/console.hpp"
#include "tools/demo_fleet.hpp"

namespace shunt::tools {

class Restarts {
  public:
    using Clock = std::chrono::steady_clock;

    enum class Phase : std::uint8_t {
        Resting,
        Relocating,  // relocate() runs.
        Following,   // Until the host says that it is safe to shut down.
        Emptying,    // No event comes in through it any more; what did is admitted or refused.
        Stopping,    // shutdown() runs.
        Joining,     // The new lifecycle serves and finds its peers.
    };
    enum class Begin : std::uint8_t { No, Yes };

    /// All arguments outlive this. Lines carry the time since `begun`.
    Restarts(Fleet& fleet, Console& console, Clock::time_point begun)
        : fleet_(fleet), console_(console), begun_(begun) {}

    /// Goes on where something has happened; starts the next restart only if `begin` says so.
    void step(Clock::time_point now, Begin begin);

    Phase phase() const noexcept { return phase_; }
    /// Restarts that are complete.
    std::uint64_t done() const noexcept { return done_; }
    /// What is going on, in a few words.
    std::string doing() const;
    /// Set once a host cannot be restarted: nothing begins any more.
    const std::optional<std::string>& failure() const noexcept { return failure_; }

  private:
    void begin_relocation(Clock::time_point now);
    void relocated(Clock::time_point now);
    void follow(Clock::time_point now);
    void shut_down();
    void start_again();
    void say(const std::string& text);
    void fail(std::string why);

    Fleet& fleet_;
    Console& console_;
    Clock::time_point begun_;
    Phase phase_ = Phase::Resting;
    std::size_t index_ = 0;
    std::uint64_t done_ = 0;
    int blocked_ = 0;
    std::uint64_t moving_ = 0;
    Clock::time_point phase_began_{};
    Clock::time_point look_at_{};
    std::future<result<host::RelocationResult>> relocation_;
    std::future<host::TerminationResult> termination_;
    std::optional<std::string> failure_;
};

}  // namespace shunt::tools
