#pragma once
// Commands of admission and liveness (spec/wire.md section 5.1): infrastructure, never a handler
// turn.

#include <cstdint>

#include "protocol/enums.hpp"
#include "protocol/shared.hpp"

namespace shunt::protocol {

struct Hello {
    ServiceAdmission admission;
    bool operator==(const Hello&) const = default;
};
struct Admit {
    ServiceAdmission admission;
    bool operator==(const Admit&) const = default;
};
struct Reject {
    RejectReason reason = RejectReason::InvalidDescriptor;
    bool operator==(const Reject&) const = default;
};
struct Update {
    ServiceAdmission admission;
    bool operator==(const Update&) const = default;
};
struct LivenessProbe {
    std::uint64_t probe_id = 0;
    bool operator==(const LivenessProbe&) const = default;
};
/// Carries the exact id of the probe it answers.
struct LivenessAck {
    std::uint64_t probe_id = 0;
    bool operator==(const LivenessAck&) const = default;
};

}  // namespace shunt::protocol
