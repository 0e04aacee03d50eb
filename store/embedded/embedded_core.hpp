#pragma once
// The embedded Location Store as a plain data structure (spec/stores.md sections 3 and 19.3): one
// ordered map, no lock, no clock of its own. EmbeddedStore puts a mutex and the system clock around
// it; the simulator puts its own clock and faults around it.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "store/location_store.hpp"

namespace shunt::store {

/// What one mutation did to one key.
struct EmbeddedChange {
    Key key;
    std::uint64_t sequence = 0;  // Its decimal text is the Version.
    Bytes value;
    std::optional<UnixMillis> expires_at;
    bool deleted = false;
    bool operator==(const EmbeddedChange&) const = default;
};

/// Told about every commit before it happens; an error leaves the store as it was and is what the
/// write answers. Journal is one.
class EmbeddedCommitLog {
  public:
    virtual ~EmbeddedCommitLog() = default;
    [[nodiscard]] virtual result<void> before_commit(const std::vector<EmbeddedChange>& changes,
                                                     UnixMillis now) = 0;
};

/// Every operation is complete when it returns. `now` is StoreNow: the caller's wall clock, which
/// may step either way; it decides expiry and nothing else. One thread at a time.
class EmbeddedCore {
  public:
    /// `instance` marks this store's scan cursors, so that another store's cursor is foreign.
    explicit EmbeddedCore(std::uint64_t instance = 0) : instance_(instance) {}

    /// Errors: InvalidArgument.
    [[nodiscard]] result<ReadReply> read(const Key& key, UnixMillis now) const;

    /// Errors: InvalidArgument; Corrupt when an Add meets a value that is no bare decimal. Nothing
    /// of the batch has happened then, nor after Conflict or OutOfRange.
    [[nodiscard]] result<WriteReply> write(const Batch& batch, UnixMillis now);

    /// A cursor may be used again until its scan ends or the lease of 300 s since its last page
    /// runs out, so a lost page can be asked for once more. Errors: InvalidArgument.
    [[nodiscard]] result<ScanReply> scan(const ScanRequest& request, UnixMillis now);

    /// `log`, which must outlive this object, hears of every commit from now on.
    void set_commit_log(EmbeddedCommitLog* log) noexcept { log_ = log; }
    /// Makes a change of an earlier life happen again; those of one key in their order.
    void restore(EmbeddedChange change);
    /// Calls `take` with the changes that would restore the live rows, in key order. The last
    /// sequence is not always among them: see last_sequence().
    template <class Take>
    void for_each_live(UnixMillis now, Take take) const {
        for (const auto& [key, row] : rows_) {
            const Entry& entry = row.current;
            if (entry.deleted || (entry.expires_at && *entry.expires_at <= now)) continue;
            take(EmbeddedChange{key, entry.sequence, entry.value, entry.expires_at, false});
        }
    }
    std::uint64_t last_sequence() const noexcept { return sequence_; }
    /// Versions issued from now on lie above `sequence`.
    void raise_sequence(std::uint64_t sequence) noexcept {
        if (sequence > sequence_) sequence_ = sequence;
    }

    /// Keys that take memory: live ones, and dead ones an open scan or the clock still needs.
    std::size_t row_count() const noexcept { return rows_.size(); }
    /// Superseded values kept for open scans.
    std::size_t history_count() const noexcept;

  private:
    /// One write of one key.
    struct Entry {
        std::uint64_t sequence = 0;  // Its decimal text is the Version.
        Bytes value;
        std::optional<UnixMillis> expires_at;
        bool deleted = false;
    };
    /// `older` is empty unless an open scan still reads one of those entries.
    struct Row {
        Entry current;
        std::vector<Entry> older;
    };
    struct OpenScan {
        std::uint64_t watermark = 0;  // The snapshot: every entry up to this sequence.
        UnixMillis taken_at;
        UnixMillis lease_end;
        std::string prefix;
    };
    using Rows = std::map<Key, Row, std::less<>>;

    const Entry* find_live(std::string_view key, UnixMillis now) const;
    bool holds(const Condition& condition, UnixMillis now) const;
    void apply(const Key& key, Entry&& entry);
    void trim(Row& row) const;
    bool watermark_between(std::uint64_t from, std::uint64_t before) const;
    void close_scan(std::uint64_t id);
    void close_timed_out_scans(UnixMillis now);
    void collect_expired(UnixMillis now);
    static const Entry* entry_at(const Row& row, const OpenScan& scan);

    Page read_page(const OpenScan& scan, std::string_view after, std::size_t limit, UnixMillis now,
                   std::optional<Key>& resume_after) const;
    std::string cursor_text(std::uint64_t scan_id, std::string_view last_key) const;
    std::optional<std::pair<std::uint64_t, std::string_view>> parse_cursor(
        std::string_view cursor) const;

    /// What the mutations would do, with sequences from the next one on; an error when one cannot.
    result<std::variant<std::vector<EmbeddedChange>, OutOfRange>> changes_of(const Batch& batch,
                                                                             UnixMillis now) const;

    std::uint64_t instance_;
    EmbeddedCommitLog* log_ = nullptr;
    std::uint64_t sequence_ = 0;
    std::uint64_t last_scan_id_ = 0;
    Rows rows_;
    std::map<std::uint64_t, OpenScan> scans_;
    std::set<Key> rows_with_history_;                // Tombstones or older entries to trim.
    std::set<std::pair<UnixMillis, Key>> expiries_;  // Of current entries.
};

}  // namespace shunt::store
