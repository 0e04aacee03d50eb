#pragma once
// The three generation counters (spec/stores.md section 5.7). Numbers are issued before the record
// that uses them; one whose record is never written is lost, never reused.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "base/unique_function.hpp"
#include "store/access.hpp"
#include "store/location_store.hpp"

namespace shunt::store {

/// The counter reached its sentinel; nothing was written and no retry helps.
struct GenerationExhausted {};

/// The next value a counter row holds, 1..2^63-1. Errors: Errc::Corrupt.
[[nodiscard]] result<std::uint64_t> decode_counter(ByteView bytes);

/// Issues numbers. One per repository, because it remembers which rows exist.
class Counters {
  public:
    /// One number per counter asked for, in that order.
    using Issued = std::vector<std::uint64_t>;
    using IssueDone = UniqueFunction<void(result<std::variant<Issued, GenerationExhausted>>)>;

    explicit Counters(Access& access) noexcept : access_(access) {}

    /// Errors: as Access; Corrupt also when a counter held 0.
    void issue(std::vector<Key> counters, TimePoint deadline, IssueDone done);

  private:
    struct Call;

    void create_missing(std::shared_ptr<Call> call, std::size_t index);
    void look_at(std::shared_ptr<Call> call, std::size_t index);
    void add(std::shared_ptr<Call> call);

    Access& access_;
    std::set<Key> existing_;
};

}  // namespace shunt::store
