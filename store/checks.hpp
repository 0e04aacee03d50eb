#pragma once
// The size rules every provider enforces before it does anything (spec/stores.md sections 3 and
// 19.1): a request that breaks one is a defect of the caller and never becomes I/O.

#include "base/result.hpp"
#include "store/location_store.hpp"

namespace shunt::store {

inline constexpr std::size_t kVersionBytesMax = 4096;
inline constexpr std::size_t kCursorBytesMax = 4096;
inline constexpr std::size_t kPrefixBytesMax = 1024;

/// Errc::InvalidArgument unless the key has 1..1024 bytes.
[[nodiscard]] result<void> check_key(std::string_view key) noexcept;

/// Errc::InvalidArgument for a wrong size, a retention that is not positive, a key that appears
/// twice among the conditions or twice among the mutations, or too many keys or bytes in all.
[[nodiscard]] result<void> check_batch(const Batch& batch);

/// Errc::InvalidArgument for a wrong prefix or cursor size or a limit outside 1..1000. A cursor of
/// a fitting size that nobody issued is no defect: the scan answers ScanExpired.
[[nodiscard]] result<void> check_scan(const ScanRequest& request) noexcept;

}  // namespace shunt::store
