#include "engine/socket.hpp"

#include <netinet/tcp.h>

#include <gtest/gtest.h>

#include "engine/errc.hpp"

namespace shunt::engine {
namespace {

TEST(Socket, ReadsAddressesInTheFormsThatNeedNoResolver) {
    EXPECT_EQ(parse_address("127.0.0.1:80").value().text(), "127.0.0.1:80");
    EXPECT_EQ(parse_address("tcp://10.1.2.3:65535").value().text(), "10.1.2.3:65535");
    EXPECT_EQ(parse_address("localhost:0").value().text(), "127.0.0.1:0");
    EXPECT_EQ(parse_address("tcp://[::1]:9").value().text(), "[::1]:9");
}

TEST(Socket, RefusesWhatItCannotRead) {
    for (const char* text :
         {"", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1",
          "node.example:80", "::1:80", "[::1:80", "udp://1.2.3.4:5", "127.0.0.1:80 "}) {
        const auto address = parse_address(text);
        ASSERT_FALSE(address.has_value()) << text;
        EXPECT_EQ(address.error(), Errc::BadAddress) << text;
    }
}

TEST(Socket, SetsWhatWasAsked) {
    const auto address = parse_address("127.0.0.1:0").value();
    const auto fd = open_socket(address, {.send_buffer_bytes = 65536, .congestion = "reno"});
    ASSERT_TRUE(fd.has_value()) << fd.error().message();

    int value = 0;
    socklen_t size_bytes = sizeof(value);
    ::getsockopt(fd.value().get(), SOL_SOCKET, SO_SNDBUF, &value, &size_bytes);
    EXPECT_EQ(value, 2 * 65536);
    ::getsockopt(fd.value().get(), IPPROTO_TCP, TCP_NODELAY, &value, &size_bytes);
    EXPECT_NE(value, 0);
    char name[16] = "";
    size_bytes = sizeof(name);
    ::getsockopt(fd.value().get(), IPPROTO_TCP, TCP_CONGESTION, name, &size_bytes);
    EXPECT_STREQ(name, "reno");
}

TEST(Socket, AnUnknownCongestionControlIsAnError) {
    const auto address = parse_address("127.0.0.1:0").value();

    EXPECT_FALSE(open_socket(address, {.congestion = "no-such-thing"}).has_value());
}

TEST(Socket, AForeignAddressCannotBeListenedOn) {
    const auto address = parse_address("192.0.2.1:0").value();
    const auto fd = open_listener(address, {});

    ASSERT_FALSE(fd.has_value());
    EXPECT_EQ(fd.error(), Errc::AddressUnavailable);
}

}  // namespace
}  // namespace shunt::engine
