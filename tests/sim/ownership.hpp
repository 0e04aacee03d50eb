#pragma once
// Watches from all nodes at once that every object has one owner: handlers of an object never run
// in two places, never on the source behind its seal, never on a target before it opened (seed unit
// sections 1, 4 and 13). Fed by events; knows nothing of hosts or the simulator.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "tests/sim/conservation.hpp"

namespace shunt::conservation {

/// One process run of a node; another run of the same node is another value.
struct Node {
    std::uint64_t value = 0;
    constexpr auto operator<=>(const Node&) const noexcept = default;
};

class OwnerWatch {
  public:
    void turn_started(const std::string& object, Node node, std::uint64_t owner_generation,
                      Duration at);
    void turn_ended(const std::string& object, Node node, Duration at);

    /// The source's admission seal is applied (S0): no further turn there.
    void sealed(const std::string& object, Node node, Duration at);
    /// An explicit failure gave the object back to its source.
    void unsealed(const std::string& object, Node node, Duration at);
    /// The target opened the queue: it is the owner from here.
    void opened(const std::string& object, Node node, Duration at);
    /// The object ended, or its process died with it. It may begin anew anywhere.
    void gone(const std::string& object);
    /// Every object that `node` owned is gone.
    void node_gone(Node node);
    /// Objects that may run on `node` now.
    std::vector<std::string> owned_by(Node node) const;

    const Findings& findings() const noexcept { return findings_; }
    std::uint64_t turns() const noexcept { return turns_; }
    std::uint64_t opens() const noexcept { return opens_; }
    /// Where the object may run now; absent before its first turn and while it moves.
    std::optional<Node> owner_of(const std::string& object) const;

  private:
    struct Object {
        Node owner;
        std::uint64_t owner_generation = 0;
        /// A target opened but has not run yet: its generation is not known.
        bool generation_is_new = false;
        bool is_sealed = false;
        bool in_turn = false;
    };

    void found(const std::string& what, const std::string& object, Node node, Duration at);

    std::map<std::string, Object> objects_;
    Findings findings_;
    std::uint64_t turns_ = 0;
    std::uint64_t opens_ = 0;
};

}  // namespace shunt::conservation
