// One large state from host to host, S0 to S3, beside what the machine can do at most: a bare ring
// on either side of a loopback connection that sends and receives the same chunks, copies them into
// place once and computes the same checksum on both sides.
#include <arpa/inet.h>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <liburing.h>

#include "bench/harness.hpp"
#include "bench/hosts.hpp"
#include "protocol/crc32c.hpp"

namespace shunt::bench {
namespace {

// The largest state the wire carries (spec/wire.md, durable-state-blob).
constexpr std::size_t kStateBytes = 64 * 1024 * 1024;
constexpr std::size_t kChunkBytes = 256 * 1024;
constexpr int kRounds = 9;
constexpr double kMegabyte = 1'000'000;

/// One thread's ring with one operation under way.
class BareRing {
  public:
    BareRing() {
        io_uring_params params{};
        params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
        if (io_uring_queue_init_params(64, &ring_, &params) != 0) fail("no ring");
    }
    ~BareRing() { io_uring_queue_exit(&ring_); }
    BareRing(const BareRing&) = delete;
    BareRing& operator=(const BareRing&) = delete;

    void send(int fd, ByteView bytes) {
        while (!bytes.empty()) {
            io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
            io_uring_prep_send(sqe, fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_WAITALL);
            bytes = bytes.subspan(finish());
        }
    }
    std::size_t receive(int fd, std::span<std::byte> into) {
        io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
        io_uring_prep_recv(sqe, fd, into.data(), into.size(), 0);
        return finish();
    }

  private:
    std::size_t finish() {
        io_uring_cqe* cqe = nullptr;
        if (io_uring_submit_and_wait(&ring_, 1) < 0 || io_uring_peek_cqe(&ring_, &cqe) != 0) {
            fail("the ring gave no completion");
        }
        const int result = cqe->res;
        io_uring_cqe_seen(&ring_, cqe);
        if (result <= 0) fail("the bare connection broke");
        return static_cast<std::size_t>(result);
    }

    io_uring ring_{};
};

struct SocketPair {
    int sender;
    int receiver;
};

SocketPair connect_over_loopback() {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener, generic, size) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, generic, &size) != 0) {
        fail("no listener on loopback");
    }
    const int sender = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(sender, generic, size) != 0) fail("no connection over loopback");
    const int receiver = accept(listener, nullptr, nullptr);
    close(listener);
    const int on = 1;
    setsockopt(sender, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return {sender, receiver};
}

/// The receiving end: a buffer to receive into, a copy to where the chunk belongs, the checksum.
std::uint32_t receive_all(int fd, std::span<std::byte> assembly) {
    BareRing ring;
    Bytes buffer(kChunkBytes);
    protocol::Crc32c crc;
    for (std::size_t at = 0; at < assembly.size();) {
        const std::size_t got = ring.receive(fd, buffer);
        std::memcpy(assembly.data() + at, buffer.data(), got);
        crc.update(ByteView(buffer).first(got));
        at += got;
    }
    return crc.value();
}

double limit_stream(const Bytes& state) {
    const SocketPair pair = connect_over_loopback();
    std::uint32_t received_crc = 0;
    const auto start = std::chrono::steady_clock::now();
    // Memory is made in the measured time, as a target makes it for the stream it assembles.
    std::thread receiver([&] {
        const auto assembly = std::make_unique_for_overwrite<std::byte[]>(state.size());
        received_crc = receive_all(pair.receiver, {assembly.get(), state.size()});
    });
    BareRing ring;
    const std::uint32_t sent_crc = protocol::crc32c(ByteView(state));
    for (std::size_t at = 0; at < state.size(); at += kChunkBytes) {
        ring.send(pair.sender, ByteView(state).subspan(at, kChunkBytes));
    }
    receiver.join();
    const double seconds = seconds_since(start);
    close(pair.sender);
    close(pair.receiver);
    if (received_crc != sent_crc) fail("the bare stream arrived with another checksum");
    return static_cast<double>(state.size()) / kMegabyte / seconds;
}

double relocation_stream(HostPair& hosts, int round) {
    const ActorId actor{"ballast-" + std::to_string(round)};
    hosts.create(actor);
    hosts.clock().clear();
    hosts.relocate();
    while (!hosts.clock().passed(actor, relocation::Point::S3)) std::this_thread::yield();
    const double seconds =
        std::chrono::duration<double>(hosts.clock().at(actor, relocation::Point::S3) -
                                      hosts.clock().at(actor, relocation::Point::S0))
            .count();
    return static_cast<double>(kStateBytes) / kMegabyte / seconds;
}

int run() {
    enter_private_network();
    const Bytes state(kStateBytes, std::byte{'x'});
    int round = 0;
    const auto ours = [&] {
        HostPair hosts(1, kStateBytes);
        return relocation_stream(hosts, round++);
    };
    compare("relocation_stream", "MB/s", {"one 64 MiB Actor, S0 to S3", ours},
            {"limit_stream: bare ring", [&] { return limit_stream(state); }}, kRounds);
    return 0;
}

}  // namespace
}  // namespace shunt::bench

int main() {
    return shunt::bench::run();
}
