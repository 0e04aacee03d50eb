#pragma once
// All moves this host is the source of: paces their start by the in-flight budget and the job
// permits, gives charges back when the pipe releases them, and routes replies, link changes and
// submit results to the move they belong to (seed unit section 5.3, seed host section 7).

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>

#include "host/source_move.hpp"

namespace shunt::host {

/// A node chosen to take units over.
struct MoveTarget {
    NodeRid rid;
    NodeGeneration generation;
    OwnerId owner_id;
    OwnerLeaseGeneration lease_generation;
    /// Placement weight, 1..10000: its share of the units.
    std::uint64_t weight = 100;
};

class SourceMoves final : public SourceMoveOwner {
  public:
    /// Outcome, and the failure when it is Restored.
    using Concluded = UniqueFunction<void(relocation::SourceOutcome, protocol::FrameworkErrorCode)>;

    SourceMoves(Services& services, MeshPort& mesh, CellTable& cells, Follow& follow,
                ReplyRouter& replies, MoveStore& store, RoomPort& room);
    SourceMoves(const SourceMoves&) = delete;
    SourceMoves& operator=(const SourceMoves&) = delete;
    ~SourceMoves() override;

    /// Moves `cell` once there is room; until then it keeps serving. `concluded` runs once, in a
    /// later step.
    void start(std::shared_ptr<ActorCell> cell, const MoveTarget& target, TimePoint deadline,
               Concluded concluded);
    /// Units that were not begun conclude Restored with `code`; begun ones are asked for a safe
    /// abort (seed host section 8).
    void abort_unstarted(protocol::FrameworkErrorCode code);
    void abort_all(protocol::FrameworkErrorCode code);
    /// Drops routes and copies with the transport (seed host section 14).
    void clear();

    void on_ready(LinkId link, const protocol::RelocationReady& reply);
    void on_failed(LinkId link, const protocol::RelocationFailed& reply);
    void on_peer_ready(const Peer& peer);
    void on_peer_lost(const Peer& peer);
    /// A peer that leaves is given nothing more: what the boundary allows comes back.
    void on_peer_updated(const Peer& peer);
    void on_submitted(SubmitToken token, protocol::SubmitResult result);
    /// A permit came back: a waiting unit may be sealed now.
    void permit_returned();

    /// Every unit begun here has passed S4 and its window (seed host section 14).
    bool safe_to_shutdown() const noexcept;
    std::size_t size() const noexcept { return moves_.size() + waiting_count_; }

    // --- SourceMoveOwner --------------------------------------------------------------------
    bool ask_room(SourceMove& move, std::uint64_t charge) override;
    void return_room(SourceMove& move, std::uint64_t charge) override;
    void withdraw_room(SourceMove& move) override;
    void submit_chunk(SourceMove& move, LinkId link, protocol::OutRecord&& record,
                      std::uint64_t charge) override;
    void submit_cutover(SourceMove& move, LinkId link, protocol::OutRecord&& record) override;
    void concluded(SourceMove& move, const relocation::Conclude& how) override;
    void finished(SourceMove& move) override;

  private:
    /// How many units one turn of the shard seals, so that their replies come in between.
    static constexpr int kStartsPerTurn = 8;
    /// Units are sealed about as fast as their targets take them over: a start uses up one that is
    /// due, a unit whose stop ends makes another one due. As often as a unit takes from start to
    /// end, within these bounds, kStartsPerTurn more become due, so units that are slow to stop
    /// never keep others from starting: this is a pace and no cap on concurrent units (seed unit
    /// section 5.3).
    static constexpr std::uint64_t kStartsDueAtFirst = 64;
    static constexpr Duration kPaceMin = std::chrono::milliseconds(10);
    static constexpr Duration kPaceMax = std::chrono::seconds(1);

    struct Unstarted {
        std::shared_ptr<ActorCell> cell;
        MoveTarget target;
        TimePoint deadline;
        Concluded concluded;
    };
    using PeerKey = std::pair<NodeRid, NodeGeneration>;
    /// Units that have still to start towards one peer process.
    struct PeerSide {
        std::deque<Unstarted> unstarted;
        RoomTicket room_wait;
        bool pump_posted = false;
    };
    struct Entry {
        std::shared_ptr<SourceMove> move;
        PeerRoom room;
        LinkId link;
        TimePoint begun;
        Concluded concluded;
        RoomTicket room_wait;
    };
    struct Submitted {
        PeerRoom room;  // Chunk: whose charge comes back.
        std::uint64_t charge = 0;
        std::weak_ptr<SourceMove> cutover;  // Cutover: who hears the terminal.
    };

    void drop_all();
    Entry* entry_of(const SourceMove& move);
    void post_pump(const PeerKey& key);
    void pump(const PeerKey& key);
    void pump_later(const PeerKey& key);
    void pump_all();
    void await_pace();
    void await_permit();
    void room_granted(RelocationId id);
    void begin(Unstarted unstarted, const Peer& peer);
    void conclude_unstarted(Unstarted& unstarted, protocol::FrameworkErrorCode code);
    SubmitToken next_token() noexcept { return SubmitToken{++last_token_}; }

    Services& services_;
    SourceMoveParts parts_;
    RoomPort& room_;
    std::map<PeerKey, PeerSide> sides_;
    std::map<RelocationId, Entry> moves_;
    std::unordered_map<std::uint64_t, Submitted> submitted_;
    std::uint64_t last_token_ = 0;
    std::size_t waiting_count_ = 0;
    bool permit_wait_ = false;
    std::uint64_t starts_due_ = kStartsDueAtFirst;
    Duration pace_ = kPaceMin;
    TimerId pace_timer_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace shunt::host
