#include "tests/sim/ownership.hpp"

#include <utility>

namespace shunt::conservation {

void OwnerWatch::found(const std::string& what, const std::string& object, Node node, Duration at) {
    findings_.add(what + ": " + object + " on node run " + std::to_string(node.value) + " at " +
                  std::to_string(at.count() / 1000) + " us");
}

void OwnerWatch::turn_started(const std::string& object, Node node, std::uint64_t owner_generation,
                              Duration at) {
    ++turns_;
    const auto [entry, first] = objects_.try_emplace(object);
    Object& known = entry->second;
    if (first) {
        known.owner = node;
        known.owner_generation = owner_generation;
    }
    if (known.in_turn) found("two turns at once", object, node, at);
    if (known.owner != node) {
        found("turn away from the owner", object, node, at);
    } else if (known.is_sealed) {
        found("turn behind the seal", object, node, at);
    } else if (known.generation_is_new) {
        if (owner_generation <= known.owner_generation) {
            found("owner generation did not grow", object, node, at);
        }
        known.owner_generation = owner_generation;
        known.generation_is_new = false;
    } else if (known.owner_generation != owner_generation) {
        found("turn of another owner generation", object, node, at);
    }
    known.in_turn = true;
}

void OwnerWatch::turn_ended(const std::string& object, Node node, Duration at) {
    const auto entry = objects_.find(object);
    if (entry == objects_.end() || !entry->second.in_turn) {
        return found("turn ended that never began", object, node, at);
    }
    entry->second.in_turn = false;
}

void OwnerWatch::sealed(const std::string& object, Node node, Duration at) {
    const auto entry = objects_.try_emplace(object, Object{.owner = node}).first;
    if (entry->second.owner != node) found("sealed away from the owner", object, node, at);
    if (entry->second.in_turn) found("sealed inside a turn", object, node, at);
    entry->second.is_sealed = true;
}

void OwnerWatch::unsealed(const std::string& object, Node node, Duration at) {
    const auto entry = objects_.find(object);
    if (entry == objects_.end() || entry->second.owner != node || !entry->second.is_sealed) {
        return found("restored without a seal", object, node, at);
    }
    entry->second.is_sealed = false;
}

void OwnerWatch::opened(const std::string& object, Node node, Duration at) {
    ++opens_;
    const auto [entry, first] = objects_.try_emplace(object);
    Object& known = entry->second;
    if (!first && !known.is_sealed) found("opened beside a running owner", object, node, at);
    if (known.in_turn) found("opened inside a turn of the source", object, node, at);
    known.owner = node;
    known.is_sealed = false;
    known.generation_is_new = true;
}

void OwnerWatch::gone(const std::string& object) {
    objects_.erase(object);
}

void OwnerWatch::node_gone(Node node) {
    std::erase_if(objects_, [node](const auto& entry) { return entry.second.owner == node; });
}

std::vector<std::string> OwnerWatch::owned_by(Node node) const {
    std::vector<std::string> names;
    for (const auto& [name, object] : objects_) {
        if (object.owner == node && !object.is_sealed) names.push_back(name);
    }
    return names;
}

std::optional<Node> OwnerWatch::owner_of(const std::string& object) const {
    const auto entry = objects_.find(object);
    if (entry == objects_.end() || entry->second.is_sealed) return std::nullopt;
    return entry->second.owner;
}

}  // namespace shunt::conservation
