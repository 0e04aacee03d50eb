#include "store/authority_payload.hpp"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "golden.hpp"
#include "protocol/crc32c.hpp"
#include "store/location_store.hpp"
#include "store/text_codes.hpp"

namespace shunt::store {
namespace {

using protocol::AuthorityOperationKind;
using protocol::RelocationPhase;

AuthorityPayload actor_payload() {
    AuthorityPayload payload;
    ActorAuthority actor;
    actor.actor_type = "A";
    actor.actor_id = ActorId{"B"};
    actor.current_spot = {SpotId{"C"}, ObjectGeneration{2}};
    payload.object = actor;
    payload.owner_id = OwnerId{"D"};
    payload.owner_lease_generation = OwnerLeaseGeneration{3};
    payload.owner_mesh_name = "E";
    payload.owner_node_rid = NodeRid{"F"};
    payload.owner_node_generation = NodeGeneration{4};
    return payload;
}

RelocationSlot committed_slot() {
    RelocationSlot slot;
    slot.relocation = {1, 2};
    slot.aggregate_generation = 1;
    slot.target_attempt_generation = 3;
    const NodeFence source{
        NodeRid{"s"}, NodeGeneration{3}, {OwnerId{"o"}, OwnerLeaseGeneration{4}}};
    set_source(slot, source);
    set_coordinator(slot, source);
    set_target(slot, {NodeRid{"t"}, NodeGeneration{5}, {OwnerId{"p"}, OwnerLeaseGeneration{6}}});
    slot.coordinator_expected_store_version = "213";
    slot.phase = RelocationPhase::Committed;
    slot.application_version = 9;
    return slot;
}

AuthorityPayload moving_payload() {
    AuthorityPayload payload = actor_payload();
    payload.operation_kind = AuthorityOperationKind::MaintenanceRelocation;
    payload.relocation_state = committed_slot();
    return payload;
}

TEST(AuthorityPayload, ReproducesThePublishedBytes) {
    test::for_each_golden("authority-payload", [](const nlohmann::json& vector) {
        const Bytes bytes = test::unhex(vector.at("payloadHex"));

        const result<AuthorityPayload> payload = decode_authority_payload(bytes);

        ASSERT_TRUE(payload);
        EXPECT_EQ(hex_of(encode_authority_payload(payload.value())), hex_of(bytes));
        const nlohmann::json& decoded = vector.at("decoded");
        EXPECT_EQ(payload.value().owner_id.value, decoded.at("ownerId"));
        EXPECT_EQ(payload.value().owner_mesh_name, decoded.at("ownerMeshName"));
    });
}

TEST(AuthorityPayload, RefusesThePublishedInvalidBytes) {
    test::for_each_golden("authority-payload-invalid", [](const nlohmann::json& vector) {
        const auto payload = decode_authority_payload(test::unhex(vector.at("payloadHex")));

        ASSERT_FALSE(payload);
        EXPECT_EQ(payload.error(), Errc::Corrupt);
    });
}

/// A moving Actor's payload around the given relocation state.
Bytes around_state(ByteView state) {
    const auto append = [](Bytes& out, ByteView bytes) {
        out.insert(out.end(), bytes.begin(), bytes.end());
    };
    const auto u32 = [](std::size_t value) {
        return Bytes{static_cast<std::byte>(value >> 24U), static_cast<std::byte>(value >> 16U),
                     static_cast<std::byte>(value >> 8U), static_cast<std::byte>(value)};
    };
    constexpr std::size_t kHeadBytes = 11;
    constexpr std::size_t kStatesAndChecksumBytes = 5 + 5 + 4;
    const Bytes steady = encode_authority_payload(actor_payload());
    Bytes body(steady.begin() + kHeadBytes, steady.end() - kStatesAndChecksumBytes);
    body.front() = std::byte{2};  // maintenanceRelocation
    append(body, state);
    append(body, Bytes(5));  // No activation recovery.

    Bytes out(steady.begin(), steady.begin() + 7);
    append(out, u32(body.size()));
    append(out, body);
    append(out, u32(protocol::crc32c(out)));
    return out;
}

TEST(AuthorityPayload, AcceptsAndRefusesTheRelocationStateVectors) {
    test::for_each_golden("relocation-state", [](const nlohmann::json& vector) {
        if (vector.value("error", "") == "root-disagreement") return;  // Only a root can tell.
        const Bytes bytes = around_state(test::unhex(vector.at("stateHex")));

        const result<AuthorityPayload> payload = decode_authority_payload(bytes);

        ASSERT_EQ(payload.has_value(), vector.at("valid").get<bool>());
        if (!payload) return;
        EXPECT_EQ(encode_authority_payload(payload.value()), bytes);
    });
}

TEST(AuthorityPayload, MovingActorRoundTrips) {
    const AuthorityPayload payload = moving_payload();

    EXPECT_EQ(decode_authority_payload(encode_authority_payload(payload)).value(), payload);
}

TEST(AuthorityPayload, RefusesEveryTruncationAndEveryFlippedByte) {
    const Bytes good = encode_authority_payload(moving_payload());

    for (std::size_t size = 0; size < good.size(); ++size) {
        EXPECT_FALSE(decode_authority_payload(ByteView(good).first(size))) << size;
    }
    for (std::size_t at = 0; at < good.size(); ++at) {
        Bytes bad = good;
        bad[at] ^= std::byte{0x40};
        EXPECT_FALSE(decode_authority_payload(bad)) << at;
    }
}

TEST(AuthorityPayload, PhaseSaysWhichFieldsStand) {
    RelocationSlot slot = committed_slot();
    EXPECT_TRUE(fits_its_phase(slot));

    set_target(slot, {});
    EXPECT_FALSE(fits_its_phase(slot));
    slot.target_attempt_generation = 0;
    slot.phase = RelocationPhase::Captured;
    EXPECT_TRUE(fits_its_phase(slot));
    slot.phase = RelocationPhase::Preparing;
    EXPECT_FALSE(fits_its_phase(slot));
    slot.aggregate_generation = 0;
    EXPECT_TRUE(fits_its_phase(slot));
    slot.phase = RelocationPhase::Captured;
    EXPECT_FALSE(fits_its_phase(slot));
    slot.phase = RelocationPhase::None;
    EXPECT_FALSE(fits_its_phase(slot));
}

// An Entry Spot never moves, so no such pair may be read back either.
TEST(AuthorityPayload, PairsOfOperationAndStateAreChecked) {
    UserSpotAuthority spot{SpotId{"S"}, "T", protocol::EntryUserSpotAuthorityState::Relocating};
    AuthorityPayload payload = moving_payload();
    payload.object = SpotAuthority(spot);
    const Bytes moving = encode_authority_payload(payload);
    ASSERT_TRUE(decode_authority_payload(moving));

    // The kind of the Spot stands right behind operation, object kind and length.
    Bytes entry(moving.begin(), moving.end() - 4);
    entry[11 + 4] = std::byte{1};
    const std::uint32_t checksum = protocol::crc32c(entry);
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
        entry.push_back(static_cast<std::byte>(checksum >> shift));
    }

    EXPECT_FALSE(decode_authority_payload(entry));
}

TEST(AuthorityPayload, KeyNamesTheObject) {
    EXPECT_EQ(key_of(actor_payload().object),
              (protocol::AuthorityKey{protocol::AuthorityObjectKind::Actor, "B"}));
    EXPECT_EQ(key_of(SpotAuthority(InstanceSpotAuthority{{}, "quest", SpotId{"q"}})),
              (protocol::AuthorityKey{protocol::AuthorityObjectKind::Spot, "q"}));
}

}  // namespace
}  // namespace shunt::store
