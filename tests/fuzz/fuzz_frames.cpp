#include <algorithm>
#include <optional>
#include <system_error>
#include <type_traits>
#include <variant>
#include <vector>

#include "input.hpp"
#include "memory_meter.hpp"
#include "protocol/control_frame.hpp"
#include "protocol/errc.hpp"
#include "protocol/frame.hpp"
#include "targets.hpp"

namespace shunt::fuzz {
namespace {

using protocol::ControlFrame;
using protocol::FrameHeader;
using protocol::FrameParser;

struct Frame {
    FrameHeader header;
    Bytes body;
    bool operator==(const Frame&) const = default;
};

/// What a parser made of a stream.
struct Parsed {
    std::vector<Frame> frames;
    std::error_code failure;
    bool at_boundary = false;
    bool operator==(const Parsed&) const = default;
};

/// A stream is small here, so a larger limit would never be met.
constexpr FrameParser::Limits kLimits{.record_bytes_max = 1000};

/// Feeds `stream` in pieces of `step` bytes; 0 is the whole at once.
Parsed parse(ByteView stream, std::size_t step, protocol::WireGeneration generation) {
    FrameParser parser(kLimits);
    parser.set_generation(generation);
    Parsed parsed;
    while (!stream.empty() && !parsed.failure) {
        ByteView piece = stream.first(step == 0 ? stream.size() : std::min(step, stream.size()));
        stream = stream.subspan(piece.size());
        while (true) {
            const result<FrameParser::Event> event = parser.next(piece);
            if (event.has_error()) {
                parsed.failure = event.error();
                break;
            }
            if (event.value().kind == FrameParser::Event::Kind::NeedInput) break;
            if (event.value().kind == FrameParser::Event::Kind::Header) {
                parsed.frames.push_back({event.value().header, {}});
                continue;
            }
            Bytes& body = parsed.frames.back().body;
            body.insert(body.end(), event.value().piece.begin(), event.value().piece.end());
        }
    }
    parsed.at_boundary = parser.at_record_boundary();
    return parsed;
}

/// The body of a control frame as its encoder writes it, where there is one.
std::optional<Bytes> encoded(const ControlFrame& control) {
    return std::visit(
        []<class T>(const T& frame) -> std::optional<Bytes> {
            if constexpr (std::is_same_v<T, protocol::ZmpWeight> ||
                          std::is_same_v<T, protocol::ZmpUnknownControl>) {
                return std::nullopt;
            } else {
                return protocol::encode_control(frame);
            }
        },
        control);
}

/// What we write of a control frame must mean to a reader what we read.
void check_control(ByteView body) {
    const auto control = metered(body.size(), [&] { return protocol::decode_control(body); });
    if (control.has_error()) return;
    const std::optional<Bytes> again = encoded(control.value());
    if (!again) return;
    const auto second =
        protocol::decode_control(ByteView(*again).subspan(protocol::kFrameHeaderBytes));
    must_hold(second.has_value(), "an encoded control frame decodes");
    must_hold(second.value() == control.value(), "an encoded control frame means the same");
}

}  // namespace

void fuzz_frames(ByteView input) {
    const std::size_t step = std::size_t{take_byte(input)} + 1;
    const auto generation = (take_byte(input) & 1U) != 0 ? protocol::WireGeneration::PairId
                                                         : protocol::WireGeneration::LaneCount;

    const Parsed whole = parse(input, 0, generation);

    must_hold(whole == parse(input, step, generation), "frames do not depend on how reads are cut");
    must_hold(whole == parse(input, 1, generation), "frames arrive byte by byte as at once");
    for (const Frame& frame : whole.frames) {
        const bool complete = frame.body.size() == frame.header.body_bytes;
        if (complete && frame.header.control()) check_control(frame.body);
        const auto head = protocol::encode_frame_header(frame.header);
        must_hold(head.size_bytes == frame.header.header_bytes(), "a header has its size");
    }
}

}  // namespace shunt::fuzz
