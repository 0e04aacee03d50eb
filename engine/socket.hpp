#pragma once
// Plain socket work that never touches the ring: an owning descriptor, addresses, options. Names
// are not resolved here, because resolving blocks and a shard must not.

#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <utility>

#include "base/result.hpp"

namespace shunt::engine {

/// Closes its descriptor, once.
class UniqueFd {
  public:
    UniqueFd() noexcept = default;
    explicit UniqueFd(int fd) noexcept : fd_(fd) {}
    UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    UniqueFd& operator=(UniqueFd&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    UniqueFd(const UniqueFd&) = delete;
    UniqueFd& operator=(const UniqueFd&) = delete;
    ~UniqueFd();

    int get() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }

  private:
    int fd_ = -1;
};

/// An IPv4 or IPv6 address with a port.
struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t size_bytes = 0;

    const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
    /// `host:port`, IPv6 hosts in brackets.
    std::string text() const;
};

/// Reads `host:port` or `tcp://host:port`, the host numeric, `[IPv6]` or `localhost`.
/// Errc::BadAddress otherwise.
result<SocketAddress> parse_address(std::string_view text);

struct SocketOptions {
    /// SO_SNDBUF as asked for; the kernel doubles it. Short on purpose, so that the choice of what
    /// leaves next stays with the gather. Zero leaves it to the kernel.
    int send_buffer_bytes = 512 * 1024;
    /// SO_RCVBUF; zero leaves it to the kernel's tuning.
    int receive_buffer_bytes = 0;
    /// TCP_CONGESTION, such as "reno"; empty takes the system's default.
    std::string congestion{};
};

/// A TCP socket for `address` with the options set, neither bound nor connected.
result<UniqueFd> open_socket(const SocketAddress& address, const SocketOptions& options);

/// A listening socket. Accepted sockets inherit the options.
result<UniqueFd> open_listener(const SocketAddress& address, const SocketOptions& options);

/// The address a socket is bound to, or its peer's; empty when the socket has none.
SocketAddress local_address(int fd) noexcept;
SocketAddress peer_address(int fd) noexcept;

}  // namespace shunt::engine
