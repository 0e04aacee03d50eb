#include "tools/demo_message.hpp"

#include <algorithm>

#include "protocol/reader.hpp"
#include "protocol/writer.hpp"

namespace shunt::tools {
namespace {

std::byte filler(const Stamp& stamp, std::size_t at) noexcept {
    return static_cast<std::byte>((stamp.sequence * 31 + stamp.sender * 7 + at) & 0xFFU);
}

void write(protocol::Writer& out, const Stamp& stamp) {
    out.integer(stamp.sender);
    out.integer(stamp.sequence);
}

result<Stamp> read(protocol::Reader& in) {
    Stamp stamp;
    BOOST_OUTCOME_TRY(stamp.sender, in.integer<std::uint32_t>());
    BOOST_OUTCOME_TRY(stamp.sequence, in.integer<std::uint64_t>());
    return stamp;
}

result<Order> read_order(ByteView bytes) {
    protocol::Reader in(bytes);
    Order order;
    BOOST_OUTCOME_TRY(order.stamp, read(in));
    BOOST_OUTCOME_TRY(const std::uint8_t kind, in.integer<std::uint8_t>());
    if (kind > static_cast<std::uint8_t>(TraceKind::Tell)) return Errc::InputMalformed;
    order.kind = static_cast<TraceKind>(kind);
    BOOST_OUTCOME_TRY(order.payload_bytes, in.integer<std::uint32_t>());
    BOOST_OUTCOME_TRY(const ByteView receiver, in.take(in.left()));
    order.receiver = text_of(receiver);
    return order;
}

}  // namespace

Bytes stamped_payload(const Stamp& stamp, std::size_t payload_bytes) {
    protocol::Writer out(kStampBytes);
    write(out, stamp);
    Bytes payload = std::move(out).take_part().head;
    const std::size_t size = std::max(payload_bytes, kStampBytes);
    payload.reserve(size);
    for (std::size_t at = kStampBytes; at < size; ++at) payload.push_back(filler(stamp, at));
    return payload;
}

std::optional<Stamp> read_stamped(ByteView payload) {
    protocol::Reader in(payload);
    const result<Stamp> stamp = read(in);
    if (!stamp) return std::nullopt;
    for (std::size_t at = kStampBytes; at < payload.size(); ++at) {
        if (payload[at] != filler(stamp.value(), at)) return std::nullopt;
    }
    return stamp.value();
}

Bytes encode_order(const Order& order) {
    protocol::Writer out;
    write(out, order.stamp);
    out.integer(static_cast<std::uint8_t>(order.kind));
    out.integer(order.payload_bytes);
    out.copy(bytes_of(order.receiver));
    return std::move(out).take_part().head;
}

std::optional<Order> decode_order(ByteView bytes) {
    result<Order> order = read_order(bytes);
    if (!order) return std::nullopt;
    return std::move(order.value());
}

}  // namespace shunt::tools
