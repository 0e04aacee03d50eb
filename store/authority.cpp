#include "store/authority.hpp"

#include <utility>

#include "base/assert.hpp"

namespace shunt::store {

using protocol::StatefulObjectKind;

protocol::StatefulObjectKind object_kind_of(const AuthorityObject& object) {
    const auto* spot = std::get_if<SpotAuthority>(&object);
    if (spot == nullptr) return StatefulObjectKind::Actor;
    SHUNT_ASSERT(!std::holds_alternative<EntrySpotAuthority>(*spot));
    return std::holds_alternative<UserSpotAuthority>(*spot) ? StatefulObjectKind::UserSpot
                                                            : StatefulObjectKind::InstanceSpot;
}

const std::string& stable_type_of(const AuthorityObject& object) {
    if (const auto* actor = std::get_if<ActorAuthority>(&object)) return actor->actor_type;
    const auto& spot = std::get<SpotAuthority>(object);
    if (const auto* user = std::get_if<UserSpotAuthority>(&spot)) return user->spot_type;
    if (const auto* entry = std::get_if<EntrySpotAuthority>(&spot)) return entry->spot_type;
    return std::get<InstanceSpotAuthority>(spot).instance_type;
}

Bytes encode_authority(const Authority& authority) {
    AuthorityPayload payload;
    payload.object = authority.object;
    payload.owner_id = authority.owner.owner_id;
    payload.owner_lease_generation = authority.owner.generation;
    payload.owner_mesh_name = authority.node.mesh_name;
    payload.owner_node_rid = authority.node.rid;
    payload.owner_node_generation = authority.node.lifecycle_generation;
    payload.operation_kind = authority.operation_kind;
    payload.relocation_state = authority.relocation;
    payload.activation_recovery_state = authority.activation_recovery;

    AuthorityRow row;
    row.payload = encode_authority_payload(payload);
    row.object_generation = authority.object_generation;
    row.authority_owner_generation = authority.owner_generation;
    row.owner = authority.owner;
    row.object_kind = object_kind_of(authority.object);
    row.stable_type = stable_type_of(authority.object);
    row.node = authority.node;
    row.pending_creation = authority.pending_creation;
    return encode_authority_row(row);
}

result<Authority> decode_authority(const protocol::AuthorityKey& object, const Found& found) {
    BOOST_OUTCOME_TRY(AuthorityRow row, decode_authority_row(found.value));
    BOOST_OUTCOME_TRY(AuthorityPayload payload, decode_authority_payload(row.payload));
    const OwnerLease payload_owner{payload.owner_id, payload.owner_lease_generation};
    const CapacityOwner payload_node{payload.owner_mesh_name, payload.owner_node_rid,
                                     payload.owner_node_generation};
    const auto* spot = std::get_if<SpotAuthority>(&payload.object);
    const bool entry = spot != nullptr && std::holds_alternative<EntrySpotAuthority>(*spot);
    // A row never expires (section 5.4), so one that would is another record under this key.
    if (entry || found.expires_at || key_of(payload.object) != object ||
        payload_owner != row.owner || payload_node != row.node ||
        object_kind_of(payload.object) != row.object_kind ||
        stable_type_of(payload.object) != row.stable_type) {
        return Errc::Corrupt;
    }
    Authority authority;
    authority.object = std::move(payload.object);
    authority.object_generation = row.object_generation;
    authority.owner_generation = row.authority_owner_generation;
    authority.owner = std::move(row.owner);
    authority.node = std::move(row.node);
    authority.operation_kind = payload.operation_kind;
    authority.relocation = std::move(payload.relocation_state);
    authority.activation_recovery = std::move(payload.activation_recovery_state);
    authority.pending_creation = std::move(row.pending_creation);
    authority.version = found.version;
    return authority;
}

std::vector<Mutation> capacity_adds(const Authority& authority, std::int64_t sign) {
    const CapacityState state =
        authority.pending_creation ? CapacityState::Pending : CapacityState::Active;
    const StatefulObjectKind kind = object_kind_of(authority.object);
    if (kind == StatefulObjectKind::Actor) {
        return {Add{actors_capacity_key(authority.node, state), sign}};
    }
    return {
        Add{spots_capacity_key(authority.node, state), sign},
        Add{type_capacity_key(authority.node, kind, stable_type_of(authority.object), state), sign},
    };
}

Authority steadied(Authority authority) {
    authority.operation_kind = protocol::AuthorityOperationKind::Steady;
    authority.relocation.reset();
    if (auto* spot = std::get_if<SpotAuthority>(&authority.object)) {
        if (auto* user = std::get_if<UserSpotAuthority>(spot)) {
            user->state = protocol::EntryUserSpotAuthorityState::Ready;
        } else if (auto* instance = std::get_if<InstanceSpotAuthority>(spot)) {
            instance->authority_state = protocol::InstanceAuthorityState::Ready;
        }
    }
    return authority;
}

}  // namespace shunt::store
