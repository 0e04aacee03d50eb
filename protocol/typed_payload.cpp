#include "protocol/typed_payload.hpp"

#include "protocol/typed_payload_layout.hpp"

namespace shunt::protocol {

result<TypedPayloadView> decode_typed_payload(ByteView frame) {
    return decode_whole<TypedPayloadView>(frame);
}

result<Metadata> decode_metadata(ByteView frame) {
    // The limit comes before anything else, so a long frame is not even looked into.
    if (frame.size() > kMetadataBytesMax) return Errc::LimitExceeded;
    return decode_whole<Metadata>(frame);
}

}  // namespace shunt::protocol
