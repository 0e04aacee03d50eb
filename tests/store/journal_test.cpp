// The embedded store's file: what a crash, a damaged disk or a full one may do to it.

#include "store/embedded/journal.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>

#include <gtest/gtest.h>

#include "inbox.hpp"
#include "provider_bench.hpp"
#include "store/embedded/embedded_store.hpp"
#include "store/embedded/journal_format.hpp"
#include "store/text_codes.hpp"

namespace shunt::store::test {
namespace {

using std::chrono::milliseconds;

constexpr UnixMillis kStart{1'700'000'000'000};

class JournalFile : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (std::filesystem::temp_directory_path() / "shunt-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
        path = (folder_ / "store").string();
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string content() const {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void replace_content(const std::string& bytes) const {
        std::ofstream(path, std::ios::binary) << bytes;
    }

    std::string path;

  private:
    std::filesystem::path folder_;
};

/// One process life.
struct Life {
    explicit Life(const std::string& path, UnixMillis now = kStart)
        : journal(Journal::open(path, core, now)) {}

    Version put(const Key& key, std::string_view text, std::optional<milliseconds> retention = {}) {
        const auto reply = core.write(Batch{{}, {Put{key, bytes(text), retention}}}, kStart);
        if (!reply) return {};
        return std::get<Applied>(reply.value()).versions.at(0);
    }
    std::optional<std::string> text(const Key& key, UnixMillis now = kStart) const {
        const auto reply = core.read(key, now);
        const auto* found = std::get_if<Found>(&reply.value());
        if (found == nullptr) return std::nullopt;
        return std::string(text_of(found->value));
    }

    EmbeddedCore core;
    result<std::unique_ptr<Journal>> journal;
};

TEST_F(JournalFile, EarlierCommitsAreThereAgain) {
    Version version;
    {
        Life life(path);
        ASSERT_TRUE(life.journal);
        life.put("a\0b", "1");
        version = life.put("kept", std::string("\0\xFF", 2));
        life.put("gone", "1");
        life.put("lease", "held", milliseconds(500));
        ASSERT_TRUE(life.core.write(Batch{{}, {Delete{"gone"}, Add{"n", 7}}}, kStart));
        ASSERT_TRUE(life.core.write(Batch{{}, {Add{"n", 35}}}, kStart));
    }

    const Life next(path, UnixMillis{kStart.value + 499});

    ASSERT_TRUE(next.journal);
    EXPECT_EQ(next.text("kept"), std::string("\0\xFF", 2));
    EXPECT_EQ(std::get<Found>(next.core.read("kept", kStart).value()).version, version);
    EXPECT_FALSE(next.text("gone"));
    EXPECT_EQ(next.text("n"), "42");
    EXPECT_TRUE(next.text("lease", UnixMillis{kStart.value + 499}));
    EXPECT_FALSE(next.text("lease", UnixMillis{kStart.value + 500}));
}

// A version that came back would let an old conditional batch through.
TEST_F(JournalFile, NoVersionIsIssuedTwiceAcrossLives) {
    Version last;
    {
        Life life(path);
        last = life.put("k", "1");
        ASSERT_TRUE(life.core.write(Batch{{}, {Delete{"k"}}}, kStart));
    }
    for (int i = 0; i < 3; ++i) {
        Life life(path);
        const Version version = life.put("k", "1");
        EXPECT_GT(std::stoull(version), std::stoull(last));
        last = version;
        ASSERT_TRUE(life.core.write(Batch{{}, {Delete{"k"}}}, kStart));
    }
}

// A crash may leave any part of the last append. Whatever is cut off, the commits before are whole
// and the one that was cut has not happened at all.
TEST_F(JournalFile, EveryTornEndRestoresWholeCommits) {
    std::vector<std::size_t> ends;
    {
        Life life(path);
        for (const char* value : {"1", "2", "3"}) {
            ends.push_back(life.journal.value()->file_bytes());
            ASSERT_TRUE(life.core.write(
                Batch{{}, {Put{"a", bytes(value), {}}, Put{"b", bytes(value), {}}}}, kStart));
        }
    }
    const std::string whole = content();
    ends.push_back(whole.size());

    for (std::size_t size = 0; size <= whole.size(); ++size) {
        replace_content(whole.substr(0, size));
        const Life life(path);
        ASSERT_TRUE(life.journal) << size;
        std::optional<std::string> expected;
        for (std::size_t commit = 1; commit < ends.size(); ++commit) {
            if (size >= ends[commit]) expected = std::to_string(commit);
        }
        EXPECT_EQ(life.text("a"), expected) << size;
        EXPECT_EQ(life.text("b"), expected) << size;
    }
}

TEST_F(JournalFile, TornEndFilledWithZerosIsCutOff) {
    { Life(path).put("a", "1"); }
    replace_content(content() + std::string(4096, '\0'));

    EXPECT_EQ(Life(path).text("a"), "1");
}

// Damage in front of an intact commit is not a crash but a bad disk: guessing would lose commits.
TEST_F(JournalFile, DamageInTheMiddleIsCorruptAndInTheLastRecordIsTorn) {
    std::size_t last_begins = 0;
    {
        Life life(path);
        life.put("a", "1");
        last_begins = life.journal.value()->file_bytes();
        life.put("a", "2");
    }
    const std::string whole = content();

    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        replace_content(damaged);
        const Life life(path);
        if (at < last_begins) {
            ASSERT_FALSE(life.journal) << at;
            EXPECT_EQ(life.journal.error(), Errc::Corrupt) << at;
            EXPECT_EQ(content(), damaged) << "a damaged file is left for whoever looks at it";
        } else {
            ASSERT_TRUE(life.journal) << at;
            EXPECT_EQ(life.text("a"), "1") << at;
        }
    }
}

TEST_F(JournalFile, AnotherKindOfFileIsLeftAlone) {
    replace_content("#!/bin/sh\n");

    EXPECT_EQ(Life(path).journal.error(), Errc::Corrupt);
    EXPECT_EQ(content(), "#!/bin/sh\n");
}

TEST_F(JournalFile, OnlyOneProcessMayHaveItOpen) {
    const Life first(path);
    ASSERT_TRUE(first.journal);

    const Life second(path);

    ASSERT_FALSE(second.journal);
    EXPECT_EQ(second.journal.error(), std::errc::resource_unavailable_try_again);
}

TEST_F(JournalFile, MissingFolderIsTheSystemsError) {
    EXPECT_EQ(Life(path + "/not/there").journal.error(), std::errc::no_such_file_or_directory);
}

TEST_F(JournalFile, GrowthIsCutBackToASnapshot) {
    Life life(path);
    life.journal.value()->set_growth_bytes_max(2'000);
    std::uint64_t largest = 0;
    for (int i = 0; i < 100; ++i) {
        life.put("lease", "the same hundred bytes or so, again and again", milliseconds(15'000));
        largest = std::max(largest, life.journal.value()->file_bytes());
    }

    EXPECT_LT(largest, 3'000U);
    EXPECT_EQ(content().size(), life.journal.value()->file_bytes());
}

/// Files of this process may not grow beyond `bytes` while this lives: a full disk.
class FullDisk {
  public:
    explicit FullDisk(rlim_t bytes) {
        std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

  private:
    rlimit before_{};
};

TEST_F(JournalFile, FullDiskRefusesTheCommitAndNothingElse) {
    Life life(path);
    life.put("a", "1");
    const std::string before = content();
    {
        const FullDisk full(before.size() + 10);  // Half a record fits.
        const auto reply = life.core.write(Batch{{}, {Put{"a", bytes("2"), {}}}}, kStart);
        ASSERT_FALSE(reply);
        EXPECT_EQ(reply.error(), Errc::Unavailable);
    }
    EXPECT_EQ(life.text("a"), "1");
    EXPECT_EQ(content(), before);

    EXPECT_FALSE(life.put("a", "3").empty());

    EXPECT_EQ(life.text("a"), "3");
}

TEST_F(JournalFile, SnapshotsOfManyRowsAreReadBack) {
    {
        Life life(path);
        for (int i = 0; i < 40; ++i) {
            ASSERT_FALSE(life.put("k" + std::to_string(i), std::string(100'000, 'v')).empty());
        }
        ASSERT_TRUE(life.journal.value()->rewrite(kStart));
    }
    const Life next(path);

    ASSERT_TRUE(next.journal);
    EXPECT_EQ(next.core.row_count(), 40U);
}

TEST_F(JournalFile, StoreOpensAndServesThroughHandles) {
    Inbox inbox;
    for (const char* expected : {"1", "2"}) {
        const result<EmbeddedStore> embedded = EmbeddedStore::open(path);
        ASSERT_TRUE(embedded);
        const auto handle = embedded.value().connect(inbox.poster());
        SyncStore store(*handle, [&] { inbox.run(); });
        ASSERT_TRUE(store.applies(Batch{{}, {Add{"n", 1}}}));
        EXPECT_EQ(store.text("n"), expected);
    }
}

// The format on disk outlives this build.
TEST(JournalFormat, BytesOfOneRecord) {
    const JournalRecord record{
        258,
        {{"k", 257, bytes("v"), UnixMillis{1'700'000'000'000}, false}, {"d", 258, {}, {}, true}}};

    EXPECT_EQ(hex_of(encode_journal_record(record)),
              "00000037"
              "7933a94f"
              "0000000000000102"
              "00000002"
              "00016b"
              "0000000000000101"
              "00"
              "01"
              "0000018bcfe56800"
              "00000001"
              "76"
              "000164"
              "0000000000000102"
              "01"
              "00"
              "00000000");
}

}  // namespace
}  // namespace shunt::store::test
