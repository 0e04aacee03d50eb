// Provider contract, read and write part (spec/stores.md sections 3 and 19.4).

#include <cstdint>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provider_bench.hpp"
#include "store/location_store.hpp"

namespace shunt::store::test {
namespace {

using std::string_literals::operator""s;

std::error_code write_error(SyncStore& store, Batch batch) {
    const result<WriteReply> reply = store.write(std::move(batch));
    return reply ? std::error_code{} : reply.error();
}

Batch puts(std::size_t count) {
    Batch batch;
    for (std::size_t i = 0; i < count; ++i) {
        batch.mutations.emplace_back(Put{"key-" + std::to_string(i), bytes("v"), {}});
    }
    return batch;
}

/// Four values of at most 1 MiB whose keys and bytes add up to `total_bytes`.
Batch of_total_bytes(std::size_t total_bytes) {
    Batch batch;
    std::size_t left = total_bytes;
    for (std::size_t i = 0; left > 0; ++i) {
        Key key = "k" + std::to_string(i);
        const std::size_t size = std::min(kValueBytesMax, left - key.size());
        left -= key.size() + size;
        batch.mutations.emplace_back(Put{std::move(key), Bytes(size), {}});
    }
    return batch;
}

TEST_P(ProviderContract, FreshKeyIsMissing) {
    const result<ReadReply> reply = store().read("fresh");

    ASSERT_TRUE(reply);
    ASSERT_TRUE(std::holds_alternative<Missing>(reply.value()));
    EXPECT_GT(std::get<Missing>(reply.value()).store_now.value, 0U);
}

TEST_P(ProviderContract, PutIsFoundWithItsVersionAndStoreTime) {
    const Version version = store().put("k", "v");

    const std::optional<Found> found = store().found("k");

    ASSERT_TRUE(found);
    EXPECT_EQ(text_of(found->value), "v");
    EXPECT_FALSE(version.empty());
    EXPECT_EQ(found->version, version);
    EXPECT_FALSE(found->expires_at);
    EXPECT_GT(found->store_now.value, 0U);
}

TEST_P(ProviderContract, EveryPutChangesTheVersionAlsoWithEqualBytes) {
    const Version first = store().put("k", "same");
    const Version second = store().put("k", "same");

    EXPECT_NE(first, second);
}

TEST_P(ProviderContract, DeletedKeyIsMissingAndTakesANewPut) {
    const Version first = store().put("k", "v");
    ASSERT_TRUE(store().applies(Batch{{IfVersion{"k", first}}, {Delete{"k"}}}));
    EXPECT_FALSE(store().found("k"));

    EXPECT_TRUE(store().applies(Batch{{IfMissing{"k"}}, {Put{"k", bytes("again"), {}}}}));

    EXPECT_EQ(store().text("k"), "again");
    EXPECT_NE(store().found("k")->version, first);
}

TEST_P(ProviderContract, DeletingAnAbsentKeyApplies) {
    EXPECT_TRUE(store().applies(Batch{{}, {Delete{"absent"}}}));
    EXPECT_FALSE(store().found("absent"));
}

TEST_P(ProviderContract, MissingConditionTrueAndFalse) {
    EXPECT_TRUE(store().applies(Batch{{IfMissing{"k"}}, {Put{"k", bytes("1"), {}}}}));
    EXPECT_TRUE(store().conflicts(Batch{{IfMissing{"k"}}, {Put{"k", bytes("2"), {}}}}));
    EXPECT_EQ(store().text("k"), "1");
}

TEST_P(ProviderContract, VersionConditionTrueAndFalse) {
    const Version stale = store().put("k", "1");
    const Version current = store().put("k", "2");

    EXPECT_TRUE(store().conflicts(Batch{{IfVersion{"k", stale}}, {Put{"k", bytes("3"), {}}}}));
    EXPECT_TRUE(store().conflicts(Batch{{IfVersion{"absent", current}}, {Delete{"k"}}}));
    EXPECT_TRUE(store().applies(Batch{{IfVersion{"k", current}}, {Put{"k", bytes("4"), {}}}}));
    EXPECT_EQ(store().text("k"), "4");
}

TEST_P(ProviderContract, ValueConditionTrueAndFalse) {
    store().put("k", "held");

    EXPECT_TRUE(store().conflicts(Batch{{IfValue{"k", bytes("other")}}, {}}));
    EXPECT_TRUE(store().conflicts(Batch{{IfValue{"k", bytes("hel")}}, {}}));
    EXPECT_TRUE(store().conflicts(Batch{{IfValue{"absent", {}}}, {}}));
    EXPECT_TRUE(store().applies(Batch{{IfValue{"k", bytes("held")}}, {}}));
}

// The reason `Value` exists: a lease renewal must not fail a batch that only needs the lease held.
TEST_P(ProviderContract, ValueSurvivesARewriteOfEqualBytesVersionDoesNot) {
    const Version before = store().put("lease", "held");
    store().put("lease", "held");

    EXPECT_TRUE(store().conflicts(Batch{{IfVersion{"lease", before}}, {}}));
    EXPECT_TRUE(store().applies(Batch{{IfValue{"lease", bytes("held")}}, {}}));
}

TEST_P(ProviderContract, OneFalseConditionLeavesEveryKeyAsItWas) {
    const Version a = store().put("a", "1");
    store().put("b", "1");

    EXPECT_TRUE(store().conflicts(
        Batch{{IfVersion{"a", a}, IfMissing{"b"}},
              {Put{"a", bytes("2"), {}}, Delete{"b"}, Put{"c", bytes("2"), {}}, Add{"n", 1}}}));

    EXPECT_EQ(store().text("a"), "1");
    EXPECT_EQ(store().found("a")->version, a);
    EXPECT_EQ(store().text("b"), "1");
    EXPECT_FALSE(store().found("c"));
    EXPECT_FALSE(store().found("n"));
}

TEST_P(ProviderContract, BatchAnswersOneVersionPerPutInOrder) {
    const result<WriteReply> reply = store().write(
        Batch{{}, {Put{"a", bytes("1"), {}}, Add{"n", 5}, Delete{"x"}, Put{"b", bytes("2"), {}}}});

    ASSERT_TRUE(reply && std::holds_alternative<Applied>(reply.value()));
    const auto& applied = std::get<Applied>(reply.value());
    ASSERT_EQ(applied.versions.size(), 2U);
    EXPECT_EQ(applied.versions[0], store().found("a")->version);
    EXPECT_EQ(applied.versions[1], store().found("b")->version);
    EXPECT_THAT(applied.sums, ::testing::ElementsAre(5));
}

TEST_P(ProviderContract, BatchWithoutMutationsIsAPureCheck) {
    const Version version = store().put("k", "v");

    EXPECT_TRUE(store().applies(Batch{{IfVersion{"k", version}}, {}}));
    EXPECT_TRUE(store().applies(Batch{}));
    EXPECT_EQ(store().found("k")->version, version);
}

TEST_P(ProviderContract, SameKeyTwiceInOneListIsInvalid) {
    EXPECT_EQ(write_error(store(), Batch{{IfMissing{"k"}, IfMissing{"k"}}, {}}),
              Errc::InvalidArgument);
    EXPECT_EQ(write_error(store(), Batch{{}, {Put{"k", {}, {}}, Delete{"k"}}}),
              Errc::InvalidArgument);
    EXPECT_FALSE(store().found("k"));
}

TEST_P(ProviderContract, SizesOfABatch) {
    EXPECT_TRUE(store().applies(puts(kBatchKeysMax)));
    EXPECT_EQ(write_error(store(), puts(kBatchKeysMax + 1)), Errc::InvalidArgument);
    EXPECT_TRUE(store().applies(of_total_bytes(kBatchBytesMax)));
    EXPECT_EQ(write_error(store(), of_total_bytes(kBatchBytesMax + 1)), Errc::InvalidArgument);
}

// Conditions and mutations on one key count it once; on different keys both count.
TEST_P(ProviderContract, KeysOfBothListsAreCountedOnce) {
    Batch batch = puts(kBatchKeysMax);
    batch.conditions.emplace_back(IfMissing{"key-0"});
    EXPECT_TRUE(store().applies(batch));

    batch.conditions[0] = IfMissing{"one more"};
    EXPECT_EQ(write_error(store(), batch), Errc::InvalidArgument);
}

TEST_P(ProviderContract, SizesOfAValue) {
    EXPECT_TRUE(store().applies(Batch{{}, {Put{"k", Bytes(kValueBytesMax), {}}}}));
    EXPECT_EQ(store().found("k")->value.size(), kValueBytesMax);
    EXPECT_TRUE(store().applies(Batch{{}, {Put{"empty", {}, {}}}}));
    EXPECT_TRUE(store().found("empty")->value.empty());

    EXPECT_EQ(write_error(store(), Batch{{}, {Put{"k", Bytes(kValueBytesMax + 1), {}}}}),
              Errc::InvalidArgument);
}

TEST_P(ProviderContract, SizesOfAKey) {
    const Key longest(kKeyBytesMax, 'k');
    EXPECT_FALSE(store().put("k", "short").empty());
    EXPECT_FALSE(store().put(longest, "long").empty());
    EXPECT_EQ(store().text(longest), "long");

    EXPECT_EQ(write_error(store(), Batch{{}, {Delete{""}}}), Errc::InvalidArgument);
    EXPECT_EQ(write_error(store(), Batch{{IfMissing{longest + "k"}}, {}}), Errc::InvalidArgument);
    EXPECT_EQ(store().read("").error(), Errc::InvalidArgument);
    EXPECT_EQ(store().read(longest + "k").error(), Errc::InvalidArgument);
}

TEST_P(ProviderContract, KeysAreComparedByteByByte) {
    store().put("a\0b"s, "nul");
    store().put("A", "upper");

    EXPECT_EQ(store().text("a\0b"s), "nul");
    EXPECT_FALSE(store().found("a"));
    EXPECT_FALSE(store().found("a\0c"s));
    EXPECT_EQ(store().text("A"), "upper");
}

TEST_P(ProviderContract, ValuesKeepEveryByte) {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));

    store().put("k", all);

    EXPECT_EQ(store().text("k"), all);
}

TEST_P(ProviderContract, RetentionAndVersionOfWrongSizeAreInvalid) {
    using std::chrono::milliseconds;
    EXPECT_EQ(write_error(store(), Batch{{}, {Put{"k", {}, milliseconds(0)}}}),
              Errc::InvalidArgument);
    EXPECT_EQ(write_error(store(), Batch{{}, {Put{"k", {}, milliseconds(-1)}}}),
              Errc::InvalidArgument);
    EXPECT_EQ(write_error(store(), Batch{{IfVersion{"k", ""}}, {}}), Errc::InvalidArgument);
    EXPECT_EQ(write_error(store(), Batch{{IfVersion{"k", Version(4097, '1')}}, {}}),
              Errc::InvalidArgument);
}

TEST_P(ProviderContract, AddStartsAtZeroAndStoresABareDecimal) {
    EXPECT_TRUE(store().applies(Batch{{}, {Add{"n", 0}}}));
    EXPECT_EQ(store().text("n"), "0");
    EXPECT_TRUE(store().applies(Batch{{}, {Add{"n", 41}}}));
    EXPECT_TRUE(store().applies(Batch{{}, {Add{"n", 1}}}));
    EXPECT_EQ(store().text("n"), "42");
    EXPECT_TRUE(store().applies(Batch{{}, {Add{"n", -42}}}));
    EXPECT_EQ(store().text("n"), "0");
}

// Doubles end being exact at 2^53; these sums show that nothing on the way is one.
TEST_P(ProviderContract, AddIsExactInSixtyFourBits) {
    store().put("n", "9007199254740993");
    EXPECT_TRUE(store().applies(Batch{{}, {Add{"n", 2}}}));
    EXPECT_EQ(store().text("n"), "9007199254740995");

    store().put("n", "9223372036854775806");
    EXPECT_TRUE(store().applies(Batch{{}, {Add{"n", 1}}}));
    EXPECT_EQ(store().text("n"), "9223372036854775807");
    EXPECT_TRUE(store().applies(Batch{{}, {Add{"n", -INT64_MAX}}}));
    EXPECT_EQ(store().text("n"), "0");
}

TEST_P(ProviderContract, AddOutOfRangeChangesNothing) {
    store().put("n", "9223372036854775807");

    for (const Add& add : {Add{"n", 1}, Add{"n", INT64_MAX}, Add{"n", INT64_MIN}, Add{"m", -1}}) {
        const result<WriteReply> reply =
            store().write(Batch{{}, {Put{"k", bytes("v"), {}}, Add{"ok", 1}, add}});
        ASSERT_TRUE(reply);
        EXPECT_TRUE(std::holds_alternative<OutOfRange>(reply.value()));
    }

    EXPECT_EQ(store().text("n"), "9223372036854775807");
    EXPECT_FALSE(store().found("m"));
    EXPECT_FALSE(store().found("k"));
    EXPECT_FALSE(store().found("ok"));
}

TEST_P(ProviderContract, AddToSomethingElseIsCorruptAndChangesNothing) {
    for (const char* text : {"", "-1", "+1", "01", "1 ", "x", "9223372036854775808", "1.0"}) {
        store().put("n", text);
        EXPECT_EQ(write_error(store(), Batch{{}, {Put{"k", {}, {}}, Add{"n", 1}}}), Errc::Corrupt)
            << text;
        EXPECT_EQ(store().text("n"), text);
    }
    EXPECT_FALSE(store().found("k"));
}

// Conditions are judged first: a batch that conflicts does not look at its sums.
TEST_P(ProviderContract, ConflictComesBeforeOutOfRange) {
    EXPECT_TRUE(store().conflicts(Batch{{IfVersion{"absent", "1"}}, {Add{"n", -1}}}));
}

TEST_P(ProviderContract, ConcurrentAddsIssueDistinctNumbersWithoutConflict) {
    constexpr int kWriters = 64;
    std::set<std::int64_t> sums;
    int answers = 0;

    for (int i = 0; i < kWriters; ++i) {
        bench().store().write(Batch{{}, {Add{"n", 1}}}, kNever, [&](result<WriteReply> reply) {
            ++answers;
            if (!reply || !std::holds_alternative<Applied>(reply.value())) return;
            sums.insert(std::get<Applied>(reply.value()).sums.at(0));
        });
    }
    EXPECT_EQ(answers, 0) << "a completion ran inside the call";
    while (answers < kWriters) bench().pump();

    EXPECT_EQ(sums.size(), static_cast<std::size_t>(kWriters));
    EXPECT_EQ(*sums.rbegin(), kWriters);
}

TEST_P(ProviderContract, ConditionAndMutationOfOneKeyInOneBatch) {
    const Version version = store().put("k", "1");

    EXPECT_TRUE(store().applies(Batch{{IfVersion{"k", version}}, {Delete{"k"}}}));
    EXPECT_TRUE(store().conflicts(Batch{{IfVersion{"k", version}}, {Put{"k", {}, {}}}}));
}

}  // namespace
}  // namespace shunt::store::test
