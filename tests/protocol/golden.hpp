#pragma once
// The published golden vectors (spec/wire.md section 16), where they are at hand: the directory
// named by SHUNT_SHARED, or `../shared` beside the source tree. Without them the tests that ask
// print one line and pass; fixtures/wire/ holds our own.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "protocol/errc.hpp"

namespace shunt::protocol::test {

/// One vector; which fields are filled depends on `kind`.
struct Vector {
    std::string format;
    std::string name;
    std::string kind;  // command, type, logical
    std::string type;  // of the layout or command; empty for a rejected command
    Bytes bytes;
    /// Kind `command`: every frame of the record.
    std::vector<Bytes> frames;
    /// Category of a rejected vector, empty for an accepted one.
    std::string error;
    std::string original_operation;
    /// Scenarios: the records they are made of.
    Bytes prepare;
    std::vector<Bytes> chunks;
    std::vector<Bytes> records;
    /// The field tree of an accepted vector as JSON text, or "null".
    std::string decoded;

    bool accepted() const noexcept { return error.empty(); }
};

/// Every vector of one file (`reply-v1`); nothing when the golden files are not there.
std::vector<Vector> golden(std::string_view format);

/// Bytes of a string of hex digits.
Bytes unhex(std::string_view hex);
std::string hex(ByteView bytes);

/// The category that `code` is, as the vectors spell it.
std::string category_of(std::error_code code);

}  // namespace shunt::protocol::test
