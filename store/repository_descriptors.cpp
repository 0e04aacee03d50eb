// Descriptor operations of the repository (spec/stores.md section 8).

#include <map>
#include <utility>

#include "store/keys.hpp"
#include "store/repository.hpp"

namespace shunt::store {

// --- publish ----------------------------------------------------------------------------------

struct Repository::PublishCall {
    NodeDescriptor descriptor;
    TimePoint deadline;
    Done<PublishAnswer> done;
    Backoff backoff = {};
    Certainty certainty = {};

    Key key() const { return mesh_node_key(descriptor.mesh_name, descriptor.rid); }
};

void Repository::publish_descriptor(NodeDescriptor descriptor, TimePoint deadline,
                                    Done<PublishAnswer> done) {
    look_at_published(std::make_shared<PublishCall>(
        PublishCall{std::move(descriptor), deadline, counted(std::move(done))}));
}

void Repository::look_at_published(std::shared_ptr<PublishCall> call) {
    access_.read(call->key(), call->deadline, [this, call](result<ReadReply> reply) {
        if (reply.has_error()) return call->done(call->certainty.report(reply.error()));
        if (const auto* found = std::get_if<Found>(&reply.value())) {
            return judge_published(call, *found);
        }
        publish_over(call, IfMissing{call->key()}, std::get<Missing>(reply.value()).store_now);
    });
}

void Repository::judge_published(std::shared_ptr<PublishCall> call, const Found& found) {
    const result<NodeDescriptor> stored = decode_node_descriptor(found.value);
    if (!stored) return call->done(call->certainty.report(stored.error()));
    const NodeDescriptor& before = stored.value();
    const NodeDescriptor& next = call->descriptor;
    Condition as_read = IfVersion{call->key(), found.version};
    if (before.lease == next.lease && before.lifecycle_generation == next.lifecycle_generation) {
        if (!same_immutable_fields(before, next)) return call->done(PublishAnswer::Rejected);
        if (next.descriptor_revision <= before.descriptor_revision) {
            const bool arrived_late =
                call->certainty.lost() && next.descriptor_revision == before.descriptor_revision;
            return call->done(arrived_late ? PublishAnswer::Published : PublishAnswer::Unchanged);
        }
        return publish_over(call, std::move(as_read), found.store_now);
    }
    // Another life of this place. Only a dead owner may be followed.
    Done<std::optional<LeaseSeen>> judge = [this, call, owner = before.lease,
                                            as_read = std::move(as_read),
                                            now = found.store_now](auto lease) mutable {
        if (lease.has_error()) return call->done(call->certainty.report(lease.error()));
        if (lease.value() && lease.value()->lease == owner) {
            return call->done(PublishAnswer::Rejected);
        }
        publish_over(call, std::move(as_read), now);
    };
    read_lease(before.lease.owner_id, call->deadline, std::move(judge));
}

void Repository::publish_over(std::shared_ptr<PublishCall> call, Condition stored,
                              UnixMillis store_now) {
    call->descriptor.updated_at = store_now;
    const OwnerLease& lease = call->descriptor.lease;
    Batch batch;
    batch.conditions = {std::move(stored),
                        IfValue{owner_lease_key(lease.owner_id), encode_owner_lease(lease)}};
    batch.mutations = {Put{call->key(), encode_node_descriptor(call->descriptor), {}}};
    access_.write(std::move(batch), call->deadline, [this, call](result<WriteOutcome> outcome) {
        if (outcome.has_error()) return call->done(call->certainty.report(outcome.error()));
        if (std::holds_alternative<Written>(outcome.value())) {
            return call->done(PublishAnswer::Published);
        }
        if (const auto* refused = std::get_if<Refused>(&outcome.value())) {
            call->certainty.note(*refused);
        }
        check_own_lease(call->descriptor.lease, call->deadline, [this, call](result<bool> ours) {
            if (ours.has_error()) return call->done(call->certainty.report(ours.error()));
            if (!ours.value()) return call->done(PublishAnswer::LeaseLost);
            if (!access_.retry(call->backoff, call->deadline,
                               [this, call] { look_at_published(call); })) {
                call->done(call->certainty.report(Errc::Transient));
            }
        });
    });
}

// --- remove -----------------------------------------------------------------------------------

struct Repository::RemoveCall {
    CapacityOwner node;
    OwnerLease lease;
    TimePoint deadline;
    Done<RemoveAnswer> done;
    Backoff backoff = {};
    Certainty certainty = {};
};

void Repository::remove_descriptor(CapacityOwner node, OwnerLease lease, TimePoint deadline,
                                   Done<RemoveAnswer> done) {
    remove(std::make_shared<RemoveCall>(
        RemoveCall{std::move(node), std::move(lease), deadline, counted(std::move(done))}));
}

void Repository::remove(std::shared_ptr<RemoveCall> call) {
    const Key key = mesh_node_key(call->node.mesh_name, call->node.rid);
    access_.read(key, call->deadline, [this, call, key](result<ReadReply> reply) {
        if (reply.has_error()) return call->done(call->certainty.report(reply.error()));
        const auto* found = std::get_if<Found>(&reply.value());
        if (found == nullptr) {
            const bool arrived_late = call->certainty.lost();
            return call->done(arrived_late ? RemoveAnswer::Removed : RemoveAnswer::NotOurs);
        }
        const result<NodeDescriptor> stored = decode_node_descriptor(found->value);
        if (!stored) return call->done(call->certainty.report(stored.error()));
        if (stored.value().lease != call->lease ||
            stored.value().lifecycle_generation != call->node.lifecycle_generation) {
            return call->done(RemoveAnswer::NotOurs);
        }
        Batch batch{{IfVersion{key, found->version}}, {Delete{key}}};
        access_.write(std::move(batch), call->deadline, [this, call](result<WriteOutcome> outcome) {
            if (outcome.has_error()) return call->done(call->certainty.report(outcome.error()));
            if (std::holds_alternative<Written>(outcome.value())) {
                return call->done(RemoveAnswer::Removed);
            }
            // A later publication of ours came between, or the delete has not arrived.
            if (const auto* refused = std::get_if<Refused>(&outcome.value())) {
                call->certainty.note(*refused);
            }
            if (!access_.retry(call->backoff, call->deadline, [this, call] { remove(call); })) {
                call->done(call->certainty.report(Errc::Transient));
            }
        });
    });
}

// --- list -------------------------------------------------------------------------------------

struct Repository::ListCall {
    TimePoint deadline;
    Done<std::vector<ListedNode>> done;
    std::vector<NodeDescriptor> stored = {};
    std::map<OwnerId, std::optional<LeaseSeen>> leases = {};
    std::vector<ListedNode> listed = {};
};

void Repository::list_descriptors(std::string mesh_name, TimePoint deadline,
                                  Done<std::vector<ListedNode>> done) {
    auto call = std::make_shared<ListCall>(ListCall{deadline, counted(std::move(done))});
    access_.scan_all(mesh_node_prefix(mesh_name), deadline, [this, call](auto items) {
        if (items.has_error()) return call->done(items.error());
        for (const ScanItem& item : items.value()) {
            result<NodeDescriptor> descriptor = decode_node_descriptor(item.found.value);
            if (!descriptor ||
                mesh_node_key(descriptor.value().mesh_name, descriptor.value().rid) != item.key) {
                return call->done(Errc::Corrupt);
            }
            call->stored.push_back(std::move(descriptor.value()));
        }
        check_next_lease(call, 0);
    });
}

void Repository::check_next_lease(std::shared_ptr<ListCall> call, std::size_t index) {
    for (; index < call->stored.size(); ++index) {
        NodeDescriptor& descriptor = call->stored[index];
        const auto known = call->leases.find(descriptor.lease.owner_id);
        if (known == call->leases.end()) break;
        const std::optional<LeaseSeen>& lease = known->second;
        if (lease && lease->lease == descriptor.lease) {
            call->listed.push_back({std::move(descriptor), lease->valid_until});
        }
    }
    if (index == call->stored.size()) return call->done(std::move(call->listed));
    const OwnerId owner = call->stored[index].lease.owner_id;
    read_lease(owner, call->deadline, [this, call, index, owner](auto lease) {
        if (lease.has_error()) return call->done(lease.error());
        call->leases.emplace(owner, std::move(lease.value()));
        check_next_lease(call, index);
    });
}

}  // namespace shunt::store
