#include "tools/trace_generate.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/trace.hpp"

namespace shunt::tools {
namespace {

/// SplitMix64 (public domain algorithm by Sebastiano Vigna): the distributions of <random> differ
/// between standard libraries, and a seed must mean the same file everywhere.
class Random {
  public:
    explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

    std::uint64_t next() noexcept {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
        return mixed ^ (mixed >> 31U);
    }

    /// 0..bound-1; the bias of the remainder is far below what a trace shows.
    std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }

    bool percent(std::uint64_t chance) noexcept { return below(100) < chance; }

  private:
    std::uint64_t state_;
};

/// A distribution as its values at each tenth, with straight lines between.
using Tenths = std::array<std::uint64_t, 11>;

/// In hundredths of the median: what real payload sizes do, with a long tail.
constexpr Tenths kSizes = {5, 21, 42, 60, 79, 100, 128, 160, 205, 291, 700};
/// In hundredths of the mean: the time between two lines of a conversation.
constexpr Tenths kGaps = {0, 11, 22, 36, 51, 69, 92, 120, 161, 230, 500};

std::uint64_t draw(Random& random, const Tenths& tenths) noexcept {
    constexpr std::uint64_t kStep = 1'000;
    const std::uint64_t at = random.below((tenths.size() - 1) * kStep);
    const std::size_t tenth = at / kStep;
    const std::uint64_t low = tenths[tenth];
    return low + (tenths[tenth + 1] - low) * (at % kStep) / kStep;
}

/// Picks 0..count-1, low numbers more often: the n-th has weight 1/(n+3), as in popularity lists.
class Popularity {
  public:
    explicit Popularity(std::uint32_t count) {
        sums_.reserve(count);
        std::uint64_t sum = 0;
        for (std::uint64_t rank = 0; rank < count; ++rank) {
            constexpr std::uint64_t kUnit = 1'000'000'000;
            sum += kUnit / (rank + 3);
            sums_.push_back(sum);
        }
    }

    std::uint32_t pick(Random& random) const noexcept {
        const std::uint64_t at = random.below(sums_.back());
        return static_cast<std::uint32_t>(std::upper_bound(sums_.begin(), sums_.end(), at) -
                                          sums_.begin());
    }

  private:
    std::vector<std::uint64_t> sums_;
};

struct Line {
    std::int64_t at_ms;
    std::uint32_t room;
    std::uint32_t user;
    TraceKind kind;
    std::uint32_t told;
    std::uint32_t payload_bytes;
};

class Generator {
  public:
    explicit Generator(const TraceModel& model)
        : model_(model),
          random_(model.seed),
          rooms_(model.room_count),
          people_(model.person_count) {
        constexpr std::size_t kBursts = 8;
        for (std::size_t i = 0; i < kBursts; ++i) bursts_ms_.push_back(moment_ms());
    }

    std::vector<Line> lines() {
        lines_.reserve(model_.event_count);
        while (lines_.size() < model_.event_count) converse();
        // Conversations overlap; lines of one moment keep the order they were made in.
        std::stable_sort(lines_.begin(), lines_.end(),
                         [](const Line& a, const Line& b) { return a.at_ms < b.at_ms; });
        return std::move(lines_);
    }

  private:
    std::int64_t moment_ms() noexcept {
        return static_cast<std::int64_t>(
            random_.below(static_cast<std::uint64_t>(model_.duration.count())));
    }

    /// Anywhere, or shortly after one of the crowded moments.
    std::int64_t beginning_ms() noexcept {
        if (!random_.percent(model_.burst_percent)) return moment_ms();
        const auto crowd_ms = static_cast<std::uint64_t>(model_.duration.count()) / 50 + 1;
        return bursts_ms_[random_.below(bursts_ms_.size())] +
               static_cast<std::int64_t>(random_.below(crowd_ms));
    }

    std::vector<std::uint32_t> participants() {
        const std::size_t wanted = std::min<std::size_t>(2 + random_.below(4), model_.person_count);
        std::vector<std::uint32_t> chosen;
        while (chosen.size() < wanted) {
            const std::uint32_t person = people_.pick(random_);
            if (std::find(chosen.begin(), chosen.end(), person) == chosen.end()) {
                chosen.push_back(person);
            }
        }
        return chosen;
    }

    std::uint32_t payload_bytes() noexcept {
        const std::uint64_t drawn = draw(random_, kSizes) * model_.payload_bytes_median / 100;
        return static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(drawn, 1, model_.payload_bytes_max));
    }

    /// One conversation: a few people in one room, lines one after the other, often addressed to
    /// whoever spoke last, ended by chance or by the end of the trace.
    void converse() {
        const std::uint32_t room = rooms_.pick(random_);
        const std::vector<std::uint32_t> people = participants();
        const auto gap_ms = static_cast<std::uint64_t>(model_.duration.count()) / 100 + 1;
        std::int64_t at_ms = beginning_ms();
        std::uint32_t before = people[1];
        bool first = true;
        while (at_ms < model_.duration.count() && lines_.size() < model_.event_count) {
            const std::uint32_t user = people[random_.below(people.size())];
            const TraceKind kind = kind_of(first, user != before);
            lines_.push_back({at_ms, room, user, kind, before, payload_bytes()});
            before = user;
            first = false;
            if (random_.percent(12)) break;
            at_ms += static_cast<std::int64_t>(draw(random_, kGaps) * gap_ms / 100);
        }
    }

    TraceKind kind_of(bool first, bool answers_another) noexcept {
        const std::uint64_t chance = random_.below(100);
        if (chance < (first ? 35U : 8U)) return TraceKind::Ask;
        if (!first && answers_another && chance < 72U) return TraceKind::Tell;
        return TraceKind::Say;
    }

    const TraceModel& model_;
    Random random_;
    Popularity rooms_;
    Popularity people_;
    std::vector<std::int64_t> bursts_ms_;
    std::vector<Line> lines_;
};

/// `line` as text; the buffer is larger than any line can be.
std::string_view text_of_line(const Line& line, std::span<char> room) {
    char kind[24];
    switch (line.kind) {
        case TraceKind::Say:
            std::snprintf(kind, sizeof(kind), "say");
            break;
        case TraceKind::Ask:
            std::snprintf(kind, sizeof(kind), "ask");
            break;
        case TraceKind::Tell:
            std::snprintf(kind, sizeof(kind), "tell:u%05u", line.told + 1);
            break;
    }
    const int size = std::snprintf(room.data(), room.size(), "%lld\tr%04u\tu%05u\t%s\t%u\n",
                                   static_cast<long long>(line.at_ms), line.room + 1, line.user + 1,
                                   kind, line.payload_bytes);
    return {room.data(), static_cast<std::size_t>(size)};
}

}  // namespace

result<void> TraceModel::validate(std::string* why) const {
    const auto bad = [why](const char* sentence) {
        *why = sentence;
        return Errc::InvalidArgument;
    };
    if (room_count < 1 || room_count > 9'999) return bad("rooms must be 1 to 9999");
    if (person_count < 2 || person_count > 99'999) return bad("people must be 2 to 99999");
    if (event_count < 1 || event_count > 10'000'000) return bad("events must be 1 to 10000000");
    if (duration < std::chrono::milliseconds(1) || duration > kTraceDurationMax) {
        return bad("duration must be 1 ms to 366 days");
    }
    if (burst_percent > 100) return bad("bursts must be 0 to 100 percent");
    if (payload_bytes_max < 1 || payload_bytes_max > kTracePayloadBytesMax) {
        return bad("bytes-max must be 1 to 1048576");
    }
    if (payload_bytes_median < 1 || payload_bytes_median > payload_bytes_max) {
        return bad("bytes-median must be 1 to bytes-max");
    }
    return outcome::success();
}

std::string TraceModel::command() const {
    const auto option = [](const char* name, std::uint64_t value) {
        return std::string(" --") + name + " " + std::to_string(value);
    };
    return "shunt trace generate" + option("seed", seed) + option("rooms", room_count) +
           option("people", person_count) + option("events", event_count) +
           option("duration", static_cast<std::uint64_t>(duration.count())) + "ms" +
           option("bursts", burst_percent) + option("bytes-median", payload_bytes_median) +
           option("bytes-max", payload_bytes_max);
}

result<void> generate_trace(const TraceModel& model, std::ostream& out) {
    std::string why;
    BOOST_OUTCOME_TRY(model.validate(&why));
    out << kTraceHeader << "\tmade by: " << model.command() << '\n';
    std::array<char, 128> room;
    for (const Line& line : Generator(model).lines()) {
        out << text_of_line(line, room);
        if (!out) return Errc::OutputFailed;
    }
    if (!out.flush()) return Errc::OutputFailed;
    return outcome::success();
}

}  // namespace shunt::tools
