#pragma once
// The authority payload `ZLAU` (spec/wire.md section 10, spec/stores.md sections 5.5 and 12): what
// a row says about its object beyond ownership. An Actor's membership lives here and nowhere else.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "protocol/authority_key.hpp"
#include "protocol/enums.hpp"
#include "protocol/shared.hpp"
#include "store/owner_lease.hpp"

namespace shunt::store {

// --- which object -----------------------------------------------------------------------------

struct ActorAuthority {
    std::string actor_type;
    ActorId actor_id;
    protocol::ActorAuthorityState state = protocol::ActorAuthorityState::Ready;
    /// The Actor's membership.
    protocol::SpotRef current_spot;
    protocol::ActorSpotKind current_spot_kind = protocol::ActorSpotKind::Entry;
    bool operator==(const ActorAuthority&) const = default;
};

/// Entry and User Spots look alike and differ by kind.
template <protocol::SpotKind Kind>
struct PlacedSpotAuthority {
    SpotId spot_id;
    std::string spot_type;
    protocol::EntryUserSpotAuthorityState state = protocol::EntryUserSpotAuthorityState::Ready;
    bool operator==(const PlacedSpotAuthority&) const = default;
};
using EntrySpotAuthority = PlacedSpotAuthority<protocol::SpotKind::Entry>;
using UserSpotAuthority = PlacedSpotAuthority<protocol::SpotKind::User>;

struct InstanceSpotAuthority {
    protocol::InstanceAuthorityState state = protocol::InstanceAuthorityState::Ready;
    std::string instance_type;
    SpotId spot_id;
    bool operator==(const InstanceSpotAuthority&) const = default;
};

using SpotAuthority = std::variant<EntrySpotAuthority, UserSpotAuthority, InstanceSpotAuthority>;
using AuthorityObject = std::variant<ActorAuthority, SpotAuthority>;

/// The object's name as rows are keyed by it.
protocol::AuthorityKey key_of(const AuthorityObject& object);

// --- where it is on a move --------------------------------------------------------------------

/// One host on one node life.
struct NodeFence {
    NodeRid node_rid;
    NodeGeneration node_generation;
    OwnerLease owner;
    bool operator==(const NodeFence&) const = default;
};

/// Section 12: progress of a move as the row shows it.
struct RelocationSlot {
    RelocationId relocation;
    /// 0 only in phase Preparing.
    std::uint64_t aggregate_generation = 0;
    /// Zero until a target is prepared.
    TargetAttemptGeneration target_attempt_generation;
    std::string relocation_reference = "pending";
    std::uint32_t relocation_checksum_crc32c = 0;
    NodeFence source;
    /// Absent until a target is prepared.
    std::optional<NodeFence> target;
    NodeFence coordinator;
    /// Opaque, 0..255 bytes here although a version may be longer elsewhere.
    std::string coordinator_expected_store_version;
    protocol::RelocationPhase phase = protocol::RelocationPhase::Preparing;
    std::uint64_t application_version = 0;
    protocol::SourceCleanupState source_cleanup_state = protocol::SourceCleanupState::Pending;
    bool operator==(const RelocationSlot&) const = default;
};

/// Whether the values fit the phase (the table of section 12); never decoded otherwise.
[[nodiscard]] bool fits_its_phase(const RelocationSlot& slot);

/// A Ready Instance Spot whose first cold activation is not finished.
struct ActivationRecovery {
    std::string reference;
    Bytes sha256;  // 32 bytes
    std::uint32_t encoded_bytes = 0;
    std::uint64_t inbox_sequence = 0;
    std::uint64_t replay_cursor = 0;
    bool operator==(const ActivationRecovery&) const = default;
};

// --- the payload ------------------------------------------------------------------------------

struct AuthorityPayload {
    AuthorityObject object;
    OwnerLease owner;
    std::string owner_mesh_name;
    NodeRid owner_node_rid;
    NodeGeneration owner_node_generation;
    protocol::AuthorityOperationKind operation_kind = protocol::AuthorityOperationKind::Steady;
    /// Present exactly with MaintenanceRelocation.
    std::optional<RelocationSlot> relocation;
    std::optional<ActivationRecovery> activation_recovery;
    bool operator==(const AuthorityPayload&) const = default;
};

Bytes encode_authority_payload(const AuthorityPayload& payload);
/// Errors: Errc::Corrupt for every deviation, also for pairs of operation and object state that
/// section 5.5 does not allow.
[[nodiscard]] result<AuthorityPayload> decode_authority_payload(ByteView bytes);

}  // namespace shunt::store
