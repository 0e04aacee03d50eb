#include "tests/contract/move_bench.hpp"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "store/keys.hpp"

namespace shunt::contract {

using sim::NodeIndex;

std::optional<protocol::CommandId> command_of(const sim::FlatRecord& record) {
    const std::vector<ByteView> views(record.parts.begin(), record.parts.end());
    const auto command = protocol::peek_command({record.leg, record.sequence, views});
    if (!command) return std::nullopt;
    return command.value();
}

// --- what runs on the hosts -------------------------------------------------------------------

class MoveBench::Recorder {
  public:
    Recorder(MoveBench& bench, NodeIndex node, ActorId id)
        : bench_(bench), node_(node), id_(std::move(id)), state_(bench.state_bytes_, 'x') {}

    void note(host::Turn turn, host::Message message) {
        bench_.ran_.push_back({node_, id_.value, std::string(message.text()), message.operation(),
                               bench_.scheduler_.now()});
        if (message.is_request()) {
            static_cast<void>(turn.reply(host::Packet("echo", message.text())));
        }
    }

    void occupy(host::Turn turn, host::Message message) {
        turn.after(milliseconds(std::stol(std::string(message.text()))), [] {});
    }

    Segments capture() const { return {Segment(copy_of(bytes_of(state_)))}; }
    void restore(ByteView state) { state_ = std::string(text_of(state)); }

    static host::ActorType<Recorder> type(MoveBench& bench, NodeIndex node) {
        host::ActorType<Recorder> type("recorder");
        type.factory([&bench, node](const host::ActorContext& context) {
            ++bench.factories_.at(node.value);
            return std::make_shared<Recorder>(bench, node, context.id);
        });
        type.on("note", &Recorder::note).on("occupy", &Recorder::occupy);
        type.preserve_state([](const Recorder& r) -> result<Segments> { return r.capture(); },
                            [](Recorder& r, ByteView state) -> result<void> {
                                r.restore(state);
                                return outcome::success();
                            });
        return type;
    }

  private:
    MoveBench& bench_;
    NodeIndex node_;
    ActorId id_;
    std::string state_;
};

class MoveBench::BenchProbe final : public host::Probe {
  public:
    BenchProbe(MoveBench& bench, NodeIndex node) : bench_(bench), node_(node) {}

    void on_point(const ActorId&, relocation::Point point, TimePoint) override {
        bench_.marks_.push_back({node_, point, std::nullopt, bench_.scheduler_.now()});
    }
    void on_stage(const ActorId&, relocation::Role, relocation::Stage stage) override {
        bench_.marks_.push_back({node_, std::nullopt, stage, bench_.scheduler_.now()});
    }
    void on_log(relocation::LogCode code) override { bench_.logs_.push_back(code); }

  private:
    MoveBench& bench_;
    NodeIndex node_;
};

// --- set-up -----------------------------------------------------------------------------------

std::uint32_t shards_under_test() {
    const char* wanted = std::getenv("SHUNT_TEST_SHARDS");
    return wanted == nullptr ? 1 : static_cast<std::uint32_t>(std::strtoul(wanted, nullptr, 10));
}

MoveBench::MoveBench(const BenchOptions& options) : factories_(options.nodes, 0) {
    network_.on_delivery([this](const sim::RecordNotice& notice) {
        const auto command = command_of(notice.record);
        if (!command) return;
        wire_.push_back({notice.from, notice.to, notice.link, notice.record.leg, *command,
                         scheduler_.now(), std::make_shared<sim::FlatRecord>(notice.record)});
    });
    for (std::uint32_t i = 0; i < options.nodes; ++i) add_node(options, NodeIndex{i});
    const bool meshed = until([this] {
        return std::all_of(nodes_.begin(), nodes_.end(), [this](const auto& node) {
            return node->serving && node->core->status().ready_peers == nodes_.size() - 1;
        });
    });
    EXPECT_TRUE(meshed) << "the hosts did not find each other";
    wire_.clear();
}

void MoveBench::add_node(const BenchOptions& options, NodeIndex index) {
    auto node = std::make_unique<Node>();
    EXPECT_TRUE(node->registry.add(Recorder::type(*this, index)));
    sim::NodeOptions machine;
    machine.node = index;
    machine.monotonic_offset = std::chrono::hours(1 + index.value);
    machine.is_shunt = index != kB || options.b_is_shunt;
    node->world = std::make_unique<sim::SimWorld>(network_, machine, 7, index.value + 1);
    node->store = store_.connect(*node->world);
    std::vector<host::FurtherShard> further;
    for (std::uint32_t shard = 1; shard < options.host.shards; ++shard) {
        machine.shard = ShardId{shard};
        Node::Further& added = node->further.emplace_back();
        added.world = std::make_unique<sim::SimWorld>(network_, machine, 7, index.value + 1);
        added.store = store_.connect(*added.world);
        further.push_back({added.world.get(), added.store.get()});
    }
    node->probe = std::make_unique<BenchProbe>(*this, index);
    host::HostOptions host = options.host;
    host.node_prefix = "n" + std::to_string(index.value);
    // C only sends: what A holds always goes to B.
    if (index == kC) host.placement_weight = 0;
    node->core = std::make_unique<host::HostCore>(
        *node->world, *node->store, further, node->registry, host, *node->probe,
        [](relocation::LogLevel, std::string_view, const std::string&) {});
    Node& placed = *nodes_.emplace_back(std::move(node));
    placed.core->start([&placed](std::error_code error) { placed.serving = !error; });
}

MoveBench::~MoveBench() {
    for (const auto& node : nodes_) {
        node->world->kill();
        for (const auto& shard : node->further) shard.world->kill();
    }
    for (const auto& node : nodes_) node->core.reset();
}

// --- acting -----------------------------------------------------------------------------------

void MoveBench::create(const std::string& actor, std::size_t state_bytes) {
    state_bytes_ = state_bytes;
    std::optional<bool> created;
    node_at(kA).core->create_actor(ActorId(actor), "recorder", [&created](result<void> answer) {
        created = answer.has_value();
    });
    EXPECT_TRUE(until([&] { return created.has_value(); }) && *created);
    wire_.clear();
}

void MoveBench::send(NodeIndex from, const std::string& actor, const std::string& text) {
    node_at(from).core->send(ActorId(actor), host::Packet("note", std::string_view(text)), nullptr);
}

void MoveBench::occupy(const std::string& actor, milliseconds wait) {
    const std::string text = std::to_string(wait.count());
    node_at(kA).core->send(ActorId(actor), host::Packet("occupy", std::string_view(text)), nullptr);
    pass(milliseconds(1));
}

std::size_t MoveBench::ask(NodeIndex from, const std::string& actor, const std::string& text,
                           milliseconds timeout) {
    const std::size_t index = answers_.size();
    answers_.emplace_back();
    node_at(from).core->request(ActorId(actor), host::Packet("note", std::string_view(text)),
                                timeout, [this, index](result<host::Packet> answer) {
                                    EXPECT_FALSE(answers_[index].has_value()) << "answered twice";
                                    answers_[index] = std::move(answer);
                                });
    return index;
}

void MoveBench::relocate(milliseconds deadline) {
    host::RelocateOptions options(host::RelocationMode::PlannedMaintenance);
    options.deadline = deadline;
    node_at(kA).core->relocate(options, [this](result<host::RelocationResult> answer) {
        ASSERT_TRUE(answer);
        relocation_ = answer.value();
    });
}

void MoveBench::shut_down(NodeIndex node, milliseconds deadline) {
    node_at(node).core->shutdown(deadline, [](host::TerminationResult) {});
}

// --- waiting ----------------------------------------------------------------------------------

bool MoveBench::until(const std::function<bool()>& done, Duration patience) {
    return scheduler_.run_until(done, scheduler_.now() + patience) == sim::RunEnd::Reached;
}

void MoveBench::pass(Duration time) {
    static_cast<void>(scheduler_.run_until(scheduler_.now() + time));
}

bool MoveBench::opened(NodeIndex node) {
    return until([&] { return stage(node, relocation::Stage::TargetOpen).has_value(); });
}

// --- looking ----------------------------------------------------------------------------------

std::vector<std::string> MoveBench::texts_at(NodeIndex node) const {
    std::vector<std::string> texts;
    for (const Ran& ran : ran_) {
        if (ran.node == node) texts.push_back(ran.text);
    }
    return texts;
}

std::size_t MoveBench::count(const std::string& text) const {
    return static_cast<std::size_t>(
        std::count_if(ran_.begin(), ran_.end(), [&](const Ran& ran) { return ran.text == text; }));
}

std::vector<Tapped> MoveBench::wire(protocol::CommandId command) const {
    std::vector<Tapped> matching;
    for (const Tapped& record : wire_) {
        if (record.command == command) matching.push_back(record);
    }
    return matching;
}

std::optional<sim::SimTime> MoveBench::point(NodeIndex node, relocation::Point wanted) const {
    for (const Marked& mark : marks_) {
        if (mark.node == node && mark.point == wanted) return mark.at;
    }
    return std::nullopt;
}

std::optional<sim::SimTime> MoveBench::stage(NodeIndex node, relocation::Stage wanted) const {
    for (const Marked& mark : marks_) {
        if (mark.node == node && mark.stage == wanted) return mark.at;
    }
    return std::nullopt;
}

std::size_t MoveBench::logged(relocation::LogCode code) const {
    return static_cast<std::size_t>(std::count(logs_.begin(), logs_.end(), code));
}

std::optional<store::Authority> MoveBench::row(const std::string& actor) const {
    const protocol::AuthorityKey key{protocol::AuthorityObjectKind::Actor, actor};
    const auto read = store_.peek(store::authority_key(key));
    if (!read) return std::nullopt;
    const auto* found = std::get_if<store::Found>(&read.value());
    if (found == nullptr) return std::nullopt;
    return store::decode_authority(key, *found).value();
}

std::vector<MoveBench::RowWrite> MoveBench::row_writes(const std::string& actor) const {
    const protocol::AuthorityKey key{protocol::AuthorityObjectKind::Actor, actor};
    std::vector<RowWrite> writes;
    for (const sim::LoggedWrite& write : store_.log()) {
        for (const store::Mutation& mutation : write.batch.mutations) {
            const auto* put = std::get_if<store::Put>(&mutation);
            if (put == nullptr || put->key != store::authority_key(key)) continue;
            const store::Found found{put->value, "", std::nullopt, UnixMillis{}};
            writes.push_back({write.node, write.at, store::decode_authority(key, found).value()});
        }
    }
    return writes;
}

}  // namespace shunt::contract
