#include "engine/buffer_ring.hpp"

#include <array>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace shunt::engine {
namespace {

using namespace std::chrono_literals;

class BufferRingBench : public ::testing::Test {
  protected:
    void SetUp() override {
        auto ring = Ring::create({});
        ASSERT_TRUE(ring.has_value()) << ring.error().message();
        ring_ = std::move(ring).value();
        auto buffers = BufferRing::create(*ring_, 3, {.buffer_bytes = 4096, .buffer_count = 4});
        ASSERT_TRUE(buffers.has_value()) << buffers.error().message();
        buffers_ = std::move(buffers).value();
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds_.data()), 0);
    }
    void TearDown() override {
        ring_->cancel_all(1s);
        ::close(fds_[0]);
        ::close(fds_[1]);
    }

    void arm() {
        io_uring_sqe& sqe = ring_->next_sqe();
        io_uring_prep_recv_multishot(&sqe, fds_[0], nullptr, 0, 0);
        sqe.flags |= IOSQE_BUFFER_SELECT;
        sqe.buf_group = buffers_->group();
        io_uring_sqe_set_data64(&sqe, user_data_of({}, OpKind::ReceiveBulk));
    }
    Completion wait() {
        Completion completion;
        while (ring_->collect({&completion, 1}) == 0) ring_->enter(1s);
        return completion;
    }
    void write(std::size_t size_bytes) {
        const std::string text(size_bytes, 'x');
        ASSERT_EQ(::send(fds_[1], text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    }

    std::unique_ptr<Ring> ring_;
    std::unique_ptr<BufferRing> buffers_;
    std::array<int, 2> fds_{-1, -1};
};

struct Waiter final : IoTarget {
    void on_completion(const Completion&) override {}
    void shut_down() override {}
    void on_buffers_available() override { ++woken; }
    int woken = 0;
};

// With every buffer taken the multishot ends with -ENOBUFS; after the buffers are back it can be
// armed again and nothing that was sent meanwhile is missing.
TEST_F(BufferRingBench, StarvationEndsTheReceiveAndLosesNothing) {
    arm();
    std::array<std::uint16_t, 4> ids{};
    for (std::uint16_t& id : ids) {
        write(1);
        const Completion got = wait();
        ASSERT_EQ(got.result, 1);
        id = got.buffer_id();
        EXPECT_EQ(std::to_integer<char>(buffers_->lease(id, 1)[0]), 'x');
    }
    EXPECT_EQ(buffers_->free_count(), 0U);
    write(7);
    const Completion starved = wait();
    EXPECT_EQ(starved.result, -ENOBUFS);
    EXPECT_TRUE(starved.terminal());

    for (const std::uint16_t id : ids) buffers_->give_back(id);
    arm();
    const Completion resumed = wait();

    EXPECT_EQ(resumed.result, 7);
    (void)buffers_->lease(resumed.buffer_id(), 7);
    buffers_->give_back(resumed.buffer_id());
}

TEST_F(BufferRingBench, WaitersAreWokenAtTheLowWaterMarkOnce) {
    for (std::uint16_t id = 0; id < 4; ++id) (void)buffers_->lease(id, 0);
    Waiter first;
    Waiter second;
    buffers_->wait_for_buffers(first);
    buffers_->wait_for_buffers(first);
    buffers_->wait_for_buffers(second);
    buffers_->stop_waiting(second);
    buffers_->wake_waiting();
    EXPECT_EQ(first.woken, 0);

    buffers_->give_back(2);
    buffers_->wake_waiting();
    buffers_->wake_waiting();

    EXPECT_EQ(first.woken, 1);
    EXPECT_EQ(second.woken, 0);
    EXPECT_EQ(buffers_->starved_count(), 3U);
    EXPECT_EQ(buffers_->waiting_count(), 0U);
}

}  // namespace
}  // namespace shunt::engine
