#pragma once
// Commands to multipart records and back (spec/wire.md sections 1, 14 and 15.1): head prefix and
// flags, frame count, metadata and payload frames, static validation.

#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "protocol/command.hpp"
#include "protocol/fault.hpp"
#include "protocol/record.hpp"
#include "protocol/typed_payload.hpp"

namespace shunt::protocol {

/// The record of `command`; T is any alternative of Command, or EncodedRelocationData.
///
/// Payload and metadata must be those the command takes (section 5), and the command must be valid
/// by section 15.1; anything else is the caller's defect and asserts. Segments (chunk data,
/// payloads) are shared, borrowed bytes are copied. `leg` is set by the command's direction
/// (Request: 25, 40; Reply: 20, 30, 53; else Send); the caller sets `sequence`.
template <class T>
OutRecord encode_record(const T& command, const TypedPayload* payload = nullptr,
                        const Metadata* metadata = nullptr);

template <class T>
OutRecord encode_record(const T& command, const TypedPayload& payload) {
    return encode_record(command, &payload);
}

/// What a receiver knows and the bytes do not say.
struct DecodeContext {
    /// The operation a reply answers: selects the tail of command 20 (section 4.8).
    MeshOperationKind original_operation = MeshOperationKind::None;
    /// Learns where a record fails; nobody wants to know on the message path.
    Fault* fault = nullptr;
};

/// Ids and texts are owned; payload, chunk and frozen-record payload bytes are borrowed from the
/// record that was decoded.
struct DecodedRecord {
    Command command;
    std::optional<Metadata> metadata{};
    std::optional<TypedPayloadView> payload{};
    /// The encoding of RelocationData::record, which the boundary checksum runs over; empty for
    /// every other command.
    ByteView frozen_record_bytes{};
};

/// Reads and checks the record as section 14 orders it. Errors: Errc, nothing else.
result<DecodedRecord> decode_record(const InRecord& record, const DecodeContext& context = {});

/// The command byte, without reading further; what routing by class needs (design.md decision 21).
/// Errors: TruncatedField, InvalidMagic, UnsupportedMajor, UnknownCommand.
result<CommandId> peek_command(const InRecord& record) noexcept;

}  // namespace shunt::protocol
