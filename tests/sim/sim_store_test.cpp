#include "tests/sim/sim_store.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shunt::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using store::Batch;

Batch put(const std::string& key, const std::string& value) {
    return {.conditions = {}, .mutations = {store::Put{key, copy_of(bytes_of(value)), {}}}};
}

Batch create(const std::string& key, const std::string& value) {
    Batch batch = put(key, value);
    batch.conditions.push_back(store::IfMissing{key});
    return batch;
}

class SimStoreTest : public testing::Test {
  protected:
    explicit SimStoreTest(std::uint64_t seed = 1)
        : scheduler(seed),
          network(scheduler, seed),
          store(scheduler, seed),
          world(network, {.node = NodeIndex{4}}, seed, 7),
          handle(store.connect(world)) {}

    void run_for(Duration wait) { scheduler.run_until(scheduler.now() + wait); }

    /// Writes and waits; the error, or success for Applied and Conflict alike.
    result<store::WriteReply> write(Batch batch, Duration patience = seconds(10)) {
        std::optional<result<store::WriteReply>> answer;
        handle->write(std::move(batch), world.now() + patience,
                      [&](result<store::WriteReply> reply) { answer = std::move(reply); });
        EXPECT_FALSE(answer.has_value());
        scheduler.run_until([&] { return answer.has_value(); }, scheduler.now() + seconds(60));
        return std::move(*answer);
    }

    std::string value_of(const std::string& key) const {
        const auto reply = store.peek(key);
        const auto* found = std::get_if<store::Found>(&reply.value());
        return found == nullptr ? "" : std::string(text_of(found->value));
    }

    void always(WriteFate fate) {
        store.set_chooser([fate](NodeIndex, const Batch&) { return fate; });
    }

    Scheduler scheduler;
    Network network;
    SimStore store;
    SimWorld world;
    std::unique_ptr<store::LocationStore> handle;
};

TEST_F(SimStoreTest, AWriteTakesTimeAndIsLoggedWithItsWriter) {
    EXPECT_TRUE(write(put("k", "v")).has_value());

    EXPECT_EQ(value_of("k"), "v");
    ASSERT_EQ(store.log().size(), 1U);
    EXPECT_EQ(store.log()[0].node, NodeIndex{4});
    EXPECT_EQ(store.log()[0].lifecycle, 7U);
    EXPECT_GT(scheduler.now(), store.log()[0].at);
    EXPECT_GT(store.log()[0].at, SimTime(0));
}

TEST_F(SimStoreTest, AConflictIsNoWrite) {
    EXPECT_TRUE(write(create("k", "1")).has_value());

    const auto second = write(create("k", "2"));

    EXPECT_TRUE(std::holds_alternative<store::Conflict>(second.value()));
    EXPECT_EQ(store.log().size(), 1U);
}

TEST_F(SimStoreTest, WritesOfOneHandleTakeEffectInOrder) {
    for (int i = 0; i < 50; ++i) {
        handle->write(put("k", std::to_string(i)), kNever, [](result<store::WriteReply>) {});
    }
    run_for(seconds(1));

    ASSERT_EQ(store.log().size(), 50U);
    EXPECT_EQ(value_of("k"), "49");
}

TEST_F(SimStoreTest, TransientAndUnavailableNeverApply) {
    always(WriteFate::Transient);
    EXPECT_EQ(write(put("k", "v")).error(), store::Errc::Transient);
    always(WriteFate::Unavailable);
    EXPECT_EQ(write(put("k", "v")).error(), store::Errc::Unavailable);
    run_for(seconds(60));

    EXPECT_TRUE(store.log().empty());
}

TEST_F(SimStoreTest, AnUnknownWriteMayHaveHappenedOrNot) {
    always(WriteFate::LostBefore);
    EXPECT_EQ(write(put("before", "v")).error(), store::Errc::Indeterminate);
    always(WriteFate::LostAfter);
    EXPECT_EQ(write(put("after", "v")).error(), store::Errc::Indeterminate);
    run_for(seconds(60));

    EXPECT_EQ(value_of("before"), "");
    EXPECT_EQ(value_of("after"), "v");
}

// The worst a real store does: the caller re-reads, sees nothing, and the write lands afterwards.
TEST_F(SimStoreTest, ALateWriteLandsAfterItsUnknownAnswer) {
    always(WriteFate::LateApply);
    EXPECT_EQ(write(put("k", "late")).error(), store::Errc::Indeterminate);
    EXPECT_EQ(value_of("k"), "");
    EXPECT_EQ(store.late_writes(), 1U);

    run_for(seconds(6));

    EXPECT_EQ(value_of("k"), "late");
    EXPECT_EQ(store.late_writes(), 0U);
}

TEST_F(SimStoreTest, ALateWriteStillObeysItsConditions) {
    always(WriteFate::LateApply);
    EXPECT_EQ(write(create("k", "late")).error(), store::Errc::Indeterminate);
    always(WriteFate::Normal);
    EXPECT_TRUE(write(put("k", "first")).has_value());

    run_for(seconds(6));

    EXPECT_EQ(value_of("k"), "first");
    EXPECT_EQ(store.log().size(), 1U);
}

TEST_F(SimStoreTest, TheDeadlineAnswersForAStoreThatIsTooSlow) {
    const TimePoint before = world.now();

    EXPECT_EQ(write(put("k", "v"), std::chrono::microseconds(10)).error(),
              store::Errc::Indeterminate);

    EXPECT_LT(world.now() - before, milliseconds(3));
    std::optional<result<store::ReadReply>> read;
    handle->read("k", world.now(), [&](result<store::ReadReply> reply) { read = reply; });
    run_for(seconds(1));
    EXPECT_EQ(read->error(), store::Errc::Transient);
}

TEST_F(SimStoreTest, UnavailabilityEndsByItselfOrByHealing) {
    store.unavailable(NodeIndex{4}, seconds(5));
    EXPECT_EQ(write(put("k", "v")).error(), store::Errc::Unavailable);
    store.unavailable(kNoNode, seconds(5));
    run_for(seconds(6));
    EXPECT_TRUE(write(put("k", "v")).has_value());

    store.unavailable(kNoNode, seconds(500));
    store.set_faults({.transient = 1000});
    store.heal();

    EXPECT_TRUE(write(put("k", "w")).has_value());
}

TEST_F(SimStoreTest, AScanSeesTheRowsInOrder) {
    EXPECT_TRUE(write(put("p/b", "2")).has_value());
    EXPECT_TRUE(write(put("p/a", "1")).has_value());
    std::vector<std::string> keys;

    handle->scan({.prefix = "p/", .cursor = {}, .limit = 100}, kNever,
                 [&](result<store::ScanReply> reply) {
                     for (auto& item : std::get<store::Page>(reply.value()).items) {
                         keys.push_back(item.key);
                     }
                 });
    run_for(seconds(1));

    EXPECT_THAT(keys, testing::ElementsAre("p/a", "p/b"));
}

// A host that dies leaves writes on their way: they take effect, nobody hears of it.
TEST_F(SimStoreTest, AWriteOfAKilledHostTakesEffectUnanswered) {
    auto witness = std::make_shared<int>(0);
    handle->write(put("k", "v"), kNever, [witness](result<store::WriteReply>) { ++*witness; });

    world.kill();
    EXPECT_EQ(witness.use_count(), 1);
    handle.reset();
    run_for(seconds(1));

    EXPECT_EQ(*witness, 0);
    EXPECT_EQ(value_of("k"), "v");
}

TEST(SimStore, FaultsOccurAboutAsOftenAsAskedAndRepeatWithTheSeed) {
    const auto run = [](std::uint64_t seed, std::set<std::string>& seen) {
        Scheduler scheduler(seed);
        Network network(scheduler, seed);
        SimStore store(scheduler, seed);
        store.set_faults(
            {.transient = 100, .lost_before = 100, .lost_after = 100, .late_apply = 100});
        SimWorld world(network, {}, seed, 1);
        const auto handle = store.connect(world);
        for (int i = 0; i < 1000; ++i) {
            handle->write(put("k" + std::to_string(i), "v"), kNever,
                          [&](result<store::WriteReply> reply) {
                              seen.insert(reply ? "ok" : reply.error().message());
                          });
        }
        scheduler.run_until(seconds(30));
        for (const WriteFate fate : {WriteFate::Transient, WriteFate::LostBefore,
                                     WriteFate::LostAfter, WriteFate::LateApply}) {
            EXPECT_GT(store.count_of(fate), 60U);
            EXPECT_LT(store.count_of(fate), 150U);
        }
        return scheduler.hash();
    };
    std::set<std::string> seen;

    EXPECT_EQ(run(1, seen), run(1, seen));
    EXPECT_NE(run(1, seen), run(2, seen));
    EXPECT_EQ(seen.size(), 3U);
}

}  // namespace
}  // namespace shunt::sim
