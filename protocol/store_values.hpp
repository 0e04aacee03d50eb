#pragma once
// Values that the stores keep beside the authority payload (spec/wire.md section 10).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "protocol/authority_payload.hpp"
#include "protocol/blob.hpp"
#include "protocol/command_reply.hpp"
#include "protocol/enums.hpp"
#include "protocol/shared.hpp"
#include "protocol/typed_payload.hpp"

namespace shunt::protocol {

/// `relocation-data-chunk-v1`; not used for direct transfer.
struct RelocationDataChunk {
    std::uint32_t order = 0;
    Blob data;
    bool operator==(const RelocationDataChunk&) const = default;
};

struct ManifestChunk {
    std::uint32_t order = 0;
    std::string reference;
    std::uint64_t length = 0;
    std::uint32_t checksum_crc32c = 0;
    bool operator==(const ManifestChunk&) const = default;
};

/// `relocation-manifest-v1`.
struct RelocationManifest {
    std::uint8_t logical_format_version = 1;
    std::uint64_t total_length = 0;
    std::uint32_t total_checksum_crc32c = 0;
    Sha256 inventory_digest_sha256{};
    /// Sorted and unique by order.
    std::vector<ManifestChunk> chunks{};
    bool operator==(const RelocationManifest&) const = default;
};

/// `instance-activation-recovery-v1`.
struct InstanceActivationRecovery {
    SpotId target_spot_id;
    std::string stable_type;
    std::string target_mesh_name;
    NodeRid target_node_rid;
    NodeGeneration target_node_generation;
    std::string target_descriptor_version;
    NodeRid source_node_rid;
    NodeGeneration source_node_generation;
    std::optional<SpotId> source_spot_id{};
    InstanceOperationKind operation_kind = InstanceOperationKind::Send;
    OperationId operation;
    /// Present exactly for a request.
    std::optional<std::uint64_t> reply_route_id{};
    std::uint64_t deadline_unix_ms = 0;
    std::optional<Metadata> metadata{};
    TypedPayload application_payload;
    bool operator==(const InstanceActivationRecovery&) const = default;
};

using AggregateId = Wide<struct AggregateIdTag>;

struct AggregateParticipant {
    RelocationObjectIdentity object;
    std::string expected_store_version;
    Blob mutation;  // 1..1,048,576 bytes
    bool operator==(const AggregateParticipant&) const = default;
};

/// `maintenance-aggregate-v1`.
struct MaintenanceAggregate {
    AggregateId aggregate_id;
    std::uint64_t aggregate_generation = 1;
    SpotRef owner_spot;
    /// Sorted and unique by the authority key of `object`; at most 1,024.
    std::vector<AggregateParticipant> participants{};
    Sha256 inventory_digest_sha256{};
    bool operator==(const MaintenanceAggregate&) const = default;
};

/// `creation-operation-terminal-v1`.
struct CreationOperationTerminal {
    RequestTerminalResult terminal_result = RequestTerminalResult::Ok;
    FrameworkErrorCode failure_code = FrameworkErrorCode::None;
    std::optional<ActorCreateTerminal> creation{};
    std::optional<TypedPayload> application_payload{};
    bool operator==(const CreationOperationTerminal&) const = default;
};

}  // namespace shunt::protocol
