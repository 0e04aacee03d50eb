#pragma once
// The Location Store as a provider offers it: opaque keys and bytes, three operations (spec/
// stores.md sections 3 and 19.1, design.md decision 16). No provider knows a domain word.
//
// Every call is asynchronous: exactly one completion, never inside the call, on the thread that
// made it. Values move in and out. `deadline` is absolute on the caller's monotonic clock.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "base/unique_function.hpp"

namespace shunt::store {

/// 1..1024 bytes, may hold NUL, compared byte by byte.
using Key = std::string;
/// Opaque; changes with every successful Put or Delete of a key. Compared for equality only.
using Version = std::string;

inline constexpr std::size_t kKeyBytesMax = 1024;
inline constexpr std::size_t kValueBytesMax = 1024 * 1024;
inline constexpr std::size_t kBatchKeysMax = 2048;
inline constexpr std::size_t kBatchBytesMax = 4 * 1024 * 1024;
inline constexpr std::size_t kPageBytesMax = 4 * 1024 * 1024;
inline constexpr std::size_t kPageItemsMax = 1000;

// --- conditions -----------------------------------------------------------------------------

/// True when the key is absent, deleted or expired.
struct IfMissing {
    Key key;
};
/// True when the key is present with exactly this version.
struct IfVersion {
    Key key;
    Version version;
};
/// True when the key is present with exactly these bytes: survives a lease renewal, which changes
/// the version but not the bytes.
struct IfValue {
    Key key;
    Bytes value;
};
using Condition = std::variant<IfMissing, IfVersion, IfValue>;

// --- mutations ------------------------------------------------------------------------------

/// Replaces the value. With `retention` it expires that long after the commit, by store time.
struct Put {
    Key key;
    Bytes value;
    std::optional<std::chrono::milliseconds> retention;
};
struct Delete {
    Key key;
};
/// Adds to a bare decimal (missing = 0) inside the commit; never a condition, so Adds of different
/// batches do not conflict.
struct Add {
    Key key;
    std::int64_t delta = 0;
};
using Mutation = std::variant<Put, Delete, Add>;

/// All conditions hold and all mutations happen as one commit, or nothing changes.
struct Batch {
    std::vector<Condition> conditions;
    std::vector<Mutation> mutations;
};

// --- answers --------------------------------------------------------------------------------

struct Missing {
    UnixMillis store_now;
};
struct Found {
    Bytes value;
    Version version;
    std::optional<UnixMillis> expires_at;
    UnixMillis store_now;
};
using ReadReply = std::variant<Missing, Found>;

struct Applied {
    /// One per Put, in batch order.
    std::vector<Version> versions;
    /// One per Add, in batch order.
    std::vector<std::int64_t> sums;
    UnixMillis store_now;
};
struct Conflict {
    UnixMillis store_now;
};
/// A sum left 0..2^63-1; nothing of the batch was applied.
struct OutOfRange {};
using WriteReply = std::variant<Applied, Conflict, OutOfRange>;

struct ScanItem {
    Key key;
    Found found;
};
struct Page {
    std::vector<ScanItem> items;
    /// Absent on the last page.
    std::optional<std::string> next_cursor;
    UnixMillis store_now;
};
/// The cursor is unknown or timed out: drop what was read and start over.
struct ScanExpired {};
using ScanReply = std::variant<Page, ScanExpired>;

struct ScanRequest {
    std::string prefix;
    std::optional<std::string> cursor;
    std::size_t limit = 100;
};

/// Errors of store calls (spec/stores.md section 19.1).
enum class Errc {
    /// Certainly not applied; retry with back-off inside the deadline.
    Transient = 1,
    /// A write whose effect is unknown: read before retrying.
    Indeterminate,
    /// Certainly not applied, and a retry now will not help.
    Unavailable,
    /// A defect of the caller, found before any I/O.
    InvalidArgument,
    /// The stored bytes break the format; never guessed.
    Corrupt,
};
std::error_code make_error_code(Errc) noexcept;

/// One handle per shard; see the head of this file for threads and completions.
class LocationStore {
  public:
    using ReadDone = UniqueFunction<void(result<ReadReply>)>;
    using WriteDone = UniqueFunction<void(result<WriteReply>)>;
    using ScanDone = UniqueFunction<void(result<ScanReply>)>;

    LocationStore() = default;
    LocationStore(const LocationStore&) = delete;
    LocationStore& operator=(const LocationStore&) = delete;
    virtual ~LocationStore() = default;

    virtual void read(Key key, TimePoint deadline, ReadDone done) = 0;
    virtual void write(Batch batch, TimePoint deadline, WriteDone done) = 0;
    /// Items in unsigned key-byte order; all pages of one scan show the store as it was when the
    /// first page was read.
    virtual void scan(ScanRequest request, TimePoint deadline, ScanDone done) = 0;
};

}  // namespace shunt::store

template <>
struct std::is_error_code_enum<shunt::store::Errc> : std::true_type {};
