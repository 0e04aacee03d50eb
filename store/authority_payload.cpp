#include "store/authority_payload.hpp"

#include <utility>

#include "base/assert.hpp"
#include "protocol/crc32c.hpp"
#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"
#include "protocol/shared_layout.hpp"
#include "store/decimal.hpp"
#include "store/location_store.hpp"

namespace shunt::store {

using protocol::ActorAuthorityState;
using protocol::AuthorityObjectKind;
using protocol::AuthorityOperationKind;
using protocol::EntryUserSpotAuthorityState;
using protocol::InstanceAuthorityState;
using protocol::Of;
using protocol::RelocationPhase;
using protocol::SpotKind;

// --- layouts (spec/wire.md section 10) --------------------------------------------------------

constexpr auto layout(Of<OwnerLease>) {
    return protocol::fields(protocol::field("ownerId", &OwnerLease::owner_id),
                            protocol::field("ownerLeaseGeneration", &OwnerLease::generation));
}

constexpr auto layout(Of<ActorAuthority>) {
    using T = ActorAuthority;
    return protocol::fields(
        protocol::field("actorType", &T::actor_type), protocol::field("actorId", &T::actor_id),
        protocol::field("state", &T::state), protocol::field("currentSpot", &T::current_spot),
        protocol::field("currentSpotKind", &T::current_spot_kind));
}

template <SpotKind Kind>
constexpr auto layout(Of<PlacedSpotAuthority<Kind>>) {
    using T = PlacedSpotAuthority<Kind>;
    return protocol::fields(protocol::field("spotId", &T::spot_id),
                            protocol::field("spotType", &T::spot_type),
                            protocol::field("state", &T::state));
}

constexpr auto layout(Of<InstanceSpotAuthority>) {
    using T = InstanceSpotAuthority;
    return protocol::fields(
        protocol::field("authorityState", &T::state),
        protocol::body<std::uint16_t>(protocol::field("instanceType", &T::instance_type),
                                      protocol::field("spotId", &T::spot_id)));
}

constexpr auto layout(Of<SpotAuthority>) {
    return protocol::fields(protocol::kind("spotKind", protocol::kSelf, SpotKind::Entry,
                                           SpotKind::User, SpotKind::Instance),
                            protocol::body<std::uint16_t>(protocol::content(protocol::kSelf)));
}

constexpr auto layout(Of<AuthorityObject>) {
    return protocol::fields(protocol::kind("objectKind", protocol::kSelf,
                                           AuthorityObjectKind::Actor, AuthorityObjectKind::Spot),
                            protocol::body<std::uint16_t>(protocol::content(protocol::kSelf)));
}

namespace {

/// The target fence as it lies in a slot: four fields, all empty or all present.
struct TargetFields {
    template <class Sink>
    void encode(Sink& sink, const std::optional<NodeFence>& target) const {
        const NodeFence none;
        const NodeFence& fence = target ? *target : none;
        protocol::kOptionalRid.encode(sink, fence.node_rid);
        protocol::kOrdinal.encode(sink, fence.node_generation.value);
        protocol::kOptionalText8.encode(sink, fence.owner.owner_id);
        protocol::kOrdinal.encode(sink, fence.owner.generation.value);
    }
    result<void> decode(protocol::Reader& reader, std::optional<NodeFence>& target) const {
        NodeFence fence;
        BOOST_OUTCOME_TRY(protocol::kOptionalRid.decode(reader, fence.node_rid));
        BOOST_OUTCOME_TRY(protocol::kOrdinal.decode(reader, fence.node_generation.value));
        BOOST_OUTCOME_TRY(protocol::kOptionalText8.decode(reader, fence.owner.owner_id));
        BOOST_OUTCOME_TRY(protocol::kOrdinal.decode(reader, fence.owner.generation.value));
        const bool any = fence != NodeFence{};
        const bool all = !fence.node_rid.empty() && fence.node_generation &&
                         !fence.owner.owner_id.empty() && fence.owner.generation;
        if (any != all) return protocol::Errc::InvalidField;
        if (any) target = std::move(fence);
        return outcome::success();
    }
};

/// The coordinator names its owner first, unlike source and target.
struct CoordinatorFields {
    template <class Sink>
    void encode(Sink& sink, const NodeFence& fence) const {
        protocol::encode(sink, fence.owner);
        protocol::kRid.encode(sink, fence.node_rid);
        protocol::NumberedCodec{}.encode(sink, fence.node_generation);
    }
    result<void> decode(protocol::Reader& reader, NodeFence& fence) const {
        BOOST_OUTCOME_TRY(protocol::decode(reader, fence.owner));
        BOOST_OUTCOME_TRY(protocol::kRid.decode(reader, fence.node_rid));
        return protocol::NumberedCodec{}.decode(reader, fence.node_generation);
    }
};

/// `ordinal-or-zero` for a number that is otherwise never zero.
struct NumberedOrZero {
    template <class Sink, class Tag>
    void encode(Sink& sink, const Numbered<Tag>& value) const {
        protocol::kOrdinal.encode(sink, value.value);
    }
    template <class Tag>
    result<void> decode(protocol::Reader& reader, Numbered<Tag>& value) const {
        return protocol::kOrdinal.decode(reader, value.value);
    }
};

constexpr std::size_t kPayloadBytesMax = 1'048'576;
constexpr std::uint32_t kRequestBytesMax = 1'048'576;
constexpr std::uint8_t kSha256Bytes = 32;

}  // namespace

constexpr auto layout(Of<NodeFence>) {
    return protocol::fields(protocol::field("nodeRid", &NodeFence::node_rid),
                            protocol::field("nodeGeneration", &NodeFence::node_generation),
                            protocol::field("owner", &NodeFence::owner));
}

constexpr auto layout(Of<RelocationSlot>) {
    using T = RelocationSlot;
    return protocol::fields(
        protocol::field("relocation", &T::relocation),
        protocol::field("aggregateGeneration", &T::aggregate_generation,
                        protocol::up_to(kIssuedMax)),
        protocol::field("targetAttemptGeneration", &T::target_attempt_generation, NumberedOrZero{}),
        protocol::field("relocationReference", &T::relocation_reference, protocol::kText4096),
        protocol::field("relocationChecksumCrc32c", &T::relocation_checksum_crc32c),
        protocol::field("source", &T::source),
        protocol::field("target", &T::target, TargetFields{}),
        protocol::field("coordinator", &T::coordinator, CoordinatorFields{}),
        protocol::field("coordinatorExpectedStoreVersion", &T::coordinator_expected_store_version,
                        protocol::kOptionalText8),
        protocol::field("phase", &T::phase),
        protocol::field("applicationVersion", &T::application_version, protocol::kOrdinal),
        protocol::field("sourceCleanupState", &T::source_cleanup_state));
}

constexpr auto layout(Of<ActivationRecovery>) {
    using T = ActivationRecovery;
    return protocol::fields(
        protocol::field("reference", &T::reference, protocol::kText4096),
        protocol::field("sha256", &T::sha256,
                        protocol::Bulk<std::uint8_t>{.min = kSha256Bytes, .max = kSha256Bytes}),
        protocol::field("encodedSize", &T::encoded_bytes, protocol::up_to(kRequestBytesMax)),
        protocol::field("inboxSequence", &T::inbox_sequence, protocol::kNonzero),
        protocol::field("replayCursor", &T::replay_cursor));
}

constexpr auto layout(Of<AuthorityPayload>) {
    using T = AuthorityPayload;
    return protocol::fields(
        protocol::field("operationKind", &T::operation_kind), protocol::field("object", &T::object),
        protocol::field("owner", &T::owner), protocol::field("ownerMeshName", &T::owner_mesh_name),
        protocol::field("ownerNodeRid", &T::owner_node_rid),
        protocol::field("ownerNodeGeneration", &T::owner_node_generation),
        protocol::field(
            "relocationState", &T::relocation,
            protocol::wrapped<std::uint32_t>("hasRelocation", "relocation", protocol::Nested{})),
        protocol::field("activationRecoveryState", &T::activation_recovery,
                        protocol::wrapped<std::uint32_t>(
                            "hasActivationRecovery", "activationRecovery", protocol::Nested{})));
}

// --- rules ------------------------------------------------------------------------------------

namespace {

/// Which operation a payload of this object state may carry (section 5.5).
struct AllowedOperations {
    AuthorityOperationKind operation;

    bool operator()(const ActorAuthority&) const {
        return operation == AuthorityOperationKind::Steady ||
               operation == AuthorityOperationKind::MaintenanceRelocation;
    }
    bool operator()(const SpotAuthority& spot) const { return std::visit(*this, spot); }
    bool operator()(const EntrySpotAuthority& spot) const {
        return placed(spot.state) && operation != AuthorityOperationKind::MaintenanceRelocation;
    }
    bool operator()(const UserSpotAuthority& spot) const { return placed(spot.state); }
    bool operator()(const InstanceSpotAuthority& spot) const {
        switch (operation) {
            case AuthorityOperationKind::Steady:
                return spot.state == InstanceAuthorityState::Ready;
            case AuthorityOperationKind::ColdActivation:
                return spot.state == InstanceAuthorityState::ColdActivating;
            case AuthorityOperationKind::MaintenanceRelocation:
                return spot.state == InstanceAuthorityState::Relocating;
            case AuthorityOperationKind::Close:
                return spot.state == InstanceAuthorityState::Closing;
        }
        return false;
    }

  private:
    bool placed(EntryUserSpotAuthorityState state) const {
        switch (operation) {
            case AuthorityOperationKind::Steady:
                return state == EntryUserSpotAuthorityState::Creating ||
                       state == EntryUserSpotAuthorityState::Ready;
            case AuthorityOperationKind::MaintenanceRelocation:
                return state == EntryUserSpotAuthorityState::Relocating;
            case AuthorityOperationKind::Close:
                return state == EntryUserSpotAuthorityState::Closing;
            case AuthorityOperationKind::ColdActivation:
                return false;
        }
        return false;
    }
};

bool is_ready_instance(const AuthorityObject& object) {
    const auto* spot = std::get_if<SpotAuthority>(&object);
    const auto* instance = spot == nullptr ? nullptr : std::get_if<InstanceSpotAuthority>(spot);
    return instance != nullptr && instance->state == InstanceAuthorityState::Ready;
}

bool is_consistent(const AuthorityPayload& payload) {
    const bool moving = payload.operation_kind == AuthorityOperationKind::MaintenanceRelocation;
    if (payload.relocation.has_value() != moving) return false;
    if (moving && !fits_its_phase(*payload.relocation)) return false;
    if (payload.activation_recovery) {
        if (!is_ready_instance(payload.object)) return false;
        const ActivationRecovery& recovery = *payload.activation_recovery;
        if (recovery.replay_cursor > recovery.inbox_sequence) return false;
    }
    return std::visit(AllowedOperations{payload.operation_kind}, payload.object);
}

// --- envelope ---------------------------------------------------------------------------------

constexpr std::uint32_t kMagic = 0x5A4C'4155;  // "ZLAU"
constexpr std::uint8_t kFormatVersion = 1;
constexpr std::uint16_t kNoFlags = 0;
constexpr std::size_t kHeadBytes = 4 + 1 + 2 + 4;
constexpr std::size_t kChecksumBytes = 4;

/// The body inside the envelope, after everything around it has been verified.
result<ByteView> open_envelope(ByteView bytes) {
    if (bytes.size() > kPayloadBytesMax) return protocol::Errc::LimitExceeded;
    if (bytes.size() < kHeadBytes + kChecksumBytes) return protocol::Errc::TruncatedField;
    protocol::Reader reader(bytes);
    BOOST_OUTCOME_TRY(const auto magic, reader.integer<std::uint32_t>());
    BOOST_OUTCOME_TRY(const auto version, reader.integer<std::uint8_t>());
    BOOST_OUTCOME_TRY(const auto flags, reader.integer<std::uint16_t>());
    BOOST_OUTCOME_TRY(const auto body_bytes, reader.integer<std::uint32_t>());
    if (magic != kMagic) return protocol::Errc::InvalidMagic;
    if (version != kFormatVersion || flags != kNoFlags) return protocol::Errc::InvalidHeader;
    BOOST_OUTCOME_TRY(const ByteView body, reader.take(body_bytes));
    BOOST_OUTCOME_TRY(const auto checksum, reader.integer<std::uint32_t>());
    BOOST_OUTCOME_TRY(reader.finish());
    if (checksum != protocol::crc32c(bytes.first(bytes.size() - kChecksumBytes))) {
        return protocol::Errc::ChecksumMismatch;
    }
    return body;
}

result<AuthorityPayload> decode_body(ByteView bytes) {
    BOOST_OUTCOME_TRY(const ByteView body, open_envelope(bytes));
    BOOST_OUTCOME_TRY(AuthorityPayload payload, protocol::decode_whole<AuthorityPayload>(body));
    if (!is_consistent(payload)) return protocol::Errc::Semantic;
    return payload;
}

}  // namespace

bool fits_its_phase(const RelocationSlot& slot) {
    const bool has_attempt = static_cast<bool>(slot.target_attempt_generation);
    switch (slot.phase) {
        case RelocationPhase::None:
            return false;
        case RelocationPhase::Preparing:
            return slot.aggregate_generation == 0 && !slot.target && !has_attempt;
        case RelocationPhase::Captured:
            return slot.aggregate_generation >= 1 && slot.target.has_value() == has_attempt;
        case RelocationPhase::Prepared:
        case RelocationPhase::Committed:
        case RelocationPhase::Activating:
        case RelocationPhase::Activated:
        case RelocationPhase::Cleaning:
        case RelocationPhase::Completed:
            return slot.aggregate_generation >= 1 && slot.target && has_attempt;
        case RelocationPhase::Aborted:
            return slot.target.has_value() == has_attempt;
    }
    return false;
}

protocol::AuthorityKey key_of(const AuthorityObject& object) {
    struct Namer {
        protocol::AuthorityKey operator()(const ActorAuthority& actor) const {
            return {AuthorityObjectKind::Actor, actor.actor_id.value};
        }
        protocol::AuthorityKey operator()(const SpotAuthority& spot) const {
            return {AuthorityObjectKind::Spot,
                    std::visit([](const auto& s) { return s.spot_id.value; }, spot)};
        }
    };
    return std::visit(Namer{}, object);
}

Bytes encode_authority_payload(const AuthorityPayload& payload) {
    SHUNT_ASSERT(is_consistent(payload));
    const auto body_bytes = protocol::measure(payload).total_bytes();
    SHUNT_ASSERT(body_bytes <= kPayloadBytesMax - kHeadBytes - kChecksumBytes);
    protocol::Writer writer(kHeadBytes + static_cast<std::size_t>(body_bytes) + kChecksumBytes);
    writer.integer(kMagic);
    writer.integer(kFormatVersion);
    writer.integer(kNoFlags);
    writer.integer(static_cast<std::uint32_t>(body_bytes));
    protocol::encode(writer, payload);
    Bytes bytes = flatten(std::move(writer).take_segments());
    protocol::Writer checksum;
    checksum.integer(protocol::crc32c(bytes));
    const Bytes tail = flatten(std::move(checksum).take_segments());
    bytes.insert(bytes.end(), tail.begin(), tail.end());
    return bytes;
}

result<AuthorityPayload> decode_authority_payload(ByteView bytes) {
    result<AuthorityPayload> payload = decode_body(bytes);
    if (!payload) return Errc::Corrupt;  // To the store all of it is one thing: never guessed.
    return payload;
}

}  // namespace shunt::store
