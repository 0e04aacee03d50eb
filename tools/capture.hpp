#pragma once
// A captured piece of the wire as text for a person: what `shunt decode` prints.

#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace shunt::tools {

struct CaptureOptions {
    /// How to read it: `zmp`, `record`, or a layout by its name in spec/wire.md. Empty: by its
    /// first bytes.
    std::string as;
    /// The operation that a captured reply answers (`actorJoin`): selects its tail.
    std::string operation;
};

struct CaptureReport {
    std::string text;
    /// Something in it is wrong; the text says what.
    bool has_faults = false;
};

/// Reads one captured stream of frames (`zmp`), one record given as its frames, or one value. Only
/// a record takes more than one entry of `frames`; the entries of others are one byte sequence.
CaptureReport read_capture(const std::vector<Bytes>& frames, const CaptureOptions& options);

/// Whether read_capture() knows `as`.
bool is_capture_kind(const std::string& as);
/// Whether read_capture() knows `operation`.
bool is_operation(const std::string& operation);

}  // namespace shunt::tools
