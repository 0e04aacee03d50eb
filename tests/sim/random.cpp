#include "tests/sim/random.hpp"

#include <bit>

#include "base/assert.hpp"

namespace shunt::sim {

Random::Random(std::uint64_t seed) noexcept : seed_(seed), state_{} {
    std::uint64_t walk = seed;
    for (std::uint64_t& word : state_) {
        walk = mix(walk, 1);
        word = walk;
    }
}

std::uint64_t Random::next() noexcept {
    const std::uint64_t value = std::rotl(state_[1] * 5U, 7) * 9U;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return value;
}

std::uint64_t Random::below(std::uint64_t bound) noexcept {
    SHUNT_ASSERT(bound > 0);
    // The modulo bias is below 2^-32 for every bound used here and skews nothing a test looks at.
    return next() % bound;
}

std::uint64_t Random::between(std::uint64_t least, std::uint64_t most) noexcept {
    SHUNT_ASSERT(least <= most);
    const std::uint64_t span = most - least;
    return span == UINT64_MAX ? next() : least + below(span + 1);
}

Duration Random::between(Duration least, Duration most) noexcept {
    SHUNT_ASSERT(least <= most);
    const auto span = static_cast<std::uint64_t>((most - least).count());
    return least + Duration(static_cast<Duration::rep>(below(span + 1)));
}

bool Random::chance(std::uint32_t per_mille) noexcept {
    return below(1000) < per_mille;
}

Random Random::split(std::string_view name, std::uint64_t index) const noexcept {
    std::uint64_t child = mix(seed_, index);
    for (const char letter : name) child = mix(child, static_cast<unsigned char>(letter));
    return Random(child);
}

}  // namespace shunt::sim
