#include "host/rows.hpp"

#include "host/errc.hpp"
#include "store/authority.hpp"

namespace shunt::host {
namespace {

constexpr std::chrono::milliseconds kSettleRetry{250};

protocol::AuthorityKey actor_key(const ActorId& actor) {
    return {protocol::AuthorityObjectKind::Actor, actor.value};
}

relocation::OwnerSeen seen(store::OwnerSeen owner) noexcept {
    switch (owner) {
        case store::OwnerSeen::Source:
            return relocation::OwnerSeen::Source;
        case store::OwnerSeen::Target:
            return relocation::OwnerSeen::Target;
        case store::OwnerSeen::Other:
            return relocation::OwnerSeen::Other;
        case store::OwnerSeen::Unreadable:
            break;
    }
    return relocation::OwnerSeen::Unreadable;
}

relocation::CasAnswer answer_of(store::CasOwnerAnswer answer) noexcept {
    switch (answer) {
        case store::CasOwnerAnswer::Applied:
            return relocation::CasAnswer::Applied;
        case store::CasOwnerAnswer::Conflict:
            return relocation::CasAnswer::Conflict;
        case store::CasOwnerAnswer::Transient:
        case store::CasOwnerAnswer::Corrupt:
            // Corrupt helps nobody to retry, yet the validity bounds it and its end says so.
            return relocation::CasAnswer::Transient;
        case store::CasOwnerAnswer::Indeterminate:
            break;
    }
    return relocation::CasAnswer::Indeterminate;
}

}  // namespace

Rows::Rows(Services& services, store::LocationStore& store)
    : services_(services), environment_(services.world), repository_(store, environment_) {}

Rows::~Rows() {
    *alive_ = false;
}

TimePoint Rows::operation_deadline() const noexcept {
    return deadline_after(services_.world.now(), services_.options.store_operation_timeout);
}

// --- Actors -----------------------------------------------------------------------------------

store::AuthorityObject Rows::actor_object(const ActorId& actor,
                                          const std::string& stable_type) const {
    store::ActorAuthority object;
    object.actor_type = stable_type;
    object.actor_id = actor;
    object.current_spot = {services_.self.entry_spot,
                           ObjectGeneration{services_.self.generation.value}};
    return object;
}

void Rows::create(const ActorId& actor, const std::string& stable_type, CreatedDone done) {
    if (!may_admit()) {
        return services_.world.post(
            [done = std::move(done)]() mutable { done(Errc::Unavailable); });
    }
    repository_.create_active(
        {actor_object(actor, stable_type), node(), lease()}, operation_deadline(),
        [done = std::move(done)](const result<store::CreateAnswer>& answer) mutable {
            if (!answer) return done(Errc::Unavailable);
            if (std::holds_alternative<store::AlreadyExists>(answer.value())) {
                return done(Errc::AlreadyExists);
            }
            const auto* created = std::get_if<store::Created>(&answer.value());
            if (created == nullptr) return done(Errc::Unavailable);
            const store::Authority& row = created->authority;
            done(ActorCell::Ownership{row.object_generation, row.owner_generation,
                                      row.owner.generation, row.version});
        });
}

void Rows::remove(const ActorId& actor, Done done) {
    repository_.read_authority(
        actor_key(actor), operation_deadline(),
        [this, done = std::move(done)](result<std::optional<store::Authority>> read) mutable {
            if (!read) return done(read.error());
            // Another authority's row is not this host's to change (seed host section 17).
            if (!read.value() || read.value()->owner != lease()) return done({});
            repository_.delete_authority(
                std::move(*read.value()), operation_deadline(),
                [done = std::move(done)](const result<store::DeleteAnswer>& answer) mutable {
                    done(answer ? std::error_code() : answer.error());
                });
        });
}

void Rows::locate(const ActorId& actor, Found done) {
    repository_.resolve_owner(
        actor_key(actor), operation_deadline(),
        [actor, done = std::move(done)](const result<store::RouteAnswer>& answer) mutable {
            if (!answer) return done(Errc::Unavailable);
            if (std::holds_alternative<store::RouteMissing>(answer.value())) {
                return done(Errc::NotFound);
            }
            const auto* ready = std::get_if<store::ReadyRoute>(&answer.value());
            if (ready == nullptr) return done(Errc::Unavailable);
            const store::Authority& row = ready->authority;
            done(Located{{{actor, row.object_generation},
                          row.node.rid,
                          row.node.lifecycle_generation,
                          row.owner_generation,
                          row.owner.generation},
                         ready->lease_valid_until});
        });
}

// --- moves ------------------------------------------------------------------------------------

void Rows::check(const MoveFence& fence, Checked done) {
    if (!may_admit()) {
        return services_.world.post(
            [done = std::move(done)]() mutable { done(Errc::Unavailable); });
    }
    repository_.read_authority(
        actor_key(fence.actor.actor_id), operation_deadline(),
        [this, fence,
         done = std::move(done)](result<std::optional<store::Authority>> read) mutable {
            if (!read) return done(Errc::Unavailable);
            if (!read.value()) return done(Errc::NotFound);
            store::Authority& row = *read.value();
            if (row.object_generation != fence.actor.object_generation) {
                return done(Errc::InvalidOperation);
            }
            const protocol::RelocationCoordinatorFence& coordinator = fence.coordinator;
            const bool as_expected =
                row.owner_generation == fence.source_owner_generation &&
                row.node.rid == fence.source_node_rid &&
                row.node.lifecycle_generation == fence.source_node_generation &&
                row.owner.owner_id == coordinator.coordinator_owner_id &&
                row.version == coordinator.expected_authority_store_version &&
                !row.pending_creation && std::holds_alternative<store::ActorAuthority>(row.object);
            if (!as_expected) return done(Errc::Unavailable);
            auto move = std::make_shared<store::OwnerMove>();
            move->before = std::move(row);
            move->relocation = fence.relocation;
            move->target_attempt_generation = fence.attempt;
            move->coordinator = {
                coordinator.coordinator_node_rid,
                coordinator.coordinator_node_generation,
                {coordinator.coordinator_owner_id, coordinator.coordinator_lease_generation}};
            move->target_owner = lease();
            move->target_node = node();
            // An Entry Spot Actor lands in the Entry Spot this node has (seed unit section 8).
            move->membership = store::Membership{
                {services_.self.entry_spot, ObjectGeneration{services_.self.generation.value}},
                protocol::ActorSpotKind::Entry};
            move->application_version = fence.application_version;
            done(RowMove(std::move(move)));
        });
}

void Rows::commit(RowMove move, Committed done) {
    if (!may_admit()) {
        // The prepared target may not write past its own admission deadline (section 7).
        return services_.world.post(
            [done = std::move(done)]() mutable { done(relocation::CasAnswer::Transient); });
    }
    repository_.cas_owner(*move, operation_deadline(),
                          [done = std::move(done)](store::CasOwnerAnswer answer) mutable {
                              done(answer_of(answer));
                          });
}

void Rows::look_as_target(RowMove move, Seen done) {
    repository_.read_owner_as_target(
        *move, operation_deadline(),
        [done = std::move(done)](store::OwnerSeen owner) mutable { done(seen(owner)); });
}

void Rows::look_as_source(const MoveFence& fence, const std::string& stable_type, Seen done) {
    store::OwnerMove move;
    move.before.object = actor_object(fence.actor.actor_id, stable_type);
    move.before.object_generation = fence.actor.object_generation;
    move.before.owner_generation = fence.source_owner_generation;
    move.before.owner = {fence.coordinator.coordinator_owner_id,
                         fence.coordinator.coordinator_lease_generation};
    move.before.node = {services_.self.mesh_name, fence.source_node_rid,
                        fence.source_node_generation};
    move.before.version = fence.coordinator.expected_authority_store_version;
    move.relocation = fence.relocation;
    move.target_attempt_generation = fence.attempt;
    move.target_owner = {fence.target.target_owner_id, fence.target.target_owner_lease_generation};
    move.target_node = {services_.self.mesh_name, fence.target.target_node_rid,
                        fence.target.target_node_generation};
    repository_.read_owner_as_source(
        std::move(move), operation_deadline(),
        [done = std::move(done)](store::OwnerSeen owner) mutable { done(seen(owner)); });
}

void Rows::settle(RowMove move, Settled done) {
    repository_.preserve_steady(
        store::key_of(move->before.object), move->target_owner, move->relocation,
        operation_deadline(),
        [this, move, done = std::move(done)](const result<store::PreserveAnswer>& answer) mutable {
            if (answer) {
                if (const auto* row = std::get_if<store::Preserved>(&answer.value())) {
                    done(row->authority.version);
                }
                return;
            }
            if (stopped_) return;
            services_.world.arm(deadline_after(services_.world.now(), kSettleRetry),
                                [this, alive = alive_, move, done = std::move(done)]() mutable {
                                    if (*alive && !stopped_) settle(move, std::move(done));
                                });
        });
}

}  // namespace shunt::host
