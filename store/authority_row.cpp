#include "store/authority_row.hpp"

#include <utility>

#include "store/json_fields.hpp"
#include "store/json_writer.hpp"
#include "store/location_store.hpp"
#include "store/text_codes.hpp"

namespace shunt::store {
namespace {

using protocol::StatefulObjectKind;

constexpr std::uint64_t kRequestBytesMax = 1024 * 1024;
constexpr std::size_t kSha256Bytes = 32;

/// How many of each the row takes: 1/0 for an Actor, 0/1 for a Spot.
struct Bundle {
    std::uint64_t actors;
    std::uint64_t spots;
};

Bundle bundle_of(StatefulObjectKind kind) noexcept {
    if (kind == StatefulObjectKind::Actor) return {1, 0};
    return {0, 1};
}

void write_allocation(JsonWriter& json, const AuthorityRow& row) {
    json.begin_object("allocation");
    json.text("state", name_of(row.state()));
    json.text("objectKind", name_of(row.object_kind));
    json.text("stableType", row.stable_type);
    json.begin_object("descriptor");
    json.text("meshName", row.node.mesh_name);
    json.text("routingIdHex", hex_of(bytes_of(row.node.rid.value)));
    json.end_object();
    json.decimal("descriptorLifecycleGeneration", row.node.lifecycle_generation.value);
    const Bundle bundle = bundle_of(row.object_kind);
    json.begin_object("capacity");
    json.integer("actors", bundle.actors);
    json.integer("spots", bundle.spots);
    if (bundle.spots == 0) {
        json.null("spotType");
    } else {
        json.begin_object("spotType");
        json.text("objectKind", name_of(row.object_kind));
        json.text("stableType", row.stable_type);
        json.integer("count", 1);
        json.end_object();
    }
    json.end_object();
    json.end_object();
}

void write_pending(JsonWriter& json, const AuthorityRow& row) {
    if (!row.pending_creation) return json.null("pendingCreation");
    const PendingCreation& pending = *row.pending_creation;
    json.begin_object("pendingCreation");
    json.text("reservationId", pending.reservation_id);
    json.text("requestContentReference", pending.request_content_reference);
    json.text("requestSha256", pending.request_sha256);
    json.integer("requestEncodedSize", pending.request_encoded_bytes);
    json.end_object();
}

void read_capacity(JsonFields& fields, const AuthorityRow& row) {
    fields.object("capacity", [&](JsonFields& capacity) {
        const Bundle bundle = bundle_of(row.object_kind);
        capacity.require(capacity.integer("actors", 1) == bundle.actors);
        capacity.require(capacity.integer("spots", 1) == bundle.spots);
        if (bundle.spots == 0) return capacity.require(capacity.is_null("spotType"));
        capacity.object("spotType", [&](JsonFields& type) {
            type.require(type.word<StatefulObjectKind>("objectKind") == row.object_kind);
            type.require(type.text("stableType") == row.stable_type);
            type.require(type.integer("count", 1) == 1);
        });
    });
}

AllocationState read_allocation(JsonFields& fields, AuthorityRow& row) {
    AllocationState state = AllocationState::Active;
    fields.object("allocation", [&](JsonFields& allocation) {
        state = allocation.word<AllocationState>("state");
        row.object_kind = allocation.word<StatefulObjectKind>("objectKind");
        row.stable_type = allocation.text("stableType");
        allocation.require(!row.stable_type.empty());
        allocation.object("descriptor", [&](JsonFields& descriptor) {
            row.node.mesh_name = descriptor.text("meshName");
            row.node.rid = descriptor.rid("routingIdHex");
        });
        row.node.lifecycle_generation.value =
            allocation.decimal("descriptorLifecycleGeneration", 1);
        read_capacity(allocation, row);
    });
    return state;
}

void read_pending(JsonFields& fields, AuthorityRow& row) {
    if (fields.is_null("pendingCreation")) return;
    PendingCreation pending;
    fields.object("pendingCreation", [&](JsonFields& members) {
        pending.reservation_id = members.text("reservationId");
        pending.request_content_reference = members.text("requestContentReference");
        pending.request_sha256 = members.text("requestSha256");
        pending.request_encoded_bytes =
            static_cast<std::uint32_t>(members.integer("requestEncodedSize", kRequestBytesMax));
        const auto digest = parse_hex(pending.request_sha256);
        members.require(digest && digest->size() == kSha256Bytes);
        members.require(!pending.reservation_id.empty());
    });
    row.pending_creation = std::move(pending);
}

}  // namespace

Bytes encode_authority_row(const AuthorityRow& row) {
    JsonWriter json;
    json.begin_object();
    json.integer("recordVersion", 1);
    json.text("payload", base64_of(row.payload));
    json.decimal("objectGeneration", row.object_generation.value);
    json.decimal("authorityOwnerGeneration", row.authority_owner_generation.value);
    json.text("ownerId", row.owner.owner_id.value);
    json.decimal("ownerLeaseGeneration", row.owner.generation.value);
    write_allocation(json, row);
    write_pending(json, row);
    json.end_object();
    return json.bytes();
}

result<AuthorityRow> decode_authority_row(ByteView bytes) {
    AuthorityRow row;
    const bool fit = JsonFields::read_record(bytes, [&](JsonFields& fields) {
        const std::optional<Bytes> payload = parse_base64(fields.text("payload"));
        fields.require(payload.has_value());
        if (payload) row.payload = *payload;
        row.object_generation.value = fields.decimal("objectGeneration", 1, kIssuedMax);
        row.authority_owner_generation.value =
            fields.decimal("authorityOwnerGeneration", 1, kIssuedMax);
        row.owner.owner_id.value = fields.text("ownerId");
        fields.require(is_valid_id(row.owner.owner_id.value));
        row.owner.generation.value = fields.decimal("ownerLeaseGeneration", 1, kIssuedMax);
        const AllocationState state = read_allocation(fields, row);
        read_pending(fields, row);
        fields.require(state == row.state());
    });
    if (!fit) return Errc::Corrupt;
    return row;
}

}  // namespace shunt::store
