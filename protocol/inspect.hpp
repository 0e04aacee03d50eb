#pragma once
// Bytes to readable text: layouts by their names in spec/wire.md, and whole records. What
// `shunt decode` prints and the vector tests compare; not for the message path.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "protocol/command_record.hpp"
#include "protocol/fault.hpp"
#include "protocol/typed_payload.hpp"

namespace shunt::protocol {

/// A value that was read to its exact end.
struct Inspection {
    /// Its fields as one JSON document, spelled as in the golden vectors (section 16).
    std::string json;
    /// What encoding it again gives, one per frame; equal to the input, or a layout is at fault.
    std::vector<Bytes> encoding{};
};

/// What a reader knows and the bytes do not say.
struct InspectContext {
    /// Learns where the bytes fail.
    Fault* fault = nullptr;
    /// What a ClientServer connection has agreed on for application payloads (section 1.4).
    std::uint32_t payload_bytes_max = kApplicationPayloadBytesMax;
};

/// Reads `bytes` as the layout that wire.md calls `type`, with the rules of section 15.1. Stored
/// values with their header are called `durable:` and the format. Errors: those of section 14;
/// Errc::UnknownCommand when no layout has that name.
result<Inspection> inspect(std::string_view type, ByteView bytes,
                           const InspectContext& context = {});

/// Every name inspect() knows.
std::vector<std::string_view> inspectable_types();

/// Reads a record given as its frames. Errors: those of decode_record().
result<Inspection> inspect_record(std::span<const ByteView> frames,
                                  const DecodeContext& context = {});

}  // namespace shunt::protocol
