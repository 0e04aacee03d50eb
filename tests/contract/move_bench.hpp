#pragma once
// The bench of the contract tests for Actors: up to three real hosts on the simulated world, an
// Actor that writes down what runs where, a tap on every record, and the store's write log
// (spec/contract-matrix.md section 2).

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "host/host_core.hpp"
#include "protocol/command_record.hpp"
#include "store/authority.hpp"
#include "tests/sim/network.hpp"
#include "tests/sim/scheduler.hpp"
#include "tests/sim/sim_store.hpp"
#include "tests/sim/sim_world.hpp"

namespace shunt::contract {

// The words every row is written in.
using host::RelocationOutcome;
using host::RelocationReason;
using protocol::CommandId;
using relocation::LogCode;
using relocation::Point;
using relocation::Stage;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

inline constexpr sim::NodeIndex kA{0};
inline constexpr sim::NodeIndex kB{1};
inline constexpr sim::NodeIndex kC{2};

/// One handler that ran.
struct Ran {
    sim::NodeIndex node;
    std::string actor;
    std::string text;
    OperationId operation;
    sim::SimTime at;
};

/// One record at the moment it is handed to its receiver.
struct Tapped {
    sim::NodeIndex from;
    sim::NodeIndex to;
    sim::LinkNumber link;
    protocol::Leg leg = protocol::Leg::Send;
    protocol::CommandId command{};
    sim::SimTime at;
    std::shared_ptr<const sim::FlatRecord> bytes;

    template <class Command>
    Command as() const {
        const std::vector<ByteView> views(bytes->parts.begin(), bytes->parts.end());
        auto decoded = protocol::decode_record({bytes->leg, bytes->sequence, views});
        return std::get<Command>(decoded.value().command);
    }
};

/// One point of a move, or a stage a machine entered.
struct Marked {
    sim::NodeIndex node;
    std::optional<relocation::Point> point;
    std::optional<relocation::Stage> stage;
    sim::SimTime at;
};

/// From SHUNT_TEST_SHARDS, so that one program proves the rows for hosts of several shards too.
std::uint32_t shards_under_test();

struct BenchOptions {
    host::HostOptions host = quick();
    std::uint32_t nodes = 3;
    bool b_is_shunt = true;

    static host::HostOptions quick() {
        host::HostOptions options;
        options.polling_interval = std::chrono::milliseconds(10);
        options.shards = shards_under_test();
        return options;
    }
};

class MoveBench {
  public:
    explicit MoveBench(const BenchOptions& options = {});
    ~MoveBench();
    MoveBench(const MoveBench&) = delete;
    MoveBench& operator=(const MoveBench&) = delete;

    // --- acting -----------------------------------------------------------------------------
    /// Creates `actor` on A with a state of that size and waits until it is there.
    void create(const std::string& actor, std::size_t state_bytes = 0);
    /// One-way `note` with `text`, from outside any Actor on `from`.
    void send(sim::NodeIndex from, const std::string& actor, const std::string& text);
    /// Opens a turn that stays open for `wait`.
    void occupy(const std::string& actor, std::chrono::milliseconds wait);
    /// Index into answers().
    std::size_t ask(sim::NodeIndex from, const std::string& actor, const std::string& text,
                    std::chrono::milliseconds timeout = std::chrono::seconds(20));
    void shut_down(sim::NodeIndex node,
                   std::chrono::milliseconds deadline = std::chrono::seconds(20));
    /// Starts emptying A.
    void relocate(std::chrono::milliseconds deadline = std::chrono::seconds(30));

    // --- waiting ----------------------------------------------------------------------------
    /// False when it did not come true within `patience` of virtual time.
    bool until(const std::function<bool()>& done, Duration patience = std::chrono::seconds(60));
    void pass(Duration time);
    bool relocated() {
        return until([this] { return relocation_.has_value(); });
    }
    /// The Actor runs at `node` and its queue is open.
    bool opened(sim::NodeIndex node);

    // --- looking ----------------------------------------------------------------------------
    const std::vector<Ran>& ran() const noexcept { return ran_; }
    std::vector<std::string> texts_at(sim::NodeIndex node) const;
    std::size_t count(const std::string& text) const;
    const std::vector<Tapped>& wire() const noexcept { return wire_; }
    std::vector<Tapped> wire(protocol::CommandId command) const;
    const std::vector<Marked>& marks() const noexcept { return marks_; }
    std::optional<sim::SimTime> point(sim::NodeIndex node, relocation::Point point) const;
    std::optional<sim::SimTime> stage(sim::NodeIndex node, relocation::Stage stage) const;
    std::size_t logged(relocation::LogCode code) const;
    const std::vector<std::optional<result<host::Packet>>>& answers() const { return answers_; }
    const std::optional<host::RelocationResult>& relocation() const { return relocation_; }
    std::size_t factories_at(sim::NodeIndex node) const { return factories_.at(node.value); }
    std::optional<store::Authority> row(const std::string& actor) const;
    /// Writes to the Actor's row, in order of effect, with the row they left.
    struct RowWrite {
        sim::NodeIndex writer;
        sim::SimTime at;
        store::Authority row;
    };
    std::vector<RowWrite> row_writes(const std::string& actor) const;
    host::HostStatus status(sim::NodeIndex node) const { return node_at(node).core->status(); }
    const host::NodeIdentity& identity(sim::NodeIndex node) const {
        return node_at(node).core->identity();
    }

    sim::Network& network() noexcept { return network_; }
    sim::SimStore& store() noexcept { return store_; }
    sim::Scheduler& scheduler() noexcept { return scheduler_; }

  private:
    class Recorder;
    class BenchProbe;
    struct Node {
        std::unique_ptr<sim::SimWorld> world;
        std::unique_ptr<store::LocationStore> store;
        /// A shard beside shard 0.
        struct Further {
            std::unique_ptr<sim::SimWorld> world;
            std::unique_ptr<store::LocationStore> store;
        };
        std::vector<Further> further;
        std::unique_ptr<BenchProbe> probe;
        host::Registry registry;
        std::unique_ptr<host::HostCore> core;
        bool serving = false;
    };

    void add_node(const BenchOptions& options, sim::NodeIndex index);
    Node& node_at(sim::NodeIndex node) { return *nodes_.at(node.value); }
    const Node& node_at(sim::NodeIndex node) const { return *nodes_.at(node.value); }

    sim::Scheduler scheduler_{7};
    sim::Network network_{scheduler_, 7};
    sim::SimStore store_{scheduler_, 7};
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<Ran> ran_;
    std::vector<Tapped> wire_;
    std::vector<Marked> marks_;
    std::vector<relocation::LogCode> logs_;
    std::vector<std::size_t> factories_;
    std::vector<std::optional<result<host::Packet>>> answers_;
    std::optional<host::RelocationResult> relocation_;
    std::size_t state_bytes_ = 0;
};

/// What a filter needs: the command of a record that is about to enter the wire.
std::optional<protocol::CommandId> command_of(const sim::FlatRecord& record);

}  // namespace shunt::contract
