#include "store/node_descriptor.hpp"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>

#include "store/json_fields.hpp"
#include "store/json_writer.hpp"
#include "store/location_store.hpp"
#include "store/text_codes.hpp"

namespace shunt::store {
namespace {

using protocol::ObjectRole;
using protocol::StatefulObjectKind;

constexpr std::uint64_t kCountMax = 0x7FFF'FFFF;

template <class Item>
std::vector<Item> sorted_by_type(std::vector<Item> items) {
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
        return std::tie(a.object_kind, a.stable_type) < std::tie(b.object_kind, b.stable_type);
    });
    return items;
}

void write_use(JsonWriter& json, const CapacityUse& use) {
    json.integer("active", use.active);
    json.integer("reserved", use.reserved);
    json.integer("limit", use.limit);
}

void write_capabilities(JsonWriter& json, const NodeDescriptor& descriptor) {
    json.begin_list("objectCapabilities");
    for (const ObjectCapability& capability : sorted_by_type(descriptor.object_capabilities)) {
        json.begin_object();
        json.text("objectKind", name_of(capability.object_kind));
        json.text("stableType", capability.stable_type);
        json.text("policy", name_of(capability.policy));
        json.boolean("hasSnapshotAdapter", capability.has_snapshot_adapter);
        json.integer("limit", capability.limit);
        json.end_object();
    }
    json.end_list();
}

void write_capacity(JsonWriter& json, const NodeDescriptor& descriptor) {
    json.begin_object("capacity");
    json.begin_object("actors");
    write_use(json, descriptor.actors);
    json.end_object();
    json.begin_object("spots");
    write_use(json, descriptor.spots);
    json.end_object();
    json.begin_list("spotTypes");
    for (const SpotTypeCapacity& type : sorted_by_type(descriptor.spot_types)) {
        json.begin_object();
        json.text("objectKind", name_of(type.object_kind));
        json.text("stableType", type.stable_type);
        write_use(json, type.use);
        json.end_object();
    }
    json.end_list();
    json.end_object();
}

template <class Text>
void write_text_or_null(JsonWriter& json, std::string_view name, const std::optional<Text>& text) {
    if (!text) return json.null(name);
    if constexpr (std::is_same_v<Text, std::string>) {
        json.text(name, *text);
    } else {
        json.text(name, text->value);
    }
}

void write_body(JsonWriter& json, const NodeDescriptor& descriptor) {
    json.text("meshName", descriptor.mesh_name);
    json.text("routingIdHex", hex_of(bytes_of(descriptor.rid.value)));
    json.decimal("lifecycleGeneration", descriptor.lifecycle_generation.value);
    json.decimal("descriptorRevision", descriptor.descriptor_revision);
    json.text("endpoint", descriptor.endpoint);
    write_text_or_null(json, "entrySpotId", descriptor.entry_spot_id);
    json.begin_object("channelWeights");
    for (const auto& [channel, weight] : descriptor.channel_weights) json.integer(channel, weight);
    json.end_object();
    json.decimal("applicationVersion", descriptor.application_version);
    write_capabilities(json, descriptor);
    json.text("objectRole", name_of(descriptor.object_role));
    json.integer("placementWeight", descriptor.placement_weight);
    write_capacity(json, descriptor);
    json.begin_object("activationConcurrency");
    json.integer("active", descriptor.activations_active);
    json.integer("limit", descriptor.activations_limit);
    json.end_object();
    write_text_or_null(json, "maintenanceWave", descriptor.maintenance_wave);
    json.text("state", name_of(descriptor.state));
    json.text("securityIdentity", descriptor.security_identity);
    json.text("ownerId", descriptor.lease.owner_id.value);
    json.decimal("leaseGeneration", descriptor.lease.generation.value);
    json.decimal("updatedAtEpochMs", descriptor.updated_at.value);
}

std::uint32_t count(JsonFields& fields, std::string_view name, std::uint64_t max = kCountMax) {
    return static_cast<std::uint32_t>(fields.integer(name, max));
}

CapacityUse read_use(JsonFields& fields) {
    CapacityUse use;
    use.active = count(fields, "active");
    use.reserved = count(fields, "reserved");
    use.limit = count(fields, "limit");
    return use;
}

void read_capabilities(JsonFields& fields, NodeDescriptor& descriptor) {
    fields.list("objectCapabilities", kCapabilitiesMax, [&](JsonFields& item) {
        ObjectCapability capability;
        capability.object_kind = item.word<StatefulObjectKind>("objectKind");
        capability.stable_type = item.text("stableType");
        capability.policy = item.word<CapabilityPolicy>("policy");
        capability.has_snapshot_adapter = item.boolean("hasSnapshotAdapter");
        capability.limit = count(item, "limit");
        descriptor.object_capabilities.push_back(std::move(capability));
    });
}

void read_capacity(JsonFields& fields, NodeDescriptor& descriptor) {
    fields.object("capacity", [&](JsonFields& capacity) {
        capacity.object("actors", [&](JsonFields& use) { descriptor.actors = read_use(use); });
        capacity.object("spots", [&](JsonFields& use) { descriptor.spots = read_use(use); });
        capacity.list("spotTypes", kCapabilitiesMax, [&](JsonFields& item) {
            SpotTypeCapacity type;
            type.object_kind = item.word<StatefulObjectKind>("objectKind");
            type.stable_type = item.text("stableType");
            type.use = read_use(item);
            descriptor.spot_types.push_back(std::move(type));
        });
    });
    fields.object("activationConcurrency", [&](JsonFields& activations) {
        descriptor.activations_active = count(activations, "active");
        descriptor.activations_limit = count(activations, "limit");
    });
}

void read_body(JsonFields& fields, NodeDescriptor& descriptor) {
    descriptor.mesh_name = fields.text("meshName");
    descriptor.rid = fields.rid("routingIdHex");
    descriptor.lifecycle_generation.value = fields.decimal("lifecycleGeneration", 1);
    descriptor.descriptor_revision = fields.decimal("descriptorRevision", 1);
    descriptor.endpoint = fields.text("endpoint");
    if (auto entry_spot = fields.text_or_null("entrySpotId")) {
        fields.require(is_valid_id(*entry_spot));
        descriptor.entry_spot_id = SpotId{std::move(*entry_spot)};
    }
    fields.integer_map("channelWeights", kWeightMax, [&](const std::string& name, auto weight) {
        descriptor.channel_weights.emplace(name, static_cast<std::uint32_t>(weight));
    });
    descriptor.application_version = fields.decimal("applicationVersion", 0);
    read_capabilities(fields, descriptor);
    descriptor.object_role = fields.word<ObjectRole>("objectRole");
    descriptor.placement_weight = count(fields, "placementWeight", kWeightMax);
    read_capacity(fields, descriptor);
    descriptor.maintenance_wave = fields.text_or_null("maintenanceWave");
    descriptor.state = fields.word<NodeState>("state");
    descriptor.security_identity = fields.text("securityIdentity");
    descriptor.lease.owner_id.value = fields.text("ownerId");
    descriptor.lease.generation.value = fields.decimal("leaseGeneration", 1, kIssuedMax);
    descriptor.updated_at.value = fields.decimal("updatedAtEpochMs", 0);
    fields.require(is_valid_id(descriptor.lease.owner_id.value));
    fields.require(descriptor.entry_spot_id.has_value() ==
                   (descriptor.object_role == ObjectRole::Server));
}

}  // namespace

Bytes encode_node_descriptor(const NodeDescriptor& descriptor) {
    JsonWriter json;
    json.begin_object();
    json.integer("recordVersion", 1);
    json.text("ownerId", descriptor.lease.owner_id.value);
    json.decimal("leaseGeneration", descriptor.lease.generation.value);
    json.decimal("descriptorRevision", descriptor.descriptor_revision);
    json.begin_object("descriptor");
    write_body(json, descriptor);
    json.end_object();
    json.end_object();
    return json.bytes();
}

result<NodeDescriptor> decode_node_descriptor(ByteView bytes) {
    NodeDescriptor descriptor;
    const bool fit = JsonFields::read_record(bytes, [&](JsonFields& top) {
        top.object("descriptor", [&](JsonFields& body) { read_body(body, descriptor); });
        // The top level repeats who wrote it; a record whose copies differ was not written by us.
        top.require(top.text("ownerId") == descriptor.lease.owner_id.value);
        top.require(top.decimal("leaseGeneration", 1) == descriptor.lease.generation.value);
        top.require(top.decimal("descriptorRevision", 1) == descriptor.descriptor_revision);
    });
    if (!fit) return Errc::Corrupt;
    return descriptor;
}

bool same_immutable_fields(const NodeDescriptor& a, const NodeDescriptor& b) {
    // What may change is made equal, the rest must be.
    NodeDescriptor blended = b;
    blended.descriptor_revision = a.descriptor_revision;
    blended.placement_weight = a.placement_weight;
    blended.activations_active = a.activations_active;
    blended.maintenance_wave = a.maintenance_wave;
    blended.state = a.state;
    blended.updated_at = a.updated_at;
    const auto take_counts = [](CapacityUse& to, const CapacityUse& from) {
        to.active = from.active;
        to.reserved = from.reserved;
    };
    take_counts(blended.actors, a.actors);
    take_counts(blended.spots, a.spots);
    blended.spot_types = sorted_by_type(blended.spot_types);
    NodeDescriptor expected = a;
    expected.spot_types = sorted_by_type(expected.spot_types);
    expected.object_capabilities = sorted_by_type(expected.object_capabilities);
    blended.object_capabilities = sorted_by_type(blended.object_capabilities);
    if (blended.spot_types.size() != expected.spot_types.size()) return false;
    for (std::size_t i = 0; i < expected.spot_types.size(); ++i) {
        take_counts(blended.spot_types[i].use, expected.spot_types[i].use);
    }
    // Channels stay, their weights may move.
    if (blended.channel_weights.size() != expected.channel_weights.size()) return false;
    for (auto& [channel, weight] : blended.channel_weights) {
        const auto found = expected.channel_weights.find(channel);
        if (found == expected.channel_weights.end()) return false;
        weight = found->second;
    }
    return blended == expected;
}

}  // namespace shunt::store
