#pragma once
// Plays a trace into the fleet: each event becomes an order to the person who speaks, at its time,
// unless too much is still open.

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "tools/demo_fleet.hpp"
#include "tools/demo_options.hpp"
#include "tools/trace.hpp"

namespace shunt::tools {

/// Everyone a trace names, and how much of it there is.
struct Cast {
    std::set<std::string> people;
    std::set<std::string> rooms;
    std::uint64_t event_count = 0;
    std::chrono::milliseconds duration{0};
};

/// Reads a whole trace. Errors as from TraceReader::next(); `reader` then holds the problem.
result<Cast> read_cast(TraceReader& reader);

class Feed {
  public:
    using Clock = std::chrono::steady_clock;

    /// All arguments but `reader` outlive this; `reader` stands at the beginning.
    Feed(TraceReader reader, const DemoOptions& options, Fleet& fleet, Books& books);

    /// Trace time begins.
    void begin(Clock::time_point now) { begun_ = now; }
    /// Sends what is due. Errors as from TraceReader::next(), when the file has changed.
    result<void> pump(Clock::time_point now);

    bool finished() const noexcept { return finished_; }
    std::uint64_t played() const noexcept { return played_; }
    const std::string& problem() const noexcept { return reader_.problem(); }

  private:
    result<void> advance();
    void play(const TraceEvent& event);
    /// The host that this person's events come in through.
    std::size_t entry_of(const std::string& user) const;

    TraceReader reader_;
    const DemoOptions& options_;
    Fleet& fleet_;
    Books& books_;
    conservation::Party self_;
    Clock::time_point begun_{};
    std::optional<TraceEvent> next_;
    bool primed_ = false;
    bool finished_ = false;
    std::uint64_t played_ = 0;
};

}  // namespace shunt::tools
