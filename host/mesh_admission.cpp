#include "host/mesh_admission.hpp"

#include <algorithm>
#include <variant>

#include "protocol/command_layout.hpp"

namespace shunt::host {

using protocol::RejectReason;
using protocol::RouteMeshAdmission;

namespace {

// With everything equal that an update may change, two descriptors of one run are equal.
RouteMeshAdmission without_mutable_parts(RouteMeshAdmission admission) {
    admission.descriptor_revision = 1;
    for (protocol::ChannelWeight& channel : admission.channels) channel.weight = 0;
    protocol::DescriptorExtension& extension = admission.extension;
    extension.runtime_state = protocol::RuntimeState::Serving;
    extension.placement_weight = 0;
    extension.maintenance_wave.reset();
    extension.active_capacity_limit = 1;
    extension.pending_capacity_limit = 0;
    extension.active_capacity_used = 0;
    extension.pending_capacity_used = 0;
    // Fields of a later generation: whether they may change is that generation's business.
    extension.unknown.clear();
    if (!extension.stateful_capabilities) return admission;
    for (protocol::StatefulCapability& capability : *extension.stateful_capabilities) {
        capability.active_capacity_limit = 1;
        capability.pending_capacity_limit = 0;
        capability.available = 0;
    }
    return admission;
}

}  // namespace

std::optional<RejectReason> refuse_newcomer(const RouteMeshAdmission& own,
                                            const RouteMeshAdmission& peer,
                                            const std::optional<ExpectedPeer>& expected) {
    if (peer.mesh_name != own.mesh_name) return RejectReason::TopologyMismatch;
    if (peer.security_identity != own.security_identity) {
        return RejectReason::SecurityIdentityMismatch;
    }
    const auto& capabilities = peer.extension.protocol_capabilities;
    if (std::find(capabilities.begin(), capabilities.end(), protocol::kServiceCapability) ==
        capabilities.end()) {
        return RejectReason::CapabilityMismatch;
    }
    if (!expected) return std::nullopt;
    const bool as_expected =
        (!expected->generation || expected->generation == peer.lifecycle_generation) &&
        expected->endpoint == peer.advertised_endpoint &&
        expected->security_identity == peer.security_identity;
    if (!as_expected) return RejectReason::IdentityMismatch;
    return std::nullopt;
}

std::optional<RejectReason> refuse_successor(const RouteMeshAdmission& current,
                                             const RouteMeshAdmission& next) {
    if (next.lifecycle_generation != current.lifecycle_generation) {
        return RejectReason::LifecycleGenerationStale;
    }
    if (next.descriptor_revision < current.descriptor_revision) {
        return RejectReason::DescriptorRevisionStale;
    }
    if (next.descriptor_revision == current.descriptor_revision && !(next == current)) {
        return RejectReason::DescriptorRevisionStale;
    }
    if (!(without_mutable_parts(current) == without_mutable_parts(next))) {
        return RejectReason::InvalidDescriptor;
    }
    return std::nullopt;
}

bool newer_counts(const NodeRid& own, const NodeRid& peer, Candidate earlier, Candidate newer) {
    if (earlier.dialed_here == newer.dialed_here) return true;
    return newer.dialed_here == (own < peer);
}

bool leg_fits(const protocol::Command& command, protocol::Leg leg) {
    if (const auto* instance = std::get_if<protocol::InstanceSpot>(&command)) {
        return leg == (protocol::is_instance_request(*instance) ? protocol::Leg::Request
                                                                : protocol::Leg::Send);
    }
    const protocol::Leg usual = std::visit(
        []<class T>(const T& /*command*/) { return protocol::info(protocol::Of<T>{}).leg; },
        command);
    if (leg == usual) return true;
    // Peers of the other wire generation put these in plain DATA.
    return leg == protocol::Leg::Send &&
           (std::holds_alternative<protocol::RelocationPrepare>(command) ||
            std::holds_alternative<protocol::RelocationReady>(command) ||
            std::holds_alternative<protocol::RelocationFailed>(command) ||
            std::holds_alternative<protocol::SessionRelocationSeal>(command) ||
            std::holds_alternative<protocol::SessionRelocationSealed>(command));
}

}  // namespace shunt::host
