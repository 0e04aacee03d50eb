#pragma once
// The bytes of the demo's messages: a number from the books, and filler that follows from it, so
// that a receiver notices bytes that belong to another message.

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "tools/trace.hpp"

namespace shunt::tools {

/// Who numbered a message, and which number it is among those to this receiver.
struct Stamp {
    std::uint32_t sender = 0;
    std::uint64_t sequence = 0;
    bool operator==(const Stamp&) const = default;
};

inline constexpr std::size_t kStampBytes = 12;

/// `payload_bytes` bytes, or kStampBytes where that is more.
Bytes stamped_payload(const Stamp& stamp, std::size_t payload_bytes);
/// The stamp, or nothing when a byte differs from what stamped_payload() wrote.
std::optional<Stamp> read_stamped(ByteView payload);

/// What the feed tells a person to do: one event of the trace.
struct Order {
    Stamp stamp;
    TraceKind kind = TraceKind::Say;
    std::string receiver;  // Actor id.
    std::uint32_t payload_bytes = 0;
    bool operator==(const Order&) const = default;
};

Bytes encode_order(const Order& order);
std::optional<Order> decode_order(ByteView bytes);

}  // namespace shunt::tools
