#include <algorithm>
#include <array>
#include <vector>

#include "input.hpp"
#include "memory_meter.hpp"
#include "protocol/authority_payload.hpp"
#include "protocol/command_record.hpp"
#include "protocol/durable.hpp"
#include "protocol/envelope.hpp"
#include "protocol/inspect.hpp"
#include "protocol/store_values.hpp"
#include "targets.hpp"

namespace shunt::fuzz {
namespace {

constexpr std::size_t kFramesMax = 4;
/// mesh-operation-kind has the values 0 to 15.
constexpr std::uint8_t kOperationMask = 0x0F;

void must_be_written_back(const protocol::Inspection& read, std::span<const ByteView> frames) {
    must_hold(read.encoding.size() == frames.size(), "a record is written as as many frames");
    for (std::size_t i = 0; i < frames.size(); ++i) {
        must_hold(same_bytes(read.encoding[i], frames[i]), "what decodes is written back");
    }
}

template <class Value>
void check_stored(ByteView bytes) {
    const auto value =
        metered(bytes.size(), [&] { return protocol::decode_durable<Value>(bytes); });
    if (value.has_error()) return;
    must_hold(same_bytes(protocol::encode_durable(value.value()), bytes),
              "a stored value is written back");
}

struct Stored {
    protocol::DurableFormat format;
    void (*check)(ByteView bytes);
};

const auto kStored = std::to_array<Stored>({
    {{.magic = "ZLAU", .bytes_max = 1'048'576}, &check_stored<protocol::AuthorityPayload>},
    {{.magic = "ZLIA", .bytes_max = 1'048'576},
     &check_stored<protocol::InstanceActivationRecovery>},
    {{.magic = "ZLTC", .bytes_max = 67'108'887}, &check_stored<protocol::RelocationDataChunk>},
    {{.magic = "ZLTM", .bytes_max = 33'554'432}, &check_stored<protocol::RelocationManifest>},
});

}  // namespace

void fuzz_record(ByteView input) {
    const protocol::DecodeContext context{
        .original_operation =
            static_cast<protocol::MeshOperationKind>(take_byte(input) & kOperationMask)};
    std::vector<ByteView> frames;
    std::size_t total_bytes = 0;
    do {
        frames.push_back(take_piece(input));
        total_bytes += frames.back().size();
    } while (!input.empty() && frames.size() < kFramesMax);

    const bool decodes = metered(total_bytes, [&] {
        return protocol::decode_record(protocol::InRecord{.parts = frames}, context).has_value();
    });

    const auto read = protocol::inspect_record(frames, context);
    must_hold(read.has_value() == decodes, "decoding does not depend on who asks");
    if (decodes) must_be_written_back(read.value(), frames);
}

void fuzz_envelope(ByteView input) {
    protocol::Fault fault;

    const auto envelope = metered(input.size(), [&] { return protocol::decode_envelope(input); });

    must_hold(protocol::decode_envelope(input, &fault).has_value() == envelope.has_value(),
              "decoding does not depend on who asks");
    must_hold(fault.offset_bytes <= input.size(), "a fault lies within the bytes");
    if (envelope.has_error()) return;
    const protocol::EncodedEnvelope encoded = protocol::encode_envelope(envelope.value());
    must_hold(same_bytes(flatten(encoded.stream), input), "a payload is written back");
}

void fuzz_stored(ByteView input) {
    const std::uint8_t choice = take_byte(input);
    const Stored& stored = kStored[choice % kStored.size()];
    // A checksum stops a fuzzer at the door, so half of the inputs are bodies that we seal.
    if ((choice & 0x80U) == 0) return stored.check(input);
    stored.check(protocol::seal_durable(stored.format, input));
}

void fuzz_layout(ByteView input) {
    static const std::vector<std::string_view> types = protocol::inspectable_types();
    // In two statements: compilers differ in which argument they evaluate first.
    const std::size_t declared = take_byte(input);
    const std::size_t name_bytes = std::min(declared, input.size());
    const std::string_view name = text_of(input.first(name_bytes));
    input = input.subspan(name_bytes);
    const bool known = std::ranges::find(types, name) != types.end();
    const std::string_view type = known ? name : types[name_bytes % types.size()];
    protocol::Fault fault;

    const auto read = protocol::inspect(type, input, {.fault = &fault});

    must_hold(fault.offset_bytes <= input.size(), "a fault lies within the bytes");
    if (read.has_value()) must_be_written_back(read.value(), {&input, 1});
}

}  // namespace shunt::fuzz
