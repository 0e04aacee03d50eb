#pragma once
// Commands of session bindings and of the session side of a move (spec/wire.md section 5.4).

#include <cstdint>
#include <variant>

#include "base/ids.hpp"
#include "protocol/enums.hpp"
#include "protocol/shared.hpp"

namespace shunt::protocol {

/// Session egress: the payload is for the client.
struct BoundSessionSend {
    ActorRouteFence actor;
    BindingGeneration expected_binding_generation;
    bool operator==(const BoundSessionSend&) const = default;
};

struct ActiveBinding {
    BindingGeneration binding_generation;
    bool operator==(const ActiveBinding&) const = default;
};
struct TombstoneBinding {
    BindingGeneration retired_binding_generation;
    bool operator==(const TombstoneBinding&) const = default;
};
/// The alternative is the bindingState.
using SessionBinding = std::variant<ActiveBinding, TombstoneBinding>;
struct BoundSessionBind {
    std::uint64_t correlation = 0;
    ActorRouteFence actor;
    SessionRid session_rid;
    SessionBinding binding;
    bool operator==(const BoundSessionBind&) const = default;
};

/// Which session of which owner; opens commands 42 to 44.
struct SessionFence {
    NodeRid session_owner_node_rid;
    NodeGeneration session_owner_node_generation;
    OwnerId session_owner_id;
    OwnerLeaseGeneration session_owner_lease_generation;
    SessionRid session_rid;
    BindingGeneration binding_generation;
    bool operator==(const SessionFence&) const = default;
};

struct SessionRelocationSeal {
    RelocationId relocation;
    RelocationCoordinatorFence coordinator;
    RelocationRole sender_role = RelocationRole::Source;
    ActorRouteFence actor;
    SessionFence session;
    bool operator==(const SessionRelocationSeal&) const = default;
};

/// Carries no role: its sender is the node that owns the session (section 17.18).
struct SessionRelocationSealed {
    RelocationId relocation;
    RelocationCoordinatorFence coordinator;
    ActorRouteFence actor;
    SessionFence session;
    bool operator==(const SessionRelocationSealed&) const = default;
};

/// Sent by the target.
struct CommitSessionRoute {
    AuthorityOwnerGeneration previous_authority_owner_generation;
    AuthorityOwnerGeneration target_authority_owner_generation;
    NodeRid target_node_rid;
    NodeGeneration target_node_generation;
    OwnerLeaseGeneration target_owner_lease_generation;
    bool operator==(const CommitSessionRoute&) const = default;
};
/// Sent by the source.
struct AbortSessionRoute {
    AuthorityOwnerGeneration current_authority_owner_generation;
    bool operator==(const AbortSessionRoute&) const = default;
};
/// `session-relocation-route-update`; the alternative is the action.
using SessionRouteUpdate = std::variant<CommitSessionRoute, AbortSessionRoute>;
struct SessionRelocationRoute {
    RelocationId relocation;
    RelocationCoordinatorFence coordinator;
    RelocationRole sender_role = RelocationRole::Target;
    ActorRef actor;
    SessionFence session;
    SessionRouteUpdate route;
    bool operator==(const SessionRelocationRoute&) const = default;
};

struct RetiredSessionFence {
    NodeRid session_owner_node_rid;
    NodeGeneration session_owner_node_generation;
    OwnerId session_owner_id;
    OwnerLeaseGeneration session_owner_lease_generation;
    SessionRid session_rid;
    BindingGeneration retired_binding_generation;
    bool operator==(const RetiredSessionFence&) const = default;
};
struct BoundSessionReplaced {
    ActorRouteFence actor_authority;
    RetiredSessionFence retired_session;
    bool operator==(const BoundSessionReplaced&) const = default;
};

}  // namespace shunt::protocol
