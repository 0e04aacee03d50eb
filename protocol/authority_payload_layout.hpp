#pragma once
// How the authority payload lies in its durable envelope (spec/wire.md section 10).

#include "protocol/authority_payload.hpp"
#include "protocol/durable.hpp"
#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"
#include "protocol/shared_layout.hpp"

namespace shunt::protocol {

inline constexpr std::uint32_t kAuthorityBytesMax = 1'048'576;
inline constexpr std::uint32_t kCreationRequestBytesMax = 1'048'576;

/// `sha256-bytes`: the length is written although it is always 32.
struct Sha256Codec {
    template <class Sink>
    void encode(Sink& sink, const Sha256& digest) const {
        sink.integer(static_cast<std::uint8_t>(digest.size()));
        sink.copy(digest);
    }
    result<void> decode(Reader& reader, Sha256& digest) const {
        BOOST_OUTCOME_TRY(const auto size, reader.integer<std::uint8_t>());
        if (size != digest.size()) return Errc::InvalidField;
        BOOST_OUTCOME_TRY(const ByteView raw, reader.take(size));
        std::ranges::copy(raw, digest.begin());
        return outcome::success();
    }
    void print(JsonPrinter& printer, const Sha256& digest) const { printer.bytes(digest); }
};
constexpr Sha256Codec codec_for(Of<Sha256>) {
    return {};
}

constexpr auto layout(Of<ActorAuthority>) {
    using T = ActorAuthority;
    return fields(field("actorType", &T::actor_type), field("actorId", &T::actor_id),
                  field("state", &T::state), field("currentSpot", &T::current_spot),
                  field("currentSpotKind", &T::current_spot_kind));
}

constexpr auto layout(Of<EntrySpotAuthority>) {
    using T = EntrySpotAuthority;
    return fields(field("spotId", &T::spot_id), field("spotType", &T::spot_type),
                  field("state", &T::state));
}
constexpr auto layout(Of<UserSpotAuthority>) {
    using T = UserSpotAuthority;
    return fields(field("spotId", &T::spot_id), field("spotType", &T::spot_type),
                  field("state", &T::state));
}
constexpr auto layout(Of<InstanceSpotAuthority>) {
    using T = InstanceSpotAuthority;
    return fields(field("authorityState", &T::authority_state),
                  body<std::uint16_t>(field("instanceType", &T::instance_type),
                                      field("spotId", &T::spot_id)));
}
constexpr auto layout(Of<SpotAuthority>) {
    return fields(kind("spotKind", kSelf, SpotKind::Entry, SpotKind::User, SpotKind::Instance),
                  body<std::uint16_t>(content(kSelf, nullptr, nullptr, "instance")));
}
constexpr auto layout(Of<AuthorityObject>) {
    return fields(kind("objectKind", kSelf, AuthorityObjectKind::Actor, AuthorityObjectKind::Spot),
                  body<std::uint16_t>(content(kSelf, "actor", "spot")));
}

constexpr auto layout(Of<AuthorityRelocation>) {
    using T = AuthorityRelocation;
    return fields(field("relocation", &T::relocation),
                  field("aggregateGeneration", &T::aggregate_generation, up_to(kOrdinalMax - 1)),
                  field("targetAttemptGeneration", &T::target_attempt_generation, kOrdinal),
                  field("relocationReference", &T::relocation_reference, kText4096),
                  field("relocationChecksumCrc32c", &T::relocation_checksum_crc32c),
                  field("sourceNodeRid", &T::source_node_rid),
                  field("sourceNodeGeneration", &T::source_node_generation),
                  field("sourceOwnerId", &T::source_owner_id),
                  field("sourceOwnerLeaseGeneration", &T::source_owner_lease_generation),
                  field("targetNodeRid", &T::target_node_rid, kOptionalRid),
                  field("targetNodeGeneration", &T::target_node_generation, kOrdinal),
                  field("targetOwnerId", &T::target_owner_id, kOptionalText8),
                  field("targetOwnerLeaseGeneration", &T::target_owner_lease_generation, kOrdinal),
                  field("coordinatorOwnerId", &T::coordinator_owner_id),
                  field("coordinatorLeaseGeneration", &T::coordinator_lease_generation),
                  field("coordinatorNodeRid", &T::coordinator_node_rid),
                  field("coordinatorNodeGeneration", &T::coordinator_node_generation),
                  field("coordinatorExpectedStoreVersion", &T::coordinator_expected_store_version,
                        kOptionalText8),
                  field("phase", &T::phase),
                  field("applicationVersion", &T::application_version, kOrdinal),
                  field("sourceCleanupState", &T::source_cleanup_state));
}

constexpr auto layout(Of<ActivationRecovery>) {
    using T = ActivationRecovery;
    return fields(field("reference", &T::reference, kText4096), field("sha256", &T::sha256),
                  field("encodedSize", &T::encoded_size, up_to(kCreationRequestBytesMax)),
                  field("inboxSequence", &T::inbox_sequence, kNonzero),
                  field("replayCursor", &T::replay_cursor), must([](const T& recovery) {
                      return recovery.replay_cursor <= recovery.inbox_sequence;
                  }));
}

inline constexpr std::uint32_t kBeforeOptionalBody = 1 + 4;
/// `authority-relocation-state`.
inline constexpr Wrapped<std::uint32_t, Nested> kRelocationState{
    "hasRelocation", nullptr, {}, kAuthorityBytesMax - kBeforeOptionalBody};
/// `authority-activation-recovery-state`.
inline constexpr Wrapped<std::uint32_t, Nested> kActivationRecoveryState{
    "hasActivationRecovery", nullptr, {}, kAuthorityBytesMax - kBeforeOptionalBody};

constexpr DurableFormat durable_format(Of<AuthorityPayload>) {
    return {.magic = "ZLAU", .bytes_max = kAuthorityBytesMax};
}
constexpr auto layout(Of<AuthorityPayload>) {
    using T = AuthorityPayload;
    return fields(
        field("operationKind", &T::operation_kind), field("object", &T::object),
        field("ownerId", &T::owner_id), field("ownerLeaseGeneration", &T::owner_lease_generation),
        field("ownerMeshName", &T::owner_mesh_name), field("ownerNodeRid", &T::owner_node_rid),
        field("ownerNodeGeneration", &T::owner_node_generation),
        field("relocationState", &T::relocation_state, kRelocationState),
        field("activationRecoveryState", &T::activation_recovery_state, kActivationRecoveryState));
}

}  // namespace shunt::protocol
