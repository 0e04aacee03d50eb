#pragma once
// A record while it is inside the simulated network: its own copy of every byte, taken when it was
// sent, and lent to the receiver in buffers that turn to poison when the call ends. What a host
// keeps beyond the borrow shows up as garbage (or as an ASan report) instead of working by chance.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/bytes.hpp"
#include "protocol/record.hpp"

namespace shunt::sim {

inline constexpr std::byte kPoison{0xDD};

struct FlatRecord {
    protocol::Leg leg = protocol::Leg::Send;
    std::uint64_t sequence = 0;
    std::vector<Bytes> parts;

    static FlatRecord copy_of(const protocol::OutRecord& record);

    std::size_t size_bytes() const noexcept;
    /// Over leg, sequence and every byte.
    std::uint64_t hash() const noexcept;
};

/// True when `record` still reads as it did when `copy` was taken.
bool same_record(const FlatRecord& copy, const protocol::OutRecord& record);

/// Keeps returned buffers, poisoned, for a while: a view that outlived its borrow reads poison
/// rather than the next record that got the same memory.
class Graveyard {
  public:
    void bury(FlatRecord&& record, std::vector<ByteView>&& views);

  private:
    struct Grave {
        FlatRecord record;
        std::vector<ByteView> views;
    };
    std::deque<Grave> graves_;
};

/// Lends `record` to `receive` (called with an InRecord) for that call only.
template <class Receive>
void lend(FlatRecord&& record, Graveyard& graveyard, Receive&& receive) {
    std::vector<ByteView> views(record.parts.begin(), record.parts.end());
    receive(protocol::InRecord{record.leg, record.sequence, views});
    graveyard.bury(std::move(record), std::move(views));
}

}  // namespace shunt::sim
