#include "protocol/frame.hpp"

#include <algorithm>
#include <cstring>

#include "base/assert.hpp"
#include "protocol/errc.hpp"

namespace shunt::protocol {
namespace {

constexpr std::uint8_t kMagic = 0x5A;
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kUndefinedFlags = 0xE0;

template <class T>
T big_endian(const std::byte* bytes) noexcept {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        value = static_cast<T>(value << 8U) | std::to_integer<T>(bytes[i]);
    }
    return value;
}

template <class T>
void put_big_endian(std::byte* bytes, T value) noexcept {
    for (std::size_t i = sizeof(T); i > 0; --i) {
        bytes[i - 1] = static_cast<std::byte>(value & 0xFFU);
        value = static_cast<T>(value >> 8U);
    }
}

bool has(std::uint8_t flags, unsigned bits) noexcept {
    return (flags & bits) != 0;
}

/// Combinations that zmp.md section 1 calls illegal.
bool flags_are_legal(std::uint8_t flags) noexcept {
    using namespace frame_flag;
    if (has(flags, kUndefinedFlags)) return false;
    if (has(flags, kControl) && has(flags, kMore | kIdentity)) return false;
    if (has(flags, kSubscribe)) return flags == kSubscribe;
    if (has(flags, kCancel)) return flags == kCancel;
    return true;
}

/// Not a part of a record of parts.
bool stands_alone(const FrameHeader& header) noexcept {
    using namespace frame_flag;
    return has(header.flags, kControl | kIdentity | kSubscribe | kCancel);
}

/// Control and identity frames pass beside the records.
bool is_part(const FrameHeader& header) noexcept {
    return !header.control() && !header.identity();
}

}  // namespace

EncodedFrameHeader encode_frame_header(const FrameHeader& header) noexcept {
    SHUNT_ASSERT((header.kind == FrameKind::Data) == (header.sequence == 0));
    EncodedFrameHeader encoded{.bytes = {}, .size_bytes = header.header_bytes()};
    encoded.bytes[0] = std::byte{kMagic};
    encoded.bytes[1] = std::byte{kVersion};
    encoded.bytes[2] = std::byte{header.flags};
    encoded.bytes[3] = static_cast<std::byte>(header.kind);
    put_big_endian(&encoded.bytes[4], header.body_bytes);
    if (header.kind != FrameKind::Data) {
        put_big_endian(&encoded.bytes[kFrameHeaderBytes], header.sequence);
    }
    return encoded;
}

bool FrameParser::hold(ByteView& input, std::size_t size_bytes) noexcept {
    const std::size_t step = std::min(size_bytes - held_, input.size());
    if (step > 0) std::memcpy(&held_bytes_[held_], input.data(), step);
    held_ += step;
    input = input.subspan(step);
    return held_ == size_bytes;
}

result<void> FrameParser::read_fixed_header() noexcept {
    const auto at = [&](std::size_t i) { return std::to_integer<std::uint8_t>(held_bytes_[i]); };
    if (at(0) != kMagic) return Errc::FrameMagic;
    if (at(1) != kVersion) return Errc::FrameVersion;
    header_ = {.flags = at(2), .body_bytes = big_endian<std::uint32_t>(&held_bytes_[4])};
    if (!flags_are_legal(header_.flags)) return Errc::FrameFlags;

    const std::uint8_t kind = at(3);
    if (kind != 0 && generation_ == WireGeneration::PairId) return Errc::FrameFlags;
    if (kind > static_cast<std::uint8_t>(FrameKind::ErrorReply)) return Errc::FrameKind;
    header_.kind = static_cast<FrameKind>(kind);
    const bool is_data = header_.kind == FrameKind::Data;
    if (!is_data && stands_alone(header_)) return Errc::FrameKind;
    if (in_record_ && !is_data) return Errc::FrameMultipart;
    if (in_record_ && stands_alone(header_) && generation_ == WireGeneration::LaneCount) {
        return Errc::FrameMultipart;
    }
    return check_size();
}

result<void> FrameParser::check_size() const noexcept {
    if (header_.control() && header_.body_bytes > kControlBodyBytesMax) return Errc::FrameTooLarge;
    const std::uint64_t before = in_record_ && is_part(header_) ? record_bytes_ : 0;
    if (header_.body_bytes > limits_.record_bytes_max - before) return Errc::FrameTooLarge;
    return outcome::success();
}

void FrameParser::open_body() noexcept {
    held_ = 0;
    body_left_ = header_.body_bytes;
    in_body_ = true;
    if (!is_part(header_)) return;
    record_bytes_ = (in_record_ ? record_bytes_ : 0) + header_.body_bytes;
    in_record_ = header_.more();
}

result<FrameParser::Event> FrameParser::next(ByteView& input) noexcept {
    if (in_body_) return next_piece(input);
    if (held_ < kFrameHeaderBytes) {
        if (!hold(input, kFrameHeaderBytes)) return Event{};
        BOOST_OUTCOME_TRY(read_fixed_header());
    }
    if (header_.kind != FrameKind::Data) {
        if (!hold(input, kFrameHeaderBytesMax)) return Event{};
        header_.sequence = big_endian<std::uint64_t>(&held_bytes_[kFrameHeaderBytes]);
        if (header_.sequence == 0) return Errc::FrameSequence;
    }
    open_body();
    return Event{.kind = Event::Kind::Header, .header = header_, .piece = {}, .last = false};
}

FrameParser::Event FrameParser::next_piece(ByteView& input) noexcept {
    if (input.empty() && body_left_ > 0) return {};
    const std::size_t size_bytes = std::min<std::size_t>(body_left_, input.size());
    Event event{.kind = Event::Kind::Body, .header = header_, .piece = input.first(size_bytes)};
    input = input.subspan(size_bytes);
    body_left_ -= static_cast<std::uint32_t>(size_bytes);
    event.last = body_left_ == 0;
    in_body_ = body_left_ > 0;
    return event;
}

}  // namespace shunt::protocol
