#pragma once
// What an authority row says about its object beyond ownership (spec/stores.md sections 5.5 and
// 12). The bytes are protocol's `authority-payload-v1`; which values may stand together is decided
// here. An Actor's membership lives in this payload and nowhere else.

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "protocol/authority_key.hpp"
#include "protocol/authority_payload.hpp"
#include "store/owner_lease.hpp"

namespace shunt::store {

using protocol::ActivationRecovery;
using protocol::ActorAuthority;
using protocol::AuthorityObject;
using protocol::AuthorityPayload;
using protocol::EntrySpotAuthority;
using protocol::InstanceSpotAuthority;
using protocol::SpotAuthority;
using protocol::UserSpotAuthority;
/// Progress of a move as the row shows it (section 12).
using RelocationSlot = protocol::AuthorityRelocation;

/// The object's name as rows are keyed by it.
protocol::AuthorityKey key_of(const AuthorityObject& object);

/// One host on one node life.
struct NodeFence {
    NodeRid node_rid;
    NodeGeneration node_generation;
    OwnerLease owner;
    bool operator==(const NodeFence&) const = default;
};

NodeFence source_of(const RelocationSlot& slot);
NodeFence target_of(const RelocationSlot& slot);
void set_source(RelocationSlot& slot, const NodeFence& source);
/// An empty fence takes the target away.
void set_target(RelocationSlot& slot, const NodeFence& target);
void set_coordinator(RelocationSlot& slot, const NodeFence& coordinator);

/// Whether the values fit the phase (the table of section 12); never decoded otherwise.
[[nodiscard]] bool fits_its_phase(const RelocationSlot& slot);

/// The payload must keep the rules of sections 5.5 and 12.
Bytes encode_authority_payload(const AuthorityPayload& payload);
/// Errors: Errc::Corrupt for every deviation, also for pairs of operation and object state that
/// section 5.5 does not allow.
[[nodiscard]] result<AuthorityPayload> decode_authority_payload(ByteView bytes);

}  // namespace shunt::store
