#include "protocol/frozen_record.hpp"

#include <array>

#include "protocol/frozen_record_layout.hpp"
#include "protocol/writer.hpp"

namespace shunt::protocol {
namespace {

enum class IdRule : std::uint8_t { Zero, Nonzero };

/// One row of section 6 for the kinds whose operation is fixed.
struct Row {
    MeshRecordKind kind;
    MeshOperationKind operation;
    IdRule id;
    bool takes_metadata;
    bool node_source_only;
};

constexpr auto kMatrix = [] {
    using enum MeshRecordKind;
    using O = MeshOperationKind;
    using enum IdRule;
    // clang-format off
    return std::to_array<Row>({
        // kind             operation          id       metadata  node source only
        {NodeSend,          O::None,           Zero,    true,     false},
        {NodeRequest,       O::NodeRequest,    Nonzero, true,     false},
        {ChannelSend,       O::None,           Zero,    true,     false},
        {ChannelRequest,    O::ChannelRequest, Nonzero, true,     false},
        {SpotSend,          O::None,           Nonzero, true,     false},
        {SpotRequest,       O::SpotRequest,    Nonzero, true,     false},
        {SpotMulticast,     O::None,           Zero,    true,     false},
        {ActorSend,         O::None,           Nonzero, true,     false},
        {ActorRequest,      O::ActorRequest,   Nonzero, true,     false},
        {SendReady,         O::None,           Zero,    false,    true},
        {RelocationControl, O::None,           Zero,    false,    true},
    });
    // clang-format on
}();

bool is_actor_change(MeshOperationKind kind) noexcept {
    return kind == MeshOperationKind::ActorJoin || kind == MeshOperationKind::ActorLeave ||
           kind == MeshOperationKind::ActorDestroy;
}

bool from_node(const FrozenRecord& record) noexcept {
    return std::holds_alternative<FromNode>(record.source.origin);
}

/// Lifecycle of an Actor: an id goes with an operation and only with one.
bool fits_spot_control(const FrozenRecord& record) noexcept {
    const bool plain = record.operation_kind == MeshOperationKind::None;
    return (plain || is_actor_change(record.operation_kind)) &&
           static_cast<bool>(record.operation_id) == !plain && !record.metadata &&
           from_node(record);
}

bool fits_completion(const FrozenRecord& record) noexcept {
    return record.operation_kind != MeshOperationKind::None &&
           static_cast<bool>(record.operation_id) && !record.metadata && from_node(record);
}

bool fits_activation(const FrozenRecord& record) noexcept {
    const auto& activation = std::get<FrozenInstanceSpotActivation>(record.body);
    const bool request = activation.operation_kind == InstanceOperationKind::Request;
    const auto expected =
        request ? MeshOperationKind::InstanceSpotRequest : MeshOperationKind::None;
    return record.operation_kind == expected && static_cast<bool>(record.operation_id) == request;
}

}  // namespace

bool fits_matrix(const FrozenRecord& record) noexcept {
    const MeshRecordKind kind = record.kind();
    if (kind == MeshRecordKind::SpotControl) return fits_spot_control(record);
    if (kind == MeshRecordKind::Completion) return fits_completion(record);
    if (kind == MeshRecordKind::InstanceSpotActivation) return fits_activation(record);
    for (const Row& row : kMatrix) {
        if (row.kind != kind) continue;
        return record.operation_kind == row.operation &&
               static_cast<bool>(record.operation_id) == (row.id == IdRule::Nonzero) &&
               (row.takes_metadata || !record.metadata) &&
               (!row.node_source_only || from_node(record));
    }
    return false;
}

SHUNT_LAYOUT_HERE(FrozenSourceIdentity)
SHUNT_LAYOUT_HERE(FrozenRecord)

Segments encode_frozen_record(const FrozenRecord& record) {
    Writer writer(measure(record).copied_bytes());
    encode(writer, record);
    return std::move(writer).take_segments();
}

result<FrozenRecord> decode_frozen_record(ByteView bytes, Fault* fault) {
    return decode_whole<FrozenRecord>(bytes, fault);
}

}  // namespace shunt::protocol
