#include <cstdint>
#include <utility>
#include <variant>

#include "protocol/command_layout.hpp"
#include "protocol/inspect.hpp"
#include "protocol/json_printer.hpp"
#include "protocol/typed_payload_layout.hpp"

namespace shunt::protocol {
namespace {

constexpr std::size_t kFlagsOffset = 4;

std::string print_record(const DecodedRecord& decoded, std::uint8_t flags) {
    JsonPrinter printer;
    const auto members = [&] {
        printer.key("command");
        printer.text(name_of(id_of(decoded.command)));
        printer.key("flags");
        printer.number(flags);
        std::visit([&]<class T>(const T& command) { kLayout<T>.print(printer, command); },
                   decoded.command);
        printer.key("metadata");
        decoded.metadata ? print(printer, *decoded.metadata) : printer.null();
        printer.key("payload");
        decoded.payload ? print(printer, *decoded.payload) : printer.null();
    };
    printer.object(members);
    return printer.take();
}

std::vector<Bytes> encode_again(const DecodedRecord& decoded) {
    const TypedPayload payload = decoded.payload ? decoded.payload->own() : TypedPayload{};
    const OutRecord record = std::visit(
        [&](const auto& command) {
            return encode_record(command, decoded.payload ? &payload : nullptr,
                                 decoded.metadata ? &*decoded.metadata : nullptr);
        },
        decoded.command);
    std::vector<Bytes> frames;
    for (const OutPart& part : record.parts) {
        Bytes& frame = frames.emplace_back(part.head);
        for (const Segment& segment : part.tail) {
            frame.insert(frame.end(), segment.view().begin(), segment.view().end());
        }
    }
    return frames;
}

}  // namespace

result<Inspection> inspect_record(std::span<const ByteView> frames, const DecodeContext& context) {
    BOOST_OUTCOME_TRY(const DecodedRecord decoded,
                      decode_record(InRecord{.parts = frames}, context));
    const auto flags = std::to_integer<std::uint8_t>(frames.front()[kFlagsOffset]);
    return Inspection{.json = print_record(decoded, flags), .encoding = encode_again(decoded)};
}

}  // namespace shunt::protocol
