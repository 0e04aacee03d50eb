#include "store/record_names.hpp"

#include <array>
#include <utility>

#include "base/assert.hpp"

namespace shunt::store {
namespace {

template <class Enum, std::size_t N>
using Names = std::array<std::pair<Enum, std::string_view>, N>;

using protocol::ObjectRole;
using protocol::StatefulObjectKind;

// clang-format off
constexpr Names<StatefulObjectKind, 3> kObjectKinds{{
    {StatefulObjectKind::Actor,        "actor"},
    {StatefulObjectKind::UserSpot,     "userSpot"},
    {StatefulObjectKind::InstanceSpot, "instanceSpot"},
}};
constexpr Names<ObjectRole, 3> kObjectRoles{{
    {ObjectRole::None,   "none"},
    {ObjectRole::Client, "client"},
    {ObjectRole::Server, "server"},
}};
constexpr Names<NodeState, 7> kNodeStates{{
    {NodeState::Preparing,  "preparing"},
    {NodeState::Serving,    "serving"},
    {NodeState::Relocating, "relocating"},
    {NodeState::Relocated,  "relocated"},
    {NodeState::Draining,   "draining"},
    {NodeState::Stopped,    "stopped"},
    {NodeState::Error,      "error"},
}};
constexpr Names<CapabilityPolicy, 4> kPolicies{{
    {CapabilityPolicy::Unspecified, "unspecified"},
    {CapabilityPolicy::Disabled,    "disabled"},
    {CapabilityPolicy::Recreate,    "recreate"},
    {CapabilityPolicy::Snapshot,    "snapshot"},
}};
constexpr Names<AllocationState, 2> kAllocationStates{{
    {AllocationState::Reserved, "reserved"},
    {AllocationState::Active,   "active"},
}};
// clang-format on

template <class Enum, std::size_t N>
std::string_view word_for(const Names<Enum, N>& names, Enum wanted) noexcept {
    for (const auto& [value, word] : names) {
        if (value == wanted) return word;
    }
    SHUNT_ASSERT(wanted != wanted);  // Only a value cast from a number gets here.
    return {};
}

template <class Enum, std::size_t N>
std::optional<Enum> value_for(const Names<Enum, N>& names, std::string_view wanted) noexcept {
    for (const auto& [value, word] : names) {
        if (word == wanted) return value;
    }
    return std::nullopt;
}

}  // namespace

std::string_view name_of(StatefulObjectKind kind) noexcept {
    return word_for(kObjectKinds, kind);
}
std::string_view name_of(ObjectRole role) noexcept {
    return word_for(kObjectRoles, role);
}
std::string_view name_of(NodeState state) noexcept {
    return word_for(kNodeStates, state);
}
std::string_view name_of(CapabilityPolicy policy) noexcept {
    return word_for(kPolicies, policy);
}
std::string_view name_of(AllocationState state) noexcept {
    return word_for(kAllocationStates, state);
}

template <>
std::optional<StatefulObjectKind> named(std::string_view word) noexcept {
    return value_for(kObjectKinds, word);
}
template <>
std::optional<ObjectRole> named(std::string_view word) noexcept {
    return value_for(kObjectRoles, word);
}
template <>
std::optional<NodeState> named(std::string_view word) noexcept {
    return value_for(kNodeStates, word);
}
template <>
std::optional<CapabilityPolicy> named(std::string_view word) noexcept {
    return value_for(kPolicies, word);
}
template <>
std::optional<AllocationState> named(std::string_view word) noexcept {
    return value_for(kAllocationStates, word);
}

}  // namespace shunt::store
