#pragma once
// Where a message that reached this node goes (spec/objects.md section 5): a temporary queue before
// anything else, then the Actor here, then the route to where it went, then back as Unavailable.

#include "host/cell_table.hpp"
#include "host/follow.hpp"
#include "host/mesh.hpp"
#include "host/reply_router.hpp"
#include "host/target_moves.hpp"

namespace shunt::host {

class Ingress {
  public:
    Ingress(Services& services, CellTable& cells, Follow& follow, ReplyRouter& replies)
        : services_(services), cells_(cells), follow_(follow), replies_(replies) {}

    void set_targets(TargetMoves& targets) noexcept { targets_ = &targets; }
    /// From here new payload is refused; accepted turns go on (seed host section 15).
    void close() noexcept { closed_ = true; }

    /// `permit` is the one the record came with from another shard, or none.
    void on_send(const Arrival& arrival, const protocol::ActorSend& command, JobPermit permit);
    void on_request(const Arrival& arrival, const protocol::ActorRequest& command,
                    JobPermit permit);
    /// Work for `actor` that is on this node already; `from` is the peer to notify of a move.
    void accept(const ActorId& actor, JobPtr job, const Peer* from);

  private:
    template <class Command>
    JobPtr job_of(const Arrival& arrival, const Command& command, JobPermit permit) const;
    void refuse(const JobPtr& job, std::error_code error, const char* reason);

    Services& services_;
    CellTable& cells_;
    Follow& follow_;
    ReplyRouter& replies_;
    TargetMoves* targets_ = nullptr;
    bool closed_ = false;
};

}  // namespace shunt::host
