// Snapshot scans of the embedded store: a scan is a watermark, and entries it still reads are kept
// until it ends (spec/stores.md section 6.3 does the same in Redis).

#include <charconv>
#include <utility>

#include "base/assert.hpp"
#include "store/checks.hpp"
#include "store/decimal.hpp"
#include "store/embedded/embedded_core.hpp"

namespace shunt::store {
namespace {

/// Scan snapshot lease, extended by every page (spec/stores.md section 18).
constexpr std::uint64_t kScanLeaseMs = 300'000;

constexpr char kCursorSeparator = ':';

}  // namespace

result<ScanReply> EmbeddedCore::scan(const ScanRequest& request, UnixMillis now) {
    BOOST_OUTCOME_TRY(check_scan(request));
    close_timed_out_scans(now);

    std::optional<Key> resume_after;
    const UnixMillis lease_end{now.value + kScanLeaseMs};
    if (!request.cursor) {
        OpenScan opening{sequence_, now, lease_end, request.prefix};
        Page page = read_page(opening, {}, request.limit, now, resume_after);
        // A scan that fits one page is over before anything can change under it.
        if (resume_after) {
            const std::uint64_t id = ++last_scan_id_;
            scans_.emplace(id, std::move(opening));
            page.next_cursor = cursor_text(id, *resume_after);
        }
        return ScanReply(std::move(page));
    }

    const auto position = parse_cursor(*request.cursor);
    if (!position) return ScanReply(ScanExpired{});
    const auto found = scans_.find(position->first);
    if (found == scans_.end() || found->second.prefix != request.prefix) {
        return ScanReply(ScanExpired{});
    }
    found->second.lease_end = lease_end;
    Page page = read_page(found->second, position->second, request.limit, now, resume_after);
    if (resume_after) {
        page.next_cursor = cursor_text(position->first, *resume_after);
    } else {
        close_scan(position->first);
    }
    return ScanReply(std::move(page));
}

const EmbeddedCore::Entry* EmbeddedCore::entry_at(const Row& row, const OpenScan& scan) {
    const Entry* entry = nullptr;
    if (row.current.sequence <= scan.watermark) {
        entry = &row.current;
    } else {
        for (const Entry& older : row.older) {
            if (older.sequence <= scan.watermark) entry = &older;
        }
    }
    if (entry == nullptr || entry->deleted) return nullptr;
    if (entry->expires_at && *entry->expires_at <= scan.taken_at) return nullptr;
    return entry;
}

Page EmbeddedCore::read_page(const OpenScan& scan, std::string_view after, std::size_t limit,
                             UnixMillis now, std::optional<Key>& resume_after) const {
    Page page{.items = {}, .next_cursor = {}, .store_now = now};
    std::size_t page_bytes = 0;
    auto at = after.empty() ? rows_.lower_bound(scan.prefix) : rows_.upper_bound(after);
    for (; at != rows_.end() && at->first.starts_with(scan.prefix); ++at) {
        const Entry* entry = entry_at(at->second, scan);
        if (entry == nullptr) continue;
        std::string version = decimal_of(entry->sequence);
        const std::size_t item_bytes = at->first.size() + entry->value.size() + version.size();
        const bool fits = page.items.empty() || page_bytes + item_bytes <= kPageBytesMax;
        if (page.items.size() == limit || !fits) {
            resume_after = page.items.back().key;
            return page;
        }
        page_bytes += item_bytes;
        page.items.push_back(ScanItem{
            at->first, Found{entry->value, std::move(version), entry->expires_at, scan.taken_at}});
    }
    return page;
}

void EmbeddedCore::close_scan(std::uint64_t id) {
    scans_.erase(id);
    for (auto key = rows_with_history_.begin(); key != rows_with_history_.end();) {
        const auto at = rows_.find(*key);
        SHUNT_ASSERT(at != rows_.end());
        trim(at->second);
        if (!at->second.older.empty()) {
            ++key;
            continue;
        }
        if (at->second.current.deleted) rows_.erase(at);
        key = rows_with_history_.erase(key);
    }
}

void EmbeddedCore::close_timed_out_scans(UnixMillis now) {
    for (auto scan = scans_.begin(); scan != scans_.end();) {
        const auto next = std::next(scan);
        if (scan->second.lease_end <= now) close_scan(scan->first);
        scan = next;
    }
}

std::string EmbeddedCore::cursor_text(std::uint64_t scan_id, std::string_view last_key) const {
    std::string cursor = decimal_of(instance_);
    cursor += kCursorSeparator;
    cursor += decimal_of(scan_id);
    cursor += kCursorSeparator;
    cursor += last_key;
    return cursor;
}

std::optional<std::pair<std::uint64_t, std::string_view>> EmbeddedCore::parse_cursor(
    std::string_view cursor) const {
    const std::size_t first = cursor.find(kCursorSeparator);
    if (first == std::string_view::npos) return std::nullopt;
    const std::size_t second = cursor.find(kCursorSeparator, first + 1);
    if (second == std::string_view::npos || second + 1 == cursor.size()) return std::nullopt;
    const auto instance = parse_decimal(cursor.substr(0, first), UINT64_MAX);
    const auto scan_id = parse_decimal(cursor.substr(first + 1, second - first - 1));
    if (!instance || *instance != instance_ || !scan_id) return std::nullopt;
    return std::pair(*scan_id, cursor.substr(second + 1));
}

}  // namespace shunt::store
