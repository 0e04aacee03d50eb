#pragma once
// The owner lease record (spec/stores.md section 5.2): which host process holds an OwnerId, and in
// which generation. Two hosts compare its bytes, so they are exact.

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"

namespace shunt::store {

/// Identifies one claim; every descriptor and row of a host names it.
struct OwnerLease {
    OwnerId owner_id;
    OwnerLeaseGeneration generation;
    bool operator==(const OwnerLease&) const = default;
};

Bytes encode_owner_lease(const OwnerLease& lease);
/// Errors: Errc::Corrupt.
[[nodiscard]] result<OwnerLease> decode_owner_lease(ByteView bytes);

}  // namespace shunt::store
