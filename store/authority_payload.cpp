#include "store/authority_payload.hpp"

#include "base/assert.hpp"
#include "protocol/durable.hpp"
#include "store/location_store.hpp"

namespace shunt::store {

using protocol::AuthorityObjectKind;
using protocol::AuthorityOperationKind;
using protocol::EntryUserSpotAuthorityState;
using protocol::InstanceAuthorityState;
using protocol::RelocationPhase;

namespace {

/// Which operation a payload of this object state may carry (section 5.5).
struct AllowedOperations {
    AuthorityOperationKind operation;

    bool operator()(const ActorAuthority&) const {
        return operation == AuthorityOperationKind::Steady ||
               operation == AuthorityOperationKind::MaintenanceRelocation;
    }
    bool operator()(const SpotAuthority& spot) const { return std::visit(*this, spot); }
    bool operator()(const EntrySpotAuthority& spot) const {
        return placed(spot.state) && operation != AuthorityOperationKind::MaintenanceRelocation;
    }
    bool operator()(const UserSpotAuthority& spot) const { return placed(spot.state); }
    bool operator()(const InstanceSpotAuthority& spot) const {
        switch (operation) {
            case AuthorityOperationKind::Steady:
                return spot.authority_state == InstanceAuthorityState::Ready;
            case AuthorityOperationKind::ColdActivation:
                return spot.authority_state == InstanceAuthorityState::ColdActivating;
            case AuthorityOperationKind::MaintenanceRelocation:
                return spot.authority_state == InstanceAuthorityState::Relocating;
            case AuthorityOperationKind::Close:
                return spot.authority_state == InstanceAuthorityState::Closing;
        }
        return false;
    }

  private:
    bool placed(EntryUserSpotAuthorityState state) const {
        switch (operation) {
            case AuthorityOperationKind::Steady:
                return state == EntryUserSpotAuthorityState::Creating ||
                       state == EntryUserSpotAuthorityState::Ready;
            case AuthorityOperationKind::MaintenanceRelocation:
                return state == EntryUserSpotAuthorityState::Relocating;
            case AuthorityOperationKind::Close:
                return state == EntryUserSpotAuthorityState::Closing;
            case AuthorityOperationKind::ColdActivation:
                return false;
        }
        return false;
    }
};

bool is_ready_instance(const AuthorityObject& object) {
    const auto* spot = std::get_if<SpotAuthority>(&object);
    const auto* instance = spot == nullptr ? nullptr : std::get_if<InstanceSpotAuthority>(spot);
    return instance != nullptr && instance->authority_state == InstanceAuthorityState::Ready;
}

bool is_consistent(const AuthorityPayload& payload) {
    const bool moving = payload.operation_kind == AuthorityOperationKind::MaintenanceRelocation;
    if (payload.relocation_state.has_value() != moving) return false;
    if (moving && !fits_its_phase(*payload.relocation_state)) return false;
    if (payload.activation_recovery_state && !is_ready_instance(payload.object)) return false;
    return std::visit(AllowedOperations{payload.operation_kind}, payload.object);
}

}  // namespace

NodeFence source_of(const RelocationSlot& slot) {
    return {slot.source_node_rid,
            slot.source_node_generation,
            {slot.source_owner_id, slot.source_owner_lease_generation}};
}

NodeFence target_of(const RelocationSlot& slot) {
    return {slot.target_node_rid,
            {slot.target_node_generation},
            {slot.target_owner_id, {slot.target_owner_lease_generation}}};
}

void set_source(RelocationSlot& slot, const NodeFence& source) {
    slot.source_node_rid = source.node_rid;
    slot.source_node_generation = source.node_generation;
    slot.source_owner_id = source.owner.owner_id;
    slot.source_owner_lease_generation = source.owner.generation;
}

void set_target(RelocationSlot& slot, const NodeFence& target) {
    slot.target_node_rid = target.node_rid;
    slot.target_node_generation = target.node_generation.value;
    slot.target_owner_id = target.owner.owner_id;
    slot.target_owner_lease_generation = target.owner.generation.value;
}

void set_coordinator(RelocationSlot& slot, const NodeFence& coordinator) {
    slot.coordinator_node_rid = coordinator.node_rid;
    slot.coordinator_node_generation = coordinator.node_generation;
    slot.coordinator_owner_id = coordinator.owner.owner_id;
    slot.coordinator_lease_generation = coordinator.owner.generation;
}

bool fits_its_phase(const RelocationSlot& slot) {
    const bool has_attempt = slot.target_attempt_generation != 0;
    const bool has_target = !slot.target_node_rid.empty();
    // The four fields of the target stand or are absent together.
    if (has_target != (slot.target_node_generation != 0) ||
        has_target == slot.target_owner_id.empty() ||
        has_target != (slot.target_owner_lease_generation != 0)) {
        return false;
    }
    switch (slot.phase) {
        case RelocationPhase::None:
            return false;
        case RelocationPhase::Preparing:
            return slot.aggregate_generation == 0 && !has_target && !has_attempt;
        case RelocationPhase::Captured:
            return slot.aggregate_generation >= 1 && has_target == has_attempt;
        case RelocationPhase::Prepared:
        case RelocationPhase::Committed:
        case RelocationPhase::Activating:
        case RelocationPhase::Activated:
        case RelocationPhase::Cleaning:
        case RelocationPhase::Completed:
            return slot.aggregate_generation >= 1 && has_target && has_attempt;
        case RelocationPhase::Aborted:
            return has_target == has_attempt;
    }
    return false;
}

protocol::AuthorityKey key_of(const AuthorityObject& object) {
    struct Namer {
        protocol::AuthorityKey operator()(const ActorAuthority& actor) const {
            return {AuthorityObjectKind::Actor, actor.actor_id.value};
        }
        protocol::AuthorityKey operator()(const SpotAuthority& spot) const {
            return {AuthorityObjectKind::Spot,
                    std::visit([](const auto& s) { return s.spot_id.value; }, spot)};
        }
    };
    return std::visit(Namer{}, object);
}

Bytes encode_authority_payload(const AuthorityPayload& payload) {
    SHUNT_ASSERT(is_consistent(payload));
    return protocol::encode_durable(payload);
}

result<AuthorityPayload> decode_authority_payload(ByteView bytes) {
    result<AuthorityPayload> payload = protocol::decode_durable<AuthorityPayload>(bytes);
    // To the store all of it is one thing: never guessed.
    if (!payload || !is_consistent(payload.value())) return Errc::Corrupt;
    return payload;
}

}  // namespace shunt::store
