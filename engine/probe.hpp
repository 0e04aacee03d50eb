#pragma once
// What this kernel and this process may do with io_uring, found by trying (design-notes/
// io-uring.md section 1): versions lie, vendors backport and containers filter.

#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"

namespace shunt::engine {

/// One opcode the transport cares about.
struct OpcodeSupport {
    const char* name;
    bool supported;
};

/// The answer of the probe, a plain record.
struct Capabilities {
    /// Why shards cannot run here; clear when they can.
    std::error_code blocker;
    std::string kernel_release;
    /// sysctl kernel.io_uring_disabled: 0, 1, 2, or -1 where the kernel has no such sysctl.
    int io_uring_disabled = -1;
    /// Set-up flags that were accepted.
    std::uint32_t setup_flags = 0;
    std::uint32_t features = 0;
    std::uint32_t sq_entries = 0;
    std::uint32_t cq_entries = 0;
    bool buffer_ring = false;
    bool multishot_receive = false;
    bool multishot_accept = false;
    bool send_zc = false;
    bool sendmsg_zc = false;
    std::vector<OpcodeSupport> opcodes;
    /// Soft RLIMIT_MEMLOCK; ~0 when unlimited.
    std::uint64_t memlock_bytes = 0;
    /// CAP_IPC_LOCK: the locked-memory limit does not bind.
    bool memlock_exempt = false;
    /// CPUs in this process's affinity mask.
    unsigned usable_cpus = 1;
};

/// Runs the probe on first use and keeps the answer. Any thread.
const Capabilities& capabilities();

/// The blocker as an error, for whoever is about to start a shard.
result<void> require_ring();

/// One printable line of the probe.
struct ProbeLine {
    std::string name;
    std::string value;
    /// False when this line is a reason or a likely reason for trouble.
    bool good = true;
};

/// Everything the probe found, in reading order, for `shunt doctor`. The last line is the verdict:
/// "usable", or the sentence that says what to do.
std::vector<ProbeLine> describe(const Capabilities& found);

/// How long an idle shard polls before it sleeps: 50 us, or zero when the process has more shards
/// than CPUs it may use, for then a spinning shard starves the one it waits for.
Duration default_spin(std::size_t shards_in_process, unsigned usable_cpus) noexcept;

}  // namespace shunt::engine
