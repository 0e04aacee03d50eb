#include "protocol/envelope.hpp"

#include <algorithm>
#include <tuple>

#include "protocol/crc32c.hpp"
#include "protocol/envelope_layout.hpp"
#include "protocol/writer.hpp"

namespace shunt::protocol {
namespace {

/// States are sorted by participant, so looking one up is a binary search.
bool has_mailbox(const RelocationEnvelope& envelope, ParticipantId participant) {
    return std::ranges::binary_search(envelope.application_states, participant, {},
                                      &ApplicationState::participant_id);
}

}  // namespace

bool knows_its_participants(const RelocationEnvelope& envelope) {
    const auto known = [&](const auto& item) { return has_mailbox(envelope, item.participant_id); };
    return std::ranges::all_of(envelope.saved_work, known) &&
           std::ranges::all_of(envelope.timer_registrations, known) &&
           std::ranges::all_of(envelope.pending_timer_ticks, known);
}

bool uses_each_order_once(const RelocationEnvelope& envelope) {
    // Both vectors are sorted by (participant, order), so one merge finds a value used twice.
    auto work = envelope.saved_work.begin();
    auto tick = envelope.pending_timer_ticks.begin();
    while (work != envelope.saved_work.end() && tick != envelope.pending_timer_ticks.end()) {
        const auto work_key = std::tie(work->participant_id, work->order);
        const auto tick_key = std::tie(tick->participant_id, tick->order);
        if (work_key == tick_key) return false;
        if (work_key < tick_key) {
            ++work;
        } else {
            ++tick;
        }
    }
    return true;
}

EncodedEnvelope encode_envelope(const RelocationEnvelope& envelope) {
    Writer writer(measure(envelope).copied_bytes());
    encode(writer, envelope);
    EncodedEnvelope encoded{.stream = std::move(writer).take_segments()};
    encoded.total_length = total_bytes(encoded.stream);
    encoded.checksum_crc32c = crc32c(encoded.stream);
    SHUNT_ASSERT(encoded.total_length <= kRelocationStreamBytesMax);
    return encoded;
}

result<RelocationEnvelope> decode_envelope(ByteView stream, Fault* fault) {
    if (stream.size() > kRelocationStreamBytesMax) return Errc::LimitExceeded;
    return decode_whole<RelocationEnvelope>(stream, fault);
}

}  // namespace shunt::protocol
