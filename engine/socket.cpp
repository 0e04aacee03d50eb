#include "engine/socket.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <netinet/tcp.h>
#include <unistd.h>

#include "engine/errc.hpp"

namespace shunt::engine {
namespace {

// Connections that completed in the kernel and wait to be accepted.
constexpr int kListenBacklog = 512;

std::error_code last_error() noexcept {
    return socket_error(errno);
}

result<void> set_int(int fd, int level, int name, int value) noexcept {
    if (::setsockopt(fd, level, name, &value, sizeof(value)) != 0) return last_error();
    return outcome::success();
}

result<std::uint16_t> parse_port(std::string_view text) noexcept {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc() || end != text.data() + text.size()) return Errc::BadAddress;
    return port;
}

}  // namespace

UniqueFd::~UniqueFd() {
    if (fd_ >= 0) ::close(fd_);
}

std::string SocketAddress::text() const {
    char host[INET6_ADDRSTRLEN] = "";
    if (storage.ss_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
        ::inet_ntop(AF_INET, &v4.sin_addr, host, sizeof(host));
        return std::string(host) + ':' + std::to_string(ntohs(v4.sin_port));
    }
    if (storage.ss_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
        ::inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof(host));
        return '[' + std::string(host) + "]:" + std::to_string(ntohs(v6.sin6_port));
    }
    return "unknown";
}

result<SocketAddress> parse_address(std::string_view text) {
    constexpr std::string_view kScheme = "tcp://";
    if (text.starts_with(kScheme)) text.remove_prefix(kScheme.size());
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return Errc::BadAddress;
    BOOST_OUTCOME_TRY(const std::uint16_t port, parse_port(text.substr(colon + 1)));
    std::string host(text.substr(0, colon));
    SocketAddress out;
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
        auto& v6 = reinterpret_cast<sockaddr_in6&>(out.storage);
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(port);
        out.size_bytes = sizeof(v6);
        host = host.substr(1, host.size() - 2);
        if (::inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) != 1) return Errc::BadAddress;
        return out;
    }
    if (host == "localhost") host = "127.0.0.1";
    auto& v4 = reinterpret_cast<sockaddr_in&>(out.storage);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    out.size_bytes = sizeof(v4);
    if (::inet_pton(AF_INET, host.c_str(), &v4.sin_addr) != 1) return Errc::BadAddress;
    return out;
}

result<UniqueFd> open_socket(const SocketAddress& address, const SocketOptions& options) {
    // Blocking on purpose: the ring waits by itself, and a non-blocking one would answer -EAGAIN.
    UniqueFd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP));
    if (!fd) return last_error();
    // The engine coalesces, Nagle must not.
    BOOST_OUTCOME_TRY(set_int(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1));
    if (options.send_buffer_bytes > 0) {
        BOOST_OUTCOME_TRY(set_int(fd.get(), SOL_SOCKET, SO_SNDBUF, options.send_buffer_bytes));
    }
    if (options.receive_buffer_bytes > 0) {
        BOOST_OUTCOME_TRY(set_int(fd.get(), SOL_SOCKET, SO_RCVBUF, options.receive_buffer_bytes));
    }
    if (!options.congestion.empty() &&
        ::setsockopt(fd.get(), IPPROTO_TCP, TCP_CONGESTION, options.congestion.data(),
                     static_cast<socklen_t>(options.congestion.size())) != 0) {
        return last_error();
    }
    return fd;
}

result<UniqueFd> open_listener(const SocketAddress& address, const SocketOptions& options) {
    BOOST_OUTCOME_TRY(UniqueFd fd, open_socket(address, options));
    // A restarted node must not wait for the old connections' TIME_WAIT.
    BOOST_OUTCOME_TRY(set_int(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1));
    if (::bind(fd.get(), address.get(), address.size_bytes) != 0) return last_error();
    if (::listen(fd.get(), kListenBacklog) != 0) return last_error();
    return fd;
}

SocketAddress local_address(int fd) noexcept {
    SocketAddress out;
    out.size_bytes = sizeof(out.storage);
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&out.storage), &out.size_bytes) != 0) {
        return {};
    }
    return out;
}

SocketAddress peer_address(int fd) noexcept {
    SocketAddress out;
    out.size_bytes = sizeof(out.storage);
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&out.storage), &out.size_bytes) != 0) {
        return {};
    }
    return out;
}

}  // namespace shunt::engine
