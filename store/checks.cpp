#include "store/checks.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <vector>

namespace shunt::store {
namespace {

struct KeyOf {
    template <class T>
    std::string_view operator()(const T& part) const noexcept {
        return part.key;
    }
};

/// What a part weighs beyond its key; nothing when it breaks a size of its own.
struct WeightOf {
    std::optional<std::size_t> operator()(const IfMissing&) const noexcept { return 0; }
    std::optional<std::size_t> operator()(const IfVersion& c) const noexcept {
        if (c.version.empty() || c.version.size() > kVersionBytesMax) return std::nullopt;
        return c.version.size();
    }
    std::optional<std::size_t> operator()(const IfValue& c) const noexcept {
        if (c.value.size() > kValueBytesMax) return std::nullopt;
        return c.value.size();
    }
    std::optional<std::size_t> operator()(const Put& m) const noexcept {
        if (m.value.size() > kValueBytesMax) return std::nullopt;
        if (m.retention && *m.retention <= std::chrono::milliseconds::zero()) return std::nullopt;
        return m.value.size();
    }
    std::optional<std::size_t> operator()(const Delete&) const noexcept { return 0; }
    std::optional<std::size_t> operator()(const Add&) const noexcept { return 0; }
};

/// Collects the keys of one list, sorted; false when a part or the uniqueness rule is broken.
template <class Part>
bool take(const std::vector<Part>& parts, std::vector<std::string_view>& keys,
          std::size_t& total_bytes) {
    keys.reserve(parts.size());
    for (const Part& part : parts) {
        const std::string_view key = std::visit(KeyOf{}, part);
        if (!check_key(key)) return false;
        const std::optional<std::size_t> weight = std::visit(WeightOf{}, part);
        if (!weight) return false;
        total_bytes += key.size() + *weight;
        keys.push_back(key);
    }
    std::sort(keys.begin(), keys.end());
    return std::adjacent_find(keys.begin(), keys.end()) == keys.end();
}

std::size_t distinct_count(const std::vector<std::string_view>& a,
                           const std::vector<std::string_view>& b) {
    std::size_t shared = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        const int order = a[i].compare(b[j]);
        if (order == 0) ++shared;
        if (order <= 0) ++i;
        if (order >= 0) ++j;
    }
    return a.size() + b.size() - shared;
}

}  // namespace

result<void> check_key(std::string_view key) noexcept {
    if (key.empty() || key.size() > kKeyBytesMax) return Errc::InvalidArgument;
    return outcome::success();
}

result<void> check_batch(const Batch& batch) {
    // Bounds the work of this check itself: no list may alone exceed what both may hold together.
    if (batch.conditions.size() > kBatchKeysMax || batch.mutations.size() > kBatchKeysMax) {
        return Errc::InvalidArgument;
    }
    std::size_t total_bytes = 0;
    std::vector<std::string_view> conditioned;
    std::vector<std::string_view> mutated;
    if (!take(batch.conditions, conditioned, total_bytes)) return Errc::InvalidArgument;
    if (!take(batch.mutations, mutated, total_bytes)) return Errc::InvalidArgument;
    if (total_bytes > kBatchBytesMax) return Errc::InvalidArgument;
    if (distinct_count(conditioned, mutated) > kBatchKeysMax) return Errc::InvalidArgument;
    return outcome::success();
}

result<void> check_scan(const ScanRequest& request) noexcept {
    if (request.prefix.size() > kPrefixBytesMax) return Errc::InvalidArgument;
    if (request.limit < 1 || request.limit > kPageItemsMax) return Errc::InvalidArgument;
    if (request.cursor) {
        if (request.cursor->empty() || request.cursor->size() > kCursorBytesMax) {
            return Errc::InvalidArgument;
        }
    }
    return outcome::success();
}

}  // namespace shunt::store
