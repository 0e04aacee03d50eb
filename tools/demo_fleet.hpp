#pragma once
// The three hosts of the demo, in one process and linked over loopback: started, fed and stopped.
// Used by the main thread only; what the hosts' shards have to say is collected and taken from
// there.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "tools/demo_measure.hpp"
#include "tools/demo_options.hpp"

namespace shunt::tools {

inline constexpr std::size_t kDemoHosts = 3;
/// Hosts that have not found each other by then never will.
inline constexpr std::chrono::seconds kJoinMax{30};
/// "A", "B", "C".
std::string host_name(std::size_t index);

/// What the hosts log, from their threads to the main thread.
class HostLog {
  public:
    using Clock = std::chrono::steady_clock;

    void add(std::string line);
    /// The lines since the last call. Beyond kLinesMax a second they are only counted: a stranger
    /// who dials the mesh port makes thousands. The count is a line when the second is over.
    std::vector<std::string> take(Clock::time_point now);
    /// As take(), with the count of a second that is not over.
    std::vector<std::string> take_rest();

    static constexpr std::size_t kLinesMax = 20;
    static constexpr std::chrono::seconds kPeriod{1};

  private:
    std::vector<std::string> take_locked(bool period_is_over);

    std::mutex mutex_;
    std::vector<std::string> lines_;
    std::size_t kept_ = 0;  // In this period, whether taken or not.
    std::uint64_t unkept_ = 0;
    Clock::time_point period_end_{};
};

class Fleet {
  public:
    /// All arguments outlive this.
    Fleet(const DemoOptions& options, const host::Registry& types, Books& books,
          Measurements& measurements);

    /// Starts a new lifecycle of host `index`, which must not run.
    /// Errors as from Host::start(); `why` then is a sentence for the user.
    result<void> start(std::size_t index, std::string* why);
    /// Ends what is left of host `index`; its own shutdown() has answered.
    void remove(std::size_t index);
    /// Shuts down every host that runs.
    void stop();

    host::Host& at(std::size_t index) { return *slots_[index].host; }

    /// Whether events may come in through host `index`.
    bool is_open(std::size_t index) const noexcept { return slots_[index].open; }
    void close(std::size_t index) noexcept { slots_[index].open = false; }
    /// Sends that host `index` has not admitted or refused yet.
    std::uint64_t unadmitted(std::size_t index) const noexcept { return *slots_[index].unadmitted; }
    /// A one-way message through host `index`; `refused` runs on its shard when it is not admitted.
    void send(std::size_t index, ActorId target, host::Packet packet,
              UniqueFunction<void()> refused);

    /// Every host serves and sees every other.
    bool joined();
    /// The first host that runs and serves no more because its lease was lost.
    std::optional<std::size_t> broken();
    HostLog& log() noexcept { return log_; }

  private:
    struct Slot {
        std::unique_ptr<MoveProbe> probe;  // Outlives the host.
        std::unique_ptr<host::Host> host;
        bool open = false;
        std::shared_ptr<std::atomic<std::uint64_t>> unadmitted =
            std::make_shared<std::atomic<std::uint64_t>>(0);
    };

    host::HostOptions options_of(std::size_t index) const;

    const DemoOptions& options_;
    const host::Registry& types_;
    Books& books_;
    Measurements& measurements_;
    host::LocalStore store_;
    HostLog log_;
    std::array<Slot, kDemoHosts> slots_;
};

}  // namespace shunt::tools
