#pragma once
// The envelope of stored values: magic, version, flags, length, body, checksum (spec/wire.md
// section 10). Which values are stored so is declared by durable_format(Of<T>), next to a layout.

#include <cstddef>
#include <string_view>
#include <utility>

#include "base/assert.hpp"
#include "base/bytes.hpp"
#include "base/result.hpp"
#include "protocol/fault.hpp"
#include "protocol/of.hpp"

namespace shunt::protocol {

struct DurableFormat {
    std::string_view magic;  // 4 bytes
    /// Of the complete encoding.
    std::size_t bytes_max;
};

inline constexpr std::size_t kDurableHeaderBytes = 4 + 1 + 2 + 4;
inline constexpr std::size_t kDurableTrailerBytes = 4;

/// Header and checksum around a body.
Bytes seal_durable(const DurableFormat& format, ByteView body);

/// Checks everything but the body and lends `bytes` from the body's length on, checksum included:
/// a body is read inside the scope of its length. Errors: LimitExceeded, TruncatedField,
/// InvalidHeader, TrailingByte, ChecksumMismatch.
result<ByteView> open_durable(const DurableFormat& format, ByteView bytes, Fault* fault = nullptr);

/// The stored form of a value; T has a layout and a durable_format.
template <class T>
Bytes encode_durable(const T& value);

/// Reads a stored value, with its rules; `fault` learns where it fails. Errors: those of
/// open_durable() and of the layout.
template <class T>
result<T> decode_durable(ByteView bytes, Fault* fault = nullptr);

}  // namespace shunt::protocol
