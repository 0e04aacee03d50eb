#pragma once
// `authority-payload-v1` (spec/wire.md section 10): who owns an object, what kind it is and whether
// it is on the move, as one stored value.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "protocol/enums.hpp"
#include "protocol/shared.hpp"

namespace shunt::protocol {

using Sha256 = std::array<std::byte, 32>;

struct ActorAuthority {
    std::string actor_type;
    ActorId actor_id;
    ActorAuthorityState state = ActorAuthorityState::Ready;
    SpotRef current_spot;
    ActorSpotKind current_spot_kind = ActorSpotKind::Entry;
    bool operator==(const ActorAuthority&) const = default;
};

struct EntrySpotAuthority {
    SpotId spot_id;
    std::string spot_type;
    EntryUserSpotAuthorityState state = EntryUserSpotAuthorityState::Ready;
    bool operator==(const EntrySpotAuthority&) const = default;
};
struct UserSpotAuthority {
    SpotId spot_id;
    std::string spot_type;
    EntryUserSpotAuthorityState state = EntryUserSpotAuthorityState::Ready;
    bool operator==(const UserSpotAuthority&) const = default;
};
struct InstanceSpotAuthority {
    InstanceAuthorityState authority_state = InstanceAuthorityState::Ready;
    std::string instance_type;
    SpotId spot_id;
    bool operator==(const InstanceSpotAuthority&) const = default;
};
/// The alternative is the spotKind.
using SpotAuthority = std::variant<EntrySpotAuthority, UserSpotAuthority, InstanceSpotAuthority>;
/// The alternative is the authority-object-kind.
using AuthorityObject = std::variant<ActorAuthority, SpotAuthority>;

/// `authority-relocation-state`, where there is one.
struct AuthorityRelocation {
    RelocationId relocation;
    std::uint64_t aggregate_generation = 0;       // at most 2^63-2
    std::uint64_t target_attempt_generation = 0;  // 0 before the first attempt
    /// 1..4096 bytes; `pending` until a reply root exists (section 17.8).
    std::string relocation_reference = "pending";
    std::uint32_t relocation_checksum_crc32c = 0;
    NodeRid source_node_rid;
    NodeGeneration source_node_generation;
    OwnerId source_owner_id;
    OwnerLeaseGeneration source_owner_lease_generation;
    /// Empty and zero until a target was chosen.
    NodeRid target_node_rid;
    std::uint64_t target_node_generation = 0;
    OwnerId target_owner_id;
    std::uint64_t target_owner_lease_generation = 0;
    OwnerId coordinator_owner_id;
    OwnerLeaseGeneration coordinator_lease_generation;
    NodeRid coordinator_node_rid;
    NodeGeneration coordinator_node_generation;
    std::string coordinator_expected_store_version;  // empty = absent
    RelocationPhase phase = RelocationPhase::Preparing;
    std::uint64_t application_version = 0;
    SourceCleanupState source_cleanup_state = SourceCleanupState::Pending;
    bool operator==(const AuthorityRelocation&) const = default;
};

/// `authority-activation-recovery-state`, where there is one.
struct ActivationRecovery {
    std::string reference;
    Sha256 sha256{};
    std::uint32_t encoded_size = 0;
    std::uint64_t inbox_sequence = 1;
    std::uint64_t replay_cursor = 0;  // at most inbox_sequence
    bool operator==(const ActivationRecovery&) const = default;
};

struct AuthorityPayload {
    AuthorityOperationKind operation_kind = AuthorityOperationKind::Steady;
    AuthorityObject object;
    OwnerId owner_id;
    OwnerLeaseGeneration owner_lease_generation;
    std::string owner_mesh_name;
    NodeRid owner_node_rid;
    NodeGeneration owner_node_generation;
    std::optional<AuthorityRelocation> relocation_state{};
    std::optional<ActivationRecovery> activation_recovery_state{};
    bool operator==(const AuthorityPayload&) const = default;
};

}  // namespace shunt::protocol
