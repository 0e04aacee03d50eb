#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "input.hpp"
#include "targets.hpp"
#include "tools/capture.hpp"
#include "tools/trace.hpp"

namespace shunt::fuzz {

void fuzz_trace(ByteView input) {
    tools::TraceReader reader(std::make_unique<std::istringstream>(std::string(text_of(input))),
                              "input");
    while (true) {
        const result<std::optional<tools::TraceEvent>> event = reader.next();
        if (event.has_error()) {
            must_hold(reader.problem().starts_with("input:"), "a bad trace is named");
            return;
        }
        if (!event.value()) return;
        must_hold(event.value()->payload_bytes <= tools::kTracePayloadBytesMax,
                  "a payload keeps its bound");
    }
}

void fuzz_capture(ByteView input) {
    if (input.empty()) return;

    const tools::CaptureReport report = tools::read_capture({copy_of(input)}, {});

    const bool told = report.text.find("error at offset") != std::string::npos;
    must_hold(told == report.has_faults, "a fault is told by its offset");
}

}  // namespace shunt::fuzz
