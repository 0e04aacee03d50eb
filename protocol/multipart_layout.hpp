#pragma once
// How message parts lie in the payload (spec/wire.md section 1.5).

#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"
#include "protocol/multipart.hpp"

namespace shunt::protocol {

constexpr auto layout(Of<Multipart>) {
    constexpr List<std::uint32_t, Bulk<std::uint32_t>, AnyOrder> parts{
        .item_codec = {}, .order = {}, .item_bytes_min = sizeof(std::uint32_t)};
    return fields(field("parts", &Multipart::parts, parts),
                  must([](const Multipart& multipart) { return !multipart.parts.empty(); }));
}

}  // namespace shunt::protocol
