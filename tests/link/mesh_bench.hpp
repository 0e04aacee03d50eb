#pragma once
// A host's mesh on its own, on any World, and everything it tells: so that admission and liveness
// are tested without Actors. Beside it a scripted peer on a simulated link, which says exactly the
// records a test wants.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "host/mesh.hpp"
#include "tests/sim/network.hpp"
#include "tests/sim/scheduler.hpp"
#include "tests/sim/sim_world.hpp"

namespace shunt::link_test {

inline protocol::RouteMeshAdmission descriptor_of(std::uint64_t generation,
                                                  std::uint64_t revision = 1) {
    protocol::RouteMeshAdmission descriptor;
    descriptor.mesh_name = "test";
    descriptor.lifecycle_generation = NodeGeneration{generation};
    descriptor.descriptor_revision = revision;
    descriptor.advertised_endpoint = "tcp://127.0.0.1:1";
    return descriptor;
}

/// One Mesh and what it reports.
class MeshNode final : public host::MeshEvents {
  public:
    MeshNode(host::World& world, NodeRid rid)
        : world_(world),
          log_([this](relocation::LogLevel, std::string_view name, const std::string& text) {
              logs.push_back(std::string(name) + ": " + text);
          }),
          services_{world, options_, probe_, log_},
          mesh_(services_, *this) {
        options_.listen_address = "127.0.0.1:0";
        mesh_.set_descriptor(descriptor_of(1));
        auto listening = mesh_.listen(rid, 256 * 1024);
        if (listening) endpoint = listening.value();
    }

    host::Mesh& mesh() noexcept { return mesh_; }
    host::World& world() noexcept { return world_; }
    std::uint64_t closed_for(host::LinkEnd end) const { return mesh_.counters().closed_for(end); }
    /// Log lines that give this reason.
    std::size_t logged(host::LinkEnd end) const {
        std::size_t count = 0;
        for (const std::string& line : logs) {
            if (line.find("(" + std::string(name_of(end)) + ")") != std::string::npos) ++count;
        }
        return count;
    }

    std::string endpoint;
    std::vector<std::string> logs;
    std::vector<host::LinkId> ready;
    std::vector<host::LinkId> lost;
    std::vector<std::uint64_t> updated;  // Revisions.
    std::vector<protocol::CommandId> arrivals;
    std::map<NodeRid, host::ExpectedPeer> expected;

    void on_peer_ready(const host::Peer& peer) override { ready.push_back(peer.link); }
    void on_peer_lost(const host::Peer& peer) override { lost.push_back(peer.link); }
    void on_peer_updated(const host::Peer& peer) override {
        updated.push_back(peer.descriptor.descriptor_revision);
    }
    void on_arrival(const host::Arrival& arrival) override {
        arrivals.push_back(protocol::id_of(arrival.record.command));
    }
    void on_link_submitted(host::LinkId, host::SubmitToken, protocol::SubmitResult) override {}
    void on_link_writable(host::LinkId) override {}
    std::optional<host::ExpectedPeer> expected_peer(const NodeRid& rid) const override {
        const auto found = expected.find(rid);
        return found == expected.end() ? std::nullopt : std::optional(found->second);
    }

  private:
    host::World& world_;
    host::HostOptions options_;
    host::Probe probe_;
    host::LogSink log_;
    host::HostServices services_;
    host::Mesh mesh_;
};

/// The other end of simulated links, by hand.
class ScriptedPeer final : public host::LinkEvents {
  public:
    ScriptedPeer(sim::Network& network, std::uint32_t node, NodeRid rid)
        : world_(std::make_unique<sim::SimWorld>(
              network, sim::NodeOptions{.node = sim::NodeIndex{node}}, 5, node + 100)) {
        auto listening = world_->listen({"sim:0", std::move(rid), 256 * 1024}, *this);
        endpoint = listening.value();
    }

    sim::SimWorld& world() noexcept { return *world_; }
    /// On the newest link, unless another is named.
    void send(protocol::OutRecord record, std::optional<host::LinkId> link = {}) {
        static_cast<void>(world_->send(link.value_or(ups.back()), std::move(record),
                                       host::Gate::None, host::SubmitToken{}));
    }
    template <class T>
    void say(const T& command, std::optional<host::LinkId> link = {}) {
        send(protocol::encode_record(command), link);
    }
    template <class T>
    std::size_t count() const {
        std::size_t out = 0;
        for (const protocol::Command& command : heard) out += std::holds_alternative<T>(command);
        return out;
    }
    template <class T>
    const T* last() const {
        const T* out = nullptr;
        for (const protocol::Command& command : heard) {
            if (const T* found = std::get_if<T>(&command)) out = found;
        }
        return out;
    }

    std::string endpoint;
    std::vector<host::LinkId> ups;
    std::vector<host::LinkId> downs;
    std::vector<protocol::Command> heard;
    /// Answers every probe.
    bool answers = true;

    void on_link_up(host::LinkId link, const host::LinkInfo&) override { ups.push_back(link); }
    void on_link_down(host::LinkId link, std::error_code) override { downs.push_back(link); }
    void on_record(host::LinkId link, const protocol::InRecord& in) override {
        auto decoded = protocol::decode_record(in);
        if (!decoded) return;
        heard.push_back(decoded.value().command);
        const auto* probe = std::get_if<protocol::LivenessProbe>(&heard.back());
        if (probe != nullptr && answers) say(protocol::LivenessAck{probe->probe_id}, link);
    }
    void on_submitted(host::LinkId, host::SubmitToken, protocol::SubmitResult) override {}
    void on_writable(host::LinkId) override {}

  private:
    std::unique_ptr<sim::SimWorld> world_;
};

/// A mesh node `node-m` and scripted peers around it.
class SimBench {
  public:
    SimBench() : world_(network, {.node = sim::NodeIndex{0}}, 3, 1), node(world_, rid()) {}

    static NodeRid rid() { return NodeRid{"node-m"}; }

    ScriptedPeer& add(std::string rid) {
        peers_.push_back(std::make_unique<ScriptedPeer>(
            network, static_cast<std::uint32_t>(peers_.size()) + 1, NodeRid{std::move(rid)}));
        return *peers_.back();
    }
    /// `peer` dials the node, once; the link is up on both sides.
    host::LinkId dial_in(ScriptedPeer& peer) {
        const std::size_t before = peer.ups.size();
        const host::DialId dial = peer.world().dial({node.endpoint, {}});
        const host::LinkId link = came_up(peer, before);
        peer.world().undial(dial);
        return link;
    }
    /// The node dials `peer`, once.
    host::LinkId dial_out(ScriptedPeer& peer) {
        const std::size_t before = peer.ups.size();
        const host::DialId dial = world_.dial({peer.endpoint, {}});
        const host::LinkId link = came_up(peer, before);
        world_.undial(dial);
        return link;
    }
    /// Dials in and is admitted.
    host::LinkId join(ScriptedPeer& peer, std::uint64_t generation = 7) {
        const host::LinkId link = dial_in(peer);
        peer.say(protocol::Hello{descriptor_of(generation)});
        settle();
        return link;
    }
    bool until(const std::function<bool()>& done) {
        return scheduler.run_until(done, scheduler.now() + std::chrono::minutes(5)) ==
               sim::RunEnd::Reached;
    }
    void pass(Duration time) { scheduler.run_until(scheduler.now() + time); }
    /// Everything that is under way arrives; no probe is due.
    void settle() { pass(std::chrono::milliseconds(200)); }

    // In the order in which they need each other.
    sim::Scheduler scheduler{11};
    sim::Network network{scheduler, 11};

  private:
    sim::SimWorld world_;

  public:
    MeshNode node;

  private:
    host::LinkId came_up(const ScriptedPeer& peer, std::size_t before) {
        until([&] { return peer.ups.size() > before && mine() > links_before_; });
        links_before_ = mine();
        return peer.ups.back();
    }
    std::uint64_t mine() { return node.mesh().counters().links_up; }
    std::uint64_t links_before_ = 0;
    std::vector<std::unique_ptr<ScriptedPeer>> peers_;
};

}  // namespace shunt::link_test
