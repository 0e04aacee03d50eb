#pragma once
// What this host knows of the Location Store: its own lease and descriptor, the other nodes, and
// where an Actor is (spec/stores.md sections 7 to 9). Keeps the mesh dialed to what it discovers.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/mesh.hpp"
#include "host/services.hpp"

namespace shunt::host {

/// The owner the store names for one Actor, with everything that fences it.
struct Located {
    protocol::ActorRouteFence fence;
    OwnerId owner_id;
    std::string store_version;
    /// How long the owner's lease lets a reader believe this, on the local clock.
    TimePoint valid_until;
};

/// What an adapter of the store offers the host. Implemented over store::Repository.
class Locator {
  public:
    virtual ~Locator() = default;
    using Found = UniqueFunction<void(result<Located>)>;
    /// NotFound when no row exists; Unavailable when its owner cannot be used or the store fails.
    virtual void locate(const ActorId& actor, Found done) = 0;
};

}  // namespace shunt::host
