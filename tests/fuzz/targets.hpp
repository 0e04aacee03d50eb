#pragma once
// What hostile bytes are thrown at: every decoder, each with what must hold for any input. A
// target aborts where it does not. libfuzzer.cpp feeds them from a fuzzer, replay_test.cpp from
// the files of fixtures/corpus.

#include <array>
#include <string_view>

#include "base/bytes.hpp"

namespace shunt::fuzz {

/// ZMP frames and control bodies: however the stream is cut, the frames are the same.
void fuzz_frames(ByteView input);
/// Service records: what decodes is written back byte for byte.
void fuzz_record(ByteView input);
/// The payload of a move, likewise.
void fuzz_envelope(ByteView input);
/// Stored values behind their header and checksum, likewise.
void fuzz_stored(ByteView input);
/// Every layout by its name, likewise.
void fuzz_layout(ByteView input);
/// Chat traces: read to the end or to a line that is named.
void fuzz_trace(ByteView input);
/// What `shunt decode` makes of a capture.
void fuzz_capture(ByteView input);

struct Target {
    std::string_view name;
    void (*run)(ByteView input);
};

/// By the names of the folders in fixtures/corpus.
inline constexpr auto kTargets = std::to_array<Target>({
    {"frames", &fuzz_frames},
    {"record", &fuzz_record},
    {"envelope", &fuzz_envelope},
    {"stored", &fuzz_stored},
    {"layout", &fuzz_layout},
    {"trace", &fuzz_trace},
    {"capture", &fuzz_capture},
});

}  // namespace shunt::fuzz
