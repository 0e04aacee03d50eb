#pragma once
// Bytes of the wire written and read by hand, field after field as spec/wire.md lists them: what a
// peer needs that knows nothing of protocol/. A reader that runs out fails its test and reads
// zeros.

#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/bytes.hpp"

namespace shunt::wire_test {

class ScriptWriter {
  public:
    ScriptWriter& number(std::uint64_t value, unsigned width) {
        for (unsigned left = width; left > 0; --left) {
            bytes_.push_back(static_cast<std::byte>(value >> (8 * (left - 1))));
        }
        return *this;
    }
    ScriptWriter& u8(std::uint64_t value) { return number(value, 1); }
    ScriptWriter& u16(std::uint64_t value) { return number(value, 2); }
    ScriptWriter& u32(std::uint64_t value) { return number(value, 4); }
    ScriptWriter& u64(std::uint64_t value) { return number(value, 8); }
    ScriptWriter& raw(std::string_view text) {
        for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
        return *this;
    }
    ScriptWriter& raw(ByteView bytes) { return raw(text_of(bytes)); }
    /// A short text or a routing id.
    ScriptWriter& text8(std::string_view text) { return u8(text.size()).raw(text); }
    ScriptWriter& text16(std::string_view text) { return u16(text.size()).raw(text); }
    ScriptWriter& blob32(ByteView bytes) { return u32(bytes.size()).raw(bytes); }
    /// What another writer holds behind a length of `width` bytes.
    ScriptWriter& body(const ScriptWriter& content, unsigned width) {
        return number(content.bytes_.size(), width).raw(content.bytes_);
    }

    const Bytes& bytes() const noexcept { return bytes_; }

  private:
    Bytes bytes_;
};

class ScriptReader {
  public:
    explicit ScriptReader(ByteView bytes) : bytes_(bytes) {}

    std::uint64_t number(unsigned width) {
        std::uint64_t value = 0;
        for (const std::byte b : raw(width)) value = value << 8U | std::to_integer<unsigned>(b);
        return value;
    }
    std::uint64_t u8() { return number(1); }
    std::uint64_t u16() { return number(2); }
    std::uint64_t u32() { return number(4); }
    std::uint64_t u64() { return number(8); }
    std::string text8() { return std::string(text_of(raw(u8()))); }
    std::string text16() { return std::string(text_of(raw(u16()))); }
    ByteView raw(std::uint64_t size) {
        if (size > bytes_.size()) {
            ADD_FAILURE() << "the bytes end early";
            bytes_ = {};
            return {};
        }
        const ByteView taken = bytes_.first(size);
        bytes_ = bytes_.subspan(size);
        return taken;
    }
    ByteView left() const noexcept { return bytes_; }

  private:
    ByteView bytes_;
};

/// CRC-32C bit by bit (section 12).
inline std::uint32_t script_crc32c(ByteView bytes) {
    std::uint32_t crc = 0xFFFFFFFF;
    for (const std::byte b : bytes) {
        crc ^= std::to_integer<std::uint32_t>(b);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
    }
    return ~crc;
}

}  // namespace shunt::wire_test
