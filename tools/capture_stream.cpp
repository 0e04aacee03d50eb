#include "tools/capture_stream.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "protocol/control_frame.hpp"
#include "protocol/errc.hpp"
#include "protocol/frame.hpp"
#include "protocol/inspect.hpp"
#include "protocol/json_printer.hpp"
#include "protocol/pair_record.hpp"
#include "tools/capture_text.hpp"

namespace shunt::tools {
namespace {

using protocol::ControlFrame;
using protocol::Errc;
using protocol::FrameHeader;
using protocol::FrameKind;
using protocol::FrameParser;
using protocol::JsonPrinter;

// --- control frames ---------------------------------------------------------------------------

template <class T>
void put_number(JsonPrinter& printer, const char* name, const std::optional<T>& value) {
    if (!value) return;
    printer.key(name);
    printer.number(*value);
}

/// Readable texts as such, others in hex: nothing holds a peer to UTF-8 here.
void put_text(JsonPrinter& printer, const char* name, std::string_view text) {
    printer.key(name);
    const bool readable = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
    if (readable) return printer.text(text);
    printer.bytes(bytes_of(text));
}

struct ControlText {
    std::string name;
    std::string json;
};

ControlText describe(const protocol::ZmpHello& hello) {
    JsonPrinter printer;
    printer.object([&] {
        printer.key("socketType");
        printer.number(static_cast<std::uint8_t>(hello.socket_type));
        put_text(printer, "rid", hello.rid.value);
    });
    return {"HELLO", printer.take()};
}

ControlText describe(const protocol::ZmpReady& ready) {
    JsonPrinter printer;
    printer.object([&] {
        put_text(printer, "Socket-Type", ready.socket_type);
        put_text(printer, "Routing-Id", ready.routing_id.value);
        put_number(printer, "Zlink-Max-Message-Size", ready.max_message_bytes);
        if (ready.pair) {
            put_number(printer, "Zlink-Pair-Id", std::optional(ready.pair->id));
            put_number(printer, "Zlink-Pair-Generation", std::optional(ready.pair->generation));
        }
        if (ready.lane) {
            printer.key("Zlink-Lane");
            printer.number(static_cast<std::uint8_t>(*ready.lane));
        }
        put_number(printer, "Zlink-Lane-Count", ready.lane_count);
        put_number(printer, "Shunt-Lanes", ready.shunt_lanes);
        put_number(printer, "Shunt-Link-Id", ready.shunt_link_id);
        put_number(printer, "Shunt-Lane-Index", ready.shunt_lane_index);
        put_number(printer, "Shunt-Chunk-Limit", ready.shunt_chunk_limit);
    });
    return {"READY", printer.take()};
}

ControlText describe(const protocol::ZmpError& error) {
    JsonPrinter printer;
    printer.object([&] {
        printer.key("code");
        printer.number(error.code);
        put_text(printer, "reason", error.reason);
    });
    return {"ERROR", printer.take()};
}

ControlText describe(const protocol::ZmpWeight& weight) {
    JsonPrinter printer;
    printer.object([&] {
        printer.key("weight");
        printer.number(weight.weight);
    });
    return {"WEIGHT", printer.take()};
}

ControlText describe(const protocol::ZmpFlowState& state) {
    JsonPrinter printer;
    printer.object([&] {
        printer.key("paused");
        printer.boolean(state.paused);
        printer.key("epoch");
        printer.number(state.epoch);
    });
    return {"FLOWSTATE", printer.take()};
}

ControlText describe(const protocol::ZmpUnknownControl& /*control*/) {
    return {"unknown control", "{}"};
}

// --- the walk ---------------------------------------------------------------------------------

/// The field of a frame header that a parser's error is about.
protocol::Fault header_fault(std::error_code why) {
    struct Row {
        Errc cause;
        std::size_t offset;
        const char* field;
    };
    static constexpr auto kRows = std::to_array<Row>({
        {Errc::FrameMagic, 0, "magic"},
        {Errc::FrameVersion, 1, "version"},
        {Errc::FrameFlags, 2, "flags"},
        {Errc::FrameMultipart, 2, "flags"},
        {Errc::FrameKind, 3, "kind"},
        {Errc::FrameTooLarge, 4, "length"},
        {Errc::FrameSequence, protocol::kFrameHeaderBytes, "sequence"},
    });
    protocol::Fault fault;
    for (const Row& row : kRows) {
        if (why == row.cause) fault.within(row.field, row.offset);
    }
    return fault;
}

const char* leg_name(FrameKind kind) {
    switch (kind) {
        case FrameKind::Data:
            return "";
        case FrameKind::Request:
            return "request ";
        case FrameKind::Reply:
            return "reply ";
        case FrameKind::ErrorReply:
            return "error reply ";
    }
    return "";
}

class Walk {
  public:
    Walk(ByteView bytes, const protocol::DecodeContext& context)
        : bytes_(bytes), context_(context) {}

    CaptureReport run() {
        ByteView rest = bytes_;
        std::size_t frame_at = 0;
        while (true) {
            if (!in_body_) frame_at = bytes_.size() - rest.size();
            const std::size_t before = bytes_.size() - rest.size();
            const result<FrameParser::Event> event = parser_.next(rest);
            if (event.has_error()) {
                // A header is judged as soon as it is whole: the frame began at frame_at.
                fault(event.error(), header_fault(event.error()), frame_at);
                break;
            }
            if (event.value().kind == FrameParser::Event::Kind::NeedInput) {
                if (!parser_.at_record_boundary()) fault(Errc::FrameIncomplete, {}, frame_at);
                break;
            }
            in_body_ = !event.value().last;
            if (event.value().last) take(event.value(), frame_at, before);
        }
        return std::move(report_);
    }

  private:
    /// All input is at hand, so a body is one piece, which begins at `body_at`.
    void take(const FrameParser::Event& event, std::size_t frame_at, std::size_t body_at) {
        const Piece body{.bytes = event.piece, .offset_bytes = body_at};
        if (event.header.identity()) return line(frame_at, "identity frame, swallowed");
        if (event.header.control()) return take_control(body, frame_at);
        if (parts_.empty()) {
            record_at_ = frame_at;
            first_ = event.header;
        }
        parts_.push_back(body);
        if (!event.header.more()) take_record();
    }

    void take_control(const Piece& body, std::size_t frame_at) {
        const result<ControlFrame> control = protocol::decode_control(body.bytes);
        if (control.has_error()) {
            line(frame_at, "control frame");
            return fault(control.error(), {}, body.offset_bytes);
        }
        if (const auto* ready = std::get_if<protocol::ZmpReady>(&control.value())) {
            parser_.set_generation(protocol::generation_of(*ready));
        }
        const ControlText text =
            std::visit([](const auto& frame) { return describe(frame); }, control.value());
        line(frame_at, text.name);
        report_.text += field_lines(text.json, 1);
    }

    void take_record() {
        std::vector<Piece> parts = std::exchange(parts_, {});
        std::string leg = leg_name(first_.kind);
        if (first_.kind != FrameKind::Data) leg += std::to_string(first_.sequence) + ", ";
        leg += envelope_of(parts);
        line(record_at_,
             leg + std::to_string(parts.size()) + (parts.size() == 1 ? " part" : " parts"));
        // An empty record is a probe, and an error reply may carry nothing.
        if (parts.empty() || (parts.size() == 1 && parts.front().bytes.empty())) return;
        CaptureReport record = read_record(parts, context_);
        report_.text += record.text;
        report_.has_faults |= record.has_faults;
    }

    /// Takes the leading parts of a pair-id peer's request, reply or control away.
    static std::string envelope_of(std::vector<Piece>& parts) {
        constexpr std::array<const char*, 5> kNames{"", "request ", "reply ", "error reply ",
                                                    "control "};
        std::vector<ByteView> views;
        for (const Piece& part : parts) views.push_back(part.bytes);
        const protocol::PairRecord read = protocol::read_pair_record(views);
        if (read.kind == protocol::PairRecord::Kind::Plain) return {};
        const auto payload = static_cast<std::ptrdiff_t>(read.parts.size());
        parts.erase(parts.begin(), parts.end() - payload);
        return kNames[static_cast<std::size_t>(read.kind)] + std::to_string(read.sequence) + ", ";
    }

    void line(std::size_t offset, const std::string& text) {
        report_.text += "@" + std::to_string(offset) + " " + text + "\n";
    }
    void fault(std::error_code why, const protocol::Fault& where, std::size_t offset) {
        report_.text += fault_lines(why, where, {bytes_.subspan(offset), offset});
        report_.has_faults = true;
    }

    ByteView bytes_;
    protocol::DecodeContext context_;
    FrameParser parser_;
    bool in_body_ = false;
    std::vector<Piece> parts_;  // Of the unfinished record.
    std::size_t record_at_ = 0;
    FrameHeader first_;
    CaptureReport report_;
};

}  // namespace

CaptureReport read_stream(ByteView bytes, const protocol::DecodeContext& context) {
    return Walk(bytes, context).run();
}

CaptureReport read_record(const std::vector<Piece>& frames,
                          const protocol::DecodeContext& context) {
    std::vector<ByteView> views;
    for (const Piece& frame : frames) views.push_back(frame.bytes);
    protocol::Fault fault;
    protocol::DecodeContext asking = context;
    asking.fault = &fault;
    const auto read = protocol::inspect_record(views, asking);
    if (read.has_value()) return {.text = field_lines(read.value().json, 1)};
    const Piece& at_fault = frames[std::min(fault.frame, frames.size() - 1)];
    std::string text = fault_lines(read.error(), fault, at_fault);
    if (frames.size() > 1) text += "  frame: " + std::to_string(fault.frame) + "\n";
    return {.text = std::move(text), .has_faults = true};
}

}  // namespace shunt::tools
