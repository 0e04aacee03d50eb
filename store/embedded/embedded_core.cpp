#include "store/embedded/embedded_core.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "store/checks.hpp"
#include "store/decimal.hpp"

namespace shunt::store {
namespace {

/// How long an expired record keeps its memory, so that a clock stepping back a little finds it
/// alive again as it would in Redis (spec/stores.md section 6.3).
constexpr std::uint64_t kExpiredGraceMs = 60'000;

UnixMillis later(UnixMillis now, std::chrono::milliseconds wait) noexcept {
    const auto wait_ms = static_cast<std::uint64_t>(wait.count());
    if (wait_ms > UINT64_MAX - now.value) return UnixMillis{UINT64_MAX};
    return UnixMillis{now.value + wait_ms};
}

/// Nothing when the sum leaves 0..2^63-1.
std::optional<std::uint64_t> sum_of(std::uint64_t value, std::int64_t delta) noexcept {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(static_cast<std::int64_t>(value), delta, &sum) || sum < 0) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(sum);
}

}  // namespace

const EmbeddedCore::Entry* EmbeddedCore::find_live(std::string_view key, UnixMillis now) const {
    const auto found = rows_.find(key);
    if (found == rows_.end()) return nullptr;
    const Entry& entry = found->second.current;
    if (entry.deleted || (entry.expires_at && *entry.expires_at <= now)) return nullptr;
    return &entry;
}

result<ReadReply> EmbeddedCore::read(const Key& key, UnixMillis now) const {
    BOOST_OUTCOME_TRY(check_key(key));
    const Entry* entry = find_live(key, now);
    if (entry == nullptr) return ReadReply(Missing{now});
    return ReadReply(Found{entry->value, decimal_of(entry->sequence), entry->expires_at, now});
}

bool EmbeddedCore::holds(const Condition& condition, UnixMillis now) const {
    if (const auto* missing = std::get_if<IfMissing>(&condition)) {
        return find_live(missing->key, now) == nullptr;
    }
    if (const auto* version = std::get_if<IfVersion>(&condition)) {
        const Entry* entry = find_live(version->key, now);
        return entry != nullptr && decimal_of(entry->sequence) == version->version;
    }
    const auto& value = std::get<IfValue>(condition);
    const Entry* entry = find_live(value.key, now);
    return entry != nullptr && same_bytes(entry->value, value.value);
}

result<std::variant<std::vector<EmbeddedChange>, OutOfRange>> EmbeddedCore::changes_of(
    const Batch& batch, UnixMillis now) const {
    std::vector<EmbeddedChange> changes;
    changes.reserve(batch.mutations.size());
    std::uint64_t sequence = sequence_;
    for (const Mutation& mutation : batch.mutations) {
        EmbeddedChange change;
        change.sequence = ++sequence;
        if (const auto* put = std::get_if<Put>(&mutation)) {
            change.key = put->key;
            change.value = put->value;
            if (put->retention) change.expires_at = later(now, *put->retention);
        } else if (const auto* add = std::get_if<Add>(&mutation)) {
            const Entry* entry = find_live(add->key, now);
            const std::optional<std::uint64_t> value =
                entry == nullptr ? std::uint64_t{0} : parse_decimal(text_of(entry->value));
            if (!value) return Errc::Corrupt;
            const std::optional<std::uint64_t> sum = sum_of(*value, add->delta);
            if (!sum) return OutOfRange{};
            change.key = add->key;
            change.value = copy_of(bytes_of(decimal_of(*sum)));
        } else {
            change.key = std::get<Delete>(mutation).key;
            change.deleted = true;
        }
        changes.push_back(std::move(change));
    }
    return changes;
}

result<WriteReply> EmbeddedCore::write(const Batch& batch, UnixMillis now) {
    BOOST_OUTCOME_TRY(check_batch(batch));
    close_timed_out_scans(now);
    for (const Condition& condition : batch.conditions) {
        if (!holds(condition, now)) return WriteReply(Conflict{now});
    }
    // Everything the batch does is known, and logged, before the first change: whatever cannot be
    // done must leave the whole batch undone.
    BOOST_OUTCOME_TRY(auto outcome, changes_of(batch, now));
    auto* changes = std::get_if<std::vector<EmbeddedChange>>(&outcome);
    if (changes == nullptr) return WriteReply(OutOfRange{});
    if (log_ != nullptr && !changes->empty()) {
        BOOST_OUTCOME_TRY(log_->before_commit(*changes, now));
    }

    Applied applied{.versions = {}, .sums = {}, .store_now = now};
    for (std::size_t i = 0; i < changes->size(); ++i) {
        EmbeddedChange& change = (*changes)[i];
        if (std::holds_alternative<Put>(batch.mutations[i])) {
            applied.versions.push_back(decimal_of(change.sequence));
        } else if (std::holds_alternative<Add>(batch.mutations[i])) {
            const auto sum = parse_decimal(text_of(change.value));
            applied.sums.push_back(static_cast<std::int64_t>(*sum));
        }
        restore(std::move(change));
    }
    collect_expired(now);
    return WriteReply(std::move(applied));
}

void EmbeddedCore::restore(EmbeddedChange change) {
    raise_sequence(change.sequence);
    apply(change.key,
          Entry{change.sequence, std::move(change.value), change.expires_at, change.deleted});
}

void EmbeddedCore::apply(const Key& key, Entry&& entry) {
    const auto [at, inserted] = rows_.try_emplace(key);
    Row& row = at->second;
    if (!inserted) {
        if (row.current.expires_at) expiries_.erase({*row.current.expires_at, key});
        row.older.push_back(std::move(row.current));
    }
    row.current = std::move(entry);
    if (row.current.expires_at) expiries_.insert({*row.current.expires_at, key});
    trim(row);
    if (!row.older.empty()) {
        rows_with_history_.insert(key);
    } else if (row.current.deleted) {
        rows_with_history_.erase(key);
        rows_.erase(at);
    }
}

bool EmbeddedCore::watermark_between(std::uint64_t from, std::uint64_t before) const {
    return std::any_of(scans_.begin(), scans_.end(), [&](const auto& scan) {
        return from <= scan.second.watermark && scan.second.watermark < before;
    });
}

void EmbeddedCore::trim(Row& row) const {
    std::vector<Entry> kept;
    for (std::size_t i = 0; i < row.older.size(); ++i) {
        const bool last = i + 1 == row.older.size();
        const std::uint64_t next = last ? row.current.sequence : row.older[i + 1].sequence;
        if (watermark_between(row.older[i].sequence, next)) {
            kept.push_back(std::move(row.older[i]));
        }
    }
    row.older = std::move(kept);
}

void EmbeddedCore::collect_expired(UnixMillis now) {
    if (!scans_.empty()) return;
    while (!expiries_.empty()) {
        const auto first = expiries_.begin();
        if (first->first.value > now.value || now.value - first->first.value < kExpiredGraceMs) {
            return;
        }
        rows_.erase(first->second);
        expiries_.erase(first);
    }
}

std::size_t EmbeddedCore::history_count() const noexcept {
    std::size_t count = 0;
    for (const auto& [key, row] : rows_) count += row.older.size();
    return count;
}

}  // namespace shunt::store
