#pragma once
// How metadata and the typed payload envelope lie on the wire (spec/wire.md sections 1.3, 1.4).

#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"
#include "protocol/typed_payload.hpp"

namespace shunt::protocol {

template <class Text, class Payload>
constexpr auto layout(Of<BasicTypedPayload<Text, Payload>>) {
    using T = BasicTypedPayload<Text, Payload>;
    return fields(constant<std::uint8_t>(1),
                  body<std::uint32_t>(field("packetName", &T::packet_name),
                                      field("contentType", &T::content_type),
                                      field("payload", &T::payload,
                                            Bulk<std::uint32_t>{.max = kApplicationPayloadBytesMax,
                                                                .too_long = Errc::LimitExceeded})));
}

constexpr auto layout(Of<TypedPayloadView>) {
    return layout(Of<BasicTypedPayload<std::string_view, ByteView>>{});
}

constexpr auto layout(Of<MetadataEntry>) {
    return fields(field("key", &MetadataEntry::key),
                  field("value", &MetadataEntry::value, kMetadataValue));
}

/// Prints as the list alone.
constexpr void is_bare(Of<Metadata>) {}
constexpr auto layout(Of<Metadata>) {
    return at_most(kMetadataBytesMax, constant<std::uint8_t>(1),
                   field(nullptr, &Metadata::entries,
                         unique_list<std::uint8_t>(Nested{}, &MetadataEntry::key)));
}

SHUNT_LAYOUT_ELSEWHERE(TypedPayload)
SHUNT_LAYOUT_ELSEWHERE(TypedPayloadView)
SHUNT_LAYOUT_ELSEWHERE(Metadata)

}  // namespace shunt::protocol
