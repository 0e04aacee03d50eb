#pragma once
// Where reading bytes failed: what a log line and `shunt decode` say beside the category
// (spec/wire.md section 14). Decoders fill it only for a caller who asks.

#include <cstddef>
#include <string>

namespace shunt::protocol {

/// Reported from the innermost field outwards, so the path grows to the left.
struct Fault {
    /// Frame of the record; 0 for what is no record.
    std::size_t frame = 0;
    /// Where in that frame the field starts.
    std::size_t offset_bytes = 0;
    /// The field by the names of spec/wire.md (`object.actor.actorId`). Empty when no single field
    /// is at fault: bytes left over, a rule over the whole value.
    std::string field{};

    /// The part called `name` that starts at `start` could not be read. A part without a name lends
    /// its place only.
    void within(const char* name, std::size_t start);
    /// The same for an item of a list.
    void within_item(std::size_t index, std::size_t start);
    /// This part is to blame whatever was reported inside it.
    void blame(const char* name, std::size_t start);

  private:
    void place(std::size_t start);

    bool placed_ = false;
};

}  // namespace shunt::protocol
