// The public face on the real ring: two hosts of one process over loopback.
#include "host/host.hpp"

#include <atomic>
#include <string>

#include <gtest/gtest.h>

namespace shunt::host {
namespace {

using std::chrono::seconds;

struct Counter {
    std::uint64_t total = 0;
    std::uint64_t ticks = 0;

    void add(Turn turn, Message) {
        ++total;
        static_cast<void>(turn.reply(Packet("total", std::to_string(total))));
    }

    Task<> ask_other(Turn turn, Message message) {
        Packet question("add", "");
        ActorId other{std::string(message.text())};
        result<Packet> answer = co_await turn.request(other, std::move(question));
        if (answer) {
            static_cast<void>(turn.reply(answer.value()));
        } else {
            static_cast<void>(turn.fail(answer.error()));
        }
    }

    void boom(Turn, Message) { throw std::runtime_error("boom"); }
};

ActorType<Counter> counter_type() {
    ActorType<Counter> type("counter");
    type.on("add", &Counter::add).on("ask_other", &Counter::ask_other).on("boom", &Counter::boom);
    type.preserve_state(
        [](const Counter& counter) {
            return Segments{Segment(copy_of(bytes_of(std::to_string(counter.total))))};
        },
        [](Counter& counter, ByteView state) -> result<void> {
            counter.total = std::stoull(std::string(text_of(state)));
            return outcome::success();
        });
    return type;
}

HostOptions quick() {
    HostOptions options;
    options.polling_interval = std::chrono::milliseconds(20);
    return options;
}

HostExtras quiet() {
    HostExtras extras;
    extras.logger = [](LogLevel, std::string_view, const std::string&) {};
    return extras;
}

class HostPair : public ::testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(types_.add(counter_type()));
        first_ = start();
        second_ = start();
    }

    std::unique_ptr<Host> start() {
        auto host = Host::start(quick(), types_, store_, quiet());
        EXPECT_TRUE(host) << (host ? "" : host.error().message());
        return host ? std::move(host.value()) : nullptr;
    }

    std::string ask(Host& host, const ActorId& id, const char* packet, const char* text = "") {
        auto answer = block_on(host.request(id, Packet(packet, text), seconds(10)));
        return answer ? std::string(text_of(answer.value().payload.view()))
                      : answer.error().message();
    }

    Registry types_;
    LocalStore store_;
    std::unique_ptr<Host> first_;
    std::unique_ptr<Host> second_;
};

TEST_F(HostPair, AnActorKeepsItsStateAndItsCallersWhenItsHostIsEmptied) {
    const ActorId id{"visits"};
    ASSERT_TRUE(block_on(first_->create_actor(id, "counter")));
    EXPECT_EQ(ask(*second_, id, "add"), "1");

    const auto moved =
        block_on(first_->relocate(RelocateOptions(RelocationMode::PlannedMaintenance)));

    ASSERT_TRUE(moved);
    EXPECT_EQ(moved.value().outcome, RelocationOutcome::Relocated);
    EXPECT_EQ(ask(*second_, id, "add"), "2");
    EXPECT_EQ(ask(*first_, id, "add"), "3");
    EXPECT_EQ(first_->status().actors, 0U);
    EXPECT_EQ(second_->status().actors, 1U);
    EXPECT_EQ(first_->status().permits_in_use, 0U);
}

TEST_F(HostPair, HandlersMayBeCoroutinesAndWaitForOtherActors) {
    ASSERT_TRUE(block_on(first_->create_actor(ActorId("a"), "counter")));
    ASSERT_TRUE(block_on(second_->create_actor(ActorId("b"), "counter")));

    EXPECT_EQ(ask(*first_, ActorId("a"), "ask_other", "b"), "1");
}

TEST_F(HostPair, ARequestToOneselfIsRefusedBeforeItIsSent) {
    ASSERT_TRUE(block_on(first_->create_actor(ActorId("a"), "counter")));

    EXPECT_EQ(ask(*first_, ActorId("a"), "ask_other", "a"),
              make_error_code(Errc::InvalidOperation).message());
}

TEST_F(HostPair, AThrowingHandlerFailsItsRequestAndNothingElse) {
    ASSERT_TRUE(block_on(first_->create_actor(ActorId("a"), "counter")));

    EXPECT_EQ(ask(*second_, ActorId("a"), "boom"),
              make_error_code(Errc::InternalFailure).message());
    EXPECT_EQ(ask(*second_, ActorId("a"), "add"), "1");
}

TEST_F(HostPair, UnknownActorsAndHandlersAreNotFound) {
    ASSERT_TRUE(block_on(first_->create_actor(ActorId("a"), "counter")));

    EXPECT_EQ(ask(*second_, ActorId("a"), "nothing"), make_error_code(Errc::NotFound).message());
    EXPECT_EQ(ask(*second_, ActorId("nobody"), "add"), make_error_code(Errc::NotFound).message());
}

TEST_F(HostPair, AnIdExistsOnceInTheMesh) {
    ASSERT_TRUE(block_on(first_->create_actor(ActorId("a"), "counter")));

    const auto again = block_on(second_->create_actor(ActorId("a"), "counter"));

    ASSERT_FALSE(again);
    EXPECT_EQ(again.error(), make_error_code(Errc::AlreadyExists));
}

TEST_F(HostPair, ARelocatedHostEndsAndItsSuccessorTakesUnitsBack) {
    ASSERT_TRUE(block_on(first_->create_actor(ActorId("a"), "counter")));
    ASSERT_TRUE(block_on(first_->relocate(RelocateOptions(RelocationMode::PlannedMaintenance))));
    EXPECT_EQ(block_on(first_->shutdown()), TerminationResult());
    first_ = start();

    const auto back =
        block_on(second_->relocate(RelocateOptions(RelocationMode::PlannedMaintenance)));

    ASSERT_TRUE(back);
    EXPECT_EQ(back.value().outcome, RelocationOutcome::Relocated);
    EXPECT_EQ(ask(*first_, ActorId("a"), "add"), "1");
}

TEST_F(HostPair, AHostWithoutObjectsRelocatesWithoutATarget) {
    EXPECT_EQ(block_on(second_->shutdown()), TerminationResult());

    const auto moved =
        block_on(first_->relocate(RelocateOptions(RelocationMode::PlannedMaintenance)));

    ASSERT_TRUE(moved);
    EXPECT_EQ(moved.value().outcome, RelocationOutcome::Relocated);
}

TEST_F(HostPair, WithoutATargetTheHostServesOn) {
    ASSERT_TRUE(block_on(first_->create_actor(ActorId("a"), "counter")));
    EXPECT_EQ(block_on(second_->shutdown()), TerminationResult());
    RelocateOptions options(RelocationMode::PlannedMaintenance);
    options.deadline = std::chrono::milliseconds(200);

    const auto blocked = block_on(first_->relocate(options));

    ASSERT_TRUE(blocked);
    EXPECT_EQ(blocked.value().outcome, RelocationOutcome::Blocked);
    EXPECT_EQ(blocked.value().reason, RelocationReason::TargetUnavailable);
    EXPECT_EQ(ask(*first_, ActorId("a"), "add"), "1");
    EXPECT_EQ(first_->status().state, HostState::Serving);
}

TEST_F(HostPair, ContradictingRelocateOptionsChangeNothing) {
    RelocateOptions options(RelocationMode::RollingUpdate);

    const auto refused = block_on(first_->relocate(options));

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), make_error_code(Errc::InvalidArgument));
    EXPECT_EQ(first_->status().state, HostState::Serving);
}

TEST(Host, AnOccupiedPortIsOneClearError) {
    Registry types;
    const LocalStore store;
    auto first = Host::start(quick(), types, store, quiet());
    ASSERT_TRUE(first);
    HostOptions same = quick();
    same.listen_address = first.value()->endpoint().substr(std::string("tcp://").size());

    const auto second = Host::start(same, types, store, quiet());

    ASSERT_FALSE(second);
    EXPECT_FALSE(second.error().message().empty());
}

}  // namespace
}  // namespace shunt::host
