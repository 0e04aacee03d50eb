#pragma once
// Commands of a move (spec/wire.md sections 5.3 and 8). None takes metadata or a payload frame.

#include <cstdint>

#include "base/ids.hpp"
#include "protocol/blob.hpp"
#include "protocol/enums.hpp"
#include "protocol/frozen_record.hpp"
#include "protocol/shared.hpp"

namespace shunt::protocol {

struct RelocationPrepare {
    RelocationId relocation;
    TargetAttemptGeneration target_attempt_generation;
    RelocationCoordinatorFence coordinator;
    RelocationTargetFence target;
    RelocationRole initiator_role = RelocationRole::Source;
    RelocationObjectIdentity object;
    NodeRid source_node_rid;
    NodeGeneration source_node_generation;
    /// Manifest of the encoded payload stream (section 8).
    std::uint64_t payload_total_length = 0;
    std::uint32_t payload_chunk_count = 0;
    std::uint32_t payload_checksum_crc32c = 0;
    std::uint64_t application_version = 0;  // 0..2^63-1
    bool operator==(const RelocationPrepare&) const = default;
};

struct RelocationReady {
    RelocationId relocation;
    TargetAttemptGeneration target_attempt_generation;
    RelocationCoordinatorFence coordinator;
    RelocationTargetFence target;
    RelocationObjectIdentity object;
    RelocationRole sender_role = RelocationRole::Target;
    bool operator==(const RelocationReady&) const = default;
};

struct RelocationFailed {
    RelocationId relocation;
    TargetAttemptGeneration target_attempt_generation;
    RelocationCoordinatorFence coordinator;
    RelocationTargetFence target;
    RelocationObjectIdentity object;
    RelocationRole sender_role = RelocationRole::Target;
    /// Never None.
    FrameworkErrorCode failure_code = FrameworkErrorCode::RequestFailed;
    bool operator==(const RelocationFailed&) const = default;
};

struct RelocationState {
    RelocationId relocation;
    TargetAttemptGeneration target_attempt_generation;
    RelocationCoordinatorFence coordinator;
    RelocationRole sender_role = RelocationRole::Source;
    RelocationObjectIdentity object;
    std::uint32_t chunk_ordinal = 0;
    /// At most kRelocationChunkBytesMax. Encoded from segments, decoded as a borrowed view.
    Blob chunk_data;
    bool operator==(const RelocationState&) const = default;
};

/// Command 31 with its record either as a value or as the bytes of encode_frozen_record().
template <class Record>
struct BasicRelocationData {
    RelocationId relocation;
    TargetAttemptGeneration target_attempt_generation;
    RelocationCoordinatorFence coordinator;
    RelocationRole sender_role = RelocationRole::Source;
    RelocationObjectIdentity object;
    Record record;
    bool operator==(const BasicRelocationData&) const = default;
};
using RelocationData = BasicRelocationData<FrozenRecord>;
/// For a sender that keeps boundary records encoded (checksum, retransmission). Decoding always
/// yields RelocationData.
using EncodedRelocationData = BasicRelocationData<Blob>;

struct RelocationCutover {
    RelocationId relocation;
    TargetAttemptGeneration target_attempt_generation;
    RelocationCoordinatorFence coordinator;
    RelocationRole sender_role = RelocationRole::Source;
    RelocationObjectIdentity object;
    std::uint64_t boundary_record_count = 0;  // 0..2^63-1
    std::uint32_t boundary_checksum_crc32c = 0;
    bool operator==(const RelocationCutover&) const = default;
};

}  // namespace shunt::protocol
