#pragma once
// How the values of store_values.hpp lie in their envelopes (spec/wire.md section 10).

#include <string>
#include <variant>

#include "protocol/authority_key.hpp"
#include "protocol/authority_payload_layout.hpp"
#include "protocol/command_reply_layout.hpp"
#include "protocol/durable.hpp"
#include "protocol/envelope.hpp"
#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"
#include "protocol/shared_layout.hpp"
#include "protocol/store_values.hpp"
#include "protocol/typed_payload_layout.hpp"

namespace shunt::protocol {

inline constexpr std::uint32_t kStoreValueBytesMax = 1'048'576;
inline constexpr std::uint16_t kAggregateParticipantsMax = 1024;

// --- relocation-data-chunk-v1, relocation-manifest-v1 -----------------------------------------

constexpr DurableFormat durable_format(Of<RelocationDataChunk>) {
    return {.magic = "ZLTC", .bytes_max = 67'108'887};
}
constexpr auto layout(Of<RelocationDataChunk>) {
    return fields(field("order", &RelocationDataChunk::order),
                  field("data", &RelocationDataChunk::data,
                        Bulk<std::uint32_t>{.max = kRelocationChunkBytesMax}));
}

constexpr auto layout(Of<ManifestChunk>) {
    using T = ManifestChunk;
    return fields(field("order", &T::order), field("reference", &T::reference, kText4096),
                  field("length", &T::length, kNonzero),
                  field("checksumCrc32c", &T::checksum_crc32c));
}

constexpr DurableFormat durable_format(Of<RelocationManifest>) {
    return {.magic = "ZLTM", .bytes_max = 33'554'432};
}
constexpr auto layout(Of<RelocationManifest>) {
    using T = RelocationManifest;
    return fields(
        field("logicalFormatVersion", &T::logical_format_version,
              Between<std::uint8_t>{.min = 1, .max = 1}),
        field("totalLength", &T::total_length, up_to(kRelocationStreamBytesMax)),
        field("totalChecksumCrc32c", &T::total_checksum_crc32c),
        field("inventoryDigestSha256", &T::inventory_digest_sha256),
        field("chunks", &T::chunks,
              sorted_list<std::uint32_t>(Nested{}, &ManifestChunk::order, kRelocationChunksMax)));
}

// --- instance-activation-recovery-v1 ----------------------------------------------------------

constexpr bool is_recovered_request(const InstanceActivationRecovery& recovery) noexcept {
    return recovery.operation_kind == InstanceOperationKind::Request;
}

constexpr DurableFormat durable_format(Of<InstanceActivationRecovery>) {
    return {.magic = "ZLIA", .bytes_max = kStoreValueBytesMax};
}
constexpr auto layout(Of<InstanceActivationRecovery>) {
    using T = InstanceActivationRecovery;
    return fields(
        field("targetSpotId", &T::target_spot_id), field("stableType", &T::stable_type),
        field("targetMeshName", &T::target_mesh_name), field("targetNodeRid", &T::target_node_rid),
        field("targetNodeGeneration", &T::target_node_generation),
        field("targetDescriptorVersion", &T::target_descriptor_version),
        field("sourceNodeRid", &T::source_node_rid),
        field("sourceNodeGeneration", &T::source_node_generation),
        flagged("hasSourceSpotId", "sourceSpotId", &T::source_spot_id),
        field("operationKind", &T::operation_kind), field("operation", &T::operation),
        group("replyRoute",
              when(&is_recovered_request, some("replyRouteId", &T::reply_route_id, kNonzero))),
        field("deadlineUnixMs", &T::deadline_unix_ms, kNonzero),
        flagged("hasMetadata", "metadata", &T::metadata),
        field("applicationPayload", &T::application_payload));
}

// --- maintenance-aggregate-v1 -----------------------------------------------------------------

/// The key participants are ordered by (section 11).
inline std::string authority_key_of(const RelocationObjectIdentity& object) {
    struct Visitor {
        std::string operator()(const ActorObject& actor) const {
            return encode_authority_key(actor.actor.actor_id);
        }
        std::string operator()(const UserSpotObject& spot) const {
            return encode_authority_key(spot.spot.spot_id);
        }
        std::string operator()(const InstanceSpotObject& spot) const {
            return encode_authority_key(spot.spot_id);
        }
    };
    return std::visit(Visitor{}, object);
}

constexpr auto layout(Of<AggregateParticipant>) {
    using T = AggregateParticipant;
    return fields(
        field("object", &T::object),
        field("expectedStoreVersion", &T::expected_store_version, kText4096),
        field("mutation", &T::mutation, Bulk<std::uint32_t>{.min = 1, .max = kStoreValueBytesMax}));
}

inline constexpr auto kByAuthorityKey = [](const AggregateParticipant& participant) {
    return authority_key_of(participant.object);
};
/// `aggregate-participant-vector`.
inline constexpr auto kAggregateParticipants =
    sorted_list<std::uint16_t>(Nested{}, kByAuthorityKey, kAggregateParticipantsMax);

constexpr auto layout(Of<MaintenanceAggregate>) {
    using T = MaintenanceAggregate;
    constexpr std::uint32_t kBeforeBody = 1 + 4;
    return fields(constant<std::uint8_t>(1),
                  body_at_most<std::uint32_t>(
                      kStoreValueBytesMax - kBeforeBody,  //
                      field("aggregateId", &T::aggregate_id),
                      field("aggregateGeneration", &T::aggregate_generation, kNonzero),
                      field("ownerSpot", &T::owner_spot),
                      field("participants", &T::participants, kAggregateParticipants),
                      field("inventoryDigestSha256", &T::inventory_digest_sha256)));
}

// --- creation-operation-terminal-v1 -----------------------------------------------------------

/// Ok needs a creation, anything else forbids both parts; what existed already says nothing more.
inline bool is_creation_terminal(const CreationOperationTerminal& terminal) {
    if (!is_paired(terminal)) return false;
    if (!is_ok(terminal)) return !terminal.creation && !terminal.application_payload;
    if (!terminal.creation) return false;
    return !std::holds_alternative<ActorExisting>(*terminal.creation) ||
           !terminal.application_payload;
}

constexpr auto layout(Of<CreationOperationTerminal>) {
    using T = CreationOperationTerminal;
    constexpr std::uint32_t kBeforeBody = 1 + 4;
    return fields(
        constant<std::uint8_t>(1),
        body_at_most<std::uint32_t>(
            kStoreValueBytesMax - kBeforeBody,  //
            field("terminalResult", &T::terminal_result), field("failureCode", &T::failure_code),
            flagged("hasCreation", "creation", &T::creation),
            flagged("hasApplicationPayload", "applicationPayload", &T::application_payload)),
        rule(&is_creation_terminal));
}

}  // namespace shunt::protocol
