#pragma once
// The order of a move, written once (seed unit section 11, spec/contract-matrix.md U-117). Both
// machines assert every stage change against kTransitions; the static_asserts state the contract.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shunt::relocation {

/// The seed's progress stages, letter for letter. RelayReady exists on both sides: for the target
/// it begins when the reply is sent, for the source when it is accepted.
enum class Stage : std::uint8_t {
    SourceRunning,
    SourcePaused,
    TargetRestoring,
    RelayReady,
    CutoverReceived,
    CutoverFallback,
    StoreRetry,
    OwnerCommitted,
    TargetRemoved,
    TargetOpen,
    FollowOnly,
};
inline constexpr std::size_t kStageCount = 11;

enum class Role : std::uint8_t { Source, Target };

/// Why a stage changed; named after what happened, not after who said so.
enum class Trigger : std::uint8_t {
    TurnEnded,
    PrepareFailed,
    RelayReadyAccepted,
    CutoverSubmitted,
    BoundaryUnknown,
    RestoreFailed,
    Restored,
    CutoverArrived,
    CutoverWaitElapsed,
    CasUnanswered,
    CasCommitted,
    OwnerNotConfirmed,
    BacklogOrdered,
    FollowEnded,
};

struct Transition {
    Role role;
    Stage from;
    Trigger trigger;
    Stage to;
};

// clang-format off
inline constexpr auto kTransitions = [] {
    using enum Stage;
    using enum Trigger;
    return std::to_array<Transition>({
        {Role::Source, SourceRunning,   TurnEnded,          SourcePaused},     // §4.2
        {Role::Source, SourcePaused,    PrepareFailed,      SourceRunning},    // §4.4: the only way back
        {Role::Source, SourcePaused,    RelayReadyAccepted, RelayReady},       // §4.4: the boundary
        {Role::Source, SourcePaused,    BoundaryUnknown,    FollowOnly},       // §9: reply indeterminate
        {Role::Source, RelayReady,      CutoverSubmitted,   FollowOnly},       // §4.4: either result

        {Role::Target, TargetRestoring, RestoreFailed,      TargetRemoved},    // §4.3: answered with 53
        {Role::Target, TargetRestoring, Restored,           RelayReady},       // §4.3
        {Role::Target, RelayReady,      CutoverArrived,     CutoverReceived},  // §4.4
        {Role::Target, RelayReady,      CutoverWaitElapsed, CutoverFallback},  // §4.4
        {Role::Target, CutoverReceived, CasUnanswered,      StoreRetry},       // §4.5
        {Role::Target, CutoverFallback, CasUnanswered,      StoreRetry},       // §4.5
        {Role::Target, CutoverReceived, CasCommitted,       OwnerCommitted},   // §4.5
        {Role::Target, CutoverFallback, CasCommitted,       OwnerCommitted},   // §4.5
        {Role::Target, StoreRetry,      CasCommitted,       OwnerCommitted},   // §4.5
        {Role::Target, RelayReady,      OwnerNotConfirmed,  TargetRemoved},    // §4.5: validity over
        {Role::Target, CutoverReceived, OwnerNotConfirmed,  TargetRemoved},    // §4.5
        {Role::Target, CutoverFallback, OwnerNotConfirmed,  TargetRemoved},    // §4.5
        {Role::Target, StoreRetry,      OwnerNotConfirmed,  TargetRemoved},    // §4.5
        {Role::Target, OwnerCommitted,  BacklogOrdered,     TargetOpen},       // §4.6
    });
}();
// clang-format on

constexpr bool allowed(Role role, Stage from, Trigger trigger, Stage to) noexcept {
    return std::any_of(kTransitions.begin(), kTransitions.end(), [&](const Transition& t) {
        return t.role == role && t.from == from && t.trigger == trigger && t.to == to;
    });
}

template <class Table>
constexpr std::size_t entries_into(const Table& table, Stage stage) noexcept {
    std::size_t count = 0;
    for (const Transition& t : table) count += t.to == stage ? 1U : 0U;
    return count;
}

template <class Table>
constexpr std::size_t exits_from(const Table& table, Stage stage) noexcept {
    std::size_t count = 0;
    for (const Transition& t : table) count += t.from == stage ? 1U : 0U;
    return count;
}

static_assert(entries_into(kTransitions, Stage::SourceRunning) == 1, "§4.4: one way back");
static_assert(exits_from(kTransitions, Stage::TargetRemoved) == 0, "removed means removed");
static_assert(exits_from(kTransitions, Stage::TargetOpen) == 0, "an open queue stays open");
static_assert(exits_from(kTransitions, Stage::FollowOnly) == 0, "§4.4: dispatch never reopens");
static_assert(entries_into(kTransitions, Stage::TargetOpen) == 1, "§4.5: only after the CAS");

std::string_view name_of(Stage stage) noexcept;
std::string_view name_of(Trigger trigger) noexcept;

}  // namespace shunt::relocation
