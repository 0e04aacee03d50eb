#include "protocol/command_record.hpp"

#include <array>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/assert.hpp"
#include "protocol/command_layout.hpp"
#include "protocol/errc.hpp"
#include "protocol/reader.hpp"
#include "protocol/writer.hpp"

namespace shunt::protocol {
namespace {

constexpr std::uint8_t kMagic[] = {0x5A, 0x4D};
constexpr std::uint8_t kMajor = 1;
constexpr std::size_t kHeadPrefixBytes = 5;

// --- encoding ---------------------------------------------------------------------------------

template <class T>
constexpr bool kHasBoundSession = requires(const T& command) {
    command.bound_session;
};

/// Section 15.1: a reply or relay that is not ok carries no payload.
template <class T>
bool may_carry_payload(const T& command) {
    if constexpr (requires { command.terminal_result; }) {
        return command.terminal_result == RequestTerminalResult::Ok;
    } else {
        return true;
    }
}

template <class T>
std::uint8_t flags_of(const T& command, bool has_metadata) {
    std::uint8_t flags = has_metadata ? command_flag::kMetadata : std::uint8_t{0};
    if constexpr (kHasBoundSession<T>) {
        if (command.bound_session) flags |= command_flag::kBoundSession;
    }
    return flags;
}

template <class T>
OutPart encode_part(const T& value) {
    Writer writer(measure(value).copied_bytes());
    encode(writer, value);
    return std::move(writer).take_part();
}

template <class T>
OutPart encode_head(const T& command, std::uint8_t flags) {
    Writer writer(kHeadPrefixBytes + measure(command).copied_bytes());
    for (const std::uint8_t byte : kMagic) writer.integer(byte);
    writer.integer(kMajor);
    writer.integer(static_cast<std::uint8_t>(info(Of<T>{}).id));
    writer.integer(flags);
    encode(writer, command);
    return std::move(writer).take_part();
}

// --- decoding ---------------------------------------------------------------------------------

struct Head {
    std::uint8_t command = 0;
    std::uint8_t flags = 0;
};

result<Head> read_head(Reader& reader) {
    if (reader.left() < kHeadPrefixBytes) return Errc::TruncatedField;
    BOOST_OUTCOME_TRY(const ByteView prefix, reader.take(kHeadPrefixBytes));
    const auto at = [&](std::size_t i) { return std::to_integer<std::uint8_t>(prefix[i]); };
    if (at(0) != kMagic[0] || at(1) != kMagic[1]) return Errc::InvalidMagic;
    if (at(2) != kMajor) return Errc::UnsupportedMajor;
    return Head{.command = at(3), .flags = at(4)};
}

result<void> check_flags(std::uint8_t flags, const CommandInfo& command) {
    if ((flags & ~command.flags_allowed) != 0) return Errc::ForbiddenFlag;
    const auto bound = static_cast<std::uint8_t>(flags & command_flag::kBoundSession);
    if (bound != 0 && bound != command_flag::kBoundSession) return Errc::ForbiddenFlag;
    return outcome::success();
}

/// The tail alternative of a reply to `operation`; its content is read only if the result is ok.
ReplyTail tail_for(MeshOperationKind operation) {
    using K = MeshOperationKind;
    if (operation == K::ActorLookup) return ActorLookupTail{};
    if (operation == K::ActorJoin) return ActorJoinTail{};
    if (operation == K::StreamBind) return StreamBindTail{};
    if (operation == K::UserSpotCreate) return UserSpotCreateTail{};
    if (operation == K::UserSpotClose) return UserSpotCloseTail{};
    if (operation == K::ActorCreate) return ActorCreateTail{};
    return NoTail{};
}

/// An empty command with what its layout cannot learn from the body: whether the flags announce a
/// session tail, which tail a reply has.
template <class T>
T prepared(std::uint8_t flags, const DecodeContext& context) {
    T command;
    if constexpr (kHasBoundSession<T>) {
        if ((flags & command_flag::kBoundSession) != 0) command.bound_session.emplace();
    }
    if constexpr (std::is_same_v<T, Reply>) command.tail = tail_for(context.original_operation);
    return command;
}

result<void> decode_frames(std::span<const ByteView> frames, std::uint8_t flags,
                           PayloadFrame payload_rule, DecodedRecord& decoded) {
    const std::size_t metadata_count = (flags & command_flag::kMetadata) != 0 ? 1 : 0;
    const std::size_t least = metadata_count + (payload_rule == PayloadFrame::Required ? 1 : 0);
    const std::size_t most = metadata_count + (payload_rule == PayloadFrame::Forbidden ? 0 : 1);
    if (frames.size() < least || frames.size() > most) return Errc::FrameCount;
    if (metadata_count == 1) {
        BOOST_OUTCOME_TRY(decoded.metadata, decode_metadata(frames.front()));
    }
    if (frames.size() > metadata_count) {
        BOOST_OUTCOME_TRY(decoded.payload, decode_typed_payload(frames.back()));
    }
    return outcome::success();
}

template <class T>
result<DecodedRecord> decode_as(Reader& reader, std::uint8_t flags, const InRecord& record,
                                const DecodeContext& context) {
    BOOST_OUTCOME_TRY(check_flags(flags, info(Of<T>{})));
    T command = prepared<T>(flags, context);
    BOOST_OUTCOME_TRY(decode(reader, command));
    BOOST_OUTCOME_TRY(reader.finish());

    DecodedRecord decoded;
    BOOST_OUTCOME_TRY(
        decode_frames(record.parts.subspan(1), flags, info(Of<T>{}).payload, decoded));
    BOOST_OUTCOME_TRY(validate(command));
    if (decoded.payload && !may_carry_payload(command)) return Errc::Semantic;
    if constexpr (std::is_same_v<T, RelocationData>) {
        const auto record_bytes = static_cast<std::size_t>(measure(command.record).total_bytes());
        decoded.frozen_record_bytes = record.parts.front().last(record_bytes);
    }
    decoded.command = std::move(command);
    return decoded;
}

using DecodeFn = result<DecodedRecord> (*)(Reader&, std::uint8_t, const InRecord&,
                                           const DecodeContext&);

/// One known command, found by its byte.
struct Entry {
    DecodeFn decode = nullptr;
    std::string_view name;
};

template <class... Commands>
constexpr std::array<Entry, 256> entries_of(Of<std::variant<Commands...>>) {
    std::array<Entry, 256> entries{};
    ((entries[static_cast<std::size_t>(info(Of<Commands>{}).id)] =
          Entry{&decode_as<Commands>, info(Of<Commands>{}).name}),
     ...);
    return entries;
}
constexpr auto kEntries = entries_of(Of<Command>{});

}  // namespace

template <class T>
OutRecord encode_record(const T& command, const TypedPayload* payload, const Metadata* metadata) {
    constexpr CommandInfo kInfo = info(Of<T>{});
    SHUNT_ASSERT(payload != nullptr || kInfo.payload != PayloadFrame::Required);
    SHUNT_ASSERT(payload == nullptr || kInfo.payload != PayloadFrame::Forbidden);
    SHUNT_ASSERT(payload == nullptr || may_carry_payload(command));
    SHUNT_ASSERT(metadata == nullptr || (kInfo.flags_allowed & command_flag::kMetadata) != 0);

    OutRecord record;
    record.leg = kInfo.leg;
    record.parts.push_back(encode_head(command, flags_of(command, metadata != nullptr)));
    if (metadata != nullptr) record.parts.push_back(encode_part(*metadata));
    if (payload != nullptr) record.parts.push_back(encode_part(*payload));
    return record;
}

result<DecodedRecord> decode_record(const InRecord& record, const DecodeContext& context) {
    if (record.parts.empty()) return Errc::TruncatedField;
    Reader reader(record.parts.front());
    BOOST_OUTCOME_TRY(const Head head, read_head(reader));
    const Entry& entry = kEntries[head.command];
    if (entry.decode == nullptr) return Errc::UnknownCommand;
    return entry.decode(reader, head.flags, record, context);
}

result<CommandId> peek_command(const InRecord& record) noexcept {
    if (record.parts.empty()) return Errc::TruncatedField;
    Reader reader(record.parts.front());
    BOOST_OUTCOME_TRY(const Head head, read_head(reader));
    if (kEntries[head.command].decode == nullptr) return Errc::UnknownCommand;
    return static_cast<CommandId>(head.command);
}

CommandId id_of(const Command& command) noexcept {
    return std::visit([]<class T>(const T& /*command*/) { return info(Of<T>{}).id; }, command);
}

std::string_view name_of(CommandId id) noexcept {
    return kEntries[static_cast<std::size_t>(id)].name;
}

template OutRecord encode_record(const Hello&, const TypedPayload*, const Metadata*);
template OutRecord encode_record(const Admit&, const TypedPayload*, const Metadata*);
template OutRecord encode_record(const Reject&, const TypedPayload*, const Metadata*);
template OutRecord encode_record(const Update&, const TypedPayload*, const Metadata*);
template OutRecord encode_record(const LivenessProbe&, const TypedPayload*, const Metadata*);
template OutRecord encode_record(const LivenessAck&, const TypedPayload*, const Metadata*);
template OutRecord encode_record(const Reply&, const TypedPayload*, const Metadata*);
template OutRecord encode_record(const ActorSend&, const TypedPayload*, const Metadata*);
template OutRecord encode_record(const ActorRequest&, const TypedPayload*, const Metadata*);
template OutRecord encode_record(const ReplyRelay&, const TypedPayload*, const Metadata*);
template OutRecord encode_record(const ReplyRelayAck&, const TypedPayload*, const Metadata*);
template OutRecord encode_record(const MessageFollow&, const TypedPayload*, const Metadata*);
template OutRecord encode_record(const RelocationPrepare&, const TypedPayload*, const Metadata*);
template OutRecord encode_record(const RelocationReady&, const TypedPayload*, const Metadata*);
template OutRecord encode_record(const RelocationFailed&, const TypedPayload*, const Metadata*);
template OutRecord encode_record(const RelocationState&, const TypedPayload*, const Metadata*);
template OutRecord encode_record(const RelocationData&, const TypedPayload*, const Metadata*);
template OutRecord encode_record(const EncodedRelocationData&, const TypedPayload*,
                                 const Metadata*);
template OutRecord encode_record(const RelocationCutover&, const TypedPayload*, const Metadata*);

}  // namespace shunt::protocol
