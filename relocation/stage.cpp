#include "relocation/stage.hpp"

#include "base/assert.hpp"

namespace shunt::relocation {

std::string_view name_of(Stage stage) noexcept {
    switch (stage) {
        case Stage::SourceRunning:
            return "SourceRunning";
        case Stage::SourcePaused:
            return "SourcePaused";
        case Stage::TargetRestoring:
            return "TargetRestoring";
        case Stage::RelayReady:
            return "RelayReady";
        case Stage::CutoverReceived:
            return "CutoverReceived";
        case Stage::CutoverFallback:
            return "CutoverFallback";
        case Stage::StoreRetry:
            return "StoreRetry";
        case Stage::OwnerCommitted:
            return "OwnerCommitted";
        case Stage::TargetRemoved:
            return "TargetRemoved";
        case Stage::TargetOpen:
            return "TargetOpen";
        case Stage::FollowOnly:
            return "FollowOnly";
    }
    assertion_failed("a declared Stage", __FILE__, __LINE__);
}

std::string_view name_of(Trigger trigger) noexcept {
    switch (trigger) {
        case Trigger::TurnEnded:
            return "TurnEnded";
        case Trigger::PrepareFailed:
            return "PrepareFailed";
        case Trigger::RelayReadyAccepted:
            return "RelayReadyAccepted";
        case Trigger::CutoverSubmitted:
            return "CutoverSubmitted";
        case Trigger::BoundaryUnknown:
            return "BoundaryUnknown";
        case Trigger::RestoreFailed:
            return "RestoreFailed";
        case Trigger::Restored:
            return "Restored";
        case Trigger::CutoverArrived:
            return "CutoverArrived";
        case Trigger::CutoverWaitElapsed:
            return "CutoverWaitElapsed";
        case Trigger::CasUnanswered:
            return "CasUnanswered";
        case Trigger::CasCommitted:
            return "CasCommitted";
        case Trigger::OwnerNotConfirmed:
            return "OwnerNotConfirmed";
        case Trigger::BacklogOrdered:
            return "BacklogOrdered";
        case Trigger::FollowEnded:
            return "FollowEnded";
    }
    assertion_failed("a declared Trigger", __FILE__, __LINE__);
}

}  // namespace shunt::relocation
