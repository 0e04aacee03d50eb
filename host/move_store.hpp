#pragma once
// What the relocation drivers ask of the Location Store (spec/stores.md sections 10, 12 and 13).
// Only the target writes an owner; the source reads.

#include <string>

#include "base/result.hpp"
#include "base/unique_function.hpp"
#include "host/actor_cell.hpp"
#include "protocol/command.hpp"
#include "relocation/event.hpp"

namespace shunt::host {

/// Everything that names one move in a row: taken from command 40.
struct MoveFence {
    protocol::ActorRef actor;
    AuthorityOwnerGeneration source_owner_generation;
    NodeRid source_node_rid;
    NodeGeneration source_node_generation;
    RelocationId relocation;
    TargetAttemptGeneration attempt;
    protocol::RelocationCoordinatorFence coordinator;
    protocol::RelocationTargetFence target;
    std::uint64_t application_version = 0;
};

class MoveStore {
  public:
    virtual ~MoveStore() = default;

    using Checked = UniqueFunction<void(result<std::string>)>;
    /// Target, before preparing: the stable type when the row is exactly as `fence` expects, else
    /// why not (InvalidOperation for another incarnation, NotFound, Unavailable).
    virtual void check(const MoveFence& fence, Checked done) = 0;

    using Committed = UniqueFunction<void(relocation::CasAnswer)>;
    /// Target: one attempt at the one owner change.
    virtual void commit(const MoveFence& fence, Committed done) = 0;

    using Seen = UniqueFunction<void(relocation::OwnerSeen)>;
    /// Either side: whom the row names as far as this move is concerned.
    virtual void look(const MoveFence& fence, Seen done) = 0;

    /// Target: the row without relocation state, in the background; gives the version of the row
    /// that the next move of this Actor has to expect.
    using Settled = UniqueFunction<void(result<std::string>)>;
    virtual void settle(const MoveFence& fence, Settled done) = 0;
};

}  // namespace shunt::host
