#pragma once
// The simulator's only source of chance: xoshiro256** seeded through splitmix64. Ours, because the
// standard distributions differ between libraries and a seed must mean the same run everywhere.

#include <array>
#include <cstdint>
#include <string_view>

#include "base/time.hpp"

namespace shunt::sim {

/// One step of splitmix64: a bijective scrambling of `value`. Also the simulator's hash step.
constexpr std::uint64_t scramble(std::uint64_t value) noexcept {
    value += 0x9E3779B97F4A7C15ULL;
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31U);
}

/// Adds `value` to a running hash; order matters.
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept {
    return scramble(hash ^ scramble(value));
}

/// A reproducible stream of numbers. Copying copies the position: both copies repeat each other.
class Random {
  public:
    explicit Random(std::uint64_t seed) noexcept;

    std::uint64_t next() noexcept;

    /// Uniform in [0, bound); `bound` must be above zero.
    std::uint64_t below(std::uint64_t bound) noexcept;

    /// Uniform in [least, most], both included.
    std::uint64_t between(std::uint64_t least, std::uint64_t most) noexcept;
    Duration between(Duration least, Duration most) noexcept;

    /// True in `per_mille` of 1,000 draws on average. Always draws, so that switching a fault kind
    /// off leaves the rest of the run as it was.
    bool chance(std::uint32_t per_mille) noexcept;

    /// An independent stream for the part of the simulation called `name`. What one part draws
    /// never shifts what another one gets. Does not advance this stream.
    Random split(std::string_view name, std::uint64_t index = 0) const noexcept;

  private:
    std::uint64_t seed_;
    std::array<std::uint64_t, 4> state_;
};

}  // namespace shunt::sim
