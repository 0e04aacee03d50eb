#pragma once
// The words by which records name their enumerations (spec/stores.md sections 5.3 and 5.4). One
// table per enumeration serves both directions.

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/enums.hpp"

namespace shunt::store {

/// `state` of a MeshNode descriptor; wider than the wire's runtime-state.
enum class NodeState : std::uint8_t {
    Preparing,
    Serving,
    Relocating,
    Relocated,
    Draining,
    Stopped,
    Error,
};

/// `policy` of an object capability.
enum class CapabilityPolicy : std::uint8_t { Unspecified, Disabled, Recreate, Snapshot };

/// `allocation.state` of an authority row.
enum class AllocationState : std::uint8_t { Reserved, Active };

std::string_view name_of(protocol::StatefulObjectKind) noexcept;
std::string_view name_of(protocol::ObjectRole) noexcept;
std::string_view name_of(NodeState) noexcept;
std::string_view name_of(CapabilityPolicy) noexcept;
std::string_view name_of(AllocationState) noexcept;

/// The value a word names, or nothing. Defined for the enumerations above.
template <class Enum>
std::optional<Enum> named(std::string_view word) noexcept;

template <>
std::optional<protocol::StatefulObjectKind> named(std::string_view word) noexcept;
template <>
std::optional<protocol::ObjectRole> named(std::string_view word) noexcept;
template <>
std::optional<NodeState> named(std::string_view word) noexcept;
template <>
std::optional<CapabilityPolicy> named(std::string_view word) noexcept;
template <>
std::optional<AllocationState> named(std::string_view word) noexcept;

}  // namespace shunt::store
