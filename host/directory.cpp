#include "host/directory.hpp"

#include <algorithm>

#include "host/errc.hpp"

namespace shunt::host {

using relocation::LogLevel;

namespace {

store::CapabilityPolicy policy_of(RelocationPolicy policy) noexcept {
    switch (policy) {
        case RelocationPolicy::Disable:
            return store::CapabilityPolicy::Disabled;
        case RelocationPolicy::Recreate:
            return store::CapabilityPolicy::Recreate;
        case RelocationPolicy::PreserveState:
            return store::CapabilityPolicy::Snapshot;
    }
    return store::CapabilityPolicy::Unspecified;
}

protocol::RelocationPolicyKind wire_policy_of(RelocationPolicy policy) noexcept {
    switch (policy) {
        case RelocationPolicy::Disable:
            return protocol::RelocationPolicyKind::Disabled;
        case RelocationPolicy::Recreate:
            return protocol::RelocationPolicyKind::Recreate;
        case RelocationPolicy::PreserveState:
            return protocol::RelocationPolicyKind::Snapshot;
    }
    return protocol::RelocationPolicyKind::Disabled;
}

/// The wire knows fewer states (spec/wire.md section 17.9).
protocol::RuntimeState wire_state(store::NodeState state) noexcept {
    switch (state) {
        case store::NodeState::Preparing:
            return protocol::RuntimeState::Preparing;
        case store::NodeState::Serving:
            return protocol::RuntimeState::Serving;
        case store::NodeState::Relocating:
        case store::NodeState::Relocated:
        case store::NodeState::Draining:
            return protocol::RuntimeState::Draining;
        case store::NodeState::Stopped:
            return protocol::RuntimeState::Stopped;
        case store::NodeState::Error:
            break;
    }
    return protocol::RuntimeState::Error;
}

}  // namespace

Directory::Directory(HostServices& services, NodeIdentity& self, const Registry& registry,
                     store::LocationStore& store, Mesh& mesh, DirectoryEvents& events)
    : services_(services),
      self_(self),
      registry_(registry),
      environment_(services.world),
      repository_(store, environment_),
      mesh_(mesh),
      events_(events) {}

Directory::~Directory() {
    services_.world.cancel(poll_timer_);
    services_.world.cancel(renew_timer_);
}

TimePoint Directory::operation_deadline() const noexcept {
    return deadline_after(services_.world.now(), services_.options.store_operation_timeout);
}

store::LeaseTimings Directory::timings() const {
    const HostOptions& options = services_.options;
    return {options.owner_lease_renew_interval, options.owner_lease_ttl,
            options.owner_lease_renew_timeout, options.owner_lease_fencing_margin};
}

// --- lease ------------------------------------------------------------------------------------

void Directory::claim(Done done) {
    const TimePoint started = services_.world.now();
    repository_.claim_lease(
        self_.owner_id, timings(),
        deadline_after(started, services_.options.owner_lease_renew_timeout),
        [this, started, done = std::move(done)](result<store::ClaimAnswer> answer) mutable {
            if (!answer) return done(answer.error());
            const auto* lease = std::get_if<store::LeaseHeld>(&answer.value());
            if (lease == nullptr) return done(Errc::LeaseNotClaimed);
            self_.lease_generation = lease->lease.generation;
            held(*lease);
            schedule_renewal(started);
            done({});
        });
}

void Directory::held(const store::LeaseHeld& lease) {
    events_.on_admission_deadline(lease.admission_deadline);
}

void Directory::schedule_renewal(TimePoint started) {
    if (released_) return;
    renew_timer_ = services_.world.arm(
        deadline_after(started, services_.options.owner_lease_renew_interval), [this] { renew(); });
}

void Directory::renew() {
    if (released_) return;
    const TimePoint started = services_.world.now();
    repository_.renew_lease(
        lease(), timings(), deadline_after(started, services_.options.owner_lease_renew_timeout),
        [this, started](result<store::RenewAnswer> answer) {
            if (!answer) {
                services_.log(LogLevel::Warning, "lease_renewal_failed", answer.error().message());
            } else if (const auto* lease = std::get_if<store::LeaseHeld>(&answer.value())) {
                held(*lease);
            } else if (!released_) {
                return events_.on_lease_lost();
            }
            schedule_renewal(started);
        });
}

void Directory::release(Done done) {
    if (std::exchange(released_, true) || !self_.lease_generation) {
        return services_.world.post([done = std::move(done)]() mutable { done({}); });
    }
    services_.world.cancel(poll_timer_);
    services_.world.cancel(renew_timer_);
    for (const auto& [key, dial] : dials_) services_.world.undial(dial);
    dials_.clear();
    repository_.remove_descriptor(
        node(), lease(), operation_deadline(),
        [this, done = std::move(done)](const result<store::RemoveAnswer>& removed) mutable {
            repository_.release_lease(lease(), operation_deadline(),
                                      [done = std::move(done), removed](
                                          const result<store::ReleaseAnswer>& answer) mutable {
                                          if (!removed) return done(removed.error());
                                          done(answer ? std::error_code() : answer.error());
                                      });
        });
}

// --- descriptor -------------------------------------------------------------------------------

store::NodeDescriptor Directory::descriptor(store::NodeState state) const {
    store::NodeDescriptor descriptor;
    descriptor.mesh_name = self_.mesh_name;
    descriptor.rid = self_.rid;
    descriptor.lifecycle_generation = self_.generation;
    descriptor.descriptor_revision = revision_;
    descriptor.endpoint = self_.endpoint;
    descriptor.entry_spot_id = self_.entry_spot;
    descriptor.application_version =
        static_cast<std::uint64_t>(services_.options.application_version);
    for (const auto& [type, definition] : registry_.all()) {
        descriptor.object_capabilities.push_back(
            {protocol::StatefulObjectKind::Actor, type, policy_of(*definition.policy),
             definition.policy == RelocationPolicy::PreserveState, 0});
    }
    descriptor.object_role = protocol::ObjectRole::Server;
    descriptor.placement_weight = services_.options.placement_weight;
    descriptor.maintenance_wave = services_.options.maintenance_wave;
    descriptor.state = state;
    descriptor.security_identity = "default";
    descriptor.lease = lease();
    return descriptor;
}

protocol::RouteMeshAdmission Directory::admission(store::NodeState state) const {
    protocol::RouteMeshAdmission admission;
    admission.mesh_name = self_.mesh_name;
    admission.lifecycle_generation = self_.generation;
    admission.descriptor_revision = revision_;
    admission.advertised_endpoint = self_.endpoint;
    admission.extension.runtime_state = wire_state(state);
    admission.extension.application_version =
        static_cast<std::uint64_t>(services_.options.application_version);
    admission.extension.maintenance_wave = services_.options.maintenance_wave;
    admission.extension.placement_weight =
        std::min<std::uint32_t>(services_.options.placement_weight, 100);
    std::vector<protocol::StatefulCapability> capabilities;
    for (const auto& [type, definition] : registry_.all()) {
        protocol::StatefulCapability capability;
        capability.type = type;
        capability.relocation_policy = wire_policy_of(*definition.policy);
        capability.has_snapshot_adapter = definition.policy == RelocationPolicy::PreserveState;
        capabilities.push_back(std::move(capability));
    }
    admission.extension.stateful_capabilities = std::move(capabilities);
    return admission;
}

void Directory::publish(store::NodeState state, Done done) {
    ++revision_;
    mesh_.set_descriptor(admission(state));
    repository_.publish_descriptor(
        descriptor(state), operation_deadline(),
        [done = std::move(done)](const result<store::PublishAnswer>& answer) mutable {
            if (!answer) return done(answer.error());
            const bool stands = answer.value() == store::PublishAnswer::Published ||
                                answer.value() == store::PublishAnswer::Unchanged;
            done(stands ? std::error_code() : make_error_code(Errc::Unavailable));
        });
}

// --- discovery --------------------------------------------------------------------------------

void Directory::start_polling() {
    poll();
}

void Directory::poll() {
    repository_.list_descriptors(
        self_.mesh_name, operation_deadline(),
        [this](result<std::vector<store::ListedNode>> nodes) {
            if (released_) return;
            if (nodes) {
                nodes_ = std::move(nodes.value());
                dial_discovered();
                events_.on_nodes_changed();
            } else {
                // The last complete list stands (StoreFailureGrace).
                services_.log(LogLevel::Warning, "discovery_failed", nodes.error().message());
            }
            poll_timer_ = services_.world.arm(
                deadline_after(services_.world.now(), services_.options.polling_interval),
                [this] { poll(); });
        });
}

void Directory::dial_discovered() {
    std::map<std::pair<NodeRid, NodeGeneration>, const store::NodeDescriptor*> wanted;
    for (const store::ListedNode& listed : nodes_) {
        // Of each pair the node with the smaller rid dials (spec/zmp.md section 17.1).
        if (self_.rid < listed.descriptor.rid) {
            wanted[{listed.descriptor.rid, listed.descriptor.lifecycle_generation}] =
                &listed.descriptor;
        }
    }
    for (auto at = dials_.begin(); at != dials_.end();) {
        if (wanted.contains(at->first)) {
            ++at;
            continue;
        }
        services_.world.undial(at->second);
        at = dials_.erase(at);
    }
    for (const auto& [key, descriptor] : wanted) {
        if (dials_.contains(key)) continue;
        DialOptions options;
        options.endpoint = descriptor->endpoint;
        options.expected_rid = descriptor->rid;
        dials_.emplace(key, services_.world.dial(options));
    }
}

}  // namespace shunt::host
