#include "protocol/pair_record.hpp"

#include <algorithm>
#include <optional>

#include "base/assert.hpp"
#include "protocol/reader.hpp"

namespace shunt::protocol {
namespace {

constexpr std::uint8_t kProtocol = 1;
constexpr std::uint8_t kVersion = 1;

/// The wire's number of a kind is its place in the enumeration.
constexpr auto kKindLast = PairRecord::Kind::Control;

bool is_byte(ByteView part, std::uint8_t value) noexcept {
    return part.size() == 1 && std::to_integer<std::uint8_t>(part.front()) == value;
}

/// The number that is the whole of `part`, or nothing.
template <class T>
std::optional<T> whole_number(ByteView part) noexcept {
    if (part.size() != sizeof(T)) return std::nullopt;
    Reader reader(part);
    return reader.integer<T>().value();
}

}  // namespace

WireGeneration generation_of(const ZmpReady& ready) noexcept {
    const bool pair_alone = ready.pair && !ready.lane_count;
    return pair_alone ? WireGeneration::PairId : WireGeneration::LaneCount;
}

PairRecord read_pair_record(std::span<const ByteView> parts) noexcept {
    const PairRecord plain{.parts = parts};
    if (parts.size() <= kPairHeadParts) return plain;
    if (!is_byte(parts[0], kProtocol) || !is_byte(parts[1], kVersion)) return plain;
    const auto number = whole_number<std::uint8_t>(parts[2]);
    const auto sequence = whole_number<std::uint64_t>(parts[3]);
    if (!number || !sequence) return plain;
    if (*number == 0 || *number > static_cast<std::uint8_t>(kKindLast)) return plain;
    const auto kind = static_cast<PairRecord::Kind>(*number);
    // A control answers nothing, so it alone has no sequence.
    if ((*sequence == 0) != (kind == PairRecord::Kind::Control)) return plain;

    PairRecord read{.kind = kind, .sequence = *sequence, .parts = parts.subspan(kPairHeadParts)};
    if (kind == PairRecord::Kind::ErrorReply) {
        read.error_number = whole_number<std::uint32_t>(read.parts.front()).value_or(0);
        read.parts = read.parts.subspan(1);
    }
    return read;
}

EncodedPairHead encode_pair_head(Leg leg, std::uint64_t sequence) noexcept {
    SHUNT_ASSERT(leg != Leg::Send);
    SHUNT_ASSERT(sequence != 0);
    const auto kind = leg == Leg::Request ? PairRecord::Kind::Request : PairRecord::Kind::Reply;
    EncodedPairHead head{};
    auto at = head.begin();
    const auto put = [&](std::uint64_t value, std::uint32_t size_bytes) {
        const EncodedFrameHeader frame =
            encode_frame_header({.flags = frame_flag::kMore, .body_bytes = size_bytes});
        at = std::ranges::copy(frame.view(), at).out;
        for (std::uint32_t left = size_bytes; left > 0; --left) {
            *at++ = static_cast<std::byte>(value >> (8U * (left - 1)));
        }
    };
    put(kProtocol, 1);
    put(kVersion, 1);
    put(static_cast<std::uint8_t>(kind), 1);
    put(sequence, sizeof(sequence));
    SHUNT_ASSERT(at == head.end());
    return head;
}

}  // namespace shunt::protocol
