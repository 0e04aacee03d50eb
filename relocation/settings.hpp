#pragma once
// The numbers a move runs by (spec/stores.md section 18, spec/contract-matrix.md section 3). A
// machine copies them at construction: a changed setting applies to later moves only.

#include "base/time.hpp"

namespace shunt::relocation {

struct MoveSettings {
    /// Target: how long after its relay-ready reply it waits for cutover. Source: the length of the
    /// retransmission window, from S1.
    Duration cutover_wait_timeout = std::chrono::milliseconds(1000);
    /// Source: S1 to S4. Zero turns Message Follow off.
    Duration message_follow_duration = std::chrono::seconds(30);
    /// Target: first command 40 to the end of every CAS retry (design.md decision 8).
    Duration restore_validity = std::chrono::seconds(30);
    /// Source: pause between two looks at the owner while it is unknown (decision 11).
    Duration reconcile_interval = std::chrono::seconds(1);
    /// Target: pause before the CAS is looked at again; doubles up to the maximum.
    Duration cas_retry_first = std::chrono::milliseconds(10);
    Duration cas_retry_max = std::chrono::milliseconds(250);
    /// Added to each of those pauses so that many units do not return in step. The caller draws it:
    /// a machine holds no randomness.
    Duration cas_retry_jitter = Duration::zero();
};

}  // namespace shunt::relocation
