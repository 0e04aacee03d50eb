#include "protocol/durable.hpp"

#include "protocol/crc32c.hpp"
#include "protocol/durable_layout.hpp"
#include "protocol/errc.hpp"
#include "protocol/reader.hpp"
#include "protocol/writer.hpp"

namespace shunt::protocol {
namespace {

constexpr std::uint8_t kFormatVersion = 1;
constexpr std::uint16_t kFlags = 0;
constexpr std::size_t kLengthOffset = 4 + 1 + 2;

template <class T>
Bytes encode_body(const T& value) {
    Writer writer(static_cast<std::size_t>(measure(value).total_bytes()));
    encode(writer, value);
    return flatten(std::move(writer).take_segments());
}

}  // namespace

Bytes seal_durable(const DurableFormat& format, ByteView body) {
    SHUNT_ASSERT(body.size() <= format.bytes_max - kDurableHeaderBytes - kDurableTrailerBytes);
    Writer writer(kDurableHeaderBytes + body.size() + kDurableTrailerBytes);
    writer.copy(bytes_of(format.magic));
    writer.integer(kFormatVersion);
    writer.integer(kFlags);
    writer.integer(static_cast<std::uint32_t>(body.size()));
    writer.copy(body);
    Bytes sealed = std::move(writer).take_part().head;
    Writer trailer;
    trailer.integer(crc32c(sealed));
    const Bytes checksum = std::move(trailer).take_part().head;
    sealed.insert(sealed.end(), checksum.begin(), checksum.end());
    return sealed;
}

result<ByteView> open_durable(const DurableFormat& format, ByteView bytes) {
    if (bytes.size() > format.bytes_max) return Errc::LimitExceeded;
    Reader reader(bytes);
    BOOST_OUTCOME_TRY(const ByteView magic, reader.take(format.magic.size()));
    BOOST_OUTCOME_TRY(const auto version, reader.integer<std::uint8_t>());
    BOOST_OUTCOME_TRY(const auto flags, reader.integer<std::uint16_t>());
    if (text_of(magic) != format.magic || version != kFormatVersion || flags != kFlags) {
        return Errc::InvalidHeader;
    }
    BOOST_OUTCOME_TRY(const auto body_bytes, reader.integer<std::uint32_t>());
    BOOST_OUTCOME_TRY(reader.take(body_bytes));
    const ByteView covered = bytes.first(reader.offset());
    BOOST_OUTCOME_TRY(const auto checksum, reader.integer<std::uint32_t>());
    BOOST_OUTCOME_TRY(reader.finish());
    if (crc32c(covered) != checksum) return Errc::ChecksumMismatch;
    return bytes.subspan(kLengthOffset);
}

template <class T>
Bytes encode_durable(const T& value) {
    return seal_durable(durable_format(Of<T>{}), encode_body(value));
}

template <class T>
result<T> decode_durable(ByteView bytes) {
    BOOST_OUTCOME_TRY(const ByteView from_length, open_durable(durable_format(Of<T>{}), bytes));
    Reader reader(from_length);
    BOOST_OUTCOME_TRY(const auto body_bytes, reader.integer<std::uint32_t>());
    T value;
    const Reader::Scope scope = reader.enter(body_bytes);
    BOOST_OUTCOME_TRY(reader.leave(scope, decode(reader, value)));
    BOOST_OUTCOME_TRY(validate(value));
    return value;
}

#define SHUNT_DURABLE(T)                     \
    template Bytes encode_durable(const T&); \
    template result<T> decode_durable<T>(ByteView);
SHUNT_DURABLE(AuthorityPayload)
SHUNT_DURABLE(InstanceActivationRecovery)
SHUNT_DURABLE(RelocationDataChunk)
SHUNT_DURABLE(RelocationManifest)
#undef SHUNT_DURABLE

}  // namespace shunt::protocol
