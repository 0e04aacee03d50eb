#include "engine/ring.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace shunt::engine {
namespace {

using namespace std::chrono_literals;

void push_nop(Ring& ring, std::uint32_t index) {
    io_uring_sqe& sqe = ring.next_sqe();
    io_uring_prep_nop(&sqe);
    io_uring_sqe_set_data64(&sqe, user_data_of({.index = index, .generation = 1}, OpKind::Wake));
}

TEST(Ring, UserDataCarriesIndexGenerationAndKind) {
    const TargetId id{.index = 0xFFFF'FFFE, .generation = kGenerationMask};
    const Completion completion{.user_data = user_data_of(id, OpKind::Connect)};

    EXPECT_EQ(completion.target(), id);
    EXPECT_EQ(completion.kind(), OpKind::Connect);
}

TEST(Ring, SubmitsWhenTheQueueIsFullInsteadOfDropping) {
    auto ring = Ring::create({.sq_entries = 64, .cq_entries = 1024});
    ASSERT_TRUE(ring.has_value()) << ring.error().message();
    Ring& r = *ring.value();
    for (std::uint32_t i = 0; i < 500; ++i) push_nop(r, i);
    r.enter(Duration::zero());

    std::vector<Completion> got(600);
    const std::size_t count = r.collect(got);

    ASSERT_EQ(count, 500U);
    for (std::uint32_t i = 0; i < 500; ++i) EXPECT_EQ(got[i].target().index, i);
}

// More completions than the CQ holds: the kernel keeps them on its overflow list and refuses to
// take more until they are fetched. None may be lost, and it must be visible in the counter.
TEST(Ring, OverflowLosesNothingAndIsCounted) {
    auto ring = Ring::create({.sq_entries = 64, .cq_entries = 128});
    ASSERT_TRUE(ring.has_value()) << ring.error().message();
    Ring& r = *ring.value();
    std::vector<bool> seen(2000);
    for (std::uint32_t i = 0; i < 2000; ++i) push_nop(r, i);

    std::array<Completion, 50> batch;
    std::size_t total = 0;
    for (int quiet = 0; quiet < 3;) {
        r.enter(Duration::zero());
        const std::size_t count = r.collect(batch);
        quiet = count == 0 ? quiet + 1 : 0;
        for (std::size_t i = 0; i < count; ++i) seen[batch[i].target().index] = true;
        total += count;
    }

    EXPECT_EQ(total, 2000U);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 2000);
    EXPECT_GT(r.overflow_count(), 0U);
}

TEST(Ring, ASleepEndsAtItsTimeout) {
    auto ring = Ring::create({});
    ASSERT_TRUE(ring.has_value()) << ring.error().message();

    ring.value()->enter(1ms);

    EXPECT_FALSE(ring.value()->has_completions());
}

TEST(Ring, NamesItsFlags) {
    EXPECT_EQ(setup_flag_names(0), "none");
    EXPECT_EQ(setup_flag_names(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN),
              "SINGLE_ISSUER|DEFER_TASKRUN");
}

}  // namespace
}  // namespace shunt::engine
