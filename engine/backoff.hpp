#pragma once
// How long a dial waits before it tries again: doubling, with jitter, so that a restarted node is
// not met by all its peers at once.

#include <algorithm>
#include <cstdint>

#include "base/time.hpp"

namespace shunt::engine {

struct BackoffOptions {
    Duration shortest = std::chrono::milliseconds(100);
    Duration longest = std::chrono::seconds(5);
    /// A link that held at least this long makes the next wait the shortest again.
    Duration calm = std::chrono::seconds(1);
};

class Backoff final {
  public:
    explicit Backoff(const BackoffOptions& options) noexcept
        : options_(options), base_(options.shortest) {}

    /// The next wait: `base + random * base` and at most the longest, with `random` as any 64 bits.
    Duration next(std::uint64_t random) noexcept {
        const auto jitter =
            static_cast<std::int64_t>(random % static_cast<std::uint64_t>(base_.count() + 1));
        const Duration wait = std::min(base_ + Duration(jitter), options_.longest);
        base_ = std::min(base_ * 2, options_.longest);
        return wait;
    }

    /// A link of this dial was up for so long.
    void on_link_lasted(Duration held) noexcept {
        if (held >= options_.calm) base_ = options_.shortest;
    }

  private:
    BackoffOptions options_;
    Duration base_;
};

}  // namespace shunt::engine
