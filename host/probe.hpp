#pragma once
// What the host lets observers see: handler intervals, points S0..S4, machine transitions, log
// codes. The simulator's checkers and the demo's table are fed by it; it decides nothing.

#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "relocation/effect.hpp"
#include "relocation/stage.hpp"

namespace shunt::host {

/// Called inside the step it reports, on the shard of that step: a host with several shards calls
/// it from several threads at once. Must not call back into the host.
class Probe {
  public:
    virtual ~Probe() = default;

    virtual void on_turn_started(const ActorId&, AuthorityOwnerGeneration) {}
    virtual void on_turn_ended(const ActorId&, AuthorityOwnerGeneration) {}
    virtual void on_point(const ActorId&, relocation::Point, TimePoint) {}
    virtual void on_stage(const ActorId&, relocation::Role, relocation::Stage) {}
    virtual void on_effect(relocation::Role, std::size_t /*effect_index*/) {}
    virtual void on_log(relocation::LogCode) {}
    /// Encoded bytes of one unit that left or arrived.
    virtual void on_unit_moved(const ActorId&, std::uint64_t /*stream_bytes*/) {}
    /// A one-way message or reply that ended here without a receiver, with a short reason.
    virtual void on_dropped(std::string_view /*reason*/) {}
    /// The same when its payload is at hand; a request among them is answered with a failure.
    virtual void on_message_dropped(std::string_view reason, ByteView /*payload*/) {
        on_dropped(reason);
    }
};

}  // namespace shunt::host
