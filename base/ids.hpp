#pragma once
// Identity types. Each number of the protocol is its own type, so an ObjectGeneration can never be
// passed where an AuthorityOwnerGeneration is meant (spec/objects.md section 1.2).

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace shunt {

/// A 64-bit number with a meaning. Zero is "none"; the protocol forbids zero for all of them.
template <class Tag>
struct Numbered {
    std::uint64_t value = 0;
    constexpr auto operator<=>(const Numbered&) const noexcept = default;
    explicit constexpr operator bool() const noexcept { return value != 0; }
};

/// Changes when an object is deleted and created again under the same id; kept by a move.
using ObjectGeneration = Numbered<struct ObjectGenerationTag>;
/// Grows by one with each owner change of one incarnation (design.md decision 15).
using AuthorityOwnerGeneration = Numbered<struct AuthorityOwnerGenerationTag>;
/// Issued when a host claims its owner lease.
using OwnerLeaseGeneration = Numbered<struct OwnerLeaseGenerationTag>;
/// One process run of a node; compared for equality only.
using NodeGeneration = Numbered<struct NodeGenerationTag>;
/// One preparation attempt on a target inside one RelocationId.
using TargetAttemptGeneration = Numbered<struct TargetAttemptGenerationTag>;

/// Which shard of a host; 0 owns host-wide state (design.md section 2).
struct ShardId {
    std::uint32_t value = 0;
    constexpr auto operator<=>(const ShardId&) const noexcept = default;
};

/// 128 random bits with a meaning; both words zero is "none".
template <class Tag>
struct Wide {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    constexpr auto operator<=>(const Wide&) const noexcept = default;
    explicit constexpr operator bool() const noexcept { return (high | low) != 0; }
};

/// One move of one unit (seed unit section 3).
using RelocationId = Wide<struct RelocationIdTag>;
/// One application operation; kept unchanged by relay and follow (spec/objects.md section 9.1).
using OperationId = Wide<struct OperationIdTag>;

/// A text id: UTF-8, 1..255 bytes, compared byte by byte, no NUL, no normalization.
/// The length rule is checked where text enters (is_valid_id), not by the type.
template <class Tag>
struct Named {
    Named() = default;
    // Constructors on purpose: g++ 12 destroys an aggregate temporary twice when it stands beside a
    // co_await, as in `co_await turn.request(ActorId{"a"}, ...)` (design.md section 2).
    explicit Named(std::string text) noexcept : value(std::move(text)) {}
    /// A literal has no other meaning that could be mistaken, so it converts by itself.
    Named(const char* text) : value(text) {}

    std::string value;
    auto operator<=>(const Named&) const noexcept = default;
    bool empty() const noexcept { return value.empty(); }
};

using ActorId = Named<struct ActorIdTag>;
using SpotId = Named<struct SpotIdTag>;
/// Routing id of a node on the mesh: 1..255 opaque bytes, new for every process run.
using NodeRid = Named<struct NodeRidTag>;
/// Owner of leases and rows: one per host process run.
using OwnerId = Named<struct OwnerIdTag>;

inline constexpr std::size_t kIdBytesMax = 255;

/// True for 1..255 bytes of strict UTF-8 without NUL.
bool is_valid_id(std::string_view text) noexcept;

}  // namespace shunt

template <class Tag>
struct std::hash<shunt::Numbered<Tag>> {
    std::size_t operator()(const shunt::Numbered<Tag>& id) const noexcept {
        return std::hash<std::uint64_t>{}(id.value);
    }
};

template <class Tag>
struct std::hash<shunt::Wide<Tag>> {
    std::size_t operator()(const shunt::Wide<Tag>& id) const noexcept {
        // The words are random already; mixing keeps equal words from cancelling out.
        return std::hash<std::uint64_t>{}(id.high * 0x9E3779B97F4A7C15ULL ^ id.low);
    }
};

template <class Tag>
struct std::hash<shunt::Named<Tag>> {
    std::size_t operator()(const shunt::Named<Tag>& id) const noexcept {
        return std::hash<std::string_view>{}(id.value);
    }
};
