#include "engine/errc.hpp"

#include <cerrno>
#include <string>

#include "protocol/errc.hpp"

namespace shunt::engine {
namespace {

struct Entry {
    Errc code;
    const char* text;
};

// What happened, then what to do.
constexpr Entry kSentences[] = {
    {Errc::PeerClosed, "The peer closed the connection. A dial reconnects by itself."},
    {Errc::ConnectionReset,
     "The connection broke. A dial reconnects by itself; look at the peer if it "
     "repeats."},
    {Errc::ConnectRefused,
     "Nobody listens at the endpoint. Check that the peer runs and the address is "
     "right."},
    {Errc::ConnectTimeout,
     "The endpoint did not answer. Check the route and the firewall to the peer."},
    {Errc::HandshakeTimeout,
     "The peer did not finish the handshake in time. Check that a mesh node "
     "answers at that address."},
    {Errc::SisterLaneMissing,
     "Only one of the two lanes of a link arrived in time, so both were closed. "
     "The dialer tries again."},
    {Errc::LaneMismatch,
     "The lanes of one link did not fit together, so all were closed. The dialer "
     "tries again."},
    {Errc::UnexpectedPeer,
     "Another node than the expected one answered. Check whether the address was "
     "taken over by a restarted node."},
    {Errc::PeerGenerationUnsupported,
     "The peer speaks an older wire generation. Use a node that announces "
     "Zlink-Lane-Count."},
    {Errc::TooManyHalfOpen,
     "Too many connections of peers that are not admitted, so the oldest or largest was closed. "
     "Look at what connects to this port; raise half_open_max if they are legitimate."},
    {Errc::RecordTooLarge,
     "A record exceeds the largest one accepted. Lower the sender's chunk limit or "
     "raise record_bytes_max."},
    {Errc::ProtocolViolation,
     "The peer broke the mesh protocol, so its connection was closed. Check what "
     "connects to this port."},
    {Errc::PeerReportedError,
     "The peer refused the connection with an ERROR frame. Its log names the "
     "reason."},
    {Errc::ClosedHere, "The link was closed by this node."},
    {Errc::Stopped, "The transport is stopping; nothing is sent any more."},
    {Errc::RingMissing,
     "This kernel or sandbox has no io_uring. Run on Linux 6.1 or newer, and let "
     "the container's seccomp profile pass io_uring_setup, io_uring_enter and "
     "io_uring_register."},
    {Errc::RingForbidden,
     "io_uring is forbidden here. Set sysctl kernel.io_uring_disabled=0, or allow "
     "io_uring in the container's profile."},
    {Errc::RingMemory,
     "The locked-memory limit is too small even for the smallest ring. Raise it "
     "to 8 MiB: ulimit -l 8192, or LimitMEMLOCK=8M in the service."},
    {Errc::RingTooOld,
     "This kernel lacks multishot receive or provided buffer rings. Run on Linux "
     "6.1 or newer."},
    {Errc::ShardNotStarted,
     "The shard's thread could not be set up. Check the thread limit and the "
     "chosen CPU."},
    {Errc::BadAddress,
     "The address is not usable. Write host:port (or tcp://host:port) with a "
     "numeric IPv4 or [IPv6] host or localhost."},
    {Errc::AddressInUse,
     "Another program listens on this port. Choose another port, or 0 for a free "
     "one."},
    {Errc::AddressUnavailable,
     "This machine does not own the address to listen on. Use one of its own, or "
     "0.0.0.0."},
    {Errc::NotPermitted, "This user may not listen on that port. Choose one above 1023."},
};

class Category final : public std::error_category {
  public:
    const char* name() const noexcept override { return "shunt.engine"; }
    std::string message(int code) const override {
        for (const Entry& entry : kSentences) {
            if (entry.code == static_cast<Errc>(code)) return entry.text;
        }
        return "Unknown transport error.";
    }
};

}  // namespace

const std::error_category& error_category() noexcept {
    static const Category category;
    return category;
}

std::error_code make_error_code(Errc code) noexcept {
    return {static_cast<int>(code), error_category()};
}

bool is_offence(std::error_code reason) noexcept {
    if (reason.category() == make_error_code(protocol::Errc::FrameMagic).category()) return true;
    if (reason.category() != error_category()) return false;
    switch (static_cast<Errc>(reason.value())) {
        case Errc::HandshakeTimeout:
        case Errc::SisterLaneMissing:
        case Errc::LaneMismatch:
        case Errc::UnexpectedPeer:
        case Errc::PeerGenerationUnsupported:
        case Errc::RecordTooLarge:
        case Errc::ProtocolViolation:
        case Errc::PeerReportedError:
            return true;
        case Errc::RingMissing:
        case Errc::RingForbidden:
        case Errc::RingMemory:
        case Errc::RingTooOld:
        case Errc::ShardNotStarted:
        case Errc::BadAddress:
        case Errc::AddressInUse:
        case Errc::AddressUnavailable:
        case Errc::NotPermitted:
        case Errc::PeerClosed:
        case Errc::ConnectionReset:
        case Errc::ConnectRefused:
        case Errc::ConnectTimeout:
        case Errc::TooManyHalfOpen:
        case Errc::ClosedHere:
        case Errc::Stopped:
            return false;
    }
    return false;
}

std::error_code socket_error(int error_number) noexcept {
    switch (error_number) {
        case ECONNRESET:
        case EPIPE:
        case ECONNABORTED:
            return Errc::ConnectionReset;
        case ECONNREFUSED:
            return Errc::ConnectRefused;
        case ETIMEDOUT:
        case EHOSTUNREACH:
        case ENETUNREACH:
            return Errc::ConnectTimeout;
        case EADDRINUSE:
            return Errc::AddressInUse;
        case EADDRNOTAVAIL:
            return Errc::AddressUnavailable;
        case EACCES:
            return Errc::NotPermitted;
        case ECANCELED:
            return Errc::ClosedHere;
        default:
            return {error_number, std::system_category()};
    }
}

std::error_code ring_error(int error_number) noexcept {
    switch (error_number) {
        case ENOSYS:
            return Errc::RingMissing;
        case EPERM:
        case EACCES:
            return Errc::RingForbidden;
        case ENOMEM:
            return Errc::RingMemory;
        case EINVAL:
            return Errc::RingTooOld;
        default:
            return {error_number, std::system_category()};
    }
}

}  // namespace shunt::engine
