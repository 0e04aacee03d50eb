#pragma once
// Structures that several commands share (spec/wire.md section 4): references, fences, identities,
// admission descriptors. Plain values; how each lies on the wire is declared in shared_layout.hpp.
// Fields carry the spec's names.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "protocol/enums.hpp"

namespace shunt::protocol {

/// Routing id of a client session: 1..255 opaque bytes.
using SessionRid = Named<struct SessionRidTag>;
/// One binding of a session to an Actor; grows with each rebind.
using BindingGeneration = Numbered<struct BindingGenerationTag>;
/// 1 + index in the unit's inventory sorted by authority key (section 7).
using ParticipantId = Numbered<struct ParticipantIdTag>;

// --- 4.1 references and fences ----------------------------------------------------------------

struct ActorRef {
    ActorId actor_id;
    ObjectGeneration object_generation;
    auto operator<=>(const ActorRef&) const = default;
};

struct SpotRef {
    SpotId spot_id;
    ObjectGeneration object_generation;
    auto operator<=>(const SpotRef&) const = default;
};

struct ActorRouteFence {
    ActorRef actor;
    NodeRid target_node_rid;
    NodeGeneration target_node_generation;
    AuthorityOwnerGeneration expected_authority_owner_generation;
    OwnerLeaseGeneration expected_owner_lease_generation;
    bool operator==(const ActorRouteFence&) const = default;
};

struct SpotRouteFence {
    SpotRef spot;
    NodeRid target_node_rid;
    NodeGeneration target_node_generation;
    AuthorityOwnerGeneration expected_authority_owner_generation;
    OwnerLeaseGeneration expected_owner_lease_generation;
    bool operator==(const SpotRouteFence&) const = default;
};

/// Identity of the initiating source owner; fences, never authorises (section 8).
struct RelocationCoordinatorFence {
    OwnerId coordinator_owner_id;
    OwnerLeaseGeneration coordinator_lease_generation;
    NodeRid coordinator_node_rid;
    NodeGeneration coordinator_node_generation;
    /// Opaque store version, 1..4096 bytes of UTF-8.
    std::string expected_authority_store_version;
    bool operator==(const RelocationCoordinatorFence&) const = default;
};

struct RelocationTargetFence {
    NodeRid target_node_rid;
    NodeGeneration target_node_generation;
    OwnerId target_owner_id;
    OwnerLeaseGeneration target_owner_lease_generation;
    bool operator==(const RelocationTargetFence&) const = default;
};

struct RequestSourceFence {
    OwnerId source_owner_id;
    OwnerLeaseGeneration source_owner_lease_generation;
    NodeRid source_node_rid;
    NodeGeneration source_node_generation;
    bool operator==(const RequestSourceFence&) const = default;
};

/// `optional-bound-session-tail`: a message that came in through a client session.
struct BoundSessionTail {
    SessionRid source_session_rid;
    BindingGeneration source_binding_generation;
    std::uint64_t source_session_sequence = 0;
    bool operator==(const BoundSessionTail&) const = default;
};

/// Which owner of which incarnation; part of store-coordinated activations.
struct AuthorityGenerationFence {
    ObjectGeneration object_generation;
    OwnerId owner_id;
    AuthorityOwnerGeneration authority_owner_generation;
    OwnerLeaseGeneration lease_generation;
    std::string store_version;
    bool operator==(const AuthorityGenerationFence&) const = default;
};

struct SpotMembership {
    SpotRef spot;
    bool operator==(const SpotMembership&) const = default;
};

struct ActorMembershipSnapshot {
    ActorRef actor;
    SpotMembership membership;
    bool operator==(const ActorMembershipSnapshot&) const = default;
};

// --- 4.2 relocation-object-identity -----------------------------------------------------------

struct ActorObject {
    ActorRef actor;
    AuthorityOwnerGeneration expected_authority_owner_generation;
    bool operator==(const ActorObject&) const = default;
};

struct UserSpotObject {
    SpotRef spot;
    AuthorityOwnerGeneration expected_authority_owner_generation;
    bool operator==(const UserSpotObject&) const = default;
};

/// Carries no owner generation.
struct InstanceSpotObject {
    std::string instance_type;
    SpotId spot_id;
    ObjectGeneration object_generation;
    bool operator==(const InstanceSpotObject&) const = default;
};

using RelocationObjectIdentity = std::variant<ActorObject, UserSpotObject, InstanceSpotObject>;

// --- instance-route-v1 (section 5.2) -----------------------------------------------------------

struct ReadyInstanceRoute {
    NodeRid target_node_rid;
    NodeGeneration target_node_generation;
    SpotId target_spot_id;
    AuthorityGenerationFence authority;
    bool instance_intent = false;
    bool operator==(const ReadyInstanceRoute&) const = default;
};

struct ColdActivationRoute {
    NodeRid target_node_rid;
    NodeGeneration target_node_generation;
    SpotId target_spot_id;
    std::string target_mesh_name;
    std::string stable_type;
    std::string target_descriptor_version;
    std::uint64_t deadline_unix_ms = 0;  // not zero
    bool operator==(const ColdActivationRoute&) const = default;
};

using InstanceRoute = std::variant<ReadyInstanceRoute, ColdActivationRoute>;

// --- 4.6 Message Follow notice ----------------------------------------------------------------

using MessageFollowRoute = std::variant<ActorRouteFence, SpotRouteFence>;

inline constexpr std::uint8_t kMessageFollowHopsMax = 8;

/// `message-follow-route-v1`.
struct MessageFollowNotice {
    MessageFollowRoute source;
    MessageFollowRoute target;
    std::uint8_t hop_count = 1;  // 1..8
    /// Saturating diagnostics.
    std::uint32_t queued_messages = 0;
    std::uint32_t queued_bytes = 0;
    OperationId original_operation;
    /// Zero for a one-way message.
    std::uint64_t original_reply_route_id = 0;
    bool operator==(const MessageFollowNotice&) const = default;
};

// --- 4.7 admission descriptors ----------------------------------------------------------------

struct ChannelWeight {
    std::string channel_name;
    std::uint32_t weight = 100;  // 0..100 on the wire; settings reach 10,000 and are clamped
    bool operator==(const ChannelWeight&) const = default;
};

struct StatefulCapability {
    StatefulObjectKind object_kind = StatefulObjectKind::Actor;
    std::string type;
    RelocationPolicyKind relocation_policy = RelocationPolicyKind::Disabled;
    std::uint32_t active_capacity_limit = 0x7FFF'FFFF;
    std::uint32_t pending_capacity_limit = 0x7FFF'FFFF;
    /// True exactly with RelocationPolicyKind::Snapshot.
    bool has_snapshot_adapter = false;
    std::uint64_t available = 0;
    bool operator==(const StatefulCapability&) const = default;
};

/// The capability every node of this generation announces.
inline constexpr char kServiceCapability[] = "framework-service-v13";

/// A descriptor field of a later generation: kept as it came.
struct UnknownField {
    std::uint8_t id = 0;
    Bytes value;
    bool operator==(const UnknownField&) const = default;
};

/// `descriptor-extension`: optional members are absent fields, which differ from empty ones.
struct DescriptorExtension {
    RuntimeState runtime_state = RuntimeState::Serving;
    std::uint64_t application_version = 0;
    /// Sorted and unique by bytes, as everything below that is a list.
    std::optional<std::vector<std::string>> spot_types{};
    std::optional<std::vector<StatefulCapability>> stateful_capabilities{};
    std::optional<std::string> maintenance_wave{};
    std::vector<std::string> protocol_capabilities{kServiceCapability};
    ObjectRole object_role = ObjectRole::Server;
    std::uint32_t placement_weight = 100;               // 0..100
    std::uint32_t active_capacity_limit = 0x7FFF'FFFF;  // at least 1; unlimited is 2^31-1
    std::uint32_t pending_capacity_limit = 0x7FFF'FFFF;
    std::uint32_t active_capacity_used = 0;
    std::uint32_t pending_capacity_used = 0;
    /// Ascending by id, none of the declared ones.
    std::vector<UnknownField> unknown{};
    bool operator==(const DescriptorExtension&) const = default;
};

struct RouteMeshAdmission {
    std::string mesh_name;
    std::string security_identity = "default";
    /// One process run; not zero. Equality only.
    NodeGeneration lifecycle_generation;
    std::uint64_t descriptor_revision = 1;
    std::string advertised_endpoint;  // 1..4096 bytes
    std::vector<ChannelWeight> channels{};
    DescriptorExtension extension;
    bool operator==(const RouteMeshAdmission&) const = default;
};

/// `client-server-admission`, client case.
struct ClientAdmission {
    std::string channel_name;
    ClientServerDirection direction = ClientServerDirection::ClientToServer;
    std::string security_identity;
    std::uint32_t normalized_effective_max_message_bytes = 0;
    bool operator==(const ClientAdmission&) const = default;
};

/// `client-server-admission`, server case.
struct ServerAdmission {
    std::string channel_name;
    ClientServerDirection direction = ClientServerDirection::ClientToServer;
    NodeRid server_rid;
    NodeGeneration lifecycle_generation;
    std::uint64_t descriptor_revision = 1;
    std::uint32_t weight = 100;
    RuntimeState runtime_state = RuntimeState::Serving;
    std::string security_identity;
    std::uint32_t normalized_effective_max_message_bytes = 0;
    std::string advertised_endpoint;
    bool operator==(const ServerAdmission&) const = default;
};

using ClientServerAdmission = std::variant<ClientAdmission, ServerAdmission>;
using ServiceAdmission = std::variant<RouteMeshAdmission, ClientServerAdmission>;

}  // namespace shunt::protocol
