// Two hosts on the real ring move Actors through a proxy that breaks their connection at every
// stage of the move, while both sides keep sending: nothing is lost, doubled or reordered that the
// protocol promises (seed unit section 9; scenarios 3, 11).
#include <atomic>
#include <cstdio>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "books.hpp"
#include "host/probe.hpp"
#include "proxy.hpp"

namespace shunt::link_test {
namespace {

using namespace std::chrono_literals;
using host::Host;
using host::HostOptions;
using host::Packet;
using relocation::Role;
using relocation::Stage;

constexpr int kActors = 4;
// Requests one side keeps open; each goes with some notes.
constexpr int kOpenAsks = 16;
constexpr int kNotesPerAsk = 3;

enum class Fault : std::uint8_t {
    Cut,           // Everything is reset.
    ForthStall,    // Nothing from source to target for a while, then all of it.
    BackStall,     // The same the other way.
    StallThenCut,  // Nothing from the source until the cutover wait is over, then a reset.
};

const char* name_of(Fault fault) {
    switch (fault) {
        case Fault::Cut:
            return "Cut";
        case Fault::ForthStall:
            return "ForthStall";
        case Fault::BackStall:
            return "BackStall";
        case Fault::StallThenCut:
            return "StallThenCut";
    }
    return "?";
}

bool loses_records(Fault fault) {
    return fault == Fault::Cut || fault == Fault::StallThenCut;
}

struct Case {
    Role role;
    Stage stage;
    Fault fault;
};

/// Two hosts, each behind a proxy of its own, because chance decides who dials.
class Bed {
  public:
    explicit Bed(const Case& c)
        : case_(c), source_probe_(*this, Role::Source), target_probe_(*this, Role::Target) {
        EXPECT_TRUE(types_.add(Scribe::type()));
        source = start(to_source_, source_probe_);
        target = start(to_target_, target_probe_);
    }

    std::unique_ptr<Host> start(const Proxy& proxy, host::Probe& probe) {
        HostOptions options;
        options.polling_interval = std::chrono::milliseconds(20);
        options.listen_address = proxy.backend_address();
        options.advertised_address = proxy.address();
        options.relocation_payload_chunk_limit = 32 * 1024;
        options.relocation_cutover_wait_timeout =
            case_.fault == Fault::StallThenCut ? 200ms : 5000ms;
        options.stamp_routes = true;
        host::HostExtras extras;
        extras.logger = [](host::LogLevel, std::string_view, const std::string&) {};
        extras.probe = &probe;
        auto host = Host::start(options, types_, store_, std::move(extras));
        EXPECT_TRUE(host) << (host ? "" : host.error().message());
        return host ? std::move(host.value()) : nullptr;
    }

    void strike() {
        // Whoever dialed, the source's bytes go forth through the target's proxy or back through
        // its own.
        using Way = Proxy::Way;
        using Then = Proxy::Then;
        switch (case_.fault) {
            case Fault::Cut:
                to_source_.cut();
                to_target_.cut();
                return;
            case Fault::ForthStall:
                to_target_.stall(Way::Forth, 150ms, Then::Resume);
                to_source_.stall(Way::Back, 150ms, Then::Resume);
                return;
            case Fault::BackStall:
                to_target_.stall(Way::Back, 150ms, Then::Resume);
                to_source_.stall(Way::Forth, 150ms, Then::Resume);
                return;
            case Fault::StallThenCut:
                to_target_.stall(Way::Forth, 500ms, Then::Cut);
                to_source_.stall(Way::Back, 500ms, Then::Cut);
                return;
        }
    }

    static ActorId actor(int number) { return ActorId("scribe-" + std::to_string(number)); }

    /// The boundary batch is fixed: what the source accepts from here on crosses the connection
    /// once.
    bool past_boundary(const ActorId& id) {
        const std::lock_guard lock(mutex_);
        return past_boundary_.contains(id.value);
    }

    Books books;
    std::atomic<bool> struck = false;
    std::unique_ptr<Host> source;
    std::unique_ptr<Host> target;

  private:
    class Watch final : public host::Probe {
      public:
        Watch(Bed& bed, Role role) : bed_(bed), role_(role) {}
        void on_stage(const ActorId& id, Role role, Stage stage) override {
            if (role == role_) bed_.on_stage(id, role, stage);
        }
        void on_effect(Role role, std::size_t effect_index) override {
            if (role == role_) bed_.on_effect(role, effect_index);
        }

      private:
        Bed& bed_;
        Role role_;
    };

    void on_stage(const ActorId& id, Role role, Stage stage) {
        if (role == Role::Source && stage == Stage::RelayReady) {
            const std::lock_guard lock(mutex_);
            past_boundary_.insert(id.value);
        }
        if (role == Role::Target && stage == Stage::CutoverFallback) books.troubled(id);
        if (role == case_.role && stage == case_.stage && !struck.exchange(true)) strike();
    }
    // Restoring is where a target begins, so nobody reports its entry: the middle of the chunks
    // stands for it.
    void on_effect(Role role, std::size_t effect_index) {
        static const std::size_t kChunk =
            relocation::TargetEffect(relocation::AssembleChunk{}).index();
        if (case_.role != Role::Target || case_.stage != Stage::TargetRestoring) return;
        if (role != Role::Target || effect_index != kChunk) return;
        if (++chunks_ >= 10 && !struck.exchange(true)) strike();
    }

    Case case_;
    std::atomic<int> chunks_ = 0;
    std::mutex mutex_;
    std::set<std::string> past_boundary_;
    Watch source_probe_;
    Watch target_probe_;
    Proxy to_source_;
    Proxy to_target_;
    host::Registry types_;
    host::LocalStore store_;
};

/// One side's callers, from outside any Actor, on a thread of their own.
class Traffic {
  public:
    Traffic(Bed& bed, Host& host, std::string name, const Case& c)
        : bed_(bed), host_(host), name_(std::move(name)), lossy_(loses_records(c.fault)) {
        thread_ = std::thread([this] { run(); });
    }
    ~Traffic() { stop(); }
    /// Ends sending and waits for every answer.
    void stop() {
        if (stopping_.exchange(true)) return;
        thread_.join();
        for (int i = 0; i < kOpenAsks; ++i) room_.acquire();
    }

  private:
    void run() {
        for (int turn = 0; !stopping_; ++turn) {
            const ActorId id = Bed::actor(turn % kActors);
            for (int i = 0; i < kNotesPerAsk; ++i) note(id);
            room_.acquire();
            ask(id);
        }
    }
    void note(const ActorId& id) {
        const Books::Entry entry = bed_.books.send(name_, id);
        host_.send(id, Packet("note", entry.payload),
                   [this, id, ref = entry.ref](result<void> admitted) {
                       // Accepted by the Actor's own host before the boundary: the payload or the
                       // batch carries it, and both are sent again, whatever breaks. Everything
                       // else crosses the connection once (seed unit section 4.4).
                       const bool carried = name_ == "near" && !bed_.past_boundary(id);
                       if (!admitted || (lossy_ && !carried)) bed_.books.may_be_missing(ref);
                   });
    }
    void ask(const ActorId& id) {
        const Books::Entry entry = bed_.books.ask(name_, id);
        host_.request(id, Packet("ask", entry.payload), 3s,
                      [this, ref = entry.ref](result<Packet> answer) {
                          bed_.books.answered(ref, answer.has_value());
                          if (!answer) bed_.books.may_be_missing(ref);
                          room_.release();
                      });
    }

    Bed& bed_;
    Host& host_;
    std::string name_;
    bool lossy_;
    std::atomic<bool> stopping_ = false;
    std::counting_semaphore<kOpenAsks> room_{kOpenAsks};
    std::thread thread_;
};

class LinkCut : public ::testing::TestWithParam<Case> {};

TEST_P(LinkCut, U13_ConservesEverythingTheMovePromises) {
    const Case& c = GetParam();
    Bed bed(c);
    ASSERT_NE(bed.source, nullptr);
    ASSERT_NE(bed.target, nullptr);
    for (int i = 0; i < kActors; ++i) {
        ASSERT_TRUE(block_on(bed.source->create_actor(Bed::actor(i), "scribe")));
    }
    // The far side reaches the Actors once, so the connection stands when traffic begins.
    const Books::Entry first = bed.books.ask("far", Bed::actor(0));
    bed.books.answered(
        first.ref, block_on(bed.target->request(Bed::actor(0), Packet("ask", first.payload), 10s))
                       .has_value());
    Traffic near(bed, *bed.source, "near", c);
    Traffic far(bed, *bed.target, "far", c);

    const auto moved = block_on(
        bed.source->relocate(host::RelocateOptions(host::RelocationMode::PlannedMaintenance)));
    near.stop();
    far.stop();

    ASSERT_TRUE(moved);
    EXPECT_EQ(moved.value().outcome, host::RelocationOutcome::Relocated)
        << name_of(moved.value().reason);
    EXPECT_TRUE(bed.struck) << "the stage was never entered";
    EXPECT_TRUE(bed.books.settle(20s));
    const conservation::Report report = bed.books.report();
    std::printf("%llu messages, %llu failed requests, %zu fallbacks, %s\n",
                static_cast<unsigned long long>(report.messages),
                static_cast<unsigned long long>(report.failures), bed.books.troubled_count(),
                report.verdict().c_str());
    EXPECT_TRUE(report.holds()) << ::testing::PrintToString(report.findings.texts());
    if (c.fault != Fault::StallThenCut) {
        EXPECT_EQ(bed.books.troubled_count(), 0U);
    }
    EXPECT_EQ(bed.source->status().actors, 0U);
    EXPECT_EQ(bed.target->status().actors, static_cast<std::uint64_t>(kActors));
    EXPECT_EQ(bed.source->status().in_flight_payload_bytes, 0U);
    EXPECT_EQ(bed.target->status().permits_in_use, 0U);
}

std::vector<Case> cases() {
    constexpr std::pair<Role, Stage> kStages[] = {
        {Role::Source, Stage::SourcePaused},   {Role::Target, Stage::TargetRestoring},
        {Role::Target, Stage::RelayReady},     {Role::Source, Stage::RelayReady},
        {Role::Source, Stage::FollowOnly},     {Role::Target, Stage::CutoverReceived},
        {Role::Target, Stage::OwnerCommitted}, {Role::Target, Stage::TargetOpen},
    };
    std::vector<Case> out;
    for (const auto& [role, stage] : kStages) {
        for (const Fault fault : {Fault::Cut, Fault::ForthStall, Fault::BackStall}) {
            out.push_back({role, stage, fault});
        }
    }
    out.push_back({Role::Target, Stage::RelayReady, Fault::StallThenCut});
    out.push_back({Role::Source, Stage::RelayReady, Fault::StallThenCut});
    return out;
}

std::string title_of(const ::testing::TestParamInfo<Case>& info) {
    const Case& c = info.param;
    return std::string(name_of(c.fault)) + "At" + (c.role == Role::Source ? "Source" : "Target") +
           std::string(relocation::name_of(c.stage));
}

INSTANTIATE_TEST_SUITE_P(EveryStage, LinkCut, ::testing::ValuesIn(cases()), title_of);

}  // namespace
}  // namespace shunt::link_test
