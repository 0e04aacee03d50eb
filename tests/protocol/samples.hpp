#pragma once
// One readable value of everything the wire carries: what fixtures/wire/ is made from, and the seed
// of the mutation tests. Each command has one here, or samples.cpp does not compile.

#include <optional>
#include <string>
#include <vector>

#include "protocol/command.hpp"
#include "protocol/command_record.hpp"
#include "protocol/envelope.hpp"
#include "protocol/frozen_record.hpp"
#include "protocol/typed_payload.hpp"

namespace shunt::protocol::test {

struct RecordSample {
    std::string name;
    Command command;
    std::optional<TypedPayload> payload{};
    std::optional<Metadata> metadata{};
    DecodeContext context{};
};

std::vector<RecordSample> record_samples();
/// One of every kind and every source, with and without metadata.
std::vector<FrozenRecord> frozen_samples();
/// Two participants with state and one without, work, timers and ticks.
RelocationEnvelope envelope_sample();

ActorRouteFence actor_fence();
RelocationObjectIdentity actor_object();
TypedPayload payload_sample();

}  // namespace shunt::protocol::test
