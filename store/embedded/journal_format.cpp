#include "store/embedded/journal_format.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/assert.hpp"
#include "protocol/crc32c.hpp"
#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"

namespace shunt::store {
namespace {

using protocol::Of;

/// A batch of 4 MiB, what surrounds its parts, and the sums of Adds, with room to spare.
constexpr std::uint32_t kPayloadBytesMax = 8 * 1024 * 1024;
constexpr std::size_t kRecordHeadBytes = 4 + 4;

struct Milliseconds {
    template <class Sink>
    void encode(Sink& sink, const UnixMillis& value) const {
        sink.integer(value.value);
    }
    result<void> decode(protocol::Reader& reader, UnixMillis& value) const {
        BOOST_OUTCOME_TRY(value.value, reader.integer<std::uint64_t>());
        return outcome::success();
    }
};

}  // namespace

constexpr auto layout(Of<EmbeddedChange>) {
    using T = EmbeddedChange;
    return protocol::fields(
        protocol::field("key", &T::key,
                        protocol::Text<std::uint16_t, 1, kKeyBytesMax, protocol::Chars::Opaque>{}),
        protocol::field("sequence", &T::sequence), protocol::field("deleted", &T::deleted),
        protocol::flagged("hasExpiry", "expiresAt", &T::expires_at, Milliseconds{}),
        protocol::field("value", &T::value, protocol::Bulk<std::uint32_t>{.max = kValueBytesMax}));
}

constexpr auto layout(Of<JournalRecord>) {
    using T = JournalRecord;
    return protocol::fields(protocol::field("lastSequence", &T::last_sequence),
                            protocol::field("changes", &T::changes,
                                            protocol::list_of<std::uint32_t>(protocol::Nested{})));
}

namespace {

/// The payload of the record that begins `bytes`, when it is whole and undamaged.
std::optional<ByteView> whole_payload(ByteView bytes) {
    protocol::Reader reader(bytes);
    const auto length = reader.integer<std::uint32_t>();
    if (!length || length.value() == 0 || length.value() > kPayloadBytesMax) return std::nullopt;
    const auto checksum = reader.integer<std::uint32_t>();
    if (!checksum) return std::nullopt;
    const auto payload = reader.take(length.value());
    if (!payload || protocol::crc32c(payload.value()) != checksum.value()) return std::nullopt;
    return payload.value();
}

/// Whether what lies here can be the last append, cut short.
bool is_torn_append(ByteView damaged) {
    if (damaged.size() > kRecordHeadBytes + kPayloadBytesMax) return false;
    for (std::size_t at = 1; at < damaged.size(); ++at) {
        const std::optional<ByteView> payload = whole_payload(damaged.subspan(at));
        if (payload && protocol::decode_whole<JournalRecord>(*payload)) return false;
    }
    return true;
}

}  // namespace

Bytes encode_journal_record(const JournalRecord& record) {
    protocol::Writer body;
    protocol::encode(body, record);
    const Bytes payload = flatten(std::move(body).take_segments());
    SHUNT_ASSERT(payload.size() <= kPayloadBytesMax);
    protocol::Writer writer(kRecordHeadBytes + payload.size());
    writer.integer(static_cast<std::uint32_t>(payload.size()));
    writer.integer(protocol::crc32c(payload));
    writer.copy(payload);
    return flatten(std::move(writer).take_segments());
}

result<std::size_t> read_journal(ByteView file, const std::function<void(JournalRecord&&)>& take) {
    const std::string_view head = text_of(file.first(std::min(file.size(), kJournalHead.size())));
    if (head != kJournalHead.substr(0, head.size())) return Errc::Corrupt;
    if (head.size() < kJournalHead.size()) return std::size_t{0};

    std::size_t at = kJournalHead.size();
    while (at < file.size()) {
        const std::optional<ByteView> payload = whole_payload(file.subspan(at));
        if (!payload) {
            if (!is_torn_append(file.subspan(at))) return Errc::Corrupt;
            return at;
        }
        result<JournalRecord> record = protocol::decode_whole<JournalRecord>(*payload);
        // A right checksum over a wrong layout was written by something else.
        if (!record) return Errc::Corrupt;
        take(std::move(record.value()));
        at += kRecordHeadBytes + payload->size();
    }
    return at;
}

}  // namespace shunt::store
