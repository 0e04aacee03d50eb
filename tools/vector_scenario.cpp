#include "tools/vector_scenario.hpp"

#include <system_error>
#include <utility>
#include <variant>

#include "protocol/command_record.hpp"
#include "protocol/crc32c.hpp"
#include "protocol/envelope.hpp"
#include "protocol/errc.hpp"
#include "tools/vector_check.hpp"

namespace shunt::tools {
namespace {

using protocol::Errc;

template <class Command>
result<std::pair<Command, ByteView>> read_command(const Bytes& bytes) {
    const ByteView frame(bytes);
    BOOST_OUTCOME_TRY(protocol::DecodedRecord record,
                      protocol::decode_record(protocol::InRecord{.parts = {&frame, 1}}));
    auto* command = std::get_if<Command>(&record.command);
    if (command == nullptr) return Errc::UnknownCommand;
    return std::pair{std::move(*command), record.frozen_record_bytes};
}

/// Both belong to one attempt of one move.
template <class A, class B>
bool same_move(const A& a, const B& b) {
    return a.relocation == b.relocation &&
           a.target_attempt_generation == b.target_attempt_generation &&
           a.coordinator == b.coordinator && a.object == b.object;
}

/// Section 8: chunks in order, a repetition only with the same bytes.
result<Bytes> assemble(const WireVector& vector) {
    BOOST_OUTCOME_TRY(const auto prepare,
                      read_command<protocol::RelocationPrepare>(vector.prepare));
    std::vector<Bytes> chunks;
    for (const Bytes& bytes : vector.chunks) {
        BOOST_OUTCOME_TRY(const auto read, read_command<protocol::RelocationState>(bytes));
        const protocol::RelocationState& state = read.first;
        if (!same_move(state, prepare.first)) continue;
        const ByteView data = state.chunk_data.view();
        if (state.chunk_ordinal < chunks.size()) {
            if (!same_bytes(chunks[state.chunk_ordinal], data)) return Errc::Semantic;
            continue;
        }
        if (state.chunk_ordinal > chunks.size()) return Errc::Semantic;
        if (state.chunk_ordinal >= prepare.first.payload_chunk_count) return Errc::Semantic;
        chunks.push_back(copy_of(data));
    }
    if (chunks.size() < prepare.first.payload_chunk_count) return Errc::TruncatedField;
    Bytes stream;
    for (const Bytes& chunk : chunks) stream.insert(stream.end(), chunk.begin(), chunk.end());
    if (stream.size() != prepare.first.payload_total_length) return Errc::ChecksumMismatch;
    if (protocol::crc32c(stream) != prepare.first.payload_checksum_crc32c) {
        return Errc::ChecksumMismatch;
    }
    return stream;
}

/// Section 8: the cutover covers the record encodings of the relay, in order.
result<void> check_boundary(const WireVector& vector) {
    BOOST_OUTCOME_TRY(const auto cutover, read_command<protocol::RelocationCutover>(vector.bytes));
    protocol::Crc32c checksum;
    std::uint64_t count = 0;
    for (const Bytes& bytes : vector.records) {
        BOOST_OUTCOME_TRY(const auto read, read_command<protocol::RelocationData>(bytes));
        if (!same_move(read.first, cutover.first)) return Errc::Semantic;
        checksum.update(read.second);
        ++count;
    }
    if (count != cutover.first.boundary_record_count) return Errc::ChecksumMismatch;
    if (checksum.value() != cutover.first.boundary_checksum_crc32c) return Errc::ChecksumMismatch;
    return outcome::success();
}

}  // namespace

bool is_scenario(const WireVector& vector) {
    return vector.type == "relocation-transfer" || vector.type == "relocation-boundary";
}

std::string scenario_mismatch(const WireVector& vector) {
    std::error_code failure;
    if (vector.type == "relocation-transfer") {
        const result<Bytes> stream = assemble(vector);
        if (stream.has_error()) failure = stream.error();
        if (stream.has_value() && vector.accepted && stream.value() != vector.bytes) {
            return "assembled to another stream";
        }
    } else {
        const result<void> boundary = check_boundary(vector);
        if (boundary.has_error()) failure = boundary.error();
    }
    if (vector.accepted) return failure ? "refused with " + category_of(failure) : "";
    if (!failure) return "accepted, expected " + vector.error;
    const std::string category = category_of(failure);
    return category == vector.error ? "" : category + ", expected " + vector.error;
}

}  // namespace shunt::tools
