#include "base/unique_function.hpp"

#include <array>
#include <memory>

#include <gtest/gtest.h>

namespace shunt {
namespace {

TEST(UniqueFunction, OwnsMoveOnlyCapturesSmallAndLarge) {
    UniqueFunction<int(int)> small = [value = std::make_unique<int>(3)](int x) {
        return *value + x;
    };
    std::array<std::byte, 256> padding{};
    UniqueFunction<int(int)> large = [padding, value = std::make_unique<int>(4)](int x) {
        return *value + x + static_cast<int>(padding.size());
    };

    UniqueFunction<int(int)> moved = std::move(small);
    small = std::move(large);

    EXPECT_EQ(moved(1), 4);
    EXPECT_EQ(small(1), 261);
}

TEST(UniqueFunction, DestroysItsStateOnce) {
    auto shared = std::make_shared<int>(0);
    UniqueFunction<void()> function = [shared] {};
    EXPECT_EQ(shared.use_count(), 2);

    function = nullptr;

    EXPECT_FALSE(function);
    EXPECT_EQ(shared.use_count(), 1);
}

}  // namespace
}  // namespace shunt
