// A ring that cannot be had ends in an error that says what to do, never in a crash. Each case runs
// in a child process, because its restrictions cannot be lifted again.

#include <cerrno>
#include <cstddef>
#include <functional>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "engine/errc.hpp"
#include "engine/ring.hpp"
#include "engine/shard.hpp"

namespace shunt::engine {
namespace {

constexpr int kGotRing = 0;
constexpr int kOther = 99;

int code_of(std::error_code error) {
    if (error.category() != error_category()) return kOther;
    return error.value();
}

int in_child(const std::function<int()>& body) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(body());
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : kOther;
}

// What a container's profile does to io_uring_setup.
bool forbid_ring(int error_number) {
    const auto answer =
        static_cast<std::uint32_t>(SECCOMP_RET_ERRNO) | static_cast<std::uint32_t>(error_number);
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{.len = 4, .filter = filter};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(RefusedRing, AFilteredSystemCallIsMissingOrForbidden) {
    for (const auto& [error_number, expected] :
         {std::pair{ENOSYS, Errc::RingMissing}, std::pair{EPERM, Errc::RingForbidden}}) {
        const int exit_code = in_child([number = error_number] {
            if (!forbid_ring(number)) return kOther;
            const auto ring = Ring::create({});
            return ring ? kGotRing : code_of(ring.error());
        });
        EXPECT_EQ(exit_code, static_cast<int>(expected));
    }
}

TEST(RefusedRing, AShardReportsItFromStart) {
    const int exit_code = in_child([] {
        if (!forbid_ring(EPERM)) return kOther;
        Shard shard({});
        const result<void> started = shard.start();
        return started ? kGotRing : code_of(started.error());
    });

    EXPECT_EQ(exit_code, static_cast<int>(Errc::RingForbidden));
}

// With little locked memory the ring comes out smaller, or says that the limit is the reason. Which
// of the two depends on the kernel and on what else this user runs.
TEST(RefusedRing, ATightMemoryLimitMeansASmallerRingOrItsOwnError) {
    for (const rlim_t limit_bytes : {rlim_t{64 * 1024}, rlim_t{0}}) {
        const int exit_code = in_child([limit_bytes] {
            const rlimit limit{.rlim_cur = limit_bytes, .rlim_max = limit_bytes};
            if (::setrlimit(RLIMIT_MEMLOCK, &limit) != 0) return kOther;
            if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) return kOther;
            const auto ring = Ring::create({.sq_entries = 4096, .cq_entries = 16384});
            if (!ring) return code_of(ring.error());
            return ring.value()->cq_entries() >= kCqEntriesMin ? kGotRing : kOther;
        });
        EXPECT_TRUE(exit_code == kGotRing || exit_code == static_cast<int>(Errc::RingMemory))
            << exit_code;
    }
}

}  // namespace
}  // namespace shunt::engine
