#pragma once
// How the commands of admission and liveness lie on the wire (spec/wire.md section 5.1).

#include "protocol/command_admission.hpp"
#include "protocol/command_info.hpp"
#include "protocol/shared_layout.hpp"

namespace shunt::protocol {

constexpr CommandInfo info(Of<Hello>) {
    return {.id = CommandId::Hello, .name = "hello"};
}
constexpr auto layout(Of<Hello>) {
    return fields(field("admission", &Hello::admission));
}

constexpr CommandInfo info(Of<Admit>) {
    return {.id = CommandId::Admit, .name = "admit"};
}
constexpr auto layout(Of<Admit>) {
    return fields(field("admission", &Admit::admission));
}

constexpr CommandInfo info(Of<Reject>) {
    return {.id = CommandId::Reject, .name = "reject"};
}
constexpr auto layout(Of<Reject>) {
    return fields(field("reason", &Reject::reason));
}

constexpr CommandInfo info(Of<Update>) {
    return {.id = CommandId::Update, .name = "update"};
}
constexpr auto layout(Of<Update>) {
    return fields(field("admission", &Update::admission));
}

constexpr CommandInfo info(Of<LivenessProbe>) {
    return {.id = CommandId::LivenessProbe, .name = "livenessProbe"};
}
constexpr auto layout(Of<LivenessProbe>) {
    return fields(field("probeId", &LivenessProbe::probe_id, kNonzero));
}

constexpr CommandInfo info(Of<LivenessAck>) {
    return {.id = CommandId::LivenessAck, .name = "livenessAck"};
}
constexpr auto layout(Of<LivenessAck>) {
    return fields(field("probeId", &LivenessAck::probe_id, kNonzero));
}

}  // namespace shunt::protocol
