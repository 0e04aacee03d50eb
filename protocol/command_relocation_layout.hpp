#pragma once
// How the commands of a move lie on the wire (spec/wire.md section 5.3).

#include <type_traits>

#include "protocol/command_info.hpp"
#include "protocol/command_relocation.hpp"
#include "protocol/envelope.hpp"
#include "protocol/frozen_record_layout.hpp"
#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"
#include "protocol/shared_layout.hpp"

namespace shunt::protocol {

/// A stream is never empty, and no chunk is (section 15.1).
inline bool manifest_adds_up(const RelocationPrepare& prepare) {
    return (prepare.payload_total_length == 0) == (prepare.payload_chunk_count == 0) &&
           prepare.payload_chunk_count <= prepare.payload_total_length;
}

/// What every relocation command opens with.
template <class T>
constexpr auto relocation_identity() {
    return fields(field("relocation", &T::relocation),
                  field("targetAttemptGeneration", &T::target_attempt_generation),
                  field("coordinator", &T::coordinator));
}

constexpr CommandInfo info(Of<RelocationPrepare>) {
    return {.id = CommandId::RelocationPrepare, .name = "relocationPrepare", .leg = Leg::Request};
}
constexpr auto layout(Of<RelocationPrepare>) {
    using T = RelocationPrepare;
    return fields(
        relocation_identity<T>(), field("target", &T::target),
        field("initiatorRole", &T::initiator_role, kFromSource), field("object", &T::object),
        field("sourceNodeRid", &T::source_node_rid),
        field("sourceNodeGeneration", &T::source_node_generation),
        field("payloadTotalLength", &T::payload_total_length, up_to(kRelocationStreamBytesMax)),
        field("payloadChunkCount", &T::payload_chunk_count, up_to(kRelocationChunksMax)),
        field("payloadChecksumCrc32c", &T::payload_checksum_crc32c),
        field("applicationVersion", &T::application_version, kOrdinal), rule(&manifest_adds_up));
}

constexpr CommandInfo info(Of<RelocationReady>) {
    return {.id = CommandId::RelocationReady, .name = "relocationReady", .leg = Leg::Reply};
}
constexpr auto layout(Of<RelocationReady>) {
    using T = RelocationReady;
    return fields(relocation_identity<T>(), field("target", &T::target),
                  field("object", &T::object), field("senderRole", &T::sender_role, kFromTarget));
}

constexpr CommandInfo info(Of<RelocationFailed>) {
    return {.id = CommandId::RelocationFailed, .name = "relocationFailed", .leg = Leg::Reply};
}
constexpr auto layout(Of<RelocationFailed>) {
    using T = RelocationFailed;
    return fields(
        relocation_identity<T>(), field("target", &T::target), field("object", &T::object),
        field("senderRole", &T::sender_role, kFromTarget), field("failureCode", &T::failure_code),
        rule([](const T& failed) { return failed.failure_code != FrameworkErrorCode::None; }));
}

constexpr CommandInfo info(Of<RelocationState>) {
    return {.id = CommandId::RelocationState, .name = "relocationState"};
}
constexpr auto layout(Of<RelocationState>) {
    using T = RelocationState;
    return fields(
        relocation_identity<T>(), field("senderRole", &T::sender_role, kFromSource),
        field("object", &T::object), field("chunkOrdinal", &T::chunk_ordinal),
        field("chunkData", &T::chunk_data, Bulk<std::uint32_t>{.max = kRelocationChunkBytesMax}));
}

/// These two are local to their node and never relayed (section 15.1).
inline bool may_be_relayed(const FrozenRecord& record) {
    return record.kind() != MeshRecordKind::SendReady &&
           record.kind() != MeshRecordKind::RelocationControl;
}

template <class Record>
constexpr CommandInfo info(Of<BasicRelocationData<Record>>) {
    return {.id = CommandId::RelocationData, .name = "relocationData"};
}
template <class Record>
constexpr auto layout(Of<BasicRelocationData<Record>>) {
    using T = BasicRelocationData<Record>;
    constexpr auto head =
        fields(relocation_identity<T>(), field("senderRole", &T::sender_role, kFromSource),
               field("object", &T::object));
    if constexpr (std::is_same_v<Record, FrozenRecord>) {
        return fields(head, field("record", &T::record),
                      rule([](const T& data) { return may_be_relayed(data.record); }));
    } else {
        return fields(head, field("record", &T::record, kRest));
    }
}

constexpr CommandInfo info(Of<RelocationCutover>) {
    return {.id = CommandId::RelocationCutover, .name = "relocationCutover"};
}
constexpr auto layout(Of<RelocationCutover>) {
    using T = RelocationCutover;
    return fields(relocation_identity<T>(), field("senderRole", &T::sender_role, kFromSource),
                  field("object", &T::object),
                  field("boundaryRecordCount", &T::boundary_record_count, kOrdinal),
                  field("boundaryChecksumCrc32c", &T::boundary_checksum_crc32c));
}

}  // namespace shunt::protocol
