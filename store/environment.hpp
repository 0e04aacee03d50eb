#pragma once
// What the repository needs from outside besides the store: monotonic time, a timer, chance for
// jitter. The host lends its World under this name.

#include <cstdint>

#include "base/time.hpp"
#include "base/unique_function.hpp"

namespace shunt::store {

/// Called, and calls back, on the shard of the store handle; never calls back inside a call.
class Environment {
  public:
    virtual ~Environment() = default;

    virtual TimePoint now() const noexcept = 0;
    /// Runs `fn` once at or after `deadline`.
    virtual void arm(TimePoint deadline, UniqueFunction<void()> fn) = 0;
    virtual std::uint64_t random() noexcept = 0;
};

}  // namespace shunt::store
