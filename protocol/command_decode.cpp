#include <array>
#include <type_traits>
#include <utility>
#include <variant>

#include "protocol/command_layout.hpp"
#include "protocol/command_record.hpp"
#include "protocol/errc.hpp"
#include "protocol/reader.hpp"

namespace shunt::protocol {
namespace {

constexpr std::size_t kCommandOffset = 3;
constexpr std::size_t kFlagsOffset = 4;

struct Head {
    std::uint8_t command = 0;
    std::uint8_t flags = 0;
};

result<Head> read_head(Reader& reader) {
    const auto refuse = [&](const char* field, std::size_t offset, Errc why) -> result<Head> {
        reader.failed_in(field, offset);
        return why;
    };
    if (reader.left() < kHeadPrefixBytes) return refuse("prefix", 0, Errc::TruncatedField);
    BOOST_OUTCOME_TRY(const ByteView prefix, reader.take(kHeadPrefixBytes));
    const auto at = [&](std::size_t i) { return std::to_integer<std::uint8_t>(prefix[i]); };
    if (at(0) != kRecordMagic[0] || at(1) != kRecordMagic[1]) {
        return refuse("magic", 0, Errc::InvalidMagic);
    }
    if (at(2) != kRecordMajor) return refuse("major", 2, Errc::UnsupportedMajor);
    return Head{.command = at(kCommandOffset), .flags = at(kFlagsOffset)};
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
                           PayloadFrame payload_rule, Fault* fault, DecodedRecord& decoded) {
    const std::size_t metadata_count = (flags & command_flag::kMetadata) != 0 ? 1 : 0;
    const std::size_t least = metadata_count + (payload_rule == PayloadFrame::Required ? 1 : 0);
    const std::size_t most = metadata_count + (payload_rule == PayloadFrame::Forbidden ? 0 : 1);
    if (frames.size() < least || frames.size() > most) return Errc::FrameCount;
    if (metadata_count == 1) {
        if (fault != nullptr) fault->frame = 1;
        BOOST_OUTCOME_TRY(decoded.metadata, decode_metadata(frames.front(), fault));
    }
    if (frames.size() > metadata_count) {
        if (fault != nullptr) fault->frame = frames.size();
        BOOST_OUTCOME_TRY(decoded.payload, decode_typed_payload(frames.back(), fault));
    }
    if (fault != nullptr) fault->frame = 0;
    return outcome::success();
}

template <class T>
result<DecodedRecord> decode_as(Reader& reader, std::uint8_t flags, const InRecord& record,
                                const DecodeContext& context) {
    BOOST_OUTCOME_TRY(reader.named("flags", kFlagsOffset, check_flags(flags, info(Of<T>{}))));
    // In place: the first alternative of Command would be made, with memory, only to be replaced.
    DecodedRecord decoded{.command = prepared<T>(flags, context)};
    T& command = std::get<T>(decoded.command);
    BOOST_OUTCOME_TRY(decode(reader, command));
    BOOST_OUTCOME_TRY(reader.finish());

    BOOST_OUTCOME_TRY(decode_frames(record.parts.subspan(1), flags, info(Of<T>{}).payload,
                                    context.fault, decoded));
    BOOST_OUTCOME_TRY(validate(command));
    if (decoded.payload && !may_carry_payload(command)) return Errc::Semantic;
    if constexpr (std::is_same_v<T, RelocationData>) {
        const auto record_bytes = static_cast<std::size_t>(measure(command.record).total_bytes());
        decoded.frozen_record_bytes = record.parts.front().last(record_bytes);
    }
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

result<DecodedRecord> decode_record(const InRecord& record, const DecodeContext& context) {
    if (record.parts.empty()) return Errc::TruncatedField;
    Reader reader(record.parts.front(), context.fault);
    BOOST_OUTCOME_TRY(const Head head, read_head(reader));
    const Entry& entry = kEntries[head.command];
    if (entry.decode == nullptr) {
        reader.failed_in("command", kCommandOffset);
        return Errc::UnknownCommand;
    }
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

}  // namespace shunt::protocol
