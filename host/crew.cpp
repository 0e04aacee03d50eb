#include "host/crew.hpp"

#include <variant>

#include <xxhash.h>

namespace shunt::host {

ShardId Crew::home_of(const ActorId& actor) const noexcept {
    if (worlds_.size() == 1) return {};
    const std::uint64_t hash = XXH3_64bits(actor.value.data(), actor.value.size());
    return ShardId{static_cast<std::uint32_t>(hash % worlds_.size())};
}

ShardId Crew::home_of(const protocol::RelocationObjectIdentity& object) const noexcept {
    const auto* actor = std::get_if<protocol::ActorObject>(&object);
    // No other kind of unit is served yet: any shard may refuse it.
    return actor == nullptr ? ShardId{} : home_of(actor->actor.actor_id);
}

}  // namespace shunt::host
