#pragma once
// The authority row record (spec/stores.md section 5.4): who owns one Actor or Spot. The payload is
// bytes here; authority.hpp reads it too and checks that both agree.

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "protocol/enums.hpp"
#include "store/keys.hpp"
#include "store/owner_lease.hpp"
#include "store/record_names.hpp"

namespace shunt::store {

/// A creation that has its row and not yet its object.
struct PendingCreation {
    std::string reservation_id;
    std::string request_content_reference;
    std::string request_sha256;  // 64 hex digits
    std::uint32_t request_encoded_bytes = 0;
    bool operator==(const PendingCreation&) const = default;
};

struct AuthorityRow {
    Bytes payload;
    ObjectGeneration object_generation;
    AuthorityOwnerGeneration authority_owner_generation;
    OwnerLease owner;
    protocol::StatefulObjectKind object_kind = protocol::StatefulObjectKind::Actor;
    std::string stable_type;
    /// Where the object lives; its capacity is counted there. How much it takes follows from kind
    /// and type: one Actor, or one Spot and one of its type.
    CapacityOwner node;
    /// Present exactly while the row is reserved.
    std::optional<PendingCreation> pending_creation;

    AllocationState state() const noexcept {
        return pending_creation ? AllocationState::Reserved : AllocationState::Active;
    }
    bool operator==(const AuthorityRow&) const = default;
};

Bytes encode_authority_row(const AuthorityRow& row);
/// Errors: Errc::Corrupt.
[[nodiscard]] result<AuthorityRow> decode_authority_row(ByteView bytes);

}  // namespace shunt::store
