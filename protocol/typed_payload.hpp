#pragma once
// What an application hands over with a message: metadata and the typed payload envelope
// (spec/wire.md sections 1.3 and 1.4).

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "protocol/blob.hpp"
#include "protocol/fault.hpp"

namespace shunt::protocol {

inline constexpr std::uint32_t kApplicationPayloadBytesMax = 4'294'966'774;
inline constexpr std::size_t kMetadataBytesMax = 1024;

/// `application-payload-envelope-v1`. Names: 1..255 bytes of UTF-8 without NUL.
template <class Text, class Payload>
struct BasicTypedPayload {
    Text packet_name;
    Text content_type;
    Payload payload;

    bool operator==(const BasicTypedPayload&) const = default;
};

/// Owns its names; the payload is shared or borrowed (Blob).
using TypedPayload = BasicTypedPayload<std::string, Blob>;

/// Borrows all of it from the decoded bytes.
struct TypedPayloadView : BasicTypedPayload<std::string_view, ByteView> {
    bool operator==(const TypedPayloadView& other) const {
        return packet_name == other.packet_name && content_type == other.content_type &&
               same_bytes(payload, other.payload);
    }
    /// A payload that outlives the lender; copies the bytes once.
    TypedPayload own() const {
        return {std::string(packet_name), std::string(content_type), Blob(copy_of(payload))};
    }
};

struct MetadataEntry {
    std::string key;    // 1..255 bytes
    std::string value;  // 0..1024 bytes
    bool operator==(const MetadataEntry&) const = default;
};

/// `metadata-frame`: keys unique by bytes, in any order; at most 1024 bytes encoded.
struct Metadata {
    std::vector<MetadataEntry> entries{};
    bool operator==(const Metadata&) const = default;
};

/// Reads a payload frame to its exact end; `fault` learns where it fails.
result<TypedPayloadView> decode_typed_payload(ByteView frame, Fault* fault = nullptr);
/// Reads a metadata frame to its exact end; `fault` learns where it fails.
result<Metadata> decode_metadata(ByteView frame, Fault* fault = nullptr);

}  // namespace shunt::protocol
