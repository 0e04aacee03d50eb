#include "protocol/multipart.hpp"

#include <string>

#include "protocol/errc.hpp"
#include "protocol/layout.hpp"
#include "protocol/multipart_layout.hpp"

namespace shunt::protocol {

TypedPayload encode_multipart(const Multipart& multipart) {
    Writer writer(measure(multipart).copied_bytes());
    encode(writer, multipart);
    return {std::string(kMultipartPacketName), std::string(kMultipartContentType),
            Blob(std::move(writer).take_segments())};
}

result<Multipart> decode_multipart(const TypedPayloadView& payload, Fault* fault) {
    if (payload.packet_name != kMultipartPacketName) return Errc::InvalidField;
    if (payload.content_type != kMultipartContentType) return Errc::InvalidField;
    return decode_whole<Multipart>(payload.payload, fault);
}

}  // namespace shunt::protocol
