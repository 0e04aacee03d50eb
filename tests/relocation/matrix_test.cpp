// Every state meets every event: what happens stands in fixtures/transcripts/matrix.txt, one line
// per combination. A line that changes is a decision that changed.

#include <functional>
#include <set>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "tests/relocation/bench.hpp"
#include "tests/relocation/fixture.hpp"

namespace shunt::relocation::testing {
namespace {

template <class Bench>
struct Row {
    std::string name;
    std::function<Bench()> make;
};

std::vector<Row<SourceBench>> source_rows() {
    const auto after = [](SourceBench bench, const std::vector<std::string>& events) {
        for (const std::string& event : events) bench.step(event);
        return bench;
    };
    return {
        {"idle", [] { return SourceBench::idle(); }},
        {"awaiting turn end", [] { return SourceBench::awaiting_turn_end(); }},
        {"capturing", [] { return SourceBench::capturing(); }},
        {"transferring", [] { return SourceBench::transferring(); }},
        {"transferred", [] { return SourceBench::transferred(); }},
        {"transferred, connection lost",
         [=] { return after(SourceBench::transferred(), {"ConnectionLost"}); }},
        {"restored",
         [=] { return after(SourceBench::transferred(), {"RelocationFailedReceived code=35"}); }},
        {"awaiting terminal", [] { return SourceBench::relay_ready(); }},
        {"route open", [] { return SourceBench::following("Sent"); }},
        {"route unknown, in the window", [] { return SourceBench::following("Unknown"); }},
        {"route unknown, read under way",
         [=] {
             return after(
                 SourceBench::following("Unknown"),
                 {"TimerElapsed timer=RetransmissionWindow", "TimerElapsed timer=ReconcileSweep"});
         }},
        {"no reply by the deadline", [] { return SourceBench::boundary_unknown(); }},
        {"follow over, decisive read under way",
         [=] {
             return after(SourceBench::following("Unknown"), {"TimerElapsed timer=FollowEnd"});
         }},
        {"follow over, unresolved",
         [=] {
             return after(SourceBench::following("Unknown"),
                          {"TimerElapsed timer=FollowEnd", "OwnerRead owner=Unreadable"});
         }},
        {"follow over",
         [=] {
             return after(
                 SourceBench::following("Sent"),
                 {"TimerElapsed timer=RetransmissionWindow", "TimerElapsed timer=FollowEnd"});
         }},
    };
}

std::vector<Row<TargetBench>> target_rows() {
    const auto after = [](TargetBench bench, const std::vector<std::string>& events) {
        for (const std::string& event : events) bench.step(event);
        return bench;
    };
    return {
        {"fresh", [] { return TargetBench::fresh(); }},
        {"assembling", [] { return TargetBench::restoring(); }},
        {"restoring", [] { return TargetBench::restoring_unit(); }},
        {"awaiting cutover", [] { return TargetBench::relay_ready(); }},
        {"awaiting cutover, partial span, reconnected",
         [=] {
             return after(TargetBench::relay_ready(),
                          {"RelayArrived connection=1", "ConnectionRestored connection=3",
                           "RelayArrived connection=3", "ConnectionRestored connection=1"});
         }},
        {"owner change asked", [] { return TargetBench::cutover_received(); }},
        {"owner change asked after the wait", [] { return TargetBench::cutover_fallback(); }},
        {"conflict, read under way",
         [=] { return after(TargetBench::cutover_received(), {"CasAnswered answer=Conflict"}); }},
        {"backing off", [] { return TargetBench::store_retry(); }},
        {"reading before the next try",
         [=] { return after(TargetBench::store_retry(), {"TimerElapsed timer=CasRetry"}); }},
        {"committed", [] { return TargetBench::committed(); }},
        {"open", [] { return TargetBench::open(); }},
        {"removed, answered with 53", [] { return TargetBench::failed(); }},
        {"removed after relay-ready", [] { return TargetBench::stale(); }},
    };
}

const std::vector<std::string> kTimerEvents = {
    "TimerElapsed timer=OperationDeadline", "TimerElapsed timer=RetransmissionWindow",
    "TimerElapsed timer=FollowEnd",         "TimerElapsed timer=ReconcileSweep",
    "TimerElapsed timer=CutoverWait",       "TimerElapsed timer=RestoreValidity",
    "TimerElapsed timer=CasRetry",
};

std::vector<std::string> source_columns() {
    std::vector<std::string> events = {
        "MoveRequested",
        "TurnEnded",
        std::string("CaptureSucceeded") + kManifest,
        "CaptureFailed code=17",
        "ChunkRoomGranted ordinal=0",
        "RelayReadyReceived",
        "RelayReadyReceived identity=foreign",
        "RelocationFailedReceived code=35",
        "RelocationFailedReceived connection=9 code=35",
        "ConnectionLost",
        "ConnectionLost connection=9",
        "ConnectionRestored connection=2",
        "CutoverTerminal result=Sent",
        "CutoverTerminal result=Failed",
        "CutoverTerminal result=Unknown",
        "AbortRequested code=17",
        "OwnerRead owner=Source",
        "OwnerRead owner=Target",
        "OwnerRead owner=Other",
        "OwnerRead owner=Unreadable",
    };
    events.insert(events.end(), kTimerEvents.begin(), kTimerEvents.end());
    return events;
}

std::vector<std::string> target_columns() {
    std::vector<std::string> events = {
        std::string("PrepareReceived") + kManifest,
        "PrepareReceived total=1 chunks=1 crc=1",
        std::string("PrepareReceived identity=foreign") + kManifest,
        "OwnerChecked",
        "OwnerRefused code=13",
        "ChunkArrived",
        "ChunkArrived connection=9",
        "ChunkAssembled ordinal=0 bytes=16 crc=1",
        "ChunkAssembled ordinal=1 bytes=24 crc=700221333",
        "ChunkAssembled ordinal=1 bytes=24 crc=2",
        "ChunkConflict",
        "UnitRestored",
        "UnitRestoreFailed code=17",
        "RelayArrived",
        "RelayArrived identity=foreign",
        "CutoverArrived declared=1:5 received=1:5",
        "CutoverArrived declared=1:5 received=0:0",
        "CasAnswered answer=Applied",
        "CasAnswered answer=Conflict",
        "CasAnswered answer=Transient",
        "CasAnswered answer=Indeterminate",
        "TargetOwnerRead owner=Source",
        "TargetOwnerRead owner=Target",
        "TargetOwnerRead owner=Other",
        "TargetOwnerRead owner=Unreadable",
        "BacklogReady",
        "ConnectionLost",
        "ConnectionRestored connection=2",
        "TargetAborted code=17",
    };
    events.insert(events.end(), kTimerEvents.begin(), kTimerEvents.end());
    return events;
}

/// Whether the step asserts: tried in a child, which the assertion would end.
template <class Bench>
bool asserts(Bench bench, const std::string& event) {
    const pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        bench.step(event);
        _exit(0);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/// Only what the driver alone can get wrong may assert; for all else a child is not worth its time.
bool may_assert(const std::string& row, const std::string& event) {
    static const std::set<std::string> driver_only = {
        "MoveRequested",   "TurnEnded",    "CaptureSucceeded",  "CaptureFailed",
        "CutoverTerminal", "UnitRestored", "UnitRestoreFailed", "BacklogReady",
    };
    return row == "fresh" || driver_only.contains(event.substr(0, event.find(' ')));
}

template <class Bench>
std::string walk(const std::string& role, const std::vector<Row<Bench>>& rows,
                 const std::vector<std::string>& events) {
    std::string text;
    for (const Row<Bench>& row : rows) {
        text +=
            "\n[" + role + " " + std::string(name_of(row.make().stage())) + ": " + row.name + "]\n";
        for (const std::string& event : events) {
            text += event + " -> ";
            if (may_assert(row.name, event) && asserts(row.make(), event)) {
                text += "assertion\n";
                continue;
            }
            Bench bench = row.make();
            const std::string effects = bench.step(event);
            text += std::string(name_of(bench.stage())) + ": " + effects + "\n";
        }
    }
    return text;
}

TEST(RelocationMatrix, U117_EveryStageMeetsEveryEventAsWritten) {
    expect_fixture("matrix.txt", kMadeBy + walk("source", source_rows(), source_columns()) +
                                     walk("target", target_rows(), target_columns()));
}

// The matrix is only worth something when nothing is missing from it.
TEST(RelocationMatrix, U117_NoStageAndNoEventIsLeftOut) {
    std::set<std::string> stages;
    std::set<std::size_t> source_events;
    std::set<std::size_t> target_events;

    for (const auto& row : source_rows()) {
        stages.insert("source " + std::string(name_of(row.make().stage())));
    }
    for (const auto& row : target_rows()) {
        stages.insert("target " + std::string(name_of(row.make().stage())));
    }
    for (const auto& text : source_columns()) source_events.insert(source_event(text).index());
    for (const auto& text : target_columns()) target_events.insert(target_event(text).index());

    for (const Transition& t : kTransitions) {
        const std::string role = t.role == Role::Source ? "source " : "target ";
        EXPECT_TRUE(stages.contains(role + std::string(name_of(t.from))));
        EXPECT_TRUE(stages.contains(role + std::string(name_of(t.to))));
    }
    EXPECT_EQ(source_events.size(), std::variant_size_v<SourceEvent>);
    EXPECT_EQ(target_events.size(), std::variant_size_v<TargetEvent>);
}

// Whatever a stage does not want is either silent by rule or reported; nothing is dropped unseen.
TEST(RelocationMatrix, U117_NoStageChangesOutsideTheTable) {
    const auto check = [](Role role, const auto& rows, const auto& events) {
        for (const auto& row : rows) {
            for (const std::string& event : events) {
                if (may_assert(row.name, event) && asserts(row.make(), event)) continue;
                auto bench = row.make();
                const Stage before = bench.stage();
                bench.step(event);
                const bool in_table =
                    std::any_of(kTransitions.begin(), kTransitions.end(), [&](const Transition& t) {
                        return t.role == role && t.from == before && t.to == bench.stage();
                    });
                EXPECT_TRUE(bench.stage() == before || in_table) << row.name << ": " << event;
            }
        }
    };

    check(Role::Source, source_rows(), source_columns());
    check(Role::Target, target_rows(), target_columns());
}

}  // namespace
}  // namespace shunt::relocation::testing
