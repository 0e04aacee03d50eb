#include "tools/decode_command.hpp"

#include <cstdio>
#include <utility>

#include "tools/console.hpp"
#include "tools/errc.hpp"
#include "tools/hex_text.hpp"
#include "tools/read_file.hpp"
#include "tools/vector_check.hpp"

namespace shunt::tools {
namespace {

constexpr int kMismatch = 1;
constexpr int kBadInput = 2;

int refuse(const std::string& why) {
    std::fprintf(stderr, "shunt decode: %s\n", why.c_str());
    return kBadInput;
}

/// What was printed is out, or the command has failed for a reason of its own.
int finish(Console& console, int code) {
    std::string why;
    if (!console.finish(&why)) return refuse("the output cannot be written: " + why);
    return code;
}

/// The bytes to decode; a record in hex has a frame per line.
result<std::vector<Bytes>> read_input(const DecodeOptions& options, std::string* why) {
    if (!options.hex) {
        BOOST_OUTCOME_TRY(const std::string text, read_file(options.path, why));
        std::vector<Bytes> frames;
        if (!text.empty()) frames.push_back(copy_of(bytes_of(text)));
        return frames;
    }
    std::string digits = *options.hex;
    if (digits.empty()) {
        BOOST_OUTCOME_TRY(digits, read_file("-", why));
    }
    return parse_hex_lines(digits, why);
}

int decode_capture(const DecodeOptions& options) {
    const CaptureOptions& capture = options.capture;
    if (!capture.as.empty() && !is_capture_kind(capture.as)) {
        return refuse("--as " + capture.as + ": is no zmp, no record and no layout of wire.md");
    }
    if (!capture.operation.empty() && !is_operation(capture.operation)) {
        return refuse("--operation " + capture.operation + ": is no operation of wire.md");
    }
    std::string why;
    const result<std::vector<Bytes>> frames = read_input(options, &why);
    if (frames.has_error()) return refuse(why);
    if (frames.value().empty()) return refuse("the input holds no bytes");
    CaptureReport report = read_capture(frames.value(), capture);
    Console console(stdout);
    if (!report.text.empty()) report.text.pop_back();
    console.line(report.text);
    return finish(console, report.has_faults ? kMismatch : 0);
}

int check_files(const std::vector<std::string>& paths) {
    Console console(stdout);
    int code = 0;
    for (const std::string& path : paths) {
        std::string why;
        const result<VectorFile> file = read_vector_file(path, &why);
        if (file.has_error()) return refuse(why);
        const VectorReport report = check_vectors(file.value());
        std::string line = path + ": " + std::to_string(report.checked) + " vectors, " +
                           std::to_string(report.mismatches.size()) + " mismatches";
        if (report.other_kinds > 0) {
            line += ", " + std::to_string(report.other_kinds) + " of kinds that are no wire bytes";
        }
        console.line(line);
        for (const std::string& mismatch : report.mismatches) console.line("  " + mismatch);
        if (!report.mismatches.empty()) code = kMismatch;
    }
    return finish(console, code);
}

}  // namespace

int run_decode(const DecodeOptions& options) {
    return options.vector_paths.empty() ? decode_capture(options)
                                        : check_files(options.vector_paths);
}

}  // namespace shunt::tools
