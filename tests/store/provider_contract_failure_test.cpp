// Provider contract, failure part (spec/stores.md section 19.4): what a caller sees when answers or
// requests are lost around the provider, and that retrying by version never acts twice.

#include <gtest/gtest.h>

#include "faulty_store.hpp"
#include "provider_bench.hpp"
#include "store/location_store.hpp"

namespace shunt::store::test {
namespace {

TEST_P(ProviderContract, AnswerLostAfterApplyIsSeenByReading) {
    FaultyStore faulty(bench().store());
    SyncStore caller(faulty, [this] { bench().pump(); });
    faulty.plan_writes({Fault::LoseAnswer});

    const result<WriteReply> reply =
        caller.write(Batch{{IfMissing{"k"}}, {Put{"k", bytes("v"), {}}}});

    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error(), Errc::Indeterminate);
    EXPECT_EQ(caller.text("k"), "v");
}

TEST_P(ProviderContract, RequestLostBeforeApplyCanBeSentAgainOnce) {
    FaultyStore faulty(bench().store());
    SyncStore caller(faulty, [this] { bench().pump(); });
    const Version version = caller.put("k", "1");
    const Batch batch{{IfVersion{"k", version}}, {Put{"k", bytes("2"), {}}, Add{"n", 1}}};
    faulty.plan_writes({Fault::LoseRequest});
    EXPECT_EQ(caller.write(batch).error(), Errc::Indeterminate);
    EXPECT_EQ(caller.found("k")->version, version);

    EXPECT_TRUE(caller.applies(batch));
    EXPECT_TRUE(caller.conflicts(batch));

    EXPECT_EQ(caller.text("k"), "2");
    EXPECT_EQ(caller.text("n"), "1");
}

TEST_P(ProviderContract, DelayedDuplicateOfAVersionBatchHasNoEffect) {
    FaultyStore faulty(bench().store());
    SyncStore caller(faulty, [this] { bench().pump(); });
    const Version version = caller.put("k", "1");
    const Batch batch{{IfVersion{"k", version}}, {Put{"k", bytes("2"), {}}, Add{"n", 1}}};
    faulty.plan_writes({Fault::Delay});
    EXPECT_EQ(caller.write(batch).error(), Errc::Indeterminate);
    EXPECT_TRUE(caller.applies(batch));
    const Version after = caller.found("k")->version;

    faulty.deliver_delayed();
    bench().pump();

    EXPECT_EQ(caller.found("k")->version, after);
    EXPECT_EQ(caller.text("n"), "1");
}

}  // namespace
}  // namespace shunt::store::test
