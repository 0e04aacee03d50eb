#include "tools/capture.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "protocol/enum_names.hpp"
#include "protocol/inspect.hpp"
#include "tools/capture_stream.hpp"
#include "tools/capture_text.hpp"

namespace shunt::tools {
namespace {

constexpr std::string_view kStream = "zmp";
constexpr std::string_view kRecord = "record";

/// How bytes that nobody named are read: everything but a move's payload says what it is.
std::string_view kind_of(ByteView bytes) {
    struct Opening {
        std::string_view bytes;
        std::string_view kind;
    };
    static constexpr auto kOpenings = std::to_array<Opening>({
        {"Z\x01", kStream},
        {"ZM", kRecord},
        {"ZLAU", "durable:authority-payload-v1"},
        {"ZLIA", "durable:instance-activation-recovery-v1"},
        {"ZLTC", "durable:relocation-data-chunk-v1"},
        {"ZLTM", "durable:relocation-manifest-v1"},
        {"zla1:", "authority-key-v1"},
    });
    for (const Opening& opening : kOpenings) {
        if (text_of(bytes).starts_with(opening.bytes)) return opening.kind;
    }
    return "relocation-envelope-v1";
}

CaptureReport read_value(std::string_view type, ByteView bytes) {
    std::string text = "read as " + std::string(type) + "\n";
    protocol::Fault fault;
    const auto read = protocol::inspect(type, bytes, {.fault = &fault});
    if (read.has_value()) return {.text = text + field_lines(read.value().json, 1)};
    return {.text = text + fault_lines(read.error(), fault, {bytes, 0}), .has_faults = true};
}

protocol::DecodeContext context_of(const std::string& operation) {
    for (const auto& known : protocol::kEnumNames<protocol::MeshOperationKind>) {
        if (known.name == operation) return {.original_operation = known.value};
    }
    return {};
}

}  // namespace

CaptureReport read_capture(const std::vector<Bytes>& frames, const CaptureOptions& options) {
    const std::string_view kind = options.as.empty() ? kind_of(frames.front()) : options.as;
    if (kind == kRecord) {
        std::vector<Piece> pieces;
        std::size_t offset = 0;
        for (const Bytes& frame : frames) {
            pieces.push_back({.bytes = frame, .offset_bytes = offset});
            offset += frame.size();
        }
        CaptureReport report = read_record(pieces, context_of(options.operation));
        report.text = "read as a record\n" + report.text;
        return report;
    }
    Bytes whole;
    for (const Bytes& frame : frames) whole.insert(whole.end(), frame.begin(), frame.end());
    if (kind == kStream) return read_stream(whole, context_of(options.operation));
    return read_value(kind, whole);
}

bool is_capture_kind(const std::string& as) {
    const auto types = protocol::inspectable_types();
    return as == kStream || as == kRecord || std::ranges::find(types, as) != types.end();
}

bool is_operation(const std::string& operation) {
    return std::ranges::any_of(protocol::kEnumNames<protocol::MeshOperationKind>,
                               [&](const auto& known) { return known.name == operation; });
}

}  // namespace shunt::tools
