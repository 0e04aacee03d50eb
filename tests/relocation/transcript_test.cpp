// Whole moves as text: fixtures/transcripts/*.txt hold blocks of event lines, `----`, and what the
// machines answered. `at 1500` sets the clock of both, `source …` and `target …` feed an event,
// `#` comments. The block's answer is one line per event: stage, effects; for the source also what
// an arrival would meet.

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/relocation/bench.hpp"
#include "tests/relocation/fixture.hpp"

namespace shunt::relocation::testing {
namespace {

/// Both sides of one move; the target is built by the first event it gets.
class Move {
  public:
    std::string play(const std::string& line) {
        std::istringstream words(line);
        std::string who;
        words >> who;
        const std::string event = line.substr(std::min(line.size(), who.size() + 1));
        if (who == "at") {
            source_.at(std::stoll(event));
            target_.at(std::stoll(event));
            return {};
        }
        if (who == "source") {
            const std::string effects = source_.step(event);
            return "source " + std::string(name_of(source_.stage())) + " (" + source_.ingress() +
                   "): " + effects + "\n";
        }
        if (who == "target") {
            const std::string effects = target_.step(event);
            return "target " + std::string(name_of(target_.stage())) + ": " + effects + "\n";
        }
        ADD_FAILURE() << "not a transcript line: " << line;
        return {};
    }

  private:
    SourceBench source_ = SourceBench::idle();
    TargetBench target_ = TargetBench::fresh();
};

/// The transcript with every answer made anew.
std::string replay(const std::string& text) {
    Move move;
    std::istringstream lines(text);
    std::string out;
    std::string answers;
    bool answering = false;
    for (std::string line; std::getline(lines, line);) {
        if (line == "----") {
            out += line + "\n" + answers;
            answers.clear();
            answering = true;
        } else if (line.empty()) {
            out += "\n";
            answering = false;
        } else if (!answering) {
            out += line + "\n";
            if (line.front() != '#') answers += move.play(line);
        }
    }
    EXPECT_TRUE(answers.empty()) << "a block without ----";
    return out;
}

class RelocationTranscript : public ::testing::TestWithParam<const char*> {};

TEST_P(RelocationTranscript, U117_PlaysAsWritten) {
    const std::string name = std::string(GetParam()) + ".txt";
    const std::string written = read_fixture(name);
    ASSERT_EQ(written.rfind(kMadeBy, 0), 0U) << name << ": its first line names its maker";

    expect_fixture(name, replay(written));
}

INSTANTIATE_TEST_SUITE_P(Seed, RelocationTranscript,
                         ::testing::Values("normal", "checksum_mismatch", "restore_conflict",
                                           "explicit_failure", "cas_conflict", "cas_unanswered",
                                           "validity_expired", "connection_lost", "cutover_wait",
                                           "ready_lost", "cancelled", "cutover_unknown",
                                           "prepare_unanswered"));

}  // namespace
}  // namespace shunt::relocation::testing
