#include "protocol/inspect.hpp"

#include <array>
#include <optional>
#include <utility>

#include "protocol/authority_key.hpp"
#include "protocol/command_layout.hpp"
#include "protocol/durable_layout.hpp"
#include "protocol/envelope_layout.hpp"
#include "protocol/errc.hpp"
#include "protocol/json_printer.hpp"
#include "protocol/multipart_layout.hpp"
#include "protocol/typed_payload_layout.hpp"

namespace shunt::protocol {
namespace {

template <class Value, class Codec>
result<Inspection> inspect_as(Codec codec, ByteView bytes, Fault* fault) {
    Reader reader(bytes, fault);
    Value value{};
    BOOST_OUTCOME_TRY(codec.decode(reader, value));
    BOOST_OUTCOME_TRY(reader.finish());
    BOOST_OUTCOME_TRY(validate_with(codec, value));
    Writer writer;
    codec.encode(writer, value);
    JsonPrinter printer;
    codec.print(printer, value);
    return Inspection{.json = printer.take(),
                      .encoding = {flatten(std::move(writer).take_segments())}};
}

template <class Value>
result<Inspection> inspect_value(ByteView bytes, const InspectContext& context) {
    return inspect_as<Value>(codec_for(Of<Value>{}), bytes, context.fault);
}

template <const auto& Codec, class Value>
result<Inspection> by_codec(ByteView bytes, const InspectContext& context) {
    return inspect_as<Value>(Codec, bytes, context.fault);
}

template <class Value>
result<Inspection> stored(ByteView bytes, const InspectContext& context) {
    BOOST_OUTCOME_TRY(const Value value, decode_durable<Value>(bytes, context.fault));
    JsonPrinter printer;
    print(printer, value);
    return Inspection{.json = printer.take(), .encoding = {encode_durable(value)}};
}

result<Inspection> inspect_multipart(ByteView bytes, const InspectContext& context) {
    Fault* const fault = context.fault;
    BOOST_OUTCOME_TRY(const TypedPayloadView payload, decode_typed_payload(bytes, fault));
    const result<Multipart> multipart = decode_multipart(payload, fault);
    if (multipart.has_error()) {
        if (fault != nullptr) {
            // The payload ends the frame, so its own offsets start where it does.
            const std::size_t before = bytes.size() - payload.payload.size();
            fault->within("payload", 0);
            fault->offset_bytes += before;
        }
        return multipart.error();
    }
    JsonPrinter printer;
    print(printer, multipart.value());
    Writer writer;
    encode(writer, encode_multipart(multipart.value()));
    return Inspection{.json = printer.take(),
                      .encoding = {flatten(std::move(writer).take_segments())}};
}

result<Inspection> inspect_payload_bytes(ByteView bytes, const InspectContext& context) {
    return inspect_as<Blob>(
        Bulk<std::uint32_t>{.max = context.payload_bytes_max, .too_long = Errc::LimitExceeded},
        bytes, context.fault);
}

result<Inspection> inspect_authority_key(ByteView bytes, const InspectContext& /*context*/) {
    BOOST_OUTCOME_TRY(const AuthorityKey key, decode_authority_key(text_of(bytes)));
    JsonPrinter printer;
    printer.object([&] {
        printer.key("objectKind");
        printer.text(name_of_value(key.kind));
        printer.key("id");
        printer.bytes(bytes_of(key.id));
    });
    return Inspection{.json = printer.take(),
                      .encoding = {copy_of(bytes_of(encode_authority_key(key)))}};
}

using Inspect = result<Inspection> (*)(ByteView, const InspectContext&);
struct Entry {
    std::string_view type;
    Inspect inspect;
};

constexpr auto kNames = sorted_list<std::uint16_t>(kText8, kByBytes);
constexpr auto kWork = sorted_list<std::uint32_t>(Nested{}, kByOrder);
constexpr auto kLogicalLength = up_to(kRelocationStreamBytesMax);
constexpr auto kChunkCount = up_to(kRelocationChunksMax);
constexpr OptionalActorRef kOptionalActorRef{};
constexpr auto kSpotRef = wrapped<std::uint16_t>("hasSpot", "spot", Nested{});

// clang-format off
constexpr auto kEntries = std::to_array<Entry>({
    // primitives (section 2)
    {"u8",  &inspect_value<std::uint8_t>},
    {"u16", &inspect_value<std::uint16_t>},
    {"u32", &inspect_value<std::uint32_t>},
    {"u64", &inspect_value<std::uint64_t>},
    {"nonzero-u32", &by_codec<kNonzeroU32, std::uint32_t>},
    {"nonzero-u64", &by_codec<kNonzero, std::uint64_t>},
    {"ordinal-or-zero", &by_codec<kOrdinal, std::uint64_t>},
    {"application-version", &by_codec<kOrdinal, std::uint64_t>},
    {"relocation-logical-length", &by_codec<kLogicalLength, std::uint64_t>},
    {"relocation-chunk-count", &by_codec<kChunkCount, std::uint32_t>},
    {"bool8", &inspect_value<bool>},
    {"rid", &inspect_value<NodeRid>},
    {"optional-rid", &by_codec<kOptionalRid, NodeRid>},
    {"text8", &inspect_value<std::string>},
    {"optional-text8", &by_codec<kOptionalText8, std::string>},
    {"endpoint", &by_codec<kText4096, std::string>},
    {"authority-store-version", &by_codec<kText4096, std::string>},
    {"application-payload-bytes", &inspect_payload_bytes},
    {"sha256-bytes", &inspect_value<Sha256>},
    {"sorted-text8-vector", &by_codec<kNames, std::vector<std::string>>},
    // enumerations (section 3)
    {"framework-error-code", &inspect_value<FrameworkErrorCode>},
    {"request-terminal-result", &inspect_value<RequestTerminalResult>},
    {"reject-reason", &inspect_value<RejectReason>},
    // shared structures (section 4)
    {"relocation-id", &inspect_value<RelocationId>},
    {"operation-id", &inspect_value<OperationId>},
    {"operation-id-or-zero", &by_codec<kOrZero, OperationId>},
    {"actor-ref", &inspect_value<ActorRef>},
    {"spot-ref", &inspect_value<SpotRef>},
    {"optional-actor-ref", &by_codec<kOptionalActorRef, std::optional<ActorRef>>},
    {"optional-spot-ref", &by_codec<kSpotRef, std::optional<SpotRef>>},
    {"actor-route-fence", &inspect_value<ActorRouteFence>},
    {"spot-route-fence", &inspect_value<SpotRouteFence>},
    {"relocation-coordinator-fence", &inspect_value<RelocationCoordinatorFence>},
    {"relocation-target-fence", &inspect_value<RelocationTargetFence>},
    {"relocation-object-identity", &inspect_value<RelocationObjectIdentity>},
    {"message-follow-route-v1", &inspect_value<MessageFollowNotice>},
    {"service-admission", &inspect_value<ServiceAdmission>},
    {"descriptor-extension", &inspect_value<DescriptorExtension>},
    // payloads, frozen records, the payload of a move (sections 1, 6, 7)
    {"metadata-frame", &inspect_value<Metadata>},
    {"framework-multipart-v1", &inspect_multipart},
    {"application-payload-envelope-v1", &inspect_value<TypedPayload>},
    {"frozen-source-identity", &inspect_value<FrozenSourceIdentity>},
    {"frozen-record", &inspect_value<FrozenRecord>},
    {"saved-work-vector", &by_codec<kWork, std::vector<SavedWork>>},
    {"relocation-application-state", &by_codec<kApplicationState, std::optional<Blob>>},
    {"relocation-envelope-v1", &inspect_value<RelocationEnvelope>},
    // stored values (section 10)
    {"authority-relocation-state",
     &by_codec<kRelocationState, std::optional<AuthorityRelocation>>},
    {"authority-activation-recovery-state",
     &by_codec<kActivationRecoveryState, std::optional<ActivationRecovery>>},
    {"aggregate-participant-vector",
     &by_codec<kAggregateParticipants, std::vector<AggregateParticipant>>},
    {"maintenance-aggregate-v1", &inspect_value<MaintenanceAggregate>},
    {"creation-operation-terminal-v1", &inspect_value<CreationOperationTerminal>},
    {"durable:authority-payload-v1", &stored<AuthorityPayload>},
    {"durable:instance-activation-recovery-v1", &stored<InstanceActivationRecovery>},
    {"durable:relocation-data-chunk-v1", &stored<RelocationDataChunk>},
    {"durable:relocation-manifest-v1", &stored<RelocationManifest>},
    // keys (section 11)
    {"authority-key-v1", &inspect_authority_key},
});
// clang-format on

}  // namespace

result<Inspection> inspect(std::string_view type, ByteView bytes, const InspectContext& context) {
    for (const Entry& entry : kEntries) {
        if (entry.type == type) return entry.inspect(bytes, context);
    }
    return Errc::UnknownCommand;
}

std::vector<std::string_view> inspectable_types() {
    std::vector<std::string_view> types;
    for (const Entry& entry : kEntries) types.push_back(entry.type);
    return types;
}

}  // namespace shunt::protocol
