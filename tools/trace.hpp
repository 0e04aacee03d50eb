#pragma once
// Chat traces: what the demo and the soak test replay. A trace is text, one event a line, sorted by
// time; docs/trace-format.md has the grammar. Read as a stream, so a trace may be larger than
// memory, and checked line by line: it comes from a stranger.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "tools/errc.hpp"

namespace shunt::tools {

/// How every trace begins; anything after one more tab is a remark.
inline constexpr std::string_view kTraceHeader = "#t_ms\troom\tuser\tkind\tbytes";

/// Longest line without its end.
inline constexpr std::size_t kTraceLineBytesMax = 1'024;
/// Longest room or user id; ids are letters, digits, '.', '_' and '-'.
inline constexpr std::size_t kTraceIdBytesMax = 64;
/// Largest payload an event may ask for.
inline constexpr std::uint32_t kTracePayloadBytesMax = 1'048'576;
/// Latest event.
inline constexpr std::chrono::milliseconds kTraceDurationMax = std::chrono::hours(24 * 366);

enum class TraceKind : std::uint8_t {
    Say,   // One-way to the room.
    Ask,   // A request to the room that expects one reply.
    Tell,  // One-way to another person.
};

struct TraceEvent {
    std::chrono::milliseconds at{0};  // Since the start of the trace.
    std::string room;
    std::string user;
    TraceKind kind = TraceKind::Say;
    std::string told;  // The person spoken to; only for Tell.
    std::uint32_t payload_bytes = 0;
    bool operator==(const TraceEvent&) const = default;
};

/// Reads one trace from front to back. Not for use after an error.
class TraceReader {
  public:
    /// A file that cannot be opened is reported by the first next().
    static TraceReader open(const std::string& path);
    /// `name` is what problem() calls the input.
    TraceReader(std::unique_ptr<std::istream> input, std::string name);

    /// The next event, or nothing after the last one.
    /// Errc::InputUnreadable or Errc::InputMalformed; problem() then says what is wrong.
    result<std::optional<TraceEvent>> next();

    /// Back to the front: the next event is the first one again.
    /// Errc::InputUnreadable for what can be read only once, such as a pipe; problem() says so.
    result<void> rewind();

    /// `FILE: reason` or `FILE:LINE: reason`, after an error.
    const std::string& problem() const noexcept { return problem_; }

  private:
    /// Fills line_; false at the end of the input.
    result<bool> read_line();
    Errc fail(Errc code, const std::string& reason);
    result<void> read_header();
    result<TraceEvent> parse_event();

    std::unique_ptr<std::istream> input_;
    std::string name_;
    std::string line_;
    std::uint64_t line_number_ = 0;
    std::chrono::milliseconds latest_{0};
    std::string problem_;
};

/// What a trace holds.
struct TraceSummary {
    std::uint64_t event_count = 0;
    std::uint64_t say_count = 0;
    std::uint64_t ask_count = 0;
    std::uint64_t tell_count = 0;
    std::uint64_t payload_bytes = 0;
    std::size_t room_count = 0;
    std::size_t person_count = 0;           // Speakers and those spoken to.
    std::chrono::milliseconds duration{0};  // Of the last event.
    bool operator==(const TraceSummary&) const = default;
};

/// Reads a whole trace, so that a bad line shows before a replay begins.
/// Errors as from TraceReader::next(); `reader` then holds the problem.
result<TraceSummary> summarize(TraceReader& reader);

}  // namespace shunt::tools
