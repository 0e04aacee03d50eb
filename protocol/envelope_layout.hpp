#pragma once
// How the payload of a move lies on the wire (spec/wire.md section 7).

#include <tuple>

#include "protocol/envelope.hpp"
#include "protocol/frozen_record_layout.hpp"
#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"
#include "protocol/shared_layout.hpp"

namespace shunt::protocol {

/// Work, timers and ticks belong to participants that have a state entry (section 15.1).
bool knows_its_participants(const RelocationEnvelope& envelope);
/// Saved work and ticks of one participant share one order sequence.
bool uses_each_order_once(const RelocationEnvelope& envelope);

/// Saved work and ticks: (participant, order).
inline constexpr auto kByOrder = [](const auto& item) {
    return std::tie(item.participant_id, item.order);
};

/// `applicationState`: no state and an empty state differ.
inline constexpr auto kApplicationState = wrapped<std::uint64_t>(
    "hasState", "payload", Bulk<std::uint64_t>{.max = kApplicationStateBytesMax});

constexpr auto layout(Of<ApplicationState>) {
    return fields(field("participantId", &ApplicationState::participant_id),
                  field("applicationState", &ApplicationState::state, kApplicationState));
}

constexpr auto layout(Of<SavedWork>) {
    using T = SavedWork;
    return fields(field("participantId", &T::participant_id), field("order", &T::order, kNonzero),
                  field("record", &T::record));
}

constexpr auto layout(Of<TimerRegistration>) {
    using T = TimerRegistration;
    return fields(
        field("participantId", &T::participant_id), field("name", &T::name),
        field("handlerType", &T::handler_type),
        field("periodMilliseconds", &T::period_milliseconds, kNonzero),
        field("overrunPolicy", &T::overrun_policy),
        field("maxCatchUpTicks", &T::max_catch_up_ticks, kNonzero),
        field("stopOnUnhandledException", &T::stop_on_unhandled_exception),
        field("lastCompletedDeliveryIndex", &T::last_completed_delivery_index, kOrdinal),
        field("lastCompletedScheduledIndex", &T::last_completed_scheduled_index, kOrdinal),
        field("nextScheduledAtUnixMilliseconds", &T::next_scheduled_at_unix_milliseconds));
}

constexpr auto layout(Of<PendingTimerTick>) {
    using T = PendingTimerTick;
    return fields(field("participantId", &T::participant_id), field("order", &T::order, kNonzero),
                  field("timerName", &T::timer_name),
                  field("deliveryIndex", &T::delivery_index, kNonzero),
                  field("scheduledIndex", &T::scheduled_index, kNonzero),
                  field("scheduledAtUnixMilliseconds", &T::scheduled_at_unix_milliseconds),
                  field("skippedTicks", &T::skipped_ticks, kOrdinal));
}

constexpr auto layout(Of<RelocationEnvelope>) {
    using T = RelocationEnvelope;
    constexpr auto by_name = [](const TimerRegistration& timer) {
        return std::tie(timer.participant_id, timer.name);
    };
    return fields(
        field("relocation", &T::relocation), field("object", &T::object),
        field("applicationVersion", &T::application_version, kOrdinal),
        field("applicationStates", &T::application_states,
              sorted_list<std::uint32_t>(Nested{}, &ApplicationState::participant_id)),
        field("savedWork", &T::saved_work, sorted_list<std::uint32_t>(Nested{}, kByOrder)),
        field("timerRegistrations", &T::timer_registrations,
              sorted_list<std::uint32_t>(Nested{}, by_name)),
        field("pendingTimerTicks", &T::pending_timer_ticks,
              sorted_list<std::uint32_t>(Nested{}, kByOrder)),
        rule(&knows_its_participants), rule(&uses_each_order_once));
}

}  // namespace shunt::protocol
