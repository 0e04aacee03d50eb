#pragma once
// The trace the demo plays when none is named: fixtures/chat-sample.tsv, compiled in, so that the
// program needs no file beside it. Written by embed_text.py at build time.

#include <string_view>

namespace shunt::tools {

extern const std::string_view kSampleTrace;

}  // namespace shunt::tools
