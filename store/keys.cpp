#include "store/keys.hpp"

#include <array>
#include <initializer_list>

#include "base/bytes.hpp"
#include "store/decimal.hpp"
#include "store/record_names.hpp"
#include "store/text_codes.hpp"

namespace shunt::store {
namespace {

std::string joined(std::initializer_list<std::string_view> segments) {
    std::string key(*segments.begin());
    for (const auto* segment = segments.begin() + 1; segment != segments.end(); ++segment) {
        key.push_back('\0');
        key += *segment;
    }
    return key;
}

/// 32 hex digits, most significant first.
template <class Tag>
std::string wide_hex(const Wide<Tag>& id) {
    std::array<std::byte, 16> bytes{};
    for (std::size_t i = 0; i < 8; ++i) {
        bytes[i] = static_cast<std::byte>(id.high >> (56U - 8U * i));
        bytes[8 + i] = static_cast<std::byte>(id.low >> (56U - 8U * i));
    }
    return hex_of(bytes);
}

std::string rid_hex(const NodeRid& rid) {
    return hex_of(bytes_of(rid.value));
}

std::string_view segment_of(CapacityState state) {
    return state == CapacityState::Active ? "active" : "pending";
}

std::string_view segment_of(protocol::AuthorityObjectKind kind) {
    return kind == protocol::AuthorityObjectKind::Actor ? "actor" : "spot";
}

std::string capacity_prefix(const CapacityOwner& owner) {
    return joined({"capacity", owner.mesh_name, rid_hex(owner.rid),
                   decimal_of(owner.lifecycle_generation.value)});
}

}  // namespace

Key mesh_node_key(std::string_view mesh_name, const NodeRid& rid) {
    return joined({"mesh-node", mesh_name, rid_hex(rid)});
}

std::string mesh_node_prefix(std::string_view mesh_name) {
    return joined({"mesh-node", mesh_name, ""});
}

Key owner_lease_key(const OwnerId& owner) {
    return joined({"owner-lease", owner.value});
}

Key authority_key(const protocol::AuthorityKey& object) {
    return joined({"authority", segment_of(object.kind), object.id});
}

Key authority_key(const ActorId& actor) {
    return joined({"authority", "actor", actor.value});
}

Key authority_key(const SpotId& spot) {
    return joined({"authority", "spot", spot.value});
}

std::string authority_prefix() {
    return joined({"authority", ""});
}

std::string authority_prefix(protocol::AuthorityObjectKind kind) {
    return joined({"authority", segment_of(kind), ""});
}

Key actors_capacity_key(const CapacityOwner& owner, CapacityState state) {
    return joined({capacity_prefix(owner), "actors", segment_of(state)});
}

Key spots_capacity_key(const CapacityOwner& owner, CapacityState state) {
    return joined({capacity_prefix(owner), "spots", segment_of(state)});
}

Key type_capacity_key(const CapacityOwner& owner, protocol::StatefulObjectKind kind,
                      std::string_view stable_type, CapacityState state) {
    return joined({capacity_prefix(owner), name_of(kind), stable_type, segment_of(state)});
}

Key creation_terminal_key(const CreationRequestName& name) {
    return joined({"creation-terminal", rid_hex(name.source_rid),
                   decimal_of(name.source_generation.value), wide_hex(name.operation)});
}

Key aggregate_key(const RelocationId& relocation) {
    return joined({"aggregate", wide_hex(relocation)});
}

Key aggregate_page_key(const RelocationId& relocation, std::uint64_t page_index) {
    return joined({"aggregate-page", wide_hex(relocation), decimal_of(page_index)});
}

}  // namespace shunt::store
