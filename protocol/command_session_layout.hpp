#pragma once
// How the session commands lie on the wire (spec/wire.md section 5.4).

#include <variant>

#include "protocol/command_info.hpp"
#include "protocol/command_session.hpp"
#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"
#include "protocol/shared_layout.hpp"

namespace shunt::protocol {

constexpr CommandInfo info(Of<BoundSessionSend>) {
    return {.id = CommandId::BoundSessionSend,
            .name = "boundSessionSend",
            .payload = PayloadFrame::Required};
}
constexpr auto layout(Of<BoundSessionSend>) {
    return fields(
        field("actor", &BoundSessionSend::actor),
        field("expectedBindingGeneration", &BoundSessionSend::expected_binding_generation));
}

constexpr auto layout(Of<ActiveBinding>) {
    return fields(field("bindingGeneration", &ActiveBinding::binding_generation));
}
constexpr auto layout(Of<TombstoneBinding>) {
    return fields(field("retiredBindingGeneration", &TombstoneBinding::retired_binding_generation));
}
constexpr auto layout(Of<SessionBinding>) {
    return fields(kind("bindingState", kSelf, BoundSessionBindingState::Active,
                       BoundSessionBindingState::Tombstone),
                  body<std::uint16_t>(content(kSelf)));
}

constexpr CommandInfo info(Of<BoundSessionBind>) {
    return {.id = CommandId::BoundSessionBind, .name = "boundSessionBind", .leg = Leg::Request};
}
constexpr auto layout(Of<BoundSessionBind>) {
    using T = BoundSessionBind;
    return fields(field("correlation", &T::correlation, kNonzero), field("actor", &T::actor),
                  field("sessionRid", &T::session_rid), field("binding", &T::binding));
}

constexpr auto layout(Of<SessionFence>) {
    using T = SessionFence;
    return fields(field("sessionOwnerNodeRid", &T::session_owner_node_rid),
                  field("sessionOwnerNodeGeneration", &T::session_owner_node_generation),
                  field("sessionOwnerId", &T::session_owner_id),
                  field("sessionOwnerLeaseGeneration", &T::session_owner_lease_generation),
                  field("sessionRid", &T::session_rid),
                  field("bindingGeneration", &T::binding_generation));
}

constexpr CommandInfo info(Of<SessionRelocationSeal>) {
    return {.id = CommandId::SessionRelocationSeal,
            .name = "sessionRelocationSeal",
            .leg = Leg::Request};
}
constexpr auto layout(Of<SessionRelocationSeal>) {
    using T = SessionRelocationSeal;
    return fields(field("relocation", &T::relocation), field("coordinator", &T::coordinator),
                  field("senderRole", &T::sender_role, kFromSource), field("actor", &T::actor),
                  inlined(&T::session));
}

constexpr CommandInfo info(Of<SessionRelocationSealed>) {
    return {.id = CommandId::SessionRelocationSealed,
            .name = "sessionRelocationSealed",
            .leg = Leg::Reply};
}
constexpr auto layout(Of<SessionRelocationSealed>) {
    using T = SessionRelocationSealed;
    return fields(field("relocation", &T::relocation), field("coordinator", &T::coordinator),
                  field("actor", &T::actor), inlined(&T::session));
}

constexpr auto layout(Of<CommitSessionRoute>) {
    using T = CommitSessionRoute;
    return fields(
        field("previousAuthorityOwnerGeneration", &T::previous_authority_owner_generation),
        field("targetAuthorityOwnerGeneration", &T::target_authority_owner_generation),
        field("targetNodeRid", &T::target_node_rid),
        field("targetNodeGeneration", &T::target_node_generation),
        field("targetOwnerLeaseGeneration", &T::target_owner_lease_generation));
}
constexpr auto layout(Of<AbortSessionRoute>) {
    return fields(field("currentAuthorityOwnerGeneration",
                        &AbortSessionRoute::current_authority_owner_generation));
}
constexpr auto layout(Of<SessionRouteUpdate>) {
    return fields(kind("action", kSelf, SessionRelocationRouteAction::Commit,
                       SessionRelocationRouteAction::Abort),
                  body<std::uint16_t>(content(kSelf)));
}

/// The target commits, the source aborts (section 15.1).
inline bool role_fits_action(const SessionRelocationRoute& route) {
    const bool commits = std::holds_alternative<CommitSessionRoute>(route.route);
    return route.sender_role == (commits ? RelocationRole::Target : RelocationRole::Source);
}

constexpr CommandInfo info(Of<SessionRelocationRoute>) {
    return {.id = CommandId::SessionRelocationRoute, .name = "sessionRelocationRoute"};
}
constexpr auto layout(Of<SessionRelocationRoute>) {
    using T = SessionRelocationRoute;
    return fields(field("relocation", &T::relocation), field("coordinator", &T::coordinator),
                  field("senderRole", &T::sender_role), field("actor", &T::actor),
                  inlined(&T::session), field("route", &T::route), rule(&role_fits_action));
}

constexpr auto layout(Of<RetiredSessionFence>) {
    using T = RetiredSessionFence;
    return fields(field("sessionOwnerNodeRid", &T::session_owner_node_rid),
                  field("sessionOwnerNodeGeneration", &T::session_owner_node_generation),
                  field("sessionOwnerId", &T::session_owner_id),
                  field("sessionOwnerLeaseGeneration", &T::session_owner_lease_generation),
                  field("sessionRid", &T::session_rid),
                  field("retiredBindingGeneration", &T::retired_binding_generation));
}

constexpr CommandInfo info(Of<BoundSessionReplaced>) {
    return {.id = CommandId::BoundSessionReplaced, .name = "boundSessionReplaced"};
}
constexpr auto layout(Of<BoundSessionReplaced>) {
    using T = BoundSessionReplaced;
    return fields(field("actorAuthority", &T::actor_authority),
                  field("retiredSession", &T::retired_session));
}

}  // namespace shunt::protocol
