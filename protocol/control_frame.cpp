#include "protocol/control_frame.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "base/assert.hpp"
#include "protocol/errc.hpp"
#include "protocol/frame.hpp"
#include "protocol/reader.hpp"
#include "protocol/writer.hpp"

namespace shunt::protocol {
namespace {

constexpr std::uint8_t kHelloType = 0x01;
constexpr std::uint8_t kReadyType = 0x04;
constexpr std::uint8_t kErrorType = 0x05;
constexpr std::string_view kWeightName = "WEIGHT";
constexpr std::string_view kFlowStateName = "FLOWSTATE";
constexpr std::uint8_t kFlowStateVersion = 1;
constexpr std::uint32_t kWeightMax = 10'000;
constexpr std::size_t kHelloBytesMin = 3;
constexpr std::size_t kHelloBytesMax = 258;
constexpr std::uint8_t kShuntLanesMax = 64;

/// The READY properties in the order they are written.
enum Property : std::size_t {
    kSocketType,
    kRoutingId,
    kMaxMessageSize,
    kPairId,
    kPairGeneration,
    kLane,
    kLaneCount,
    kShuntLanes,
    kShuntLinkId,
    kShuntLaneIndex,
    kShuntChunkLimit,
    kPropertyCount,
};
constexpr std::array<std::string_view, kPropertyCount> kPropertyNames = {
    "Socket-Type",           "Routing-Id",       "Zlink-Max-Message-Size", "Zlink-Pair-Id",
    "Zlink-Pair-Generation", "Zlink-Lane",       "Zlink-Lane-Count",       "Shunt-Lanes",
    "Shunt-Link-Id",         "Shunt-Lane-Index", "Shunt-Chunk-Limit",
};

/// Values by property, as they came; the last of a repeated name.
using RawProperties = std::array<std::optional<ByteView>, kPropertyCount>;

result<RawProperties> read_properties(Reader& reader) {
    RawProperties found;
    while (reader.left() > 0) {
        const auto name_bytes = reader.integer<std::uint8_t>();
        if (!name_bytes) return Errc::ReadyMetadata;
        const auto name = reader.take(name_bytes.value());
        if (!name) return Errc::ReadyMetadata;
        const auto value_bytes = reader.integer<std::uint32_t>();
        if (!value_bytes) return Errc::ReadyMetadata;
        const auto value = reader.take(value_bytes.value());
        if (!value) return Errc::ReadyMetadata;
        for (std::size_t i = 0; i < kPropertyCount; ++i) {
            if (kPropertyNames[i] == text_of(name.value())) found[i] = value.value();
        }
    }
    return found;
}

/// The number in a property, nothing if it is absent, `malformed` if its size is another.
template <class T>
result<std::optional<T>> number(const std::optional<ByteView>& raw, Errc malformed) {
    if (!raw) return std::optional<T>();
    if (raw->size() != sizeof(T)) return malformed;
    Reader reader(*raw);
    BOOST_OUTCOME_TRY(const T value, reader.integer<T>());
    return std::optional<T>(value);
}

/// Lane keys: either generation's set complete, both, or none at all.
result<void> read_lanes(const RawProperties& raw, ZmpReady& ready) {
    constexpr Errc kBad = Errc::ReadyLanes;
    BOOST_OUTCOME_TRY(const auto id, number<std::uint64_t>(raw[kPairId], kBad));
    BOOST_OUTCOME_TRY(const auto generation, number<std::uint64_t>(raw[kPairGeneration], kBad));
    BOOST_OUTCOME_TRY(const auto lane, number<std::uint8_t>(raw[kLane], kBad));
    BOOST_OUTCOME_TRY(ready.lane_count, number<std::uint8_t>(raw[kLaneCount], kBad));

    if (id.has_value() != generation.has_value()) return kBad;
    if (id == 0U || generation == 0U) return kBad;
    if (ready.lane_count && (*ready.lane_count < 1 || *ready.lane_count > 2)) return kBad;
    const bool keyed = id.has_value() || ready.lane_count.has_value();
    if (lane.has_value() != keyed) return kBad;
    if (lane && *lane > 1) return kBad;
    if (lane == 1 && ready.lane_count == 1) return kBad;

    if (id) ready.pair = PairKey{.id = *id, .generation = *generation};
    if (lane) ready.lane = static_cast<Lane>(*lane);
    return outcome::success();
}

result<void> read_shunt_properties(const RawProperties& raw, ZmpReady& ready) {
    constexpr Errc kBad = Errc::ReadyMetadata;
    BOOST_OUTCOME_TRY(ready.shunt_lanes, number<std::uint8_t>(raw[kShuntLanes], kBad));
    BOOST_OUTCOME_TRY(ready.shunt_link_id, number<std::uint64_t>(raw[kShuntLinkId], kBad));
    BOOST_OUTCOME_TRY(ready.shunt_lane_index, number<std::uint8_t>(raw[kShuntLaneIndex], kBad));
    BOOST_OUTCOME_TRY(ready.shunt_chunk_limit, number<std::uint32_t>(raw[kShuntChunkLimit], kBad));
    if (ready.shunt_lanes && (*ready.shunt_lanes < 1 || *ready.shunt_lanes > kShuntLanesMax)) {
        return kBad;
    }
    return outcome::success();
}

result<ControlFrame> read_ready(Reader& reader) {
    BOOST_OUTCOME_TRY(const RawProperties raw, read_properties(reader));
    ZmpReady ready;
    ready.socket_type = text_of(raw[kSocketType].value_or(ByteView()));
    ready.routing_id.value = text_of(raw[kRoutingId].value_or(ByteView()));
    BOOST_OUTCOME_TRY(ready.max_message_bytes,
                      number<std::uint64_t>(raw[kMaxMessageSize], Errc::ReadyMaximum));
    BOOST_OUTCOME_TRY(read_lanes(raw, ready));
    BOOST_OUTCOME_TRY(read_shunt_properties(raw, ready));
    return ControlFrame(std::move(ready));
}

/// `body` with its type byte.
result<ControlFrame> read_hello(ByteView body) {
    if (body.size() < kHelloBytesMin) return Errc::HelloTooShort;
    if (body.size() > kHelloBytesMax) return Errc::HelloTooLarge;
    const auto rid_bytes = std::to_integer<std::size_t>(body[2]);
    const ByteView rid = body.subspan(kHelloBytesMin);
    if (rid.size() != rid_bytes) return Errc::HelloIdentity;
    return ControlFrame(ZmpHello{.socket_type = static_cast<SocketType>(body[1]),
                                 .rid = NodeRid{std::string(text_of(rid))}});
}

result<ControlFrame> read_error(ByteView body) {
    if (body.size() < 3) return Errc::ErrorTooShort;
    const auto reason_bytes = std::to_integer<std::size_t>(body[2]);
    if (body.size() - 3 < reason_bytes) return Errc::ErrorTooShort;
    return ControlFrame(ZmpError{.code = std::to_integer<std::uint8_t>(body[1]),
                                 .reason = std::string(text_of(body.subspan(3, reason_bytes)))});
}

/// Named controls; any defect makes one unknown (zmp.md section 2).
ControlFrame read_named(ByteView body) {
    Reader reader(body);
    if (body.size() == kWeightName.size() + 4 && text_of(body).starts_with(kWeightName)) {
        reader = Reader(body.subspan(kWeightName.size()));
        const auto weight = reader.integer<std::uint32_t>().value();
        if (weight <= kWeightMax) return ZmpWeight{weight};
    }
    if (body.size() == kFlowStateName.size() + 10 && text_of(body).starts_with(kFlowStateName)) {
        reader = Reader(body.subspan(kFlowStateName.size()));
        const auto version = reader.integer<std::uint8_t>().value();
        const auto state = reader.integer<std::uint8_t>().value();
        const auto epoch = reader.integer<std::uint64_t>().value();
        if (version == kFlowStateVersion && state <= 1 && epoch != 0) {
            return ZmpFlowState{.paused = state == 1, .epoch = epoch};
        }
    }
    return ZmpUnknownControl{};
}

/// The frame around a control body.
Bytes framed(Writer&& body) {
    const Bytes content = std::move(body).take_part().head;
    SHUNT_ASSERT(content.size() <= kControlBodyBytesMax);
    const EncodedFrameHeader header = encode_frame_header(
        {.flags = frame_flag::kControl, .body_bytes = static_cast<std::uint32_t>(content.size())});
    Bytes frame = copy_of(header.view());
    frame.insert(frame.end(), content.begin(), content.end());
    return frame;
}

void put_name(Writer& writer, Property property) {
    const std::string_view name = kPropertyNames[property];
    writer.integer(static_cast<std::uint8_t>(name.size()));
    writer.copy(bytes_of(name));
}

void put_text(Writer& writer, Property property, std::string_view value) {
    put_name(writer, property);
    writer.integer(static_cast<std::uint32_t>(value.size()));
    writer.copy(bytes_of(value));
}

template <class T>
void put_number(Writer& writer, Property property, const std::optional<T>& value) {
    if (!value) return;
    put_name(writer, property);
    writer.integer(static_cast<std::uint32_t>(sizeof(T)));
    writer.integer(*value);
}

}  // namespace

result<ControlFrame> decode_control(ByteView body) {
    if (body.empty()) return Errc::ControlEmpty;
    switch (std::to_integer<std::uint8_t>(body.front())) {
        case kHelloType:
            return read_hello(body);
        case kReadyType: {
            Reader reader(body.subspan(1));
            return read_ready(reader);
        }
        case kErrorType:
            return read_error(body);
        default:
            return read_named(body);
    }
}

Bytes encode_control(const ZmpHello& hello) {
    SHUNT_ASSERT(hello.rid.value.size() <= kIdBytesMax);
    Writer writer;
    writer.integer(kHelloType);
    writer.integer(static_cast<std::uint8_t>(hello.socket_type));
    writer.integer(static_cast<std::uint8_t>(hello.rid.value.size()));
    writer.copy(bytes_of(hello.rid.value));
    return framed(std::move(writer));
}

Bytes encode_control(const ZmpReady& ready) {
    Writer writer;
    writer.integer(kReadyType);
    if (!ready.socket_type.empty()) put_text(writer, kSocketType, ready.socket_type);
    if (!ready.routing_id.empty()) put_text(writer, kRoutingId, ready.routing_id.value);
    put_number(writer, kMaxMessageSize, ready.max_message_bytes);
    if (ready.pair) {
        put_number(writer, kPairId, std::optional(ready.pair->id));
        put_number(writer, kPairGeneration, std::optional(ready.pair->generation));
    }
    if (ready.lane) {
        put_number(writer, kLane, std::optional(static_cast<std::uint8_t>(*ready.lane)));
    }
    put_number(writer, kLaneCount, ready.lane_count);
    put_number(writer, kShuntLanes, ready.shunt_lanes);
    put_number(writer, kShuntLinkId, ready.shunt_link_id);
    put_number(writer, kShuntLaneIndex, ready.shunt_lane_index);
    put_number(writer, kShuntChunkLimit, ready.shunt_chunk_limit);
    return framed(std::move(writer));
}

Bytes encode_control(const ZmpError& error) {
    SHUNT_ASSERT(error.reason.size() <= 255);
    Writer writer;
    writer.integer(kErrorType);
    writer.integer(error.code);
    writer.integer(static_cast<std::uint8_t>(error.reason.size()));
    writer.copy(bytes_of(error.reason));
    return framed(std::move(writer));
}

Bytes encode_control(const ZmpFlowState& state) {
    SHUNT_ASSERT(state.epoch != 0);
    Writer writer;
    writer.copy(bytes_of(kFlowStateName));
    writer.integer(kFlowStateVersion);
    writer.integer(static_cast<std::uint8_t>(state.paused ? 1 : 0));
    writer.integer(state.epoch);
    return framed(std::move(writer));
}

ZmpError error_frame_for(std::error_code cause) {
    struct Row {
        Errc cause;
        std::uint8_t code;
        const char* reason;
    };
    // clang-format off
    static constexpr auto kRows = std::to_array<Row>({
        {Errc::FrameMagic,         0x01, "invalid magic"},
        {Errc::FrameVersion,       0x02, "version mismatch"},
        {Errc::FrameFlags,         0x03, "flags invalid"},
        {Errc::FrameTooLarge,      0x04, "body too large"},
        {Errc::HelloTooLarge,      0x04, "hello too large"},
        {Errc::SocketTypeMismatch, 0x05, "socket type mismatch"},
        {Errc::HandshakeTimeout,   0x06, "handshake timeout"},
        {Errc::FrameKind,          0x07, "kind invalid"},
        {Errc::FrameSequence,      0x08, "sequence invalid"},
        {Errc::FrameMultipart,     0x09, "multipart invalid"},
        {Errc::FrameIncomplete,    0x0A, "frame incomplete"},
        {Errc::HelloTooShort,      0x7F, "hello too short"},
        {Errc::HelloIdentity,      0x7F, "hello identity mismatch"},
        {Errc::MissingHello,       0x7F, "missing hello"},
        {Errc::DataBeforeReady,    0x7F, "data before ready"},
        {Errc::ControlUnknown,     0x7F, "unknown control"},
        {Errc::ControlEmpty,       0x7F, "invalid control"},
        {Errc::DuplicateReady,     0x7F, "duplicate ready"},
        {Errc::ReadyMetadata,      0x7F, "ready metadata invalid"},
        {Errc::ReadyLanes,         0x7F, "transport pair metadata invalid"},
        {Errc::ReadyMaximum,       0x7F, "maximum message size metadata invalid"},
        {Errc::ErrorTooShort,      0x7F, "error frame too short"},
    });
    // clang-format on
    for (const Row& row : kRows) {
        if (cause == row.cause) return {.code = row.code, .reason = row.reason};
    }
    return {.code = 0x7F, .reason = "internal error"};
}

}  // namespace shunt::protocol
