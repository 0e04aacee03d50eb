#pragma once
// All moves this host is the target of: one temporary queue per Actor, records routed to the move
// they name, and what becomes of work that a removed move leaves behind.

#include <deque>
#include <map>
#include <memory>
#include <unordered_map>

#include "host/reply_router.hpp"
#include "host/target_move.hpp"

namespace shunt::host {

class TargetMoves final : public TargetMoveOwner {
  public:
    using Deliver = UniqueFunction<void(const ActorId&, JobPtr)>;

    /// `deliver` takes work that arrives for an Actor after its queue opened.
    TargetMoves(Services& services, const Registry& registry, MeshPort& mesh, CellTable& cells,
                ReplyRouter& replies, MoveStore& store, Deliver deliver);
    TargetMoves(const TargetMoves&) = delete;
    TargetMoves& operator=(const TargetMoves&) = delete;
    ~TargetMoves() override;

    void on_prepare(const Arrival& arrival, const protocol::RelocationPrepare& prepare);
    void on_chunk(const Arrival& arrival, const protocol::RelocationState& chunk);
    void on_relay(const Arrival& arrival, const protocol::RelocationData& relay);
    void on_cutover(const Arrival& arrival, const protocol::RelocationCutover& cutover);
    void on_peer_ready(const Peer& peer);
    void on_peer_lost(const Peer& peer);

    /// The move whose temporary queue takes messages for this Actor now, if any.
    TargetMove* staging(const ActorId& actor) const;
    /// Moves that have not reached TargetOpen or TargetRemoved.
    std::size_t running() const noexcept { return staging_.size(); }
    void refuse_new() noexcept { takes_objects_ = false; }
    void accept_new() noexcept { takes_objects_ = true; }
    void abort_all(protocol::FrameworkErrorCode code);

    // --- TargetMoveOwner --------------------------------------------------------------------
    bool takes_objects() const override { return takes_objects_; }
    void opened(TargetMove& move) override;
    void removed(TargetMove& move, std::deque<JobPtr> unrun) override;
    void deliver_late(const ActorId& actor, JobPtr job) override;

  private:
    /// Remembers the answers of so many ended moves; some 100 bytes each.
    static constexpr std::size_t kEndedMax = 100'000;

    void refuse(const Arrival& arrival, const protocol::RelocationPrepare& prepare,
                protocol::FrameworkErrorCode code);
    std::shared_ptr<TargetMove> find(RelocationId relocation) const;
    void retire_later(const TargetMove& move);
    void retire(RelocationId relocation);

    Services& services_;
    TargetMoveParts parts_;
    ReplyRouter& replies_;
    Deliver deliver_;
    relocation::MoveSettings settings_;
    bool takes_objects_ = true;
    std::map<RelocationId, std::shared_ptr<TargetMove>> moves_;
    std::unordered_map<ActorId, RelocationId> staging_;
    /// Moves that are over and forgotten but for their answer, and the order they ended in. A
    /// source may ask again as long as its operation lasts, which no record says.
    std::unordered_map<RelocationId, protocol::FrameworkErrorCode> ended_;
    std::deque<RelocationId> ended_order_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace shunt::host
