#pragma once
// How message parts lie in the payload (spec/wire.md section 1.5).

#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"
#include "protocol/multipart.hpp"

namespace shunt::protocol {

constexpr auto layout(Of<Multipart>) {
    return fields(field("parts", &Multipart::parts, list_of<std::uint32_t>(Bulk<std::uint32_t>{})),
                  must([](const Multipart& multipart) { return !multipart.parts.empty(); }));
}

}  // namespace shunt::protocol
