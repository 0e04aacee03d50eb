#include "host/actor.hpp"
#include "host/errc.hpp"

namespace shunt::host {

result<void> Registry::add(ActorDefinition definition) {
    if (!is_valid_id(definition.stable_type) || !definition.factory || !definition.policy) {
        return Errc::InvalidArgument;
    }
    for (const auto& [name, handler] : definition.handlers) {
        if (!is_valid_id(name)) return Errc::InvalidArgument;
    }
    for (const auto& [name, handler] : definition.timer_handlers) {
        if (!is_valid_id(name)) return Errc::InvalidArgument;
    }
    std::string type = definition.stable_type;
    if (!definitions_.emplace(std::move(type), std::move(definition)).second) {
        return Errc::AlreadyExists;
    }
    return outcome::success();
}

const ActorDefinition* Registry::find(const std::string& stable_type) const noexcept {
    const auto found = definitions_.find(stable_type);
    return found == definitions_.end() ? nullptr : &found->second;
}

}  // namespace shunt::host
