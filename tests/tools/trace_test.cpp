#include "tools/trace.hpp"

#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shunt::tools {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

std::string with_header(const std::string& lines) {
    return std::string(kTraceHeader) + "\n" + lines;
}

TraceReader reader_of(const std::string& text) {
    return TraceReader(std::make_unique<std::istringstream>(text), "chat.tsv");
}

/// The problem of the first bad line of `text`; empty when there is none.
std::string problem_of(const std::string& text) {
    TraceReader reader = reader_of(text);
    const result<TraceSummary> summary = summarize(reader);
    if (summary.has_value()) return {};
    EXPECT_EQ(summary.error(), Errc::InputMalformed);
    return reader.problem();
}

std::string problem_of_line(const std::string& line) {
    return problem_of(with_header(line + "\n"));
}

TEST(TraceReader, ReadsEachKindOfEvent) {
    TraceReader reader =
        reader_of(with_header("0\tr0001\tu00002\tsay\t0\n7\tr0001\tu00003\task\t43\n"
                              "7\tr0002\tu00002\ttell:u00003\t1048576\n"));

    EXPECT_EQ(reader.next().value(),
              (TraceEvent{milliseconds(0), "r0001", "u00002", TraceKind::Say, "", 0}));
    EXPECT_EQ(reader.next().value(),
              (TraceEvent{milliseconds(7), "r0001", "u00003", TraceKind::Ask, "", 43}));
    EXPECT_EQ(reader.next().value(),
              (TraceEvent{milliseconds(7), "r0002", "u00002", TraceKind::Tell, "u00003", 1048576}));
    EXPECT_EQ(reader.next().value(), std::nullopt);
    EXPECT_EQ(reader.next().value(), std::nullopt);
}

TEST(TraceReader, LastLineMayLackItsEnd) {
    EXPECT_EQ(problem_of_line("0\tr\tu\tsay\t1"), "");
    EXPECT_EQ(problem_of(with_header("0\tr\tu\tsay\t1")), "");
}

TEST(TraceReader, HeaderMayCarryARemark) {
    EXPECT_EQ(problem_of(std::string(kTraceHeader) + "\tmade by hand\n"), "");
}

TEST(TraceReader, HeaderIsRequired) {
    for (const char* text :
         {"", "\n", "0\tr\tu\tsay\t1\n", "#t_ms\troom\n", "#t_ms\troom\tuser\tkind\tbytes2\n"}) {
        EXPECT_THAT(problem_of(text), StartsWith("chat.tsv:1: a trace begins with")) << text;
    }
}

TEST(TraceReader, ProblemNamesFileLineAndReason) {
    EXPECT_EQ(problem_of(with_header("0\tr\tu\tsay\t1\n0\tr\tu\tshout\t1\n")),
              "chat.tsv:3: 'shout' is no kind (say, ask or tell:USER)");
}

TEST(TraceReader, ColumnsAreFive) {
    for (const char* line : {"", "0", "0\tr\tu\tsay", "0\tr\tu\tsay\t1\t", "0 r u say 1"}) {
        EXPECT_THAT(problem_of_line(line), HasSubstr("not five columns")) << line;
    }
}

TEST(TraceReader, TimeIsAPlainNumberOfBoundedSize) {
    const std::string last = std::to_string(kTraceDurationMax.count());
    const std::string late = std::to_string(kTraceDurationMax.count() + 1);

    EXPECT_EQ(problem_of_line(last + "\tr\tu\tsay\t1"), "");
    for (const std::string& time : {late, std::string("-1"), std::string("+1"), std::string("1.5"),
                                    std::string(), std::string("99999999999999999999999")}) {
        EXPECT_THAT(problem_of_line(time + "\tr\tu\tsay\t1"), HasSubstr("no time")) << time;
    }
}

TEST(TraceReader, TimesNeverGoBack) {
    EXPECT_EQ(problem_of(with_header("5\tr\tu\tsay\t1\n4\tr\tu\tsay\t1\n")),
              "chat.tsv:3: '4' is earlier than the line before; sort by time");
}

TEST(TraceReader, IdsAreBoundedPlainText) {
    const std::string longest(kTraceIdBytesMax, 'x');

    EXPECT_EQ(problem_of_line("0\t" + longest + "\tA.b_c-9\ttell:" + longest + "\t1"), "");
    for (const std::string& id : {longest + "x", std::string(), std::string("a b"),
                                  std::string("ü"), std::string("a\0b", 3)}) {
        EXPECT_THAT(problem_of_line("0\t" + id + "\tu\tsay\t1"), HasSubstr("no room id"));
        EXPECT_THAT(problem_of_line("0\tr\t" + id + "\tsay\t1"), HasSubstr("no user id"));
        EXPECT_THAT(problem_of_line("0\tr\tu\ttell:" + id + "\t1"), HasSubstr("no kind"));
    }
}

TEST(TraceReader, PayloadSizeIsBounded) {
    for (const char* size : {"", "-1", "1048577", "1k"}) {
        EXPECT_THAT(problem_of_line(std::string("0\tr\tu\tsay\t") + size), HasSubstr("no size"));
    }
}

TEST(TraceReader, LineLengthIsBounded) {
    const std::string header = std::string(kTraceHeader) + "\t";
    const std::string fits(kTraceLineBytesMax - header.size(), 'x');

    EXPECT_EQ(problem_of(header + fits + "\n"), "");
    EXPECT_EQ(problem_of(header + fits + "x\n"), "chat.tsv:1: longer than 1024 bytes");
    EXPECT_EQ(problem_of(header + fits + "x"), "chat.tsv:1: longer than 1024 bytes");
}

TEST(TraceReader, ProblemShowsHostileTextHarmlessly) {
    const std::string problem = problem_of_line("0\tr\tu\t\x1b[2J" + std::string(100, 'k') + "\t1");

    EXPECT_EQ(problem, "chat.tsv:2: '?[2J" + std::string(36, 'k') +
                           "...' is no kind (say, ask or tell:USER)");
}

TEST(TraceReader, EveryTruncationIsAnErrorOrAShorterTrace) {
    const std::string whole = with_header("0\troom\tuser\ttell:other\t17\n");
    for (std::size_t size = 0; size < whole.size(); ++size) {
        TraceReader reader = reader_of(whole.substr(0, size));
        const result<TraceSummary> summary = summarize(reader);
        if (summary.has_value()) {
            // Only the header is whole, or a number has lost digits at its end.
            EXPECT_TRUE(size == kTraceHeader.size() || size == kTraceHeader.size() + 1 ||
                        size >= whole.size() - 2);
        } else {
            EXPECT_EQ(summary.error(), Errc::InputMalformed);
        }
    }
}

TEST(TraceReader, MissingFileIsNamed) {
    TraceReader reader = TraceReader::open("no-such-trace.tsv");

    EXPECT_EQ(reader.next().error(), Errc::InputUnreadable);
    EXPECT_EQ(reader.problem(), "no-such-trace.tsv: No such file or directory");
}

TEST(TraceReader, DirectoryIsNoTrace) {
    TraceReader reader = TraceReader::open(".");

    EXPECT_EQ(reader.next().error(), Errc::InputUnreadable);
    EXPECT_EQ(reader.problem(), ".: is a directory, not a trace");
}

// Every other reason would puzzle: the carriage return is invisible.
TEST(TraceReader, CarriageReturnIsNamed) {
    const std::string header(kTraceHeader);
    for (const std::string& text : {header + "\r\n", header + "\n7\tr\tu\tsay\t3\r\n"}) {
        TraceReader reader(std::make_unique<std::istringstream>(text), "a trace");

        ASSERT_FALSE(summarize(reader));
        EXPECT_NE(reader.problem().find("carriage return"), std::string::npos) << reader.problem();
    }
}

TEST(TraceReader, RewoundItReadsTheSameEventsAgain) {
    TraceReader reader(
        std::make_unique<std::istringstream>(std::string(kTraceHeader) + "\n7\tr\tu\tsay\t3\n"),
        "a trace");
    const result<TraceSummary> first = summarize(reader);
    ASSERT_TRUE(first);

    ASSERT_TRUE(reader.rewind());

    const result<TraceSummary> second = summarize(reader);
    ASSERT_TRUE(second);
    EXPECT_EQ(first.value(), second.value());
}

TEST(TraceReader, SummaryCountsWhatItSaw) {
    TraceReader reader =
        reader_of(with_header("1\tr1\tu1\tsay\t10\n2\tr1\tu2\task\t20\n"
                              "3\tr2\tu1\ttell:u3\t30\n9\tr1\tu1\ttell:u1\t40\n"));

    const TraceSummary expected{.event_count = 4,
                                .say_count = 1,
                                .ask_count = 1,
                                .tell_count = 2,
                                .payload_bytes = 100,
                                .room_count = 2,
                                .person_count = 3,
                                .duration = milliseconds(9)};
    EXPECT_EQ(summarize(reader).value(), expected);
}

// The public trace of ../shared, when it is there: its README names these figures.
TEST(TraceReader, ReadsRealTraffic) {
    const std::string path = SHUNT_SOURCE_ROOT "/../shared/traces/chat-rooms.tsv";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no ../shared/traces: real trace not read";

    TraceReader reader = TraceReader::open(path);
    const result<TraceSummary> summary = summarize(reader);

    ASSERT_TRUE(summary.has_value()) << reader.problem();
    EXPECT_EQ(summary.value().event_count, 196'127U);
    EXPECT_EQ(summary.value().room_count, 153U);
    EXPECT_EQ(summary.value().person_count, 15'518U);
}

}  // namespace
}  // namespace shunt::tools
