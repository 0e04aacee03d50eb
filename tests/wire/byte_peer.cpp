#include "byte_peer.hpp"

#include "script_bytes.hpp"

namespace shunt::wire_test {
namespace {

constexpr std::uint64_t kSource = 1;
constexpr std::uint64_t kTarget = 2;
constexpr std::uint64_t kActor = 1;
constexpr std::uint64_t kParticipant = 1;
constexpr std::uint64_t kRecordActorSend = 9;
constexpr std::uint64_t kFromNode = 1;
constexpr std::uint64_t kFromActor = 3;
constexpr std::uint64_t kFromSession = 4;

ScriptWriter head_of(std::uint64_t command) {
    ScriptWriter out;
    out.u8(0x5A).u8(0x4D).u8(1).u8(command).u8(0);
    return out;
}

void read_head(ScriptReader& in, std::uint64_t command) {
    EXPECT_EQ(in.u8(), 0x5AU);
    EXPECT_EQ(in.u8(), 0x4DU);
    EXPECT_EQ(in.u8(), 1U);
    EXPECT_EQ(in.u8(), command);
    EXPECT_EQ(in.u8(), 0U);
}

// --- the fields every command of a move opens with --------------------------------------------

void put_move(ScriptWriter& out, const ScriptMove& move) {
    out.u64(move.relocation_high).u64(move.relocation_low).u64(move.attempt);
    out.text8(move.coordinator_owner).u64(move.coordinator_lease).text8(move.coordinator_rid);
    out.u64(move.coordinator_generation).text16(move.store_version);
}

void put_target(ScriptWriter& out, const ScriptMove& move) {
    out.text8(move.target_rid).u64(move.target_generation);
    out.text8(move.target_owner).u64(move.target_lease);
}

void put_object(ScriptWriter& out, const ScriptMove& move) {
    ScriptWriter object;
    object.text8(move.actor).u64(move.object_generation).u64(move.owner_generation);
    out.u8(kActor).body(object, 2);
}

void read_move(ScriptReader& in, ScriptMove& move) {
    move.relocation_high = in.u64();
    move.relocation_low = in.u64();
    move.attempt = in.u64();
    move.coordinator_owner = in.text8();
    move.coordinator_lease = in.u64();
    move.coordinator_rid = in.text8();
    move.coordinator_generation = in.u64();
    move.store_version = in.text16();
}

void read_object(ScriptReader& in, ScriptMove& move) {
    EXPECT_EQ(in.u8(), kActor);
    ScriptReader object(in.raw(in.u16()));
    move.actor = object.text8();
    move.object_generation = object.u64();
    move.owner_generation = object.u64();
    EXPECT_TRUE(object.left().empty());
}

/// Commands 31, 34 and 52 repeat the identity of the move, with the role before the object.
void expect_same_move(ScriptReader& in, const ScriptMove& move) {
    ScriptWriter wanted;
    put_move(wanted, move);
    wanted.u8(kSource);
    put_object(wanted, move);
    EXPECT_TRUE(same_bytes(in.raw(wanted.bytes().size()), wanted.bytes()))
        << "another move, role or object";
}

ScriptWriter of_source(std::uint64_t command, const ScriptMove& move) {
    ScriptWriter out = head_of(command);
    put_move(out, move);
    out.u8(kSource);
    put_object(out, move);
    return out;
}

/// The boundary checksum: the record encodings, one after the other.
std::uint32_t crc_of(const std::vector<Bytes>& relay) {
    ScriptWriter all;
    for (const Bytes& record : relay) all.raw(record);
    return script_crc32c(all.bytes());
}

/// The source of a frozen record, whoever sent it; only its form is of interest.
void skip_source(ScriptReader& in) {
    const std::uint64_t kind = in.u8();
    ScriptReader source(in.raw(in.u16()));
    source.text8();
    source.u64();
    source.text8();
    source.u64();
    if (kind == kFromActor || kind == kFromSession) {
        source.text8();
        source.u64();
    } else {
        EXPECT_EQ(kind, kFromNode);
    }
    if (kind == kFromSession) source.raw(source.u8() + 16);
    EXPECT_TRUE(source.left().empty());
}

/// A frozen actorSend without metadata; it has no length of its own.
ScriptMessage take_message(ScriptReader& in) {
    ScriptMessage message;
    EXPECT_EQ(in.u8(), kRecordActorSend);
    skip_source(in);
    EXPECT_EQ(in.u8(), 0U) << "metadata";
    const std::uint64_t high = in.u64();
    message.operation = in.u64();
    EXPECT_TRUE(high != 0 || message.operation != 0);
    EXPECT_EQ(in.u32(), 0U) << "a one-way message is no operation of the mesh";
    EXPECT_EQ(in.u16(), 0U) << "and has no reply route";
    in.text8();  // The Actor's route fence.
    in.u64();
    in.text8();
    in.raw(3 * sizeof(std::uint64_t));
    EXPECT_EQ(in.u8(), 1U) << "version of the payload envelope";
    ScriptReader body(in.raw(in.u32()));
    message.packet = body.text8();
    body.text8();
    message.text = std::string(text_of(body.raw(body.u32())));
    EXPECT_TRUE(body.left().empty());
    return message;
}

}  // namespace

unsigned command_byte(ByteView frame) {
    return frame.size() < 5 ? 0 : std::to_integer<unsigned>(frame[3]);
}

ScriptMove read_prepare(ByteView frame) {
    ScriptReader in(frame);
    ScriptMove move;
    read_head(in, kRelocationPrepare);
    read_move(in, move);
    move.target_rid = in.text8();
    move.target_generation = in.u64();
    move.target_owner = in.text8();
    move.target_lease = in.u64();
    EXPECT_EQ(in.u8(), kSource);
    read_object(in, move);
    move.source_rid = in.text8();
    move.source_generation = in.u64();
    move.payload_bytes = in.u64();
    move.chunk_count = in.u32();
    move.payload_crc = in.u32();
    move.application_version = in.u64();
    EXPECT_TRUE(in.left().empty());
    return move;
}

Bytes read_chunk(const ScriptMove& move, ByteView frame, std::uint64_t ordinal) {
    ScriptReader in(frame);
    read_head(in, kRelocationState);
    expect_same_move(in, move);
    EXPECT_EQ(in.u32(), ordinal);
    const Bytes data = copy_of(in.raw(in.u32()));
    EXPECT_TRUE(in.left().empty());
    return data;
}

Bytes read_relay(const ScriptMove& move, ByteView frame) {
    ScriptReader in(frame);
    read_head(in, kRelocationData);
    expect_same_move(in, move);
    return copy_of(in.left());
}

void read_cutover(const ScriptMove& move, ByteView frame, const std::vector<Bytes>& relay) {
    ScriptReader in(frame);
    read_head(in, kRelocationCutover);
    expect_same_move(in, move);
    EXPECT_EQ(in.u64(), relay.size());
    EXPECT_EQ(in.u32(), crc_of(relay));
    EXPECT_TRUE(in.left().empty());
}

ScriptPayload read_payload(const ScriptMove& move, ByteView stream) {
    EXPECT_EQ(stream.size(), move.payload_bytes);
    EXPECT_EQ(script_crc32c(stream), move.payload_crc);
    ScriptReader in(stream);
    ScriptPayload payload;
    EXPECT_EQ(in.u64(), move.relocation_high);
    EXPECT_EQ(in.u64(), move.relocation_low);
    ScriptMove object;
    read_object(in, object);
    EXPECT_EQ(object.actor, move.actor);
    EXPECT_EQ(object.object_generation, move.object_generation);
    EXPECT_EQ(in.u64(), move.application_version);
    EXPECT_EQ(in.u32(), 1U) << "application states";
    EXPECT_EQ(in.u64(), kParticipant);
    EXPECT_EQ(in.u8(), 1U) << "has a state";
    const std::uint64_t body_bytes = in.u64();
    const std::uint64_t state_bytes = in.u64();
    EXPECT_EQ(body_bytes, state_bytes + 8);
    payload.state = std::string(text_of(in.raw(state_bytes)));
    const std::uint64_t saved_count = in.u32();
    for (std::uint64_t order = 1; order <= saved_count; ++order) {
        EXPECT_EQ(in.u64(), kParticipant);
        EXPECT_EQ(in.u64(), order);
        payload.saved.push_back(take_message(in));
    }
    EXPECT_EQ(in.u32(), 0U) << "timers";
    EXPECT_EQ(in.u32(), 0U) << "ticks";
    EXPECT_TRUE(in.left().empty());
    return payload;
}

ScriptMessage read_message(ByteView record) {
    ScriptReader in(record);
    const ScriptMessage message = take_message(in);
    EXPECT_TRUE(in.left().empty());
    return message;
}

Bytes write_prepare(const ScriptMove& move) {
    ScriptWriter out = head_of(kRelocationPrepare);
    put_move(out, move);
    put_target(out, move);
    out.u8(kSource);
    put_object(out, move);
    out.text8(move.source_rid).u64(move.source_generation);
    out.u64(move.payload_bytes).u32(move.chunk_count).u32(move.payload_crc);
    out.u64(move.application_version);
    return out.bytes();
}

Bytes write_chunk(const ScriptMove& move, std::uint64_t ordinal, ByteView data) {
    ScriptWriter out = of_source(kRelocationState, move);
    out.u32(ordinal).blob32(data);
    return out.bytes();
}

Bytes write_relay(const ScriptMove& move, ByteView record) {
    ScriptWriter out = of_source(kRelocationData, move);
    out.raw(record);
    return out.bytes();
}

Bytes write_cutover(const ScriptMove& move, const std::vector<Bytes>& relay) {
    ScriptWriter out = of_source(kRelocationCutover, move);
    out.u64(relay.size()).u32(crc_of(relay));
    return out.bytes();
}

Bytes write_ready(const ScriptMove& move) {
    ScriptWriter out = head_of(kRelocationReady);
    put_move(out, move);
    put_target(out, move);
    put_object(out, move);
    out.u8(kTarget);
    return out.bytes();
}

Bytes write_payload(const ScriptMove& move, const ScriptPayload& payload) {
    ScriptWriter out;
    out.u64(move.relocation_high).u64(move.relocation_low);
    put_object(out, move);
    out.u64(move.application_version);
    out.u32(1).u64(kParticipant).u8(1);
    out.u64(payload.state.size() + 8).u64(payload.state.size()).raw(payload.state);
    out.u32(payload.saved.size());
    std::uint64_t order = 0;
    for (const ScriptMessage& message : payload.saved) {
        out.u64(kParticipant).u64(++order).raw(write_message(move, message));
    }
    out.u32(0).u32(0);
    return out.bytes();
}

Bytes write_message(const ScriptMove& move, const ScriptMessage& message) {
    ScriptWriter source;
    source.text8(move.source_rid).u64(move.source_generation);
    source.text8(move.coordinator_owner).u64(move.coordinator_lease);
    ScriptWriter payload;
    payload.text8(message.packet).text8("application/octet-stream");
    payload.u32(message.text.size()).raw(message.text);
    ScriptWriter out;
    out.u8(kRecordActorSend).u8(kFromNode).body(source, 2).u8(0);
    out.u64(0).u64(message.operation).u32(0).u16(0);
    out.text8(move.actor).u64(move.object_generation);
    out.text8(move.source_rid).u64(move.source_generation);
    out.u64(move.owner_generation).u64(move.coordinator_lease);
    out.u8(1).body(payload, 4);
    return out.bytes();
}

}  // namespace shunt::wire_test
