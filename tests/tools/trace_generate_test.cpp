#include "tools/trace_generate.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <streambuf>
#include <string>

#include <gtest/gtest.h>

#include "tools/trace.hpp"

namespace shunt::tools {
namespace {

using std::chrono::milliseconds;

std::string text_of(const TraceModel& model) {
    std::ostringstream out;
    EXPECT_TRUE(generate_trace(model, out).has_value());
    return out.str();
}

TraceSummary summary_of(const TraceModel& model) {
    TraceReader reader(std::make_unique<std::istringstream>(text_of(model)), "generated");
    const result<TraceSummary> summary = summarize(reader);
    EXPECT_TRUE(summary.has_value()) << reader.problem();
    return summary.value();
}

TEST(TraceGenerate, OneSeedIsOneTrace) {
    TraceModel other;
    other.seed = 2;

    EXPECT_EQ(text_of(TraceModel()), text_of(TraceModel()));
    EXPECT_NE(text_of(TraceModel()), text_of(other));
}

// The fixture is what the generator makes today, so the command in its first line is no lie.
// `./dev test --rewrite` makes it again.
TEST(TraceGenerate, SampleIsTheDefaultTrace) {
    const std::string path = SHUNT_SOURCE_ROOT "/fixtures/chat-sample.tsv";
    if (std::getenv("SHUNT_REWRITE") != nullptr) {
        std::ofstream file(path, std::ios::binary);
        ASSERT_TRUE(generate_trace(TraceModel(), file).has_value());
    }

    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};

    EXPECT_TRUE(text == text_of(TraceModel())) << "run ./dev test --rewrite and read the diff";
}

TEST(TraceGenerate, FirstLineNamesTheCommand) {
    TraceModel model;
    model.seed = 42;
    model.event_count = 1;
    model.duration = milliseconds(1500);

    const std::string text = text_of(model);

    EXPECT_EQ(text.substr(0, text.find('\n')),
              std::string(kTraceHeader) +
                  "\tmade by: shunt trace generate --seed 42 --rooms 24 --people 160 --events 1 "
                  "--duration 1500ms --bursts 30 --bytes-median 43 --bytes-max 470");
}

TEST(TraceGenerate, DefaultsResembleRealChannels) {
    const TraceSummary summary = summary_of(TraceModel());

    EXPECT_EQ(summary.event_count, 4'500U);
    EXPECT_EQ(summary.room_count, 24U);
    EXPECT_GT(summary.person_count, 100U);
    EXPECT_LT(summary.duration, milliseconds(45'000));
    EXPECT_GT(summary.duration, milliseconds(44'000));
    // Percent of say 47, ask 12, tell 41 in public channels; a model need not hit them.
    EXPECT_NEAR(static_cast<double>(summary.say_count) / 45.0, 47.0, 6.0);
    EXPECT_NEAR(static_cast<double>(summary.ask_count) / 45.0, 12.0, 3.0);
    EXPECT_NEAR(static_cast<double>(summary.tell_count) / 45.0, 41.0, 6.0);
    EXPECT_NEAR(static_cast<double>(summary.payload_bytes) / 4'500.0, 58.0, 8.0);
}

TEST(TraceGenerate, SmallestAndCrowdedModelsWork) {
    TraceModel smallest;
    smallest.room_count = 1;
    smallest.person_count = 2;
    smallest.event_count = 1;
    smallest.duration = milliseconds(1);
    smallest.payload_bytes_median = 1;
    smallest.payload_bytes_max = 1;
    TraceModel crowded;
    crowded.burst_percent = 100;
    crowded.duration = std::chrono::hours(36);
    crowded.payload_bytes_median = 1'000;
    crowded.payload_bytes_max = kTracePayloadBytesMax;

    EXPECT_EQ(summary_of(smallest).event_count, 1U);
    EXPECT_EQ(summary_of(crowded).event_count, 4'500U);
}

TEST(TraceGenerate, BoundsAreCheckedAtTheLimitAndOnePast) {
    struct Case {
        std::uint32_t TraceModel::*field;
        std::uint32_t least, most;
        const char* name;
    };
    // payload_bytes_median is bounded by the default payload_bytes_max, and the other way round.
    const Case cases[] = {
        {&TraceModel::room_count, 1, 9'999, "rooms"},
        {&TraceModel::person_count, 2, 99'999, "people"},
        {&TraceModel::event_count, 1, 10'000'000, "events"},
        {&TraceModel::burst_percent, 0, 100, "bursts"},
        {&TraceModel::payload_bytes_median, 1, 470, "bytes-median"},
        {&TraceModel::payload_bytes_max, 43, kTracePayloadBytesMax, "bytes-m"},
    };
    for (const Case& c : cases) {
        for (const std::uint32_t value : {c.least, c.most, c.least - 1, c.most + 1}) {
            TraceModel model;
            model.*c.field = value;
            const bool inside = value >= c.least && value <= c.most;
            std::string why;
            EXPECT_EQ(model.validate(&why).has_value(), inside) << c.name << " " << value;
            EXPECT_EQ(why.starts_with(c.name), !inside) << why;
        }
    }
}

TEST(TraceGenerate, DurationIsBounded) {
    for (const milliseconds duration :
         {milliseconds(0), kTraceDurationMax + milliseconds(1), milliseconds(-1)}) {
        TraceModel model;
        model.duration = duration;
        std::string why;
        EXPECT_EQ(model.validate(&why).error(), Errc::InvalidArgument);
        EXPECT_EQ(why, "duration must be 1 ms to 366 days");
    }
}

/// Takes a number of bytes, then refuses, as a full disk does.
class FullDisk final : public std::streambuf {
  public:
    explicit FullDisk(std::size_t room_bytes) : room_bytes_(room_bytes) {}

  protected:
    int_type overflow(int_type c) override {
        if (room_bytes_ == 0) return traits_type::eof();
        --room_bytes_;
        return c;
    }

  private:
    std::size_t room_bytes_;
};

TEST(TraceGenerate, FullDiskIsAnError) {
    for (const std::size_t room_bytes : {std::size_t{0}, std::size_t{100}, std::size_t{5'000}}) {
        FullDisk disk(room_bytes);
        std::ostream out(&disk);

        EXPECT_EQ(generate_trace(TraceModel(), out).error(), Errc::OutputFailed);
    }
}

}  // namespace
}  // namespace shunt::tools
