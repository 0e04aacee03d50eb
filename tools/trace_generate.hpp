#pragma once
// Makes traces like real ones (`shunt trace generate`): rooms and people of uneven popularity, and
// talk that comes in conversations, some of them in bursts. Everything follows from the seed, with
// integer arithmetic only, so one seed is one file on every machine.

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

#include "base/result.hpp"
#include "tools/errc.hpp"

namespace shunt::tools {

/// The defaults make fixtures/chat-sample.tsv. Their proportions (47 % say, 12 % ask, 41 % tell,
/// payloads of 43 bytes in the middle and 470 at most) are those of public chat channels.
struct TraceModel {
    TraceModel() {}

    std::uint64_t seed = 1;
    /// 1..9999.
    std::uint32_t room_count = 24;
    /// 2..99999.
    std::uint32_t person_count = 160;
    /// 1..10000000; all of them are held in memory for sorting.
    std::uint32_t event_count = 4'500;
    /// 1 ms..366 days; the last event is before it.
    std::chrono::milliseconds duration = std::chrono::seconds(45);
    /// 0..100: how many of 100 conversations begin in one of a few crowded moments.
    std::uint32_t burst_percent = 30;
    /// 1..payload_bytes_max; half of the payloads are smaller.
    std::uint32_t payload_bytes_median = 43;
    /// Up to kTracePayloadBytesMax.
    std::uint32_t payload_bytes_max = 470;

    /// Errc::InvalidArgument, with a sentence that names the field in `why`.
    result<void> validate(std::string* why) const;

    /// The command that makes the same trace again.
    std::string command() const;
};

/// Writes a whole trace and flushes `out`. The first line names the command.
/// Errc::InvalidArgument as from validate(); Errc::OutputFailed when `out` does not take it all.
result<void> generate_trace(const TraceModel& model, std::ostream& out);

}  // namespace shunt::tools
