#include "tools/trace.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <ios>
#include <streambuf>
#include <system_error>
#include <unordered_set>
#include <utility>

namespace shunt::tools {
namespace {

constexpr std::string_view kTellPrefix = "tell:";
constexpr std::string_view kCarriageReturn =
    "ends with a carriage return; lines of a trace end with a line feed alone";

bool is_id(std::string_view text) noexcept {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-';
    };
    return !text.empty() && text.size() <= kTraceIdBytesMax &&
           std::all_of(text.begin(), text.end(), allowed);
}

/// Digits only, at most `max`.
std::optional<std::uint64_t> number(std::string_view text, std::uint64_t max) noexcept {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stopped != end || value > max) return std::nullopt;
    return value;
}

/// A field as a message may show it: short, and nothing that upsets a terminal.
std::string shown(std::string_view text) {
    constexpr std::size_t kShownBytesMax = 40;
    std::string out = "'";
    for (const char c : text.substr(0, kShownBytesMax)) out += (c >= ' ' && c <= '~') ? c : '?';
    return out + (text.size() > kShownBytesMax ? "...'" : "'");
}

using Fields = std::array<std::string_view, 5>;

/// The five columns, or nothing when there are fewer or more.
std::optional<Fields> split(std::string_view line) noexcept {
    Fields fields;
    for (std::size_t index = 0; index < fields.size(); ++index) {
        const std::size_t tab = line.find('\t');
        const bool last = index + 1 == fields.size();
        if (last != (tab == std::string_view::npos)) return std::nullopt;
        fields[index] = line.substr(0, tab);
        if (!last) line.remove_prefix(tab + 1);
    }
    return fields;
}

}  // namespace

TraceReader TraceReader::open(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        // Opening a directory works and reading it fails without a reason; say it here.
        TraceReader reader(nullptr, path);
        reader.problem_ = path + ": is a directory, not a trace";
        return reader;
    }
    errno = 0;
    auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
    const int reason = errno;
    if (file->is_open()) return TraceReader(std::move(file), path);
    TraceReader reader(nullptr, path);
    reader.problem_ = path + ": " + std::generic_category().message(reason);
    return reader;
}

TraceReader::TraceReader(std::unique_ptr<std::istream> input, std::string name)
    : input_(std::move(input)), name_(std::move(name)) {}

Errc TraceReader::fail(Errc code, const std::string& reason) {
    problem_ = name_ + ":" + std::to_string(line_number_) + ": " + reason;
    return code;
}

result<bool> TraceReader::read_line() {
    ++line_number_;
    line_.clear();
    constexpr auto kEnd = std::istream::traits_type::eof();
    try {
        std::streambuf& bytes = *input_->rdbuf();
        for (auto next = bytes.sbumpc(); next != '\n'; next = bytes.sbumpc()) {
            if (next == kEnd) return !line_.empty();
            if (line_.size() == kTraceLineBytesMax) {
                return fail(Errc::InputMalformed,
                            "longer than " + std::to_string(kTraceLineBytesMax) + " bytes");
            }
            line_.push_back(std::istream::traits_type::to_char_type(next));
        }
    } catch (const std::ios_base::failure&) {
        return fail(Errc::InputUnreadable, "the file cannot be read further");
    }
    return true;
}

result<void> TraceReader::read_header() {
    BOOST_OUTCOME_TRY(const bool present, read_line());
    if (line_.ends_with('\r')) return fail(Errc::InputMalformed, std::string(kCarriageReturn));
    const std::string_view text = line_;
    const bool good = present && text.starts_with(kTraceHeader) &&
                      (text.size() == kTraceHeader.size() || text[kTraceHeader.size()] == '\t');
    if (good) return outcome::success();
    return fail(Errc::InputMalformed,
                "a trace begins with '#t_ms room user kind bytes', with tabs between the columns");
}

result<TraceEvent> TraceReader::parse_event() {
    if (line_.ends_with('\r')) return fail(Errc::InputMalformed, std::string(kCarriageReturn));
    const std::optional<Fields> fields = split(line_);
    if (!fields) return fail(Errc::InputMalformed, "not five columns with tabs between them");
    const auto& [at, room, user, kind, bytes] = *fields;
    const auto bad = [this](const char* what, std::string_view field) {
        return fail(Errc::InputMalformed, shown(field) + what);
    };

    TraceEvent event;
    const auto time = number(at, static_cast<std::uint64_t>(kTraceDurationMax.count()));
    if (!time) return bad(" is no time in milliseconds below a year", at);
    event.at = std::chrono::milliseconds(*time);
    if (event.at < latest_) return bad(" is earlier than the line before; sort by time", at);
    if (!is_id(room)) return bad(" is no room id (1 to 64 of A-Z a-z 0-9 . _ -)", room);
    if (!is_id(user)) return bad(" is no user id (1 to 64 of A-Z a-z 0-9 . _ -)", user);
    if (kind == "say") {
        event.kind = TraceKind::Say;
    } else if (kind == "ask") {
        event.kind = TraceKind::Ask;
    } else if (kind.starts_with(kTellPrefix) && is_id(kind.substr(kTellPrefix.size()))) {
        event.kind = TraceKind::Tell;
        event.told = kind.substr(kTellPrefix.size());
    } else {
        return bad(" is no kind (say, ask or tell:USER)", kind);
    }
    const auto payload_bytes = number(bytes, kTracePayloadBytesMax);
    if (!payload_bytes) return bad(" is no size of 0 to 1048576 bytes", bytes);
    event.payload_bytes = static_cast<std::uint32_t>(*payload_bytes);
    event.room = room;
    event.user = user;
    return event;
}

result<std::optional<TraceEvent>> TraceReader::next() {
    if (!input_) return Errc::InputUnreadable;
    if (line_number_ == 0) {
        BOOST_OUTCOME_TRY(read_header());
    }
    BOOST_OUTCOME_TRY(const bool present, read_line());
    if (!present) return std::optional<TraceEvent>();
    BOOST_OUTCOME_TRY(TraceEvent event, parse_event());
    latest_ = event.at;
    return std::optional<TraceEvent>(std::move(event));
}

result<void> TraceReader::rewind() {
    if (!input_) return Errc::InputUnreadable;
    input_->clear();
    if (!input_->seekg(0)) {
        problem_ = name_ + ": can be read only once, so save it to a file first";
        return Errc::InputUnreadable;
    }
    line_number_ = 0;
    latest_ = std::chrono::milliseconds(0);
    return outcome::success();
}

result<TraceSummary> summarize(TraceReader& reader) {
    TraceSummary summary;
    std::unordered_set<std::string> rooms;
    std::unordered_set<std::string> people;
    for (;;) {
        BOOST_OUTCOME_TRY(const std::optional<TraceEvent> event, reader.next());
        if (!event) break;
        ++summary.event_count;
        switch (event->kind) {
            case TraceKind::Say:
                ++summary.say_count;
                break;
            case TraceKind::Ask:
                ++summary.ask_count;
                break;
            case TraceKind::Tell:
                ++summary.tell_count;
                people.insert(event->told);
                break;
        }
        summary.payload_bytes += event->payload_bytes;
        summary.duration = event->at;
        rooms.insert(event->room);
        people.insert(event->user);
    }
    summary.room_count = rooms.size();
    summary.person_count = people.size();
    return summary;
}

}  // namespace shunt::tools
