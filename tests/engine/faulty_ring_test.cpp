// The real ring in bad shape: operations that fail without having done anything, sends cut short
// anywhere, and a completion queue that overflows all the time. Nothing may be lost, doubled or
// turned around, and nobody may spin (design-notes/io-uring.md sections 3, 5 and 9).
#include <algorithm>
#include <cerrno>
#include <map>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <gtest/gtest.h>

#include "mesh_bench.hpp"
#include "patterned.hpp"

namespace shunt::engine {
namespace {

using namespace std::chrono_literals;

// What the kernel calls it; liburing 2.3 does not know it yet.
constexpr std::uint32_t kNopInjectResult = 1;

void fail_with(io_uring_sqe& sqe, int error_number) {
    io_uring_prep_nop(&sqe);
    sqe.len = static_cast<std::uint32_t>(-error_number);
    sqe.rw_flags = static_cast<int>(kNopInjectResult);
}

bool kernel_injects_results() {
    auto ring = Ring::create({});
    if (!ring) return false;
    io_uring_sqe& sqe = ring.value()->next_sqe();
    fail_with(sqe, EINTR);
    io_uring_sqe_set_data64(&sqe, user_data_of({.index = 0, .generation = 1}, OpKind::Wake));
    ring.value()->enter(10s);
    std::array<Completion, 1> got;
    return ring.value()->collect(got) == 1 && got[0].result == -EINTR;
}

// Cuts a gather behind its first `size_bytes`.
void shorten(io_uring_sqe& sqe, std::size_t size_bytes) {
    auto* message = reinterpret_cast<msghdr*>(sqe.addr);
    for (std::size_t i = 0; i < message->msg_iovlen; ++i) {
        iovec& piece = message->msg_iov[i];
        if (piece.iov_len < size_bytes) {
            size_bytes -= piece.iov_len;
            continue;
        }
        piece.iov_len = size_bytes;
        message->msg_iovlen = i + 1;
        return;
    }
}

/// Which operations go wrong, and how; the same each time.
class Faults {
  public:
    explicit Faults(std::map<OpKind, std::vector<int>> errors, bool shortens)
        : errors_(std::move(errors)), shortens_(shortens) {}

    void operator()(OpKind kind, io_uring_sqe& sqe) {
        const auto found = errors_.find(kind);
        const std::uint64_t dice = next();
        if (found != errors_.end() && dice % 3 == 0) {
            return fail_with(sqe, found->second[next() % found->second.size()]);
        }
        if (kind == OpKind::Send && shortens_ && dice % 3 == 1) shorten(sqe, 1 + next() % 3000);
    }

  private:
    // Enough chance for a test, and every shard starts its own copy at the same point.
    std::uint64_t next() noexcept {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return state_ >> 33U;
    }
    std::map<OpKind, std::vector<int>> errors_;
    bool shortens_;
    std::uint64_t state_ = 7;
};

ShardOptions faulty(std::map<OpKind, std::vector<int>> errors, bool shortens = false) {
    ShardOptions options;
    options.before_submit = Faults(std::move(errors), shortens);
    return options;
}

MeshOptions quick() {
    return {.redial = {.shortest = 1ms, .longest = 20ms}};
}

class FaultyRing : public ::testing::Test {
  protected:
    void SetUp() override {
        // Kernels before 6.10 cannot play this part; the faults themselves are as rare there.
        injects_ = kernel_injects_results();
        if (!injects_) std::puts("this kernel injects no results");
    }
    bool injects_ = false;
};

TEST_F(FaultyRing, SendsThatFailForNowAreSentAgain) {
    if (!injects_) return;
    MeshPair pair(quick(), faulty({{OpKind::Send, {EINTR, EAGAIN, ENOBUFS, ENOMEM}}}));
    expect_all_sizes_arrive(pair);
    EXPECT_TRUE(pair.a.heard().downs.empty());
}

TEST_F(FaultyRing, ReceivesThatEndForNowAreArmedAgain) {
    if (!injects_) return;
    const std::vector<int> errors{EINTR, EAGAIN, ENOBUFS, ENOMEM, ECANCELED};
    MeshPair pair(quick(), faulty({{OpKind::Receive, errors},
                                   {OpKind::ReceiveBulk, errors},
                                   {OpKind::ReceiveSmall, errors}}));
    expect_all_sizes_arrive(pair);
    EXPECT_TRUE(pair.a.heard().downs.empty());
    EXPECT_TRUE(pair.b.heard().downs.empty());
}

TEST_F(FaultyRing, AcceptsThatFailAreArmedAgain) {
    if (!injects_) return;
    MeshNode b("node-b", quick(),
               faulty({{OpKind::Accept, {EMFILE, ENFILE, ENOBUFS, ENOMEM, ECONNABORTED, EINTR}}}));
    std::vector<std::unique_ptr<MeshNode>> dialers;
    for (int i = 0; i < 10; ++i) {
        dialers.push_back(std::make_unique<MeshNode>("node-" + std::to_string(i), quick()));
        dialers.back()->dial(b);
        EXPECT_TRUE(dialers.back()->await_link());
    }
}

TEST_F(FaultyRing, FailedConnectsAreDialedAgain) {
    if (!injects_) return;
    for (const int error : {EINTR, EADDRNOTAVAIL, ETIMEDOUT, ENOMEM}) {
        ShardOptions shard = faulty({{OpKind::Connect, {error}}});
        MeshNode a("node-a", quick(), shard);
        MeshNode b("node-b", quick());
        a.dial(b);
        EXPECT_TRUE(a.await_link());
    }
}

// Scenario 5 of the engine's part: sends cut anywhere, so a header, a part, a gather are all torn.
TEST(ShortSends, TheStreamIsTheOrderOfTheGathers) {
    MeshPair pair({}, faulty({}, true));
    expect_all_sizes_arrive(pair);
}

TEST(ShortSends, WithTinyBuffersOnBothSides) {
    ShardOptions shard = faulty({}, true);
    shard.bulk_buffers = {.buffer_bytes = 512, .buffer_count = 4};
    MeshPair pair({.socket = {.send_buffer_bytes = 4096, .receive_buffer_bytes = 4096}}, shard);
    expect_all_sizes_arrive(pair);
}

/// Links as the process has descriptors for, 2,000 at most: four sockets each.
std::size_t link_count() {
    rlimit limit{};
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    return std::min<std::size_t>(2000, limit.rlim_cur / 9);
}

// Scenario 17: 64 completions of room for two multishots on each of 2,000 links.
TEST(OverflowingRing, TwoThousandLinksOnSixtyFourCompletions) {
    const std::size_t links = link_count();
    std::printf("%zu links\n", links);
    ShardOptions shard;
    shard.ring = {.sq_entries = 64, .cq_entries = 64};
    shard.spin = Duration::zero();
    const MeshOptions options{.half_open_max = 2 * links, .redial = {.shortest = 1ms}};
    MeshNode a("node-a", options, shard);
    MeshNode b("node-b", options, shard);
    for (std::size_t i = 1; i <= links; ++i) {
        a.dial(b);
        // Not more at once than the listener's queue holds.
        if (i % 100 == 0 || i == links) {
            ASSERT_TRUE(b.await([&](const Heard& h) { return h.ups.size() == i; }));
        }
    }
    std::map<std::uint64_t, std::uint64_t> next;
    std::uint64_t disorder = 0;
    b.call([&] {
        b.record_hook = [&](LinkId link, const protocol::InRecord& record) {
            if (text_of(record.parts[0]) != std::to_string(next[link.value]++)) ++disorder;
            (void)b.endpoint().send(link, make_record({"back"}, protocol::Leg::Reply, 1),
                                    Gate::None, {});
        };
        a.record_hook = [](LinkId, const protocol::InRecord&) {};
    });
    ASSERT_TRUE(a.await([&](const Heard& h) { return h.ups.size() == links; }));
    const std::vector<std::pair<LinkId, LinkInfo>> ups = a.heard().ups;
    constexpr std::uint64_t kBursts = 5;
    for (std::uint64_t burst = 0; burst < kBursts; ++burst) {
        // A burst arrives only if every multishot that the overflow ended was armed again.
        a.call([&] {
            for (const auto& [link, info] : ups) {
                (void)a.endpoint().send(link, make_record({std::to_string(burst)}), Gate::None, {});
            }
        });
        ASSERT_TRUE(b.await([&](const Heard& h) { return h.record_count == links * (burst + 1); }));
        ASSERT_TRUE(a.await([&](const Heard& h) { return h.record_count == links * (burst + 1); }));
    }

    EXPECT_EQ(b.call([&] { return disorder; }), 0U);
    EXPECT_GT(b.call([&] { return b.shard().counters().cq_overflows; }), 0U);
    EXPECT_TRUE(b.heard().downs.empty());
    // Nothing to do is nothing done: a timer's length of quiet costs a few turns.
    std::promise<std::uint64_t> quiet;
    b.shard().post([&] {
        const std::uint64_t turns = b.shard().counters().turns;
        b.shard().arm(deadline_after(b.shard().now(), 100ms),
                      [&, turns] { quiet.set_value(b.shard().counters().turns - turns); });
    });
    EXPECT_LT(quiet.get_future().get(), 50U);
}

}  // namespace
}  // namespace shunt::engine
