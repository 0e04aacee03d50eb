#pragma once
// The source's driver of one move: performs what relocation::Source asks and tells it what
// happened. Every decision about the protocol is the machine's (design.md section 3).

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "host/actor_cell.hpp"
#include "host/cell_table.hpp"
#include "host/follow.hpp"
#include "host/mesh_port.hpp"
#include "host/move_store.hpp"
#include "host/services.hpp"
#include "protocol/envelope.hpp"
#include "relocation/budget.hpp"
#include "relocation/chunk_plan.hpp"
#include "relocation/relay_span.hpp"
#include "relocation/source.hpp"

namespace shunt::host {

class SourceMove;

/// What one move needs of the moves around it: shared budget and submit reports.
class SourceMoveOwner {
  public:
    virtual ~SourceMoveOwner() = default;
    /// True when the room is taken now; else move.room_granted() follows or withdraw_room() ends
    /// it.
    virtual bool ask_room(SourceMove& move, std::uint64_t charge) = 0;
    virtual void return_room(SourceMove& move, std::uint64_t charge) = 0;
    virtual void withdraw_room(SourceMove& move) = 0;
    /// Sends a chunk whose charge is taken; the charge comes back when the pipe releases it.
    virtual void submit_chunk(SourceMove& move, LinkId link, protocol::OutRecord&& record,
                              std::uint64_t charge) = 0;
    /// Sends the cutover; move.feed(CutoverTerminal) follows exactly once.
    virtual void submit_cutover(SourceMove& move, LinkId link, protocol::OutRecord&& record) = 0;
    virtual void concluded(SourceMove& move, const relocation::Conclude& how) = 0;
    /// The machine waits for nothing any more; called in a later step, once.
    virtual void finished(SourceMove& move) = 0;
};

/// The parts of the host a move acts on; outlive it.
struct SourceMoveParts {
    Services& services;
    MeshPort& mesh;
    CellTable& cells;
    Follow& follow;
    ReplyRouter& replies;
    MoveStore& store;
    SourceMoveOwner& owner;
};

class SourceMove : public std::enable_shared_from_this<SourceMove> {
  public:
    SourceMove(SourceMoveParts parts, std::shared_ptr<ActorCell> cell, MoveFence fence,
               std::uint32_t advertised_chunk_bytes, const relocation::MoveSettings& settings);
    SourceMove(const SourceMove&) = delete;
    SourceMove& operator=(const SourceMove&) = delete;
    ~SourceMove();

    /// Steps the machine and performs what it asks; safe to call from inside an effect, the event
    /// then waits its turn.
    void feed(relocation::SourceEvent event);

    const relocation::RelocationIdentity& identity() const noexcept { return machine_.identity(); }
    const MoveFence& fence() const noexcept { return fence_; }
    const relocation::Source& machine() const noexcept { return machine_; }
    const ActorCell& cell() const noexcept { return *cell_; }
    /// Counts for SafeToShutdown: the follow route, the retransmission copies, and a hold whose
    /// owner is still to be found.
    bool holds_shutdown() const noexcept {
        return copies_held_ || follow_open_ || cell_->mode() == ActorCell::Mode::Sealed;
    }
    /// The transport ends under this move: what it still holds goes nowhere.
    void abandon() { fail_hold("shutting_down"); }
    /// Payload, boundary batch and their proof are still in memory.
    bool copies_held() const noexcept { return copies_held_; }
    /// The room asked for last has been granted.
    void room_granted();

  private:
    void drain();
    void perform(const relocation::SourceEffect& effect);

    void on(const relocation::ArmTimer& effect);
    void on(const relocation::CancelTimer& effect);
    void on(const relocation::Report& effect);
    void on(const relocation::Mark& effect);
    void on(const relocation::PauseAtTurnEnd& effect);
    void on(const relocation::CancelPause& effect);
    void on(const relocation::CaptureUnit& effect);
    void on(const relocation::SendPrepare& effect);
    void on(const relocation::RequestChunkRoom& effect);
    void on(const relocation::ReturnChunkRoom& effect);
    void on(const relocation::SubmitChunk& effect);
    void on(const relocation::RelayHold& effect);
    void on(const relocation::SubmitCutover& effect);
    void on(const relocation::ResendBatch& effect);
    void on(const relocation::RestoreQueue& effect);
    void on(const relocation::EndDispatch& effect);
    void on(const relocation::ReleasePermits& effect);
    void on(const relocation::ReleaseCopies& effect);
    void on(const relocation::BeginFollow& effect);
    void on(const relocation::DrainHold& effect);
    void on(const relocation::FailHold& effect);
    void on(const relocation::EndFollow& effect);
    void on(const relocation::ReadSourceOwner& effect);
    void on(const relocation::Conclude& effect);

    relocation::ChunkLimits chunk_limits() const;
    result<protocol::RelocationEnvelope> capture() const;
    std::uint64_t take_granted();
    protocol::OutRecord chunk_record(std::uint32_t ordinal) const;
    protocol::OutRecord cutover_record() const;
    void send_relay(LinkId link, const Segments& record);
    protocol::ActorRouteFence source_fence() const;
    protocol::ActorRouteFence target_fence() const;
    protocol::RelocationObjectIdentity object() const;
    void retire_cell();
    void fail_hold(const char* reason);
    void pause_cell();
    void turn_ended();
    void give_captured_back();

    SourceMoveParts parts_;
    std::shared_ptr<ActorCell> cell_;
    MoveFence fence_;
    std::uint32_t advertised_chunk_bytes_;
    relocation::Source machine_;
    std::deque<relocation::SourceEvent> events_;
    bool stepping_ = false;
    bool finish_posted_ = false;
    std::size_t captured_jobs_ = 0;
    std::array<TimerId, 7> timers_{};

    protocol::EncodedEnvelope payload_;
    std::uint64_t chunk_bytes_ = 0;
    std::uint32_t chunk_count_ = 0;
    std::vector<Segments> batch_;
    relocation::RelaySpan span_;
    bool copies_held_ = false;
    bool follow_open_ = false;

    /// The room asked for last.
    relocation::RequestChunkRoom room_{};
    std::uint64_t asked_charge_ = 0;
    /// Charges taken for chunks the machine has not disposed of yet, in the order of their events.
    std::deque<std::uint64_t> granted_;
};

}  // namespace shunt::host
