#include "tools/trace_command.hpp"

#include <cerrno>
#include <cstdio>
#include <iostream>

#include "tools/console.hpp"
#include "tools/trace.hpp"

namespace shunt::tools {
namespace {

constexpr int kBadInput = 2;

int refuse(const char* command, const std::string& why) {
    std::fprintf(stderr, "shunt trace %s: %s\n", command, why.c_str());
    return kBadInput;
}

}  // namespace

int run_trace_generate(const TraceModel& model) {
    std::string why;
    if (!model.validate(&why)) return refuse("generate", why);
    errno = 0;
    if (generate_trace(model, std::cout)) return 0;
    const int reason = errno != 0 ? errno : EIO;
    return refuse("generate",
                  "the output cannot be written: " + std::generic_category().message(reason));
}

int run_trace_check(const std::string& path) {
    TraceReader reader = TraceReader::open(path);
    const result<TraceSummary> read = summarize(reader);
    if (!read) return refuse("check", reader.problem());
    const TraceSummary& summary = read.value();
    Console console(stdout);
    console.line(path + ": " + grouped(summary.event_count) + " events (" +
                 grouped(summary.say_count) + " say, " + grouped(summary.ask_count) + " ask, " +
                 grouped(summary.tell_count) + " tell) of " + grouped(summary.person_count) +
                 " people in " + grouped(summary.room_count) + " rooms, " +
                 shown_bytes(summary.payload_bytes) + ", over " + shown(summary.duration));
    std::string why;
    if (!console.finish(&why)) return refuse("check", "the output cannot be written: " + why);
    return 0;
}

}  // namespace shunt::tools
