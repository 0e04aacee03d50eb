// The `shunt` program: reads the command line and hands over. The only file that includes CLI11.
#include <charconv>
#include <cstdio>
#include <iostream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/version.hpp"
#include "tools/decode_command.hpp"
#include "tools/demo.hpp"
#include "tools/doctor.hpp"
#include "tools/duration_text.hpp"
#include "tools/errc.hpp"
#include "tools/sim_command.hpp"
#include "tools/trace_command.hpp"

namespace shunt::tools {
namespace {

constexpr int kBadInput = 2;

/// CLI11 alone lets -1 and what is beyond 64 bits become the largest number.
std::string check_whole_number(const std::string& given) {
    std::uint64_t value = 0;
    const char* const end = given.data() + given.size();
    const auto [stopped, error] = std::from_chars(given.data(), end, value);
    if (error == std::errc() && stopped == end) return {};
    return "'" + given + "' is no whole number from 0 to 18446744073709551615";
}

/// A range alone lets nan pass: no comparison holds for it.
std::string check_is_number(const std::string& given) {
    return given.find_first_of("nN") == std::string::npos ? "" : "'" + given + "' is no number";
}

void add_duration(CLI::App& command, const std::string& name, std::chrono::milliseconds& value,
                  const std::string& text, std::string shown_default = {}) {
    if (shown_default.empty()) shown_default = std::to_string(value.count()) + "ms";
    command
        .add_option_function<std::string>(
            name,
            [&value, name](const std::string& given) {
                const auto parsed = parse_duration(given);
                if (!parsed || parsed->count() == 0) {
                    throw CLI::ValidationError(
                        name, "'" + given + "' is no duration above zero such as 250ms, 10s or 5m");
                }
                value = *parsed;
            },
            text)
        ->type_name("DURATION")
        ->default_str(std::move(shown_default));
}

CLI::App& add_demo(CLI::App& app, DemoOptions& options) {
    CLI::App& demo = *app.add_subcommand(
        "demo", "Three hosts play a chat trace while they are restarted in turn");
    demo.add_option("--trace", options.trace_path, "Trace to play; without it a built-in sample")
        ->type_name("FILE")
        ->check([](const std::string& given) {
            return given.empty() ? std::string("needs the name of a file") : std::string();
        });
    demo.add_option("--speed", options.speed, "Trace time per real time")
        ->check(check_is_number)
        ->check(CLI::Range(0.001, 1e6))
        ->capture_default_str();
    demo.add_option("--rounds", options.rounds_min,
                    "Full rounds of restarts at the least; more while the trace plays")
        ->check(CLI::Range(0, 1'000))
        ->capture_default_str();
    add_duration(demo, "--cutover-wait", options.cutover_wait,
                 "How long a target waits for the cutover before it falls back");
    add_duration(demo, "--follow", options.follow,
                 "How long a host forwards after it handed over; at least 2s beyond the cutover "
                 "wait",
                 "5s beyond the cutover wait");
    demo.add_option("--seed", options.seed, "Where Actors start and events come in")
        ->check(check_whole_number)
        ->capture_default_str();
    demo.add_option("--port", options.port, "First of three loopback ports; 0 takes free ones")
        ->check(CLI::Range(0, 65'533))
        ->capture_default_str();
    demo.footer(
        "Exit code 0: all was played and nothing was lost, doubled or reordered. 1: the account\n"
        "does not hold. 2: bad input. 130: ended by Ctrl-C, and the account so far holds.");
    return demo;
}

CLI::App& add_generate(CLI::App& trace, TraceModel& model) {
    CLI::App& generate = *trace.add_subcommand("generate", "Write a trace to standard output");
    const auto number = [&generate](const char* name, auto& value, const char* text) {
        generate.add_option(name, value, text)->check(check_whole_number)->capture_default_str();
    };
    number("--seed", model.seed, "One seed is one trace");
    number("--rooms", model.room_count, "Rooms, 1 to 9999");
    number("--people", model.person_count, "People, 2 to 99999");
    number("--events", model.event_count, "Events, 1 to 10000000");
    add_duration(generate, "--duration", model.duration, "The last event is before this");
    number("--bursts", model.burst_percent, "Of 100 conversations, how many begin in crowds");
    number("--bytes-median", model.payload_bytes_median, "Half of the payloads are smaller");
    number("--bytes-max", model.payload_bytes_max, "Largest payload, up to 1048576");
    return generate;
}

CLI::App& add_decode(CLI::App& app, DecodeOptions& options) {
    CLI::App& decode =
        *app.add_subcommand("decode", "Print captured wire bytes, or check files of vectors");
    CLI::Option* const file =
        decode.add_option("FILE", options.path, "Raw bytes; - is standard input");
    CLI::Option* const hex =
        decode
            .add_option_function<std::string>(
                "--hex", [&options](const std::string& given) { options.hex = given; },
                "The bytes as hex text, from standard input without DIGITS; a record's frames "
                "stand on lines of their own")
            ->type_name("[DIGITS]")
            ->expected(0, 1)
            ->trigger_on_parse();
    CLI::Option* const vectors = decode.add_option("--vectors", options.vector_paths,
                                                   "Files of vectors to check instead of printing");
    vectors->type_name("FILE");
    decode
        .add_option("--as", options.capture.as,
                    "zmp, record, or a layout such as frozen-record; without it the first bytes "
                    "decide, and relocation-envelope-v1 is what opens with none of its own")
        ->type_name("KIND")
        ->excludes(vectors);
    decode
        .add_option("--operation", options.capture.operation,
                    "What a reply answers, such as actorJoin: selects its tail")
        ->type_name("KIND")
        ->excludes(vectors);
    file->excludes(hex)->excludes(vectors);
    hex->excludes(vectors);
    decode.footer(
        "Prints every field, or where and why the bytes are wrong: offset, field, category.\n"
        "Exit code 0: all decoded and matched. 1: something is wrong with the bytes or a vector.\n"
        "2: bad input.");
    return decode;
}

CLI::App& add_sim(CLI::App& app, SimOptions& options) {
    CLI::App& sim = *app.add_subcommand("sim", "Run the simulated cluster over a range of seeds");
    sim.add_option("--seeds", options.seeds, "How many seeds, one run each")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
        ->capture_default_str();
    sim.add_option("--from", options.from, "The first seed")
        ->check(check_whole_number)
        ->capture_default_str();
    sim.add_option("--jobs", options.jobs, "Runs at once; 0 takes one per processor")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
    sim.add_option_function<std::int64_t>(
           "--seconds",
           [&options](std::int64_t given) { options.limit = std::chrono::seconds(given); },
           "Begin no run after this long; 0 is no limit")
        ->check(CLI::Range(0, 1'000'000));
    sim.add_flag("--verbose", options.verbose, "Print what happens inside; one run at a time");
    sim.footer(
        "Exit code 0: every run held. 1: one failed; its seed is printed with a replay command.\n"
        "2: bad input.");
    return sim;
}

int check_and_run_demo(DemoOptions& options) {
    if (options.follow.count() == 0) options.follow = options.cutover_wait + kFollowBeyondCutover;
    if (options.follow < options.cutover_wait + kFollowMargin) {
        std::fprintf(stderr,
                     "shunt demo: --follow must be at least %lldms longer than "
                     "--cutover-wait\n",
                     static_cast<long long>(kFollowMargin.count()));
        return kBadInput;
    }
    return run_demo(options);
}

int check_and_run_decode(DecodeOptions& options) {
    const bool has_input =
        !options.path.empty() || options.hex.has_value() || !options.vector_paths.empty();
    if (has_input) return run_decode(options);
    std::fprintf(stderr,
                 "shunt decode: give a FILE, --hex or --vectors (see shunt decode --help)\n");
    return kBadInput;
}

int check_and_run_sim(const SimOptions& options) {
    if (options.seeds - 1 <= std::numeric_limits<std::uint64_t>::max() - options.from) {
        return run_sim(options);
    }
    std::fprintf(stderr, "shunt sim: --from and --seeds together go beyond the last seed\n");
    return kBadInput;
}

/// --help and --version.
int say_what_was_asked(const CLI::App& app, const CLI::Success& wanted) {
    app.exit(wanted);
    if (std::cout.flush()) return 0;
    std::fprintf(stderr, "shunt: %s\n", make_error_code(Errc::OutputFailed).message().c_str());
    return kBadInput;
}

int refuse(const CLI::App& app, const CLI::ParseError& error) {
    std::string what = error.what();
    // CLI11 misses a command or a FILE before it tells of a word that it does not know.
    const std::vector<std::string> unknown = app.remaining(true);
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !unknown.empty()) {
        what = "The following argument was not expected: " + unknown.front();
    }
    std::fprintf(stderr, "shunt: %s (see shunt --help)\n", what.c_str());
    return kBadInput;
}

int run(int argc, char** argv) {
    CLI::App app("Shunt moves live stateful objects between nodes without losing a message.",
                 "shunt");
    app.set_version_flag("--version", "shunt " + std::string(kVersion));
    app.require_subcommand(1);

    DemoOptions demo_options;
    const CLI::App& demo = add_demo(app, demo_options);
    const CLI::App& doctor =
        *app.add_subcommand("doctor", "Say what this kernel allows, and what to change");
    CLI::App& trace = *app.add_subcommand("trace", "Make or check chat traces");
    trace.require_subcommand(1);
    DecodeOptions decode_options;
    const CLI::App& decode = add_decode(app, decode_options);
    SimOptions sim_options;
    const CLI::App& sim = add_sim(app, sim_options);
    TraceModel model;
    const CLI::App& generate = add_generate(trace, model);
    CLI::App& check = *trace.add_subcommand("check", "Read a trace and say what it holds");
    std::string path;
    check.add_option("FILE", path, "The trace")->required();

    const auto is_named = [&](const CLI::App* one) { return one->check_name(argv[1]); };
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_named).empty()) {
        // CLI11 would only say that a subcommand is required.
        std::fprintf(stderr, "shunt: there is no command '%s' (see shunt --help)\n", argv[1]);
        return kBadInput;
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& wanted) {
        return say_what_was_asked(app, wanted);
    } catch (const CLI::ParseError& error) {
        return refuse(app, error);
    }
    if (demo.parsed()) {
        return check_and_run_demo(demo_options);
    }
    if (doctor.parsed()) return run_doctor();
    if (decode.parsed()) return check_and_run_decode(decode_options);
    if (sim.parsed()) return check_and_run_sim(sim_options);
    if (generate.parsed()) return run_trace_generate(model);
    return run_trace_check(path);
}

}  // namespace
}  // namespace shunt::tools

int main(int argc, char** argv) {
    return shunt::tools::run(argc, argv);
}
