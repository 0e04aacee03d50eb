#pragma once
// A captured direction of a connection (spec/zmp.md), frame by frame and record by record.

#include "base/bytes.hpp"
#include "protocol/command_record.hpp"
#include "tools/capture.hpp"

namespace shunt::tools {

/// Reads from the first byte of a frame on. `context` is for the records in it.
CaptureReport read_stream(ByteView bytes, const protocol::DecodeContext& context);

/// One record, its frames given by their places in the capture.
CaptureReport read_record(const std::vector<struct Piece>& frames,
                          const protocol::DecodeContext& context);

}  // namespace shunt::tools
