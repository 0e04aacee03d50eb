#include "engine/probe.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <linux/capability.h>
#include <memory>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

#include "engine/buffer_ring.hpp"
#include "engine/errc.hpp"
#include "engine/ring.hpp"

namespace shunt::engine {
namespace {

using namespace std::chrono_literals;

struct Opcode {
    const char* name;
    int code;
};

constexpr std::array<Opcode, 10> kOpcodes = {{
    {"SENDMSG", IORING_OP_SENDMSG},
    {"RECV", IORING_OP_RECV},
    {"ACCEPT", IORING_OP_ACCEPT},
    {"CONNECT", IORING_OP_CONNECT},
    {"READ", IORING_OP_READ},
    {"ASYNC_CANCEL", IORING_OP_ASYNC_CANCEL},
    {"SHUTDOWN", IORING_OP_SHUTDOWN},
    {"MSG_RING", IORING_OP_MSG_RING},
    {"SEND_ZC", IORING_OP_SEND_ZC},
    {"SENDMSG_ZC", IORING_OP_SENDMSG_ZC},
}};

// A pair of connected stream sockets that closes itself.
class SocketPair {
  public:
    SocketPair() noexcept {
        ok_ = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds_.data()) == 0;
    }
    SocketPair(const SocketPair&) = delete;
    SocketPair& operator=(const SocketPair&) = delete;
    ~SocketPair() {
        if (!ok_) return;
        ::close(fds_[0]);
        ::close(fds_[1]);
    }
    bool ok() const noexcept { return ok_; }
    int near() const noexcept { return fds_[0]; }
    int far() const noexcept { return fds_[1]; }

  private:
    std::array<int, 2> fds_{-1, -1};
    bool ok_ = false;
};

// Waits for one completion, at most a second: a kernel that does not answer counts as "no".
bool next_completion(Ring& ring, Completion& out) {
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (ring.collect({&out, 1}) == 1) return true;
        ring.enter(1s);
    }
    return ring.collect({&out, 1}) == 1;
}

// The modifier flag is what needs a trial: the opcode probe knows RECV, not "multishot".
bool try_multishot_receive(Ring& ring, BufferRing& buffers) {
    const SocketPair pair;
    if (!pair.ok() || ::send(pair.far(), "x", 1, MSG_NOSIGNAL) != 1) return false;
    io_uring_sqe& sqe = ring.next_sqe();
    io_uring_prep_recv_multishot(&sqe, pair.near(), nullptr, 0, 0);
    sqe.flags |= IOSQE_BUFFER_SELECT;
    sqe.buf_group = buffers.group();
    io_uring_sqe_set_data64(&sqe, user_data_of({}, OpKind::ReceiveBulk));
    Completion completion;
    if (!next_completion(ring, completion)) return false;
    const bool good = completion.result == 1 && completion.has_buffer() && !completion.terminal();
    // Whatever is still armed must end before the buffers go away.
    if (!completion.terminal()) {
        ring.cancel_all(1s);
        while (next_completion(ring, completion) && !completion.terminal()) {
        }
    }
    return good;
}

void probe_opcodes(Ring& ring, Capabilities& found) {
    const std::unique_ptr<io_uring_probe, decltype(&io_uring_free_probe)> probe(
        io_uring_get_probe_ring(&ring.raw()), &io_uring_free_probe);
    for (const Opcode& opcode : kOpcodes) {
        const bool supported =
            probe != nullptr && io_uring_opcode_supported(probe.get(), opcode.code) != 0;
        found.opcodes.push_back({.name = opcode.name, .supported = supported});
        if (opcode.code == IORING_OP_SEND_ZC) found.send_zc = supported;
        if (opcode.code == IORING_OP_SENDMSG_ZC) found.sendmsg_zc = supported;
    }
}

void probe_ring(Capabilities& found) {
    // Small, so that the probe itself passes under a tight locked-memory limit.
    auto created = Ring::create({.sq_entries = kSqEntriesMin, .cq_entries = kCqEntriesMin});
    if (!created) {
        found.blocker = created.error();
        return;
    }
    Ring& ring = *created.value();
    found.setup_flags = ring.setup_flags();
    found.features = ring.features();
    found.sq_entries = ring.sq_entries();
    found.cq_entries = ring.cq_entries();
    probe_opcodes(ring, found);
    auto buffers = BufferRing::create(ring, 0, {.buffer_bytes = 4096, .buffer_count = 4});
    if (!buffers) {
        found.blocker = buffers.error();
        return;
    }
    found.buffer_ring = true;
    found.multishot_receive = try_multishot_receive(ring, *buffers.value());
    // Multishot accept came with the buffer ring (5.19); it has no trial that leaves no listener.
    found.multishot_accept = true;
    if (!found.multishot_receive) found.blocker = Errc::RingTooOld;
}

bool has_ipc_lock() {
    // /proc states the effective set without another library: "CapEff:\t<hex>".
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind("CapEff:", 0) != 0) continue;
        const std::uint64_t set = std::strtoull(line.c_str() + 7, nullptr, 16);
        return (set >> CAP_IPC_LOCK & 1U) != 0;
    }
    return false;
}

unsigned count_usable_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
    return static_cast<unsigned>(std::max(CPU_COUNT(&set), 1));
}

Capabilities run_probe() {
    Capabilities found;
    utsname names{};
    if (::uname(&names) == 0) found.kernel_release = names.release;
    std::ifstream("/proc/sys/kernel/io_uring_disabled") >> found.io_uring_disabled;
    rlimit limit{};
    if (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0) {
        found.memlock_bytes = limit.rlim_cur == RLIM_INFINITY ? ~std::uint64_t{0} : limit.rlim_cur;
    }
    found.memlock_exempt = has_ipc_lock();
    found.usable_cpus = count_usable_cpus();
    try {
        // On a thread of its own: a ring that is going away may still interrupt the system calls
        // of the thread that made it, and the caller's are not ours to disturb.
        std::thread([&found] { probe_ring(found); }).join();
    } catch (const std::system_error&) {
        found.blocker = Errc::ShardNotStarted;
    }
    return found;
}

std::string yes_or_no(bool value) {
    return value ? "yes" : "no";
}

std::string disabled_text(int value) {
    switch (value) {
        case -1:
            return "not there (kernel before 6.6)";
        case 0:
            return "0 (allowed)";
        case 1:
            return "1 (only with CAP_SYS_ADMIN or the io_uring group)";
        default:
            return std::to_string(value) + " (forbidden for all)";
    }
}

std::string memlock_text(const Capabilities& found) {
    if (found.memlock_bytes == ~std::uint64_t{0}) return "unlimited";
    std::string text = std::to_string(found.memlock_bytes / 1024) + " KiB";
    if (found.memlock_exempt) text += " (not binding: CAP_IPC_LOCK)";
    return text;
}

}  // namespace

const Capabilities& capabilities() {
    static const Capabilities found = run_probe();
    return found;
}

result<void> require_ring() {
    if (const std::error_code blocker = capabilities().blocker) return blocker;
    return outcome::success();
}

std::vector<ProbeLine> describe(const Capabilities& found) {
    // Two default rings with their buffer descriptors fit below this, one does in the worst case.
    constexpr std::uint64_t kMemlockComfortBytes = 256 * 1024;
    const bool memlock_good = found.memlock_exempt || found.memlock_bytes >= kMemlockComfortBytes;
    std::vector<ProbeLine> lines;
    lines.push_back({"kernel", found.kernel_release, true});
    lines.push_back({"sysctl kernel.io_uring_disabled", disabled_text(found.io_uring_disabled),
                     found.io_uring_disabled <= 0});
    const bool have_ring = found.sq_entries > 0;
    lines.push_back(
        {"ring flags", have_ring ? setup_flag_names(found.setup_flags) : "no ring", have_ring});
    lines.push_back({"provided buffer ring", yes_or_no(found.buffer_ring), found.buffer_ring});
    lines.push_back(
        {"multishot receive", yes_or_no(found.multishot_receive), found.multishot_receive});
    lines.push_back(
        {"multishot accept", yes_or_no(found.multishot_accept), found.multishot_accept});
    for (const OpcodeSupport& opcode : found.opcodes) {
        lines.push_back(
            {std::string("opcode ") + opcode.name, yes_or_no(opcode.supported), opcode.supported});
    }
    lines.push_back({"locked-memory limit", memlock_text(found), memlock_good});
    lines.push_back({"usable CPUs", std::to_string(found.usable_cpus), true});
    lines.push_back(
        {"verdict", found.blocker ? found.blocker.message() : "usable", !found.blocker});
    return lines;
}

Duration default_spin(std::size_t shards_in_process, unsigned usable_cpus) noexcept {
    return shards_in_process > usable_cpus ? Duration::zero() : Duration(50us);
}

}  // namespace shunt::engine
