#pragma once
// A peer of a move made of bytes alone (spec/wire.md sections 5.3 to 8): it reads what a Shunt node
// sends and says what a source or a target says, with nothing of protocol/. In the simulated mesh
// it speaks in the place of one host, whose records it replaces on their way.

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace shunt::wire_test {

// Command bytes of a move.
inline constexpr unsigned kRelocationReady = 30;
inline constexpr unsigned kRelocationData = 31;
inline constexpr unsigned kRelocationCutover = 34;
inline constexpr unsigned kRelocationPrepare = 40;
inline constexpr unsigned kRelocationState = 52;

/// The command byte of a record's frame 0; 0 when it has none.
unsigned command_byte(ByteView frame);

/// What the commands of one move carry, as command 40 declares it.
struct ScriptMove {
    std::uint64_t relocation_high = 0;
    std::uint64_t relocation_low = 0;
    std::uint64_t attempt = 0;
    std::string coordinator_owner;
    std::uint64_t coordinator_lease = 0;
    std::string coordinator_rid;
    std::uint64_t coordinator_generation = 0;
    std::string store_version;
    std::string target_rid;
    std::uint64_t target_generation = 0;
    std::string target_owner;
    std::uint64_t target_lease = 0;
    std::string actor;
    std::uint64_t object_generation = 0;
    std::uint64_t owner_generation = 0;
    std::string source_rid;
    std::uint64_t source_generation = 0;
    std::uint64_t payload_bytes = 0;
    std::uint64_t chunk_count = 0;
    std::uint64_t payload_crc = 0;
    std::uint64_t application_version = 0;
};

/// A one-way message to the Actor that moves.
struct ScriptMessage {
    std::uint64_t operation = 0;
    std::string packet;
    std::string text;
    bool operator==(const ScriptMessage&) const = default;
};

/// The payload of a move, as far as a single Actor without timers has one.
struct ScriptPayload {
    std::string state;
    /// In the order of their order numbers, which are 1, 2, 3 and so on.
    std::vector<ScriptMessage> saved;
};

// --- what a node says -------------------------------------------------------------------------
// `frame` is frame 0 of the record; its head must be that of the command.

ScriptMove read_prepare(ByteView frame);
/// Chunk data of a command 52 of `move`.
Bytes read_chunk(const ScriptMove& move, ByteView frame, std::uint64_t ordinal);
/// The encoding of the record in a command 31 of `move`.
Bytes read_relay(const ScriptMove& move, ByteView frame);
/// Checks a command 34 of `move` against the relay before it.
void read_cutover(const ScriptMove& move, ByteView frame, const std::vector<Bytes>& relay);
/// An assembled stream of `move`.
ScriptPayload read_payload(const ScriptMove& move, ByteView stream);
/// One frozen record, to its end.
ScriptMessage read_message(ByteView record);

// --- what the peer says -----------------------------------------------------------------------

Bytes write_prepare(const ScriptMove& move);
Bytes write_chunk(const ScriptMove& move, std::uint64_t ordinal, ByteView data);
Bytes write_relay(const ScriptMove& move, ByteView record);
Bytes write_cutover(const ScriptMove& move, const std::vector<Bytes>& relay);
Bytes write_ready(const ScriptMove& move);
Bytes write_payload(const ScriptMove& move, const ScriptPayload& payload);
/// A frozen actorSend from the source node of `move`.
Bytes write_message(const ScriptMove& move, const ScriptMessage& message);

}  // namespace shunt::wire_test
