#pragma once
// `framework-multipart-v1` (spec/wire.md section 1.5): several message parts in one application
// payload.

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "protocol/blob.hpp"
#include "protocol/typed_payload.hpp"

namespace shunt::protocol {

inline constexpr std::string_view kMultipartPacketName = "ZLinkFrameworkMultipart";
inline constexpr std::string_view kMultipartContentType = "application/x-zlink-multipart";

struct Multipart {
    /// At least one; parts may be empty.
    std::vector<Blob> parts{};
    bool operator==(const Multipart&) const = default;
};

/// Shares the parts' segments.
TypedPayload encode_multipart(const Multipart& multipart);

/// Borrows the parts. `fault` learns where in the payload's bytes it fails. Errors: InvalidField
/// for other names or no part, and those of any decoder.
result<Multipart> decode_multipart(const TypedPayloadView& payload, Fault* fault = nullptr);

}  // namespace shunt::protocol
