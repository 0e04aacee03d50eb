#pragma once
// `shunt decode`: prints captured bytes field by field, or checks files of wire vectors.

#include <optional>
#include <string>
#include <vector>

#include "tools/capture.hpp"

namespace shunt::tools {

struct DecodeOptions {
    /// The capture: a file, `-` for standard input. Empty when hex or vectors are given.
    std::string path;
    /// The capture as hex text; an empty one stands for that text on standard input.
    std::optional<std::string> hex{};
    /// Files of vectors to check instead.
    std::vector<std::string> vector_paths;
    CaptureOptions capture;
};

/// Prints to stdout. 0 when everything decoded and matched, 1 when something did not, 2 with one
/// sentence on stderr when the input is none or the output cannot be written.
int run_decode(const DecodeOptions& options);

}  // namespace shunt::tools
