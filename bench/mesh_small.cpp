// One-way messages of 64 bytes over loopback: two mesh endpoints beside libzmq's DEALER and ROUTER,
// one thread per side each.
#include <atomic>
#include <thread>
#include <zmq.h>

#include "bench/harness.hpp"
#include "engine/mesh_endpoint.hpp"
#include "engine/shard.hpp"

namespace shunt::bench {
namespace {

constexpr std::size_t kMessageBytes = 64;
constexpr std::uint64_t kMessages = 1'000'000;
constexpr int kRounds = 7;

/// One shard with one endpoint, on loopback.
class Node : private engine::LinkEvents {
  public:
    explicit Node(const char* rid) : shard_({.name = rid, .shards_in_process = 2}) {
        const auto started = shard_.start([this, rid] {
            mesh_ = std::make_unique<engine::MeshEndpoint>(shard_, engine::MeshOptions{});
            auto listening = mesh_->listen({"127.0.0.1:0", NodeRid{rid}}, *this);
            if (listening) endpoint_ = listening.value();
        });
        if (!started || endpoint_.empty()) fail("a mesh endpoint did not start");
    }
    ~Node() override { shard_.stop(); }

    const std::string& endpoint() const noexcept { return endpoint_; }
    void dial(const std::string& endpoint) {
        shard_.post([this, endpoint] { mesh_->dial({endpoint, {}}); });
    }
    void await_link() { up_.wait(false); }
    void send(std::uint64_t count) {
        shard_.post([this, count] {
            left_ = count;
            pump();
        });
    }
    void expect(std::uint64_t count) { expected_ = received_.load() + count; }
    void await_all() {
        for (std::uint64_t seen = received_; seen < expected_; seen = received_) {
            received_.wait(seen);
        }
    }

  private:
    void pump() {
        while (left_ > 0) {
            protocol::OutRecord record;
            record.parts.push_back({Bytes(kMessageBytes, std::byte{7}), {}});
            const auto answer =
                mesh_->send(link_, std::move(record), engine::Gate::HighWaterMark, {});
            if (answer == engine::Admission::NoLink) fail("the link is gone");
            if (answer == engine::Admission::Full) return;  // on_writable() goes on.
            --left_;
        }
    }
    void on_link_up(engine::LinkId link, const engine::LinkInfo&) override {
        link_ = link;
        mesh_->trust(link);
        up_ = true;
        up_.notify_all();
    }
    void on_link_down(engine::LinkId, std::error_code) override {}
    void on_record(engine::LinkId, const protocol::InRecord& record) override {
        if (record.parts.front().size() != kMessageBytes) fail("a message changed its length");
        if (++received_ == expected_) received_.notify_all();
    }
    void on_submitted(engine::LinkId, engine::SubmitToken, protocol::SubmitResult) override {}
    void on_writable(engine::LinkId) override { pump(); }

    engine::Shard shard_;
    std::unique_ptr<engine::MeshEndpoint> mesh_;
    std::string endpoint_;
    engine::LinkId link_;
    std::uint64_t left_ = 0;
    std::atomic<bool> up_{false};
    std::atomic<std::uint64_t> received_{0};
    std::atomic<std::uint64_t> expected_{0};
};

class ZmqPair {
  public:
    /// A context per side, so that each has an I/O thread of its own, as two processes would.
    ZmqPair() : sending_(zmq_ctx_new()), receiving_(zmq_ctx_new()) {
        router_ = zmq_socket(receiving_, ZMQ_ROUTER);
        dealer_ = zmq_socket(sending_, ZMQ_DEALER);
        if (zmq_bind(router_, "tcp://127.0.0.1:*") != 0) fail("libzmq did not bind");
        char endpoint[128];
        std::size_t size = sizeof(endpoint);
        zmq_getsockopt(router_, ZMQ_LAST_ENDPOINT, endpoint, &size);
        if (zmq_connect(dealer_, endpoint) != 0) fail("libzmq did not connect");
        run(1);  // The connection stands from here.
    }
    ~ZmqPair() {
        zmq_close(dealer_);
        zmq_close(router_);
        zmq_ctx_term(sending_);
        zmq_ctx_term(receiving_);
    }
    ZmqPair(const ZmqPair&) = delete;
    ZmqPair& operator=(const ZmqPair&) = delete;

    double run(std::uint64_t count) {
        const auto start = std::chrono::steady_clock::now();
        std::thread receiver([this, count] { receive(count); });
        const Bytes message(kMessageBytes, std::byte{7});
        for (std::uint64_t i = 0; i < count; ++i) {
            if (zmq_send(dealer_, message.data(), message.size(), 0) < 0)
                fail("libzmq did not send");
        }
        receiver.join();
        return static_cast<double>(count) / seconds_since(start);
    }

  private:
    void receive(std::uint64_t count) {
        char identity[256];
        char message[kMessageBytes];
        for (std::uint64_t i = 0; i < count; ++i) {
            zmq_recv(router_, identity, sizeof(identity), 0);
            if (zmq_recv(router_, message, sizeof(message), 0) != kMessageBytes) {
                fail("libzmq changed a message's length");
            }
        }
    }

    void* sending_;
    void* receiving_;
    void* router_ = nullptr;
    void* dealer_ = nullptr;
};

int run() {
    enter_private_network();
    Node sender("bench-a");
    Node receiver("bench-b");
    sender.dial(receiver.endpoint());
    sender.await_link();
    receiver.await_link();
    ZmqPair zmq;
    const auto ours = [&] {
        receiver.expect(kMessages);
        const auto start = std::chrono::steady_clock::now();
        sender.send(kMessages);
        receiver.await_all();
        return static_cast<double>(kMessages) / seconds_since(start);
    };
    compare("mesh_small", "messages/s", {"mesh, 64 B one-way", ours},
            {"libzmq DEALER to ROUTER", [&] { return zmq.run(kMessages); }}, kRounds);
    return 0;
}

}  // namespace
}  // namespace shunt::bench

int main() {
    return shunt::bench::run();
}
