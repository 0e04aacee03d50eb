#include "store/owner_lease.hpp"

#include "store/json_fields.hpp"
#include "store/json_writer.hpp"
#include "store/location_store.hpp"

namespace shunt::store {

Bytes encode_owner_lease(const OwnerLease& lease) {
    JsonWriter json;
    json.begin_object();
    json.integer("recordVersion", 1);
    json.text("ownerId", lease.owner_id.value);
    json.decimal("leaseGeneration", lease.generation.value);
    json.end_object();
    return json.bytes();
}

result<OwnerLease> decode_owner_lease(ByteView bytes) {
    OwnerLease lease;
    const bool fit = JsonFields::read_record(bytes, [&](JsonFields& fields) {
        lease.owner_id.value = fields.text("ownerId");
        fields.require(is_valid_id(lease.owner_id.value));
        lease.generation.value = fields.decimal("leaseGeneration", 1, kIssuedMax);
    });
    if (!fit) return Errc::Corrupt;
    return lease;
}

}  // namespace shunt::store
