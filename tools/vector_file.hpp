#pragma once
// Files of wire vectors as spec/wire.md section 16 describes them: JSON with one vector per
// encoding, accepted ones with their fields and refused ones with their category.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace shunt::tools {

/// One vector; which members are filled depends on `kind`.
struct WireVector {
    std::string name;
    /// command, type, logical; other kinds are of other formats.
    std::string kind;
    /// Of the layout, the command or the scenario; empty for a refused command.
    std::string type;
    Bytes bytes;
    /// Kind `command`: every frame of the record.
    std::vector<Bytes> frames;
    bool accepted = true;
    /// Category of a refused one.
    std::string error;
    /// Context: the operation a reply answers, and an admitted payload limit.
    std::string original_operation;
    std::optional<std::uint32_t> payload_bytes_max{};
    /// Scenarios: the records they are made of.
    Bytes prepare;
    std::vector<Bytes> chunks;
    std::vector<Bytes> records;
    /// The field tree of an accepted vector as JSON text, or "null".
    std::string decoded;
};

struct VectorFile {
    std::string format;
    std::vector<WireVector> vectors;
};

/// Reads one file. Errc::InputUnreadable or Errc::InputMalformed, then with a sentence in `why`.
result<VectorFile> read_vector_file(const std::string& path, std::string* why);

}  // namespace shunt::tools
