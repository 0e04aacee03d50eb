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

result<ByteView> open_durable(const DurableFormat& format, ByteView bytes, Fault* fault) {
    if (bytes.size() > format.bytes_max) return Errc::LimitExceeded;
    Reader reader(bytes, fault);
    const std::size_t size = format.magic.size();
    const result<ByteView> magic = reader.take(size);
    const auto version = reader.integer<std::uint8_t>();
    const auto flags = reader.integer<std::uint16_t>();
    if (!magic || !version || !flags) {
        reader.failed_in("header", 0);
        return Errc::TruncatedField;
    }
    if (text_of(magic.value()) != format.magic || version.value() != kFormatVersion ||
        flags.value() != kFlags) {
        reader.failed_in("header", 0);
        return Errc::InvalidHeader;
    }
    BOOST_OUTCOME_TRY(const auto body_bytes, reader.integer<std::uint32_t>());
    const std::size_t body_at = reader.offset();
    const result<ByteView> body = reader.take(body_bytes);
    if (body.has_error()) {
        reader.failed_in("body", body_at);
        return body.error();
    }
    const ByteView covered = bytes.first(reader.offset());
    const auto checksum = reader.integer<std::uint32_t>();
    if (checksum.has_error()) {
        reader.failed_in("checksum", covered.size());
        return checksum.error();
    }
    BOOST_OUTCOME_TRY(reader.finish());
    if (crc32c(covered) != checksum.value()) {
        reader.failed_in("checksum", covered.size());
        return Errc::ChecksumMismatch;
    }
    return bytes.subspan(kLengthOffset);
}

template <class T>
Bytes encode_durable(const T& value) {
    return seal_durable(durable_format(Of<T>{}), encode_body(value));
}

template <class T>
result<T> decode_durable(ByteView bytes, Fault* fault) {
    BOOST_OUTCOME_TRY(const ByteView from_length,
                      open_durable(durable_format(Of<T>{}), bytes, fault));
    Reader reader(from_length, fault);
    T value;
    BOOST_OUTCOME_TRY(const Reader::Scope scope, reader.open<std::uint32_t>());
    const result<void> status = reader.leave(scope, decode(reader, value));
    if (status.has_error() && fault != nullptr) fault->offset_bytes += kLengthOffset;
    BOOST_OUTCOME_TRY(status);
    BOOST_OUTCOME_TRY(validate(value));
    return value;
}

#define SHUNT_DURABLE(T)                     \
    template Bytes encode_durable(const T&); \
    template result<T> decode_durable<T>(ByteView, Fault*);
SHUNT_DURABLE(AuthorityPayload)
SHUNT_DURABLE(InstanceActivationRecovery)
SHUNT_DURABLE(RelocationDataChunk)
SHUNT_DURABLE(RelocationManifest)
#undef SHUNT_DURABLE

}  // namespace shunt::protocol
