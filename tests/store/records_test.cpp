// The JSON records byte for byte (spec/stores.md section 5).

#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "golden.hpp"
#include "store/authority_row.hpp"
#include "store/json_writer.hpp"
#include "store/location_store.hpp"
#include "store/node_descriptor.hpp"
#include "store/owner_lease.hpp"

namespace shunt::store {
namespace {

using std::string_literals::operator""s;

/// Decodes by record family and encodes again; what the decoder refused is the error's name.
std::string through_the_codec(const std::string& original_key, ByteView value) {
    const std::string family = original_key.substr(0, original_key.find('\0'));
    const auto again = [](const auto& record, auto encode) {
        return record ? std::string(text_of(encode(record.value()))) : record.error().message();
    };
    if (family == "owner-lease") return again(decode_owner_lease(value), encode_owner_lease);
    if (family == "mesh-node") return again(decode_node_descriptor(value), encode_node_descriptor);
    if (family == "authority") return again(decode_authority_row(value), encode_authority_row);
    return std::string(text_of(value));  // A family of a later step.
}

TEST(Records, ReproduceThePublishedBytes) {
    test::for_each_golden("record", [](const nlohmann::json& vector) {
        if (vector.value("tombstone", false)) return;
        const Bytes value = test::unhex(vector.at("jsonHex"));
        const std::string key(text_of(test::unhex(vector.at("originalKeyHex"))));

        EXPECT_EQ(through_the_codec(key, value), text_of(value));
    });
}

TEST(Records, RefuseThePublishedInvalidValues) {
    test::for_each_golden("value-invalid", [](const nlohmann::json& vector) {
        const auto lease = decode_owner_lease(test::unhex(vector.at("jsonHex")));

        ASSERT_FALSE(lease);
        EXPECT_EQ(lease.error(), Errc::Corrupt);
    });
}

OwnerLease sample_lease() {
    return {OwnerId{"owner-a"}, OwnerLeaseGeneration{5}};
}

NodeDescriptor sample_descriptor() {
    NodeDescriptor descriptor;
    descriptor.mesh_name = "main";
    descriptor.rid = NodeRid{"\x01\x02"};
    descriptor.lifecycle_generation = NodeGeneration{77};
    descriptor.descriptor_revision = 3;
    descriptor.endpoint = "tcp://127.0.0.1:7300";
    descriptor.entry_spot_id = SpotId{"entry \"1\"\n\x01"};
    descriptor.channel_weights = {{"b", 100}, {"a", 0}, {"\xC3\xA9", 10'000}};
    descriptor.application_version = 2;
    descriptor.object_capabilities = {
        {protocol::StatefulObjectKind::UserSpot, "b", CapabilityPolicy::Disabled, false, 0},
        {protocol::StatefulObjectKind::Actor, "chat", CapabilityPolicy::Snapshot, true, 500},
        {protocol::StatefulObjectKind::UserSpot, "a", CapabilityPolicy::Recreate, false, 0},
    };
    descriptor.object_role = protocol::ObjectRole::Server;
    descriptor.actors = {3, 1, 0};
    descriptor.spots = {2, 0, 100};
    descriptor.spot_types = {{protocol::StatefulObjectKind::UserSpot, "a", {2, 0, 100}}};
    descriptor.maintenance_wave = "wave-1";
    descriptor.state = NodeState::Relocating;
    descriptor.security_identity = "default";
    descriptor.lease = sample_lease();
    descriptor.updated_at = UnixMillis{1'700'000'000'000};
    return descriptor;
}

AuthorityRow sample_actor_row() {
    AuthorityRow row;
    row.payload = copy_of(bytes_of("\xDE\xAD\xBE\xEF"));
    row.object_generation = ObjectGeneration{7};
    row.authority_owner_generation = AuthorityOwnerGeneration{3};
    row.owner = sample_lease();
    row.object_kind = protocol::StatefulObjectKind::Actor;
    row.stable_type = "chat";
    row.node = {"main", NodeRid{"\x01\x02"}, NodeGeneration{77}};
    return row;
}

AuthorityRow sample_reserved_spot_row() {
    AuthorityRow row = sample_actor_row();
    row.object_kind = protocol::StatefulObjectKind::InstanceSpot;
    row.stable_type = "quest";
    row.pending_creation =
        PendingCreation{"reservation-1", "inline-v1:YQ", std::string(64, 'a'), 1};
    return row;
}

std::vector<std::pair<std::string, Bytes>> sample_records() {
    return {{"owner-lease", encode_owner_lease(sample_lease())},
            {"mesh-node", encode_node_descriptor(sample_descriptor())},
            {"authority actor active", encode_authority_row(sample_actor_row())},
            {"authority instance spot reserved", encode_authority_row(sample_reserved_spot_row())}};
}

// The bytes on disk outlive this build. SHUNT_REWRITE_FIXTURES=1 writes the file anew; read the
// difference before it is committed.
TEST(Records, EqualTheFixture) {
    std::string text = "# Made by tests/store/records_test.cpp with SHUNT_REWRITE_FIXTURES=1.\n";
    for (const auto& [name, value] : sample_records()) {
        text += "\n" + name + "\n" + std::string(text_of(value)) + "\n";
    }
    const std::string path = std::string(SHUNT_SOURCE_ROOT) + "/fixtures/store/records.txt";
    if (std::getenv("SHUNT_REWRITE_FIXTURES") != nullptr) std::ofstream(path) << text;

    std::stringstream fixture;
    fixture << std::ifstream(path).rdbuf();

    EXPECT_EQ(fixture.str(), text);
}

TEST(Records, DecodeGivesBackWhatWasEncoded) {
    // The encoder sorts; the sample's own lists are brought into that order for the comparison.
    NodeDescriptor descriptor = sample_descriptor();
    std::swap(descriptor.object_capabilities[0], descriptor.object_capabilities[1]);
    std::swap(descriptor.object_capabilities[1], descriptor.object_capabilities[2]);

    EXPECT_EQ(decode_owner_lease(encode_owner_lease(sample_lease())).value(), sample_lease());
    EXPECT_EQ(decode_node_descriptor(encode_node_descriptor(descriptor)).value(), descriptor);
    for (const AuthorityRow& row : {sample_actor_row(), sample_reserved_spot_row()}) {
        EXPECT_EQ(decode_authority_row(encode_authority_row(row)).value(), row);
    }
}

bool decodes(const std::string& lease_json) {
    const auto lease = decode_owner_lease(bytes_of(lease_json));
    return lease && lease.value() == sample_lease();
}

TEST(Records, ReadersAcceptAnyOrderAndUnknownMembers) {
    EXPECT_TRUE(decodes(R"({"leaseGeneration":"5","ownerId":"owner-a","recordVersion":1})"));
    EXPECT_TRUE(decodes(
        R"({"recordVersion":1,"new":{"a":[1]},"ownerId":"owner-a","leaseGeneration":"5"})"));
    EXPECT_TRUE(decodes(R"({"recordVersion":1,"ownerId":"owner-\u0061","leaseGeneration":"5"})"));
}

TEST(Records, ReadersRefuseEverythingElse) {
    const std::vector<std::string> bad = {
        "",
        "{}",
        "[]",
        "null",
        R"({"recordVersion":1,"ownerId":"owner-a"})",
        R"({"recordVersion":1,"ownerId":"owner-a","leaseGeneration":5})",
        R"({"recordVersion":1,"ownerId":"owner-a","leaseGeneration":"05"})",
        R"({"recordVersion":1,"ownerId":"owner-a","leaseGeneration":"+5"})",
        R"({"recordVersion":1,"ownerId":"owner-a","leaseGeneration":"0"})",
        R"({"recordVersion":1,"ownerId":"owner-a","leaseGeneration":"9223372036854775807"})",
        R"({"recordVersion":1,"ownerId":"owner-a","leaseGeneration":null})",
        R"({"recordVersion":1,"ownerId":"","leaseGeneration":"5"})",
        R"({"recordVersion":1,"ownerId":"a\u0000b","leaseGeneration":"5"})",
        R"({"recordVersion":1,"ownerId":7,"leaseGeneration":"5"})",
        R"({"recordVersion":1.0,"ownerId":"owner-a","leaseGeneration":"5"})",
        R"({"recordVersion":"1","ownerId":"owner-a","leaseGeneration":"5"})",
        R"({"recordVersion":0,"ownerId":"owner-a","leaseGeneration":"5"})",
        R"({"recordVersion":1,"recordVersion":1,"ownerId":"owner-a","leaseGeneration":"5"})",
        R"({"recordVersion":1,"x":{"y":1,"y":2},"ownerId":"owner-a","leaseGeneration":"5"})",
        R"({"recordVersion":1,"ownerId":"owner-a","leaseGeneration":"5"}x)",
        R"({"recordVersion":1,"ownerId":"owner-a","leaseGeneration":"5")",
        "\xEF\xBB\xBF"
        R"({"recordVersion":1,"ownerId":"owner-a","leaseGeneration":"5"})",
        "{\"recordVersion\":1,\"ownerId\":\"\xFF\",\"leaseGeneration\":\"5\"}",
    };
    for (const std::string& json : bad) {
        const auto lease = decode_owner_lease(bytes_of(json));
        ASSERT_FALSE(lease) << json;
        EXPECT_EQ(lease.error(), Errc::Corrupt) << json;
    }
}

TEST(Records, DeepNestingIsRefused) {
    std::string json = R"({"recordVersion":1,"ownerId":"owner-a","leaseGeneration":"5","x":)";
    json += std::string(100'000, '[') + std::string(100'000, ']') + "}";

    EXPECT_FALSE(decodes(json));
}

/// Every place where `part` occurs is replaced; the result must be refused.
void expect_corrupt(const Bytes& good, const std::string& part, const std::string& instead,
                    const std::function<bool(ByteView)>& decodes) {
    std::string json(text_of(good));
    const std::size_t at = json.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    json.replace(at, part.size(), instead);
    EXPECT_FALSE(decodes(bytes_of(json))) << json;
}

TEST(Records, DescriptorInvariantsHoldOrItIsCorrupt) {
    const Bytes good = encode_node_descriptor(sample_descriptor());
    const auto decodes = [](ByteView bytes) { return decode_node_descriptor(bytes).has_value(); };
    ASSERT_TRUE(decodes(good));

    const std::vector<std::pair<std::string, std::string>> changes = {
        {R"("ownerId":"owner-a")", R"("ownerId":"owner-b")"},  // Only the outer copy.
        {R"("leaseGeneration":"5")", R"("leaseGeneration":"6")"},
        {R"("descriptorRevision":"3")", R"("descriptorRevision":"4")"},
        {R"("routingIdHex":"0102")", R"("routingIdHex":"")"},
        {R"("routingIdHex":"0102")", R"("routingIdHex":"01A2")"},
        {R"("objectRole":"server")", R"("objectRole":"client")"},  // Has an Entry Spot.
        {R"("objectRole":"server")", R"("objectRole":"Server")"},
        {R"("state":"relocating")", R"("state":"moving")"},
        {R"("placementWeight":100)", R"("placementWeight":10001)"},
        {R"("placementWeight":100)", R"("placementWeight":-1)"},
        {R"("placementWeight":100)", R"("placementWeight":"100")"},
        {R"("hasSnapshotAdapter":true)", R"("hasSnapshotAdapter":1)"},
        {R"("a":0)", R"("a":10001)"},
        {R"("lifecycleGeneration":"77")", R"("lifecycleGeneration":"0")"},
        {R"("maintenanceWave":"wave-1")", R"("maintenanceWave":1)"},
        {R"("maintenanceWave":"wave-1",)", ""},
    };
    for (const auto& [part, instead] : changes) expect_corrupt(good, part, instead, decodes);
}

TEST(Records, AuthorityRowInvariantsHoldOrItIsCorrupt) {
    const auto decodes = [](ByteView bytes) { return decode_authority_row(bytes).has_value(); };
    const Bytes actor = encode_authority_row(sample_actor_row());
    const Bytes spot = encode_authority_row(sample_reserved_spot_row());
    ASSERT_TRUE(decodes(actor) && decodes(spot));

    expect_corrupt(actor, R"("state":"active")", R"("state":"reserved")", decodes);
    expect_corrupt(spot, R"("state":"reserved")", R"("state":"active")", decodes);
    expect_corrupt(actor, R"("actors":1)", R"("actors":0)", decodes);
    expect_corrupt(actor, R"("spots":0)", R"("spots":1)", decodes);
    expect_corrupt(spot, R"("count":1)", R"("count":2)", decodes);
    expect_corrupt(spot, R"("stableType":"quest")", R"("stableType":"other")", decodes);
    expect_corrupt(actor, R"("objectGeneration":"7")", R"("objectGeneration":"0")", decodes);
    expect_corrupt(actor, R"("payload":"3q2+7w==")", R"("payload":"3q2+7w")", decodes);
    expect_corrupt(actor, R"(,"pendingCreation":null)", "", decodes);
    expect_corrupt(spot, std::string(64, 'a'), std::string(63, 'a'), decodes);
}

TEST(Records, WhatMayChangeWithinALifecycle) {
    const NodeDescriptor before = sample_descriptor();
    NodeDescriptor after = before;
    after.descriptor_revision = 9;
    after.channel_weights["a"] = 50;
    after.placement_weight = 0;
    after.actors.active = 9;
    after.spots.reserved = 9;
    after.spot_types[0].use.active = 9;
    after.activations_active = 9;
    after.maintenance_wave.reset();
    after.state = NodeState::Draining;
    after.updated_at = UnixMillis{9};
    EXPECT_TRUE(same_immutable_fields(before, after));

    const std::vector<std::function<void(NodeDescriptor&)>> forbidden = {
        [](NodeDescriptor& d) { d.endpoint = "tcp://elsewhere:1"; },
        [](NodeDescriptor& d) { d.lifecycle_generation = NodeGeneration{1}; },
        [](NodeDescriptor& d) { d.channel_weights.erase("a"); },
        [](NodeDescriptor& d) { d.channel_weights["new"] = 1; },
        [](NodeDescriptor& d) { d.actors.limit = 9; },
        [](NodeDescriptor& d) { d.spot_types[0].use.limit = 9; },
        [](NodeDescriptor& d) { d.spot_types.clear(); },
        [](NodeDescriptor& d) { d.activations_limit = 9; },
        [](NodeDescriptor& d) { d.application_version = 9; },
        [](NodeDescriptor& d) { d.object_capabilities.pop_back(); },
        [](NodeDescriptor& d) { d.security_identity = "other"; },
    };
    for (const auto& change : forbidden) {
        NodeDescriptor other = before;
        change(other);
        EXPECT_FALSE(same_immutable_fields(before, other));
    }
}

TEST(JsonWriter, EscapesOnlyWhatMustBeEscaped) {
    JsonWriter json;
    json.begin_object();
    json.text("t", "\"\\/\b\f\n\r\t\x01\x1F\x7F\xC3\xA9"s);
    json.end_object();

    EXPECT_EQ(text_of(json.bytes()),
              "{\"t\":\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7F\xC3\xA9\"}");
}

}  // namespace
}  // namespace shunt::store
