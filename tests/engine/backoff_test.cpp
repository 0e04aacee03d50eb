#include "engine/backoff.hpp"

#include <gtest/gtest.h>

namespace shunt::engine {
namespace {

using namespace std::chrono_literals;

constexpr BackoffOptions kOptions{.shortest = 100ms, .longest = 1s, .calm = 2s};

TEST(Backoff, DoublesUpToTheLongest) {
    Backoff backoff(kOptions);

    // Without jitter: the random number divides evenly.
    EXPECT_EQ(backoff.next(0), 100ms);
    EXPECT_EQ(backoff.next(0), 200ms);
    EXPECT_EQ(backoff.next(0), 400ms);
    EXPECT_EQ(backoff.next(0), 800ms);
    EXPECT_EQ(backoff.next(0), 1s);
    EXPECT_EQ(backoff.next(0), 1s);
}

TEST(Backoff, JitterAddsAtMostAsMuchAgainAndSpreads) {
    bool early = false;
    bool late = false;
    for (std::uint64_t random = 1; random < 1000; ++random) {
        Backoff backoff(kOptions);
        const Duration wait = backoff.next(random * 0x9E37'79B9'7F4A'7C15ULL);
        EXPECT_GE(wait, 100ms);
        EXPECT_LE(wait, 200ms);
        early = early || wait < 120ms;
        late = late || wait > 180ms;
    }
    EXPECT_TRUE(early);
    EXPECT_TRUE(late);
}

TEST(Backoff, OnlyALinkThatLastedResetsIt) {
    Backoff backoff(kOptions);
    (void)backoff.next(0);
    (void)backoff.next(0);

    backoff.on_link_lasted(2s - 1ns);
    EXPECT_EQ(backoff.next(0), 400ms);
    backoff.on_link_lasted(2s);
    EXPECT_EQ(backoff.next(0), 100ms);
}

}  // namespace
}  // namespace shunt::engine
