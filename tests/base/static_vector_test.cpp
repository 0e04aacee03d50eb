#include "base/static_vector.hpp"

#include <memory>

#include <gtest/gtest.h>

namespace shunt {
namespace {

TEST(StaticVector, MovesElementsAndDestroysThem) {
    auto shared = std::make_shared<int>(7);
    {
        StaticVector<std::shared_ptr<int>, 2> first;
        first.push_back(shared);
        StaticVector<std::shared_ptr<int>, 2> second = std::move(first);

        EXPECT_TRUE(first.empty());
        ASSERT_EQ(second.size(), 1U);
        EXPECT_EQ(shared.use_count(), 2);
    }
    EXPECT_EQ(shared.use_count(), 1);
}

TEST(StaticVectorDeathTest, GrowingPastCapacityIsABrokenInvariant) {
    StaticVector<int, 1> vector;
    vector.push_back(1);
    ASSERT_TRUE(vector.full());
    EXPECT_DEATH(vector.push_back(2), "broken invariant");
}

}  // namespace
}  // namespace shunt
