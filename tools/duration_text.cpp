#include "tools/duration_text.hpp"

#include <array>
#include <charconv>
#include <cstdint>

namespace shunt::tools {

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept {
    struct Unit {
        std::string_view name;
        std::int64_t ms;
    };
    // "ms" before "s": a suffix of it.
    constexpr auto kUnits =
        std::to_array<Unit>({{"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}});
    constexpr std::int64_t kMaxMs = 366LL * 24 * 3'600'000;
    for (const Unit& unit : kUnits) {
        if (!text.ends_with(unit.name)) continue;
        const std::string_view digits = text.substr(0, text.size() - unit.name.size());
        std::uint64_t value = 0;
        const char* const end = digits.data() + digits.size();
        const auto [stopped, error] = std::from_chars(digits.data(), end, value);
        if (digits.empty() || error != std::errc() || stopped != end) return std::nullopt;
        if (value > static_cast<std::uint64_t>(kMaxMs / unit.ms)) return std::nullopt;
        return std::chrono::milliseconds(static_cast<std::int64_t>(value) * unit.ms);
    }
    return std::nullopt;
}

}  // namespace shunt::tools
