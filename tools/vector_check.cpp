#include "tools/vector_check.hpp"

#include <algorithm>
#include <system_error>

#include <nlohmann/json.hpp>

#include "protocol/enum_names.hpp"
#include "protocol/errc.hpp"
#include "protocol/inspect.hpp"
#include "tools/hex_text.hpp"
#include "tools/vector_scenario.hpp"

namespace shunt::tools {
namespace {

using protocol::Inspection;

protocol::DecodeContext context_of(const WireVector& vector) {
    for (const auto& known : protocol::kEnumNames<protocol::MeshOperationKind>) {
        if (known.name == vector.original_operation) return {.original_operation = known.value};
    }
    return {};
}

result<Inspection> read_frames(const WireVector& vector, const std::vector<ByteView>& frames) {
    if (vector.kind == "command") return protocol::inspect_record(frames, context_of(vector));
    protocol::InspectContext context;
    if (vector.payload_bytes_max) context.payload_bytes_max = *vector.payload_bytes_max;
    return protocol::inspect(vector.type, frames.front(), context);
}

/// The first cut of an accepted vector that is readable; empty when none is.
std::string readable_cut(const WireVector& vector) {
    std::vector<ByteView> frames(vector.frames.begin(), vector.frames.end());
    for (std::size_t frame = 0; frame < frames.size(); ++frame) {
        const ByteView whole = frames[frame];
        for (std::size_t size = 0; size < whole.size(); ++size) {
            frames[frame] = whole.first(size);
            if (read_frames(vector, frames).has_error()) continue;
            return "accepted when frame " + std::to_string(frame) + " is cut to " +
                   std::to_string(size) + " bytes";
        }
        frames[frame] = whole;
    }
    return {};
}

/// What is wrong with an accepted vector; empty when nothing is.
std::string accepted_mismatch(const WireVector& vector, const Inspection& read) {
    const auto wanted = nlohmann::json::parse(vector.decoded);
    // Scenarios and some types publish no fields; then the bytes alone decide.
    if (!wanted.is_null() && nlohmann::json::parse(read.json) != wanted) {
        return "decoded to " + read.json + ", expected " + vector.decoded;
    }
    if (read.encoding != vector.frames) {
        for (std::size_t i = 0; i < std::min(read.encoding.size(), vector.frames.size()); ++i) {
            if (read.encoding[i] == vector.frames[i]) continue;
            return "frame " + std::to_string(i) + " encoded to " + hex_of(read.encoding[i]) +
                   ", expected " + hex_of(vector.frames[i]);
        }
        return "encoded to another number of frames";
    }
    return readable_cut(vector);
}

std::string mismatch_of(const WireVector& vector) {
    if (is_scenario(vector)) return scenario_mismatch(vector);
    const std::vector<ByteView> frames(vector.frames.begin(), vector.frames.end());
    const result<Inspection> read = read_frames(vector, frames);
    if (!vector.accepted) {
        if (read.has_value()) return "accepted, expected " + vector.error;
        const std::string category = category_of(read.error());
        return category == vector.error ? "" : category + ", expected " + vector.error;
    }
    if (read.has_error()) return "refused with " + category_of(read.error());
    return accepted_mismatch(vector, read.value());
}

bool is_wire(const WireVector& vector) {
    return vector.kind == "command" || vector.kind == "type" || vector.kind == "logical";
}

}  // namespace

VectorReport check_vectors(const VectorFile& file) {
    VectorReport report;
    for (const WireVector& vector : file.vectors) {
        if (!is_wire(vector)) {
            ++report.other_kinds;
            continue;
        }
        ++report.checked;
        const std::string mismatch = mismatch_of(vector);
        if (!mismatch.empty()) report.mismatches.push_back(vector.name + ": " + mismatch);
    }
    return report;
}

std::string category_of(std::error_code code) {
    if (code.category() != make_error_code(protocol::Errc::Semantic).category()) {
        return code.message();
    }
    return protocol::category_name(static_cast<protocol::Errc>(code.value()));
}

}  // namespace shunt::tools
