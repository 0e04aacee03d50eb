#include "protocol/typed_payload.hpp"

#include "protocol/typed_payload_layout.hpp"

namespace shunt::protocol {

SHUNT_LAYOUT_HERE(TypedPayload)
SHUNT_LAYOUT_HERE(TypedPayloadView)
SHUNT_LAYOUT_HERE(Metadata)

result<TypedPayloadView> decode_typed_payload(ByteView frame, Fault* fault) {
    return decode_whole<TypedPayloadView>(frame, fault);
}

result<Metadata> decode_metadata(ByteView frame, Fault* fault) {
    // The limit comes before anything else, so a long frame is not even looked into.
    if (frame.size() > kMetadataBytesMax) return Errc::LimitExceeded;
    return decode_whole<Metadata>(frame, fault);
}

}  // namespace shunt::protocol
