#pragma once
// Bytes of the embedded store's file: a head, then one record per commit, each with its own length
// and CRC-32C. A record is appended and synced before the next one begins, so only the last one can
// be torn by a crash.
//
//     file    = "SHUNTEJ1" record*
//     record  = u32 length, u32 CRC-32C of the payload, payload of that length
//     payload = u64 last sequence, u32 count, change*
//     change  = u16-prefixed key, u64 sequence, bool8 deleted, bool8 has expiry, [u64 expiry ms],
//               u32-prefixed value
//
// Integers are big-endian.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "store/embedded/embedded_core.hpp"

namespace shunt::store {

inline constexpr std::string_view kJournalHead = "SHUNTEJ1";

/// One commit, or a part of a snapshot.
struct JournalRecord {
    /// Every version up to this one has been issued.
    std::uint64_t last_sequence = 0;
    std::vector<EmbeddedChange> changes;
    bool operator==(const JournalRecord&) const = default;
};

Bytes encode_journal_record(const JournalRecord& record);

/// Calls `take` for each record of a whole file and returns the length of the valid part: the rest
/// is one torn append, to be cut off. A file shorter than its head is a torn beginning, length 0.
/// Errors: Errc::Corrupt when it is another kind of file, or when the damage cannot be one torn
/// append because something valid follows it or too much does. `take` may have been called then.
[[nodiscard]] result<std::size_t> read_journal(ByteView file,
                                               const std::function<void(JournalRecord&&)>& take);

}  // namespace shunt::store
