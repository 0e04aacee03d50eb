#pragma once
// Two or more simulated nodes whose "host" only writes down what its World tells it. For tests of
// the simulator itself.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "tests/sim/network.hpp"
#include "tests/sim/scheduler.hpp"
#include "tests/sim/sim_world.hpp"

namespace shunt::sim {

inline protocol::OutRecord text_record(const std::string& text,
                                       protocol::Leg leg = protocol::Leg::Send) {
    protocol::OutRecord record;
    record.leg = leg;
    record.sequence = leg == protocol::Leg::Send ? 0 : 1;
    record.parts.push_back({.head = copy_of(bytes_of(text)), .tail = {}});
    return record;
}

class LinkRecorder final : public host::LinkEvents {
  public:
    struct Up {
        host::LinkId link;
        host::LinkInfo info;
    };
    struct Down {
        host::LinkId link;
        std::error_code reason;
        std::size_t submitted_before = 0;
    };

    void on_link_up(host::LinkId link, const host::LinkInfo& info) override {
        ups.push_back({link, info});
    }
    void on_link_down(host::LinkId link, std::error_code reason) override {
        downs.push_back({link, reason, submitted.size()});
    }
    void on_record(host::LinkId, const protocol::InRecord& record) override {
        const std::string text(text_of(record.parts[0]));
        (record.leg == protocol::Leg::Reply ? replies : records).push_back(text);
        views.push_back(record.parts[0]);
    }
    void on_submitted(host::LinkId, host::SubmitToken token,
                      protocol::SubmitResult result) override {
        submitted.emplace_back(token.value, result);
    }
    void on_writable(host::LinkId) override { ++writable; }

    std::vector<Up> ups;
    std::vector<Down> downs;
    std::vector<std::string> records;
    std::vector<std::string> replies;
    std::vector<ByteView> views;  // Kept beyond the borrow, to look at the poison.
    std::vector<std::pair<std::uint64_t, protocol::SubmitResult>> submitted;
    int writable = 0;
};

/// One node of the bench.
struct BenchNode {
    LinkRecorder events;
    std::unique_ptr<SimWorld> world;
    std::string endpoint;

    host::LinkId link() const { return events.ups.back().link; }

    host::Admission send(const std::string& text, std::uint64_t token = 0,
                         protocol::Leg leg = protocol::Leg::Send,
                         host::Gate gate = host::Gate::HighWaterMark) {
        return world->send(link(), text_record(text, leg), gate, host::SubmitToken{token});
    }
};

class LinkBench {
  public:
    explicit LinkBench(std::uint64_t seed = 1, const NetworkOptions& options = {},
                       std::uint32_t node_count = 2)
        : seed_(seed), scheduler(seed), network(scheduler, seed, options) {
        for (std::uint32_t i = 0; i < node_count; ++i) add(i);
    }

    BenchNode& add(std::uint32_t index, const std::string& bind = "sim:0") {
        auto made = std::make_unique<BenchNode>();
        const NodeOptions options{.node = NodeIndex{index},
                                  .monotonic_offset = std::chrono::hours(index + 1)};
        made->world = std::make_unique<SimWorld>(network, options, seed_, ++lifecycles_);
        const host::ListenOptions listen{bind, rid_of(index), 1024 * (index + 1)};
        made->endpoint = made->world->listen(listen, made->events).value();
        nodes.push_back(std::move(made));
        return *nodes.back();
    }

    static NodeRid rid_of(std::uint32_t index) { return NodeRid{"rid-" + std::to_string(index)}; }

    BenchNode& node(std::size_t index) { return *nodes[index]; }

    /// Node 0 dials node 1; both are up when this returns.
    void connect() {
        node(0).world->dial({node(1).endpoint, {}});
        run_until([&] { return !node(0).events.ups.empty() && !node(1).events.ups.empty(); });
    }

    RunEnd run_until(const std::function<bool()>& done) {
        return scheduler.run_until(done, scheduler.now() + std::chrono::minutes(5));
    }
    void run_for(Duration wait) { scheduler.run_until(scheduler.now() + wait); }

  private:
    std::uint64_t seed_;
    std::uint64_t lifecycles_ = 0;

  public:
    Scheduler scheduler;
    Network network;
    std::vector<std::unique_ptr<BenchNode>> nodes;
};

}  // namespace shunt::sim
