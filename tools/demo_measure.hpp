#pragma once
// What the hosts' probes tell during a demo: how long moves stop an Actor, how much travels, and
// everything that did not go the normal way.

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/probe.hpp"
#include "tools/demo_books.hpp"

namespace shunt::tools {

/// Nearest-rank percentiles of a set of durations; all zero when it is empty.
struct Percentiles {
    std::uint64_t count = 0;
    Duration p50{0};
    Duration p99{0};
    Duration max{0};
    bool operator==(const Percentiles&) const = default;
};

Percentiles percentiles_of(std::vector<Duration> samples);

struct MoveReport {
    std::uint64_t units = 0;
    std::uint64_t bytes = 0;
    Percentiles source_stop;    // S0 to S1 on the source.
    Percentiles target_resume;  // S2 to S3 on the target.
    std::uint64_t fallbacks = 0;
    /// Warnings and errors of the machines and drop reasons, with how often they came.
    std::map<std::string, std::uint64_t> notes;
};

/// Collects over all hosts; any thread.
class Measurements {
  public:
    void stopped_for(Duration stop);
    void resumed_in(Duration resume);
    void moved(std::uint64_t stream_bytes);
    void fell_back();
    void note(std::string_view what);

    std::uint64_t units() const;
    MoveReport report() const;

  private:
    mutable std::mutex mutex_;
    std::vector<Duration> stops_;
    std::vector<Duration> resumes_;
    std::uint64_t bytes_ = 0;
    std::uint64_t fallbacks_ = 0;
    std::map<std::string, std::uint64_t, std::less<>> notes_;
};

/// The probe of one host's lifecycle: lives on its shard, reports to the shared collections.
class MoveProbe final : public host::Probe {
  public:
    /// `follow` bounds how long after a fallback old records may still arrive.
    MoveProbe(Measurements& measurements, Books& books, Duration follow)
        : measurements_(measurements), books_(books), follow_(follow) {}

    void on_point(const ActorId& actor, relocation::Point point, TimePoint at) override;
    void on_stage(const ActorId& actor, relocation::Role role, relocation::Stage stage) override;
    void on_log(relocation::LogCode code) override;
    void on_unit_moved(const ActorId& actor, std::uint64_t stream_bytes) override;
    void on_dropped(std::string_view reason) override;

  private:
    using Clock = std::chrono::steady_clock;

    Measurements& measurements_;
    Books& books_;
    const Duration follow_;
    std::mutex mutex_;                                         // Every shard of the host reports.
    std::unordered_map<ActorId, Clock::time_point> leaving_;   // Since S0.
    std::unordered_map<ActorId, Clock::time_point> arriving_;  // Since S2.
};

}  // namespace shunt::tools
