#pragma once
// Time rules of the owner lease (spec/stores.md section 7): how long a host may admit work after a
// claim or a renewal.

#include <chrono>

#include "base/time.hpp"
#include "store/owner_lease.hpp"

namespace shunt::store {

/// Settings of one host; defaults of section 18.
struct LeaseTimings {
    std::chrono::milliseconds renew_interval{5'000};
    std::chrono::milliseconds ttl{15'000};
    std::chrono::milliseconds renew_timeout{3'000};
    std::chrono::milliseconds fencing_margin{5'000};
};

/// All positive, and even an attempt that starts late and runs to its timeout ends before the
/// admission deadline. A start-up error otherwise.
[[nodiscard]] bool is_valid(const LeaseTimings& timings) noexcept;

/// One observation of a lease.
struct LeaseLife {
    /// Local time before the request, so that network delay shortens the deadline.
    TimePoint observed_from;
    UnixMillis store_now;
    UnixMillis expires_at;
};

/// Until when the host that holds the lease may admit work.
[[nodiscard]] TimePoint admission_deadline(const LeaseLife& life,
                                           std::chrono::milliseconds fencing_margin) noexcept;

/// Until when somebody else may rely on the lease as observed.
[[nodiscard]] TimePoint valid_until(const LeaseLife& life) noexcept;

/// This host holds its lease.
struct LeaseHeld {
    OwnerLease lease;
    LeaseLife life;
    TimePoint admission_deadline;
};

/// Another host's lease, unexpired when it was read.
struct LeaseSeen {
    OwnerLease lease;
    TimePoint valid_until;
};

}  // namespace shunt::store
