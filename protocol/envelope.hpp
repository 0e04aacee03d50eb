#pragma once
// The payload of a move, `relocation-envelope-v1` (spec/wire.md section 7): what the source
// captured, as one bare field stream. State bytes pass through untouched in both directions.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "protocol/blob.hpp"
#include "protocol/frozen_record.hpp"
#include "protocol/shared.hpp"

namespace shunt::protocol {

inline constexpr std::uint64_t kRelocationStreamBytesMax = 274'877'906'944;
inline constexpr std::uint32_t kRelocationChunksMax = 4096;
inline constexpr std::uint32_t kRelocationChunkBytesMax = 67'108'864;
inline constexpr std::uint64_t kApplicationStateBytesMax = 67'108'864;

/// One participant that has a mailbox. No state (`recreate`) differs from an empty one.
struct ApplicationState {
    ParticipantId participant_id;
    std::optional<Blob> state{};
    bool operator==(const ApplicationState&) const = default;
};

struct SavedWork {
    ParticipantId participant_id;
    /// One sequence per participant from 1, shared with PendingTimerTick::order.
    std::uint64_t order = 0;
    FrozenRecord record;
    bool operator==(const SavedWork&) const = default;
};

struct TimerRegistration {
    ParticipantId participant_id;
    std::string name;
    std::string handler_type;
    std::uint64_t period_milliseconds = 0;
    TimerOverrunPolicyKind overrun_policy = TimerOverrunPolicyKind::SkipLateTicks;
    std::uint64_t max_catch_up_ticks = 1;
    bool stop_on_unhandled_exception = false;
    std::uint64_t last_completed_delivery_index = 0;
    std::uint64_t last_completed_scheduled_index = 0;
    std::uint64_t next_scheduled_at_unix_milliseconds = 0;
    bool operator==(const TimerRegistration&) const = default;
};

struct PendingTimerTick {
    ParticipantId participant_id;
    std::uint64_t order = 0;
    std::string timer_name;
    std::uint64_t delivery_index = 0;
    std::uint64_t scheduled_index = 0;
    std::uint64_t scheduled_at_unix_milliseconds = 0;
    std::uint64_t skipped_ticks = 0;
    bool operator==(const PendingTimerTick&) const = default;
};

/// Vectors are sorted ascending and unique: states by participant, saved work and ticks by
/// (participant, order), timers by (participant, name bytes).
struct RelocationEnvelope {
    RelocationId relocation;
    RelocationObjectIdentity object;
    std::uint64_t application_version = 0;
    std::vector<ApplicationState> application_states{};
    std::vector<SavedWork> saved_work{};
    std::vector<TimerRegistration> timer_registrations{};
    std::vector<PendingTimerTick> pending_timer_ticks{};
    bool operator==(const RelocationEnvelope&) const = default;
};

/// The stream with what command 40 declares about it.
struct EncodedEnvelope {
    Segments stream;
    std::uint64_t total_length = 0;
    std::uint32_t checksum_crc32c = 0;
};

/// Shares state and payload segments, copies borrowed ones. The envelope must be valid (sorted,
/// every participant known): anything else is the caller's defect and asserts.
EncodedEnvelope encode_envelope(const RelocationEnvelope& envelope);

/// Reads the assembled stream to its exact end, with the checks of section 15.1. States and
/// payloads are borrowed from `stream`. `fault` learns where it fails.
result<RelocationEnvelope> decode_envelope(ByteView stream, Fault* fault = nullptr);

}  // namespace shunt::protocol
