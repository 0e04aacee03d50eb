#pragma once
// What the relocation drivers ask of the Location Store (spec/stores.md sections 10, 12 and 13).
// Only the target writes an owner; the source reads.

#include <memory>
#include <string>

#include "base/result.hpp"
#include "base/unique_function.hpp"
#include "protocol/command.hpp"
#include "relocation/event.hpp"
#include "store/owner_change.hpp"

namespace shunt::host {

/// Everything that names one move: taken from command 40.
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

/// The row as the target read it before preparing, with the change it will ask for.
using RowMove = std::shared_ptr<const store::OwnerMove>;

class MoveStore {
  public:
    virtual ~MoveStore() = default;

    using Checked = UniqueFunction<void(result<RowMove>)>;
    /// Target, before preparing: the row when it is exactly as `fence` expects, else why not
    /// (InvalidOperation for another incarnation, NotFound, Unavailable).
    virtual void check(const MoveFence& fence, Checked done) = 0;

    using Committed = UniqueFunction<void(relocation::CasAnswer)>;
    /// Target: one attempt at the one owner change. Transient, without asking the store, while this
    /// host may not admit work.
    virtual void commit(RowMove move, Committed done) = 0;

    using Seen = UniqueFunction<void(relocation::OwnerSeen)>;
    /// Target: what the row says about its commit.
    virtual void look_as_target(RowMove move, Seen done) = 0;
    /// Source: who owns the Actor after a cutover or a reply whose fate is unknown.
    virtual void look_as_source(const MoveFence& fence, const std::string& stable_type,
                                Seen done) = 0;

    using Settled = UniqueFunction<void(std::string)>;
    /// Target: clears the relocation state in the row, in the background and until it succeeds;
    /// gives the version that the next move of this Actor has to expect. Not called when the row
    /// has changed hands meanwhile.
    virtual void settle(RowMove move, Settled done) = 0;
};

}  // namespace shunt::host
