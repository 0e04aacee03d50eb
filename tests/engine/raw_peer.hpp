#pragma once
// A scripted peer on plain blocking sockets: says exactly the bytes a test wants, splits them as it
// likes, and can stay silent.

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "engine/socket.hpp"
#include "protocol/control_frame.hpp"
#include "protocol/frame.hpp"

namespace shunt::engine {

/// The length a frame header announces.
inline std::size_t control_body_bytes(ByteView header) {
    std::uint32_t size_bytes = 0;
    std::memcpy(&size_bytes, header.data() + 4, sizeof(size_bytes));
    return ntohl(size_bytes);
}

class RawPeer {
  public:
    RawPeer() = default;
    explicit RawPeer(UniqueFd fd) : fd_(std::move(fd)) { set_patience(); }

    /// Connects to 127.0.0.1:`port`.
    static RawPeer connect(std::uint16_t port, int receive_buffer_bytes = 0) {
        UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (receive_buffer_bytes > 0) {
            ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes,
                         sizeof(receive_buffer_bytes));
        }
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
        return RawPeer(std::move(fd));
    }

    /// False when the other side has closed already.
    bool say(ByteView bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR) continue;
            if (sent <= 0) return false;
            bytes = bytes.subspan(static_cast<std::size_t>(sent));
        }
        return true;
    }
    bool say(std::string_view text) { return say(bytes_of(text)); }

    /// Exactly `size_bytes`, or what came before the end.
    Bytes hear(std::size_t size_bytes) {
        Bytes out(size_bytes);
        std::size_t at = 0;
        while (at < size_bytes) {
            const ssize_t got = ::recv(fd_.get(), out.data() + at, size_bytes - at, 0);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0 && errno == EAGAIN) ADD_FAILURE() << "the peer went silent";
            if (got <= 0) break;
            at += static_cast<std::size_t>(got);
        }
        out.resize(at);
        return out;
    }
    /// Everything until the other side closes or resets.
    Bytes hear_to_end() {
        Bytes out;
        std::array<std::byte, 4096> room;
        for (;;) {
            const ssize_t got = ::recv(fd_.get(), room.data(), room.size(), 0);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0 && errno == EAGAIN) ADD_FAILURE() << "the peer did not close";
            if (got <= 0) return out;
            out.insert(out.end(), room.begin(), room.begin() + got);
        }
    }
    /// The next control frame; other frames and the end are test failures.
    protocol::ControlFrame hear_control() {
        const Bytes header = hear(protocol::kFrameHeaderBytes);
        if (header.size() != protocol::kFrameHeaderBytes) {
            ADD_FAILURE() << "no frame";
            return protocol::ZmpUnknownControl{};
        }
        const Bytes body = hear(control_body_bytes(header));
        const auto frame = protocol::decode_control(body);
        EXPECT_TRUE(frame.has_value());
        return frame ? frame.value() : protocol::ControlFrame{protocol::ZmpUnknownControl{}};
    }
    /// Closes with a reset, so that the other side sees an error instead of an end.
    void reset() {
        const linger hard{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
        fd_ = UniqueFd();
    }
    void close() { fd_ = UniqueFd(); }

  private:
    void set_patience() {
        const timeval limit{.tv_sec = 20, .tv_usec = 0};
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    }
    UniqueFd fd_;
};

/// A listening socket whose connections a test answers by hand.
class RawListener {
  public:
    RawListener() {
        auto address = parse_address("127.0.0.1:0");
        auto fd = open_listener(address.value(), {});
        EXPECT_TRUE(fd.has_value());
        fd_ = std::move(fd).value();
    }
    std::string endpoint_text() const { return "tcp://" + local_address(fd_.get()).text(); }
    RawPeer accept() {
        pollfd waiting{.fd = fd_.get(), .events = POLLIN, .revents = 0};
        EXPECT_EQ(::poll(&waiting, 1, 20000), 1);
        return RawPeer(UniqueFd(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC)));
    }

  private:
    UniqueFd fd_;
};

inline Bytes hello_of(std::string rid, protocol::SocketType type = protocol::SocketType::Router) {
    return protocol::encode_control(
        protocol::ZmpHello{.socket_type = type, .rid = NodeRid{std::move(rid)}});
}

/// The superset READY of a Shunt node.
inline protocol::ZmpReady ready_of(const std::string& rid, protocol::PairKey key,
                                   protocol::Lane lane) {
    protocol::ZmpReady ready;
    ready.routing_id = NodeRid{rid};
    ready.max_message_bytes = 0;
    ready.pair = key;
    ready.lane = lane;
    ready.lane_count = 2;
    return ready;
}

/// One data frame.
inline Bytes frame_of(ByteView body, bool more = false,
                      protocol::FrameKind kind = protocol::FrameKind::Data,
                      std::uint64_t sequence = 0) {
    const auto header = protocol::encode_frame_header(
        {.flags = more ? protocol::frame_flag::kMore : std::uint8_t{0},
         .kind = kind,
         .body_bytes = static_cast<std::uint32_t>(body.size()),
         .sequence = sequence});
    Bytes out = copy_of(header.view());
    out.insert(out.end(), body.begin(), body.end());
    return out;
}
inline Bytes frame_of(std::string_view body, bool more = false) {
    return frame_of(bytes_of(body), more);
}

/// Both lanes of a link dialed by hand, through their handshake.
struct RawLink {
    RawLink(std::uint16_t port, const std::string& rid, protocol::PairKey key = {77, 1},
            int receive_buffer_bytes = 0)
        : application(RawPeer::connect(port, receive_buffer_bytes)),
          completion(RawPeer::connect(port)) {
        shake(application, rid, key, protocol::Lane::Application);
        shake(completion, rid, key, protocol::Lane::Completion);
    }
    static void shake(RawPeer& peer, const std::string& rid, protocol::PairKey key,
                      protocol::Lane lane) {
        peer.say(hello_of(rid));
        peer.say(protocol::encode_control(ready_of(rid, key, lane)));
        EXPECT_TRUE(std::holds_alternative<protocol::ZmpHello>(peer.hear_control()));
        const auto answer = peer.hear_control();
        const auto* ready = std::get_if<protocol::ZmpReady>(&answer);
        ASSERT_NE(ready, nullptr);
        EXPECT_EQ(ready->pair, key);
        EXPECT_EQ(ready->lane, lane);
        EXPECT_EQ(ready->lane_count, 2);
    }
    RawPeer application;
    RawPeer completion;
};

}  // namespace shunt::engine
