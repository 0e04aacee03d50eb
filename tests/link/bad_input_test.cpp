// Strangers and broken peers on the mesh port of a serving host: each connection that misbehaves is
// closed for a reason that is logged, and the host's own peers go on (issue 3, bad input).
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "host/host.hpp"
#include "protocol/command_record.hpp"
#include "tests/engine/raw_peer.hpp"

namespace shunt::link_test {
namespace {

using engine::frame_of;
using engine::hello_of;
using engine::RawLink;
using engine::RawPeer;
using engine::ready_of;
using host::Host;
using protocol::FrameKind;
using protocol::Lane;

/// Log lines of a host, with waiting.
class Log {
  public:
    host::Logger sink() {
        return [this](host::LogLevel, std::string_view name, const std::string& text) {
            {
                const std::lock_guard lock(mutex_);
                lines_.push_back(std::string(name) + ": " + text);
            }
            changed_.notify_all();
        };
    }
    std::size_t count(const std::string& part) {
        const std::lock_guard lock(mutex_);
        return count_locked(part);
    }
    bool await(const std::string& part, std::size_t least) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::seconds(20),
                                 [&] { return count_locked(part) >= least; });
    }

  private:
    std::size_t count_locked(const std::string& part) const {
        return static_cast<std::size_t>(std::count_if(
            lines_.begin(), lines_.end(),
            [&](const std::string& line) { return line.find(part) != std::string::npos; }));
    }
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::string> lines_;
};

struct Echo {
    void ask(host::Turn turn, host::Message message) {
        static_cast<void>(turn.reply(host::Packet("answer", std::string(message.text()))));
    }
};

/// Two hosts that are peers, and a way to reach the first one's mesh port by hand.
class BadInput : public ::testing::Test {
  protected:
    void SetUp() override {
        host::ActorType<Echo> type("echo");
        type.on("ask", &Echo::ask);
        type.preserve_state([](const Echo&) { return Segments{}; },
                            [](Echo&, ByteView) -> result<void> { return outcome::success(); });
        ASSERT_TRUE(types_.add(type));
        victim_ = start(log_.sink());
        friend_ = start([](host::LogLevel, std::string_view, const std::string&) {});
        ASSERT_TRUE(block_on(victim_->create_actor(ActorId("echo"), "echo")));
        expect_the_peer_goes_on();
    }
    std::unique_ptr<Host> start(host::Logger logger) {
        host::HostOptions options;
        options.polling_interval = std::chrono::milliseconds(20);
        host::HostExtras extras;
        extras.logger = std::move(logger);
        auto host = Host::start(options, types_, store_, std::move(extras));
        EXPECT_TRUE(host);
        return host ? std::move(host.value()) : nullptr;
    }
    std::uint16_t port() const {
        const std::string& text = victim_->endpoint();
        return static_cast<std::uint16_t>(std::stoul(text.substr(text.rfind(':') + 1)));
    }
    void expect_the_peer_goes_on() {
        const auto answer = block_on(friend_->request(ActorId("echo"), host::Packet("ask", "alive"),
                                                      std::chrono::seconds(20)));
        ASSERT_TRUE(answer) << answer.error().message();
        EXPECT_EQ(text_of(answer.value().payload.view()), "alive");
    }
    static constexpr char kPeerLost[] = "peer_lost";

    host::Registry types_;
    host::LocalStore store_;
    Log log_;
    std::unique_ptr<Host> victim_;
    std::unique_ptr<Host> friend_;
};

protocol::RouteMeshAdmission stranger_descriptor() {
    protocol::RouteMeshAdmission descriptor;
    descriptor.mesh_name = "default";
    descriptor.lifecycle_generation = NodeGeneration{77};
    descriptor.advertised_endpoint = "tcp://127.0.0.1:1";
    return descriptor;
}

/// The frames of a record as they go over the wire.
Bytes wire_of(const protocol::OutRecord& record, FrameKind kind = FrameKind::Data) {
    Bytes out;
    for (const protocol::OutPart& part : record.parts) {
        Bytes body = part.head;
        for (const Segment& segment : part.tail) {
            const ByteView bytes = segment.view();
            body.insert(body.end(), bytes.begin(), bytes.end());
        }
        const bool first = &part == record.parts.begin();
        const Bytes frame =
            frame_of(body, &part + 1 != record.parts.end(), first ? kind : FrameKind::Data,
                     first && kind != FrameKind::Data ? 5 : 0);
        out.insert(out.end(), frame.begin(), frame.end());
    }
    return out;
}
template <class T>
Bytes wire_of_command(const T& command, FrameKind kind = FrameKind::Data) {
    return wire_of(protocol::encode_record(command), kind);
}

/// A header that promises more than it should.
Bytes header_of(std::uint32_t body_bytes, std::uint8_t flags = 0) {
    const auto header = protocol::encode_frame_header({.flags = flags, .body_bytes = body_bytes});
    return copy_of(header.view());
}

Bytes join(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

struct Raw {
    const char* name;
    Bytes bytes;
    const char* logged;
};

std::vector<Raw> raw_bytes() {
    const Bytes hello = hello_of("stranger");
    const Bytes ready = protocol::encode_control(ready_of("stranger", {5, 1}, Lane::Application));
    Bytes bad_flags = frame_of("x");
    bad_flags[2] = std::byte{0x80};
    Bytes bad_kind = frame_of("x");
    bad_kind[3] = std::byte{9};
    Bytes cut_ready = ready;
    cut_ready[7] = std::byte{static_cast<std::uint8_t>(std::to_integer<int>(ready[7]) - 1)};
    cut_ready.pop_back();
    return {
        {"http", copy_of(bytes_of("GET / HTTP/1.1\r\n\r\n")), "does not speak ZMP"},
        {"tls", copy_of(bytes_of(std::string_view("\x16\x03\x01\x02\x00\x01\x00\x01\xfc", 9))),
         "does not speak ZMP"},
        {"flags", join(hello, bad_flags), "flags that exclude"},
        {"kind", join(hello, bad_kind), "unknown kind"},
        {"data before ready", join(hello, frame_of("x")), "broke the mesh protocol"},
        {"ready before hello", ready, "broke the mesh protocol"},
        {"a ready that ends early", join(hello, cut_ready), "READY is malformed"},
        {"a hello of 4 GiB", header_of(0xFFFF'FFFF, protocol::frame_flag::kControl),
         "larger than this node"},
        {"a body of 4 GiB", join(join(hello, ready), header_of(0xFFFF'FFFF)),
         "larger than this node"},
    };
}

// Before any handshake ends: whatever connects here by mistake or malice.
TEST_F(BadInput, BytesThatAreNoHandshakeAreClosedAndLogged) {
    for (const Raw& raw : raw_bytes()) {
        SCOPED_TRACE(raw.name);
        const std::size_t before = log_.count(raw.logged);
        RawPeer peer = RawPeer::connect(port());
        // A set that formed needs its sister before data is looked at.
        std::unique_ptr<RawPeer> sister;
        if (std::string_view(raw.name) == "a body of 4 GiB") {
            sister = std::make_unique<RawPeer>(RawPeer::connect(port()));
            RawLink::shake(*sister, "stranger", {5, 1}, Lane::Completion);
        }
        peer.say(raw.bytes);
        peer.hear_to_end();
        EXPECT_TRUE(log_.await(raw.logged, before + 1));
        expect_the_peer_goes_on();
    }
    EXPECT_EQ(log_.count(kPeerLost), 0U);
}

struct Misbehaviour {
    const char* name;
    std::function<Bytes()> bytes;
    bool on_completion = false;
    const char* logged;
};

// Records that are none, or come at the wrong time or from somebody else.
std::vector<Misbehaviour> wrong_records() {
    const auto hello = [] { return wire_of_command(protocol::Hello{stranger_descriptor()}); };
    const auto prefixed = [](std::string_view tail) {
        std::string body("\x5a\x4d\x01", 3);
        body += tail;
        return frame_of(body);
    };
    return {
        {"no service record", [] { return frame_of("nonsense"); }, false, "(undecodable)"},
        {"an empty record", [] { return frame_of(""); }, false, "(undecodable)"},
        {"an unknown command", [=] { return prefixed(std::string("\xee\x00", 2)); }, false,
         "(undecodable)"},
        {"a forbidden flag", [=] { return prefixed(std::string("\x05\xff\0\0\0\0\0\0\0\1", 10)); },
         false, "(undecodable)"},
        {"a probe of id zero",
         [=] { return prefixed(std::string("\x05\x00\0\0\0\0\0\0\0\0", 10)); }, false,
         "(undecodable)"},
        {"a hello whose length lies",
         [=] { return prefixed(std::string("\x01\x00\x01\xff\xff\xff\xff", 7)); }, false,
         "(undecodable)"},
        {"probe before hello", [] { return wire_of_command(protocol::LivenessProbe{3}); }, false,
         "(before_admission)"},
        {"update before hello",
         [] { return wire_of_command(protocol::Update{stranger_descriptor()}); }, false,
         "(before_admission)"},
        {"hello as a request",
         [] { return wire_of_command(protocol::Hello{stranger_descriptor()}, FrameKind::Request); },
         false, "(wrong_leg)"},
        {"hello of another mesh",
         [] {
             protocol::RouteMeshAdmission other = stranger_descriptor();
             other.mesh_name = "elsewhere";
             return wire_of_command(protocol::Hello{other});
         },
         false, "(admission_refused)"},
        {"two runs in one connection",
         [=] {
             protocol::RouteMeshAdmission other = stranger_descriptor();
             other.lifecycle_generation = NodeGeneration{78};
             return join(hello(), wire_of_command(protocol::Hello{other}));
         },
         false, "(admission_refused)"},
        {"an update of what never changes",
         [=] {
             protocol::RouteMeshAdmission other = stranger_descriptor();
             other.descriptor_revision = 2;
             other.advertised_endpoint = "tcp://127.0.0.1:2";
             return join(hello(), wire_of_command(protocol::Update{other}));
         },
         false, "(update_refused)"},
        {"a reject nobody asked for",
         [] {
             return wire_of_command(protocol::Reject{protocol::RejectReason::InvalidDescriptor});
         },
         false, "(rejected_by_peer)"},
    };
}

// What the transport itself does not take from a peer that nobody has admitted, and what goes
// where it never travels.
std::vector<Misbehaviour> wrong_frames() {
    const auto hello = [] { return wire_of_command(protocol::Hello{stranger_descriptor()}); };
    return {
        {"a reply as data",
         [=] { return join(hello(), wire_of_command(protocol::Reply{.correlation = 4})); }, false,
         "(wrong_leg)"},
        {"data on the completion lane", [=] { return hello(); }, true, "mesh_connection_refused"},
        {"a request on the completion lane",
         [] { return wire_of_command(protocol::Hello{stranger_descriptor()}, FrameKind::Request); },
         true, "mesh_connection_refused"},
        {"a reply on the application lane",
         [=] {
             return join(hello(),
                         wire_of_command(protocol::Reply{.correlation = 4}, FrameKind::Reply));
         },
         false, "mesh_connection_refused"},
        {"too many parts",
         [] {
             Bytes out;
             for (int i = 0; i < 100; ++i) out = join(out, frame_of("", true));
             return out;
         },
         false, "mesh_connection_refused"},
        {"a stranger's 2 MiB", [] { return header_of(2 * 1024 * 1024); }, false,
         "mesh_connection_refused"},
        {"a kind inside a record",
         [] {
             return join(frame_of("first", true),
                         frame_of(bytes_of("x"), false, FrameKind::Request, 3));
         },
         false, "mesh_connection_refused"},
        {"sequence zero",
         [] {
             Bytes frame = frame_of(bytes_of("x"), false, FrameKind::Request, 3);
             std::fill(frame.begin() + 8, frame.begin() + 16, std::byte{0});
             return frame;
         },
         false, "mesh_connection_refused"},
    };
}

// After the handshake: a peer that speaks ZMP and misuses it. Nothing of it reaches an Actor.
TEST_F(BadInput, U36_MisuseOfALinkEndsThatLinkAlone) {
    std::uint64_t key = 100;
    std::vector<Misbehaviour> all = wrong_records();
    for (Misbehaviour& bad : wrong_frames()) all.push_back(std::move(bad));
    for (const Misbehaviour& bad : all) {
        SCOPED_TRACE(bad.name);
        const std::size_t before = log_.count(bad.logged);
        RawLink link(port(), "stranger-" + std::to_string(key), {++key, 1});
        (bad.on_completion ? link.completion : link.application).say(bad.bytes());
        link.application.hear_to_end();
        link.completion.hear_to_end();
        EXPECT_TRUE(log_.await(bad.logged, before + 1));
        expect_the_peer_goes_on();
    }
    // Of these only strangers that had been admitted count as lost peers.
    EXPECT_EQ(friend_->status().ready_peers, 1U);
    EXPECT_EQ(victim_->status().ready_peers, 1U);
}

// The rid of a live peer, and a run of its own: discovery knows better, and the true one stays.
TEST_F(BadInput, U36_ABorrowedIdWithAnotherRunIsRefused) {
    const std::size_t before = log_.count("(admission_refused)");
    RawLink link(port(), friend_->node_rid().value, {900, 1});
    link.application.say(wire_of_command(protocol::Hello{stranger_descriptor()}));

    EXPECT_TRUE(log_.await("(admission_refused)", before + 1));
    link.application.hear_to_end();
    expect_the_peer_goes_on();
    EXPECT_EQ(log_.count(kPeerLost), 0U);
}

TEST_F(BadInput, ThisHostsOwnIdIsRefused) {
    const std::string rid = victim_->node_rid().value;
    // Closed as soon as it is up, so the answers may not be there to be read.
    std::vector<RawPeer> lanes;
    for (const Lane lane : {Lane::Application, Lane::Completion}) {
        lanes.push_back(RawPeer::connect(port()));
        lanes.back().say(
            join(hello_of(rid), protocol::encode_control(ready_of(rid, {901, 1}, lane))));
    }

    EXPECT_TRUE(log_.await("(own_rid)", 1));
    for (RawPeer& lane : lanes) lane.hear_to_end();
    expect_the_peer_goes_on();
}

// Records cut anywhere and bytes flipped anywhere, from a seed that is printed: whatever it means
// to the reader, the host stays up and its peer stays its peer.
TEST_F(BadInput, TornAndFlippedRecordsHarmNobodyElse) {
    std::mt19937_64 random(20261201);
    const Bytes hello = wire_of_command(protocol::Hello{stranger_descriptor()});
    const Bytes probe = wire_of_command(protocol::LivenessProbe{3});
    for (std::uint64_t round = 0; round < 200; ++round) {
        SCOPED_TRACE(round);
        RawLink link(port(), "torn-" + std::to_string(round), {2000 + round, 1});
        Bytes bytes = join(join(hello, probe), hello);
        for (std::uint64_t flip = random() % 4; flip > 0; --flip) {
            bytes[random() % bytes.size()] ^= static_cast<std::byte>(1U << (random() % 8));
        }
        if (random() % 2 == 0) bytes.resize(random() % bytes.size());
        RawPeer& lane = random() % 8 == 0 ? link.completion : link.application;
        lane.say(bytes);
        if (random() % 2 == 0) lane.reset();
    }

    expect_the_peer_goes_on();
    EXPECT_EQ(friend_->status().ready_peers, 1U);
}

TEST_F(BadInput, RandomBytesHarmNobodyElse) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 200; ++round) {
        RawPeer peer = RawPeer::connect(port());
        Bytes bytes(random() % 5000);
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
        // Half of them get past the first look.
        if (round % 2 == 0) bytes = join(hello_of("random"), bytes);
        peer.say(bytes);
    }

    EXPECT_TRUE(log_.await("mesh_connection_refused", 100));
    expect_the_peer_goes_on();
    EXPECT_EQ(log_.count(kPeerLost), 0U);
}

}  // namespace
}  // namespace shunt::link_test
