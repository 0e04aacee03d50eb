#include "engine/probe.hpp"

#include <gtest/gtest.h>

#include "engine/errc.hpp"

namespace shunt::engine {
namespace {

using namespace std::chrono_literals;

TEST(Probe, FindsWhatShardsNeedOnThisMachine) {
    const Capabilities& found = capabilities();

    EXPECT_FALSE(found.blocker) << found.blocker.message();
    EXPECT_TRUE(found.buffer_ring);
    EXPECT_TRUE(found.multishot_receive);
    EXPECT_FALSE(found.kernel_release.empty());
    EXPECT_GE(found.usable_cpus, 1U);
    EXPECT_TRUE(require_ring().has_value());
    EXPECT_EQ(&found, &capabilities());
}

TEST(Probe, TheLastPrintedLineIsTheVerdict) {
    Capabilities found = capabilities();
    EXPECT_EQ(describe(found).back().value, "usable");

    found.blocker = Errc::RingForbidden;
    found.io_uring_disabled = 2;
    const auto lines = describe(found);

    EXPECT_FALSE(lines.back().good);
    EXPECT_NE(lines.back().value.find("io_uring_disabled=0"), std::string::npos);
    EXPECT_FALSE(lines[1].good);
}

// Every start-up refusal has its own advice (io-uring.md section 10).
TEST(Probe, ErrnosOfARefusedRingSayWhatToDo) {
    EXPECT_EQ(ring_error(ENOSYS), Errc::RingMissing);
    EXPECT_EQ(ring_error(EPERM), Errc::RingForbidden);
    EXPECT_EQ(ring_error(ENOMEM), Errc::RingMemory);
    EXPECT_EQ(ring_error(EINVAL), Errc::RingTooOld);
    EXPECT_EQ(ring_error(EMFILE), std::error_code(EMFILE, std::system_category()));
    EXPECT_NE(make_error_code(Errc::RingMemory).message().find("ulimit -l"), std::string::npos);
}

TEST(Probe, EveryErrorHasASentence) {
    for (int code = static_cast<int>(Errc::RingMissing); code <= static_cast<int>(Errc::Stopped);
         ++code) {
        EXPECT_NE(error_category().message(code), "Unknown transport error.") << code;
    }
}

TEST(Probe, SpinningIsOffWithMoreShardsThanCpus) {
    EXPECT_EQ(default_spin(2, 2), 50us);
    EXPECT_EQ(default_spin(3, 2), Duration::zero());
}

}  // namespace
}  // namespace shunt::engine
