// The table of stages says what the contract says; the names are the seed's.

#include "relocation/stage.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "relocation/log_code.hpp"

namespace shunt::relocation {
namespace {

constexpr bool leads(Role role, Stage from, Stage to) {
    for (const Transition& t : kTransitions) {
        if (t.role == role && t.from == from && t.to == to) return true;
    }
    return false;
}

// §4.4: the boundary. Behind it nothing leads back to a running source.
static_assert(leads(Role::Source, Stage::SourcePaused, Stage::SourceRunning));
static_assert(!leads(Role::Source, Stage::RelayReady, Stage::SourceRunning));
static_assert(!leads(Role::Source, Stage::FollowOnly, Stage::SourceRunning));
static_assert(!leads(Role::Source, Stage::SourceRunning, Stage::RelayReady));
// §4.5: an owner change only after cutover or its fallback, an open queue only after the change.
static_assert(!leads(Role::Target, Stage::RelayReady, Stage::OwnerCommitted));
static_assert(!leads(Role::Target, Stage::RelayReady, Stage::StoreRetry));
static_assert(!leads(Role::Target, Stage::TargetRestoring, Stage::CutoverFallback));
static_assert(entries_into(kTransitions, Stage::OwnerCommitted) == 3);
static_assert(exits_from(kTransitions, Stage::OwnerCommitted) == 1, "§6: ownership never returns");
static_assert(entries_into(kTransitions, Stage::TargetRestoring) == 0, "§11: no repaired assembly");

// §11 allows no transition besides the chain; a second entry for one trigger would make the next
// stage depend on something the table does not show.
TEST(RelocationStage, U117_EachTriggerLeadsFromAStageToOneOther) {
    std::set<std::string> seen;
    for (const Transition& t : kTransitions) {
        const std::string key = std::to_string(static_cast<int>(t.role)) +
                                std::string(name_of(t.from)) + std::string(name_of(t.trigger));
        EXPECT_TRUE(seen.insert(key).second) << key;
        EXPECT_NE(t.from, t.to);
    }
}

// Logs and traces carry these words.
TEST(RelocationStage, U117_NamesAreTheSeedsInItsOrder) {
    std::string chain;
    for (std::size_t i = 0; i < kStageCount; ++i) {
        chain += std::string(name_of(static_cast<Stage>(i))) + " ";
    }

    EXPECT_EQ(chain,
              "SourceRunning SourcePaused TargetRestoring RelayReady CutoverReceived "
              "CutoverFallback StoreRetry OwnerCommitted TargetRemoved TargetOpen FollowOnly ");
}

// spec/observability.md section 6.2 fixes these names and levels.
TEST(RelocationLogCode, SpecNamesAndLevels) {
    const auto line = [](LogCode code) {
        return std::string(name_of(code)) + " " + std::to_string(static_cast<int>(level_of(code)));
    };

    EXPECT_EQ(line(LogCode::CutoverTimeout), "cutover_timeout 2");
    EXPECT_EQ(line(LogCode::LateCutover), "late_cutover 2");
    EXPECT_EQ(line(LogCode::LocationUpdateFailed), "location_update_failed 3");
    EXPECT_EQ(line(LogCode::CutoverVerificationFailed), "cutover_verification_failed 3");
    EXPECT_EQ(line(LogCode::PayloadChecksumMismatch), "payload_checksum_mismatch 3");
    EXPECT_EQ(line(LogCode::RestoreConflict), "restore_conflict 3");
    EXPECT_EQ(line(LogCode::CutoverResultUnknown), "cutover_result_unknown 2");
    EXPECT_EQ(line(LogCode::ReconciliationUnresolved), "reconciliation_unresolved 3");
}

TEST(RelocationLogCode, NamesAreUnique) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < kLogCodeCount; ++i) names.insert(name_of(static_cast<LogCode>(i)));

    EXPECT_EQ(names.size(), kLogCodeCount);
}

}  // namespace
}  // namespace shunt::relocation
