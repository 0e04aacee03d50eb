#pragma once
// The target's driver of one move: keeps what arrives (assembly, relay span, temporary queue),
// performs what relocation::Target asks and tells it what happened. Every decision about the
// protocol is the machine's (design.md section 3).

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "host/actor_cell.hpp"
#include "host/cell_table.hpp"
#include "host/mesh_port.hpp"
#include "host/move_store.hpp"
#include "host/services.hpp"
#include "protocol/envelope.hpp"
#include "relocation/assembly.hpp"
#include "relocation/relay_span.hpp"
#include "relocation/target.hpp"

namespace shunt::host {

class TargetMove;

class TargetMoveOwner {
  public:
    virtual ~TargetMoveOwner() = default;
    /// False once this host takes no objects in: a move not checked yet is refused.
    virtual bool takes_objects() const = 0;
    /// The temporary queue ends: its work stands in the real queue, or is handed back unrun.
    virtual void opened(TargetMove& move) = 0;
    virtual void removed(TargetMove& move, std::deque<JobPtr> unrun) = 0;
    /// Relay that came after the queue opened: ordinary work by now.
    virtual void deliver_late(const ActorId& actor, JobPtr job) = 0;
};

struct TargetMoveParts {
    Services& services;
    const Registry& registry;
    MeshPort& mesh;
    CellTable& cells;
    MoveStore& store;
    TargetMoveOwner& owner;
};

class TargetMove : public std::enable_shared_from_this<TargetMove> {
  public:
    TargetMove(TargetMoveParts parts, const protocol::RelocationPrepare& prepare,
               const relocation::MoveSettings& settings);
    TargetMove(const TargetMove&) = delete;
    TargetMove& operator=(const TargetMove&) = delete;
    ~TargetMove();

    /// Records of this relocation id; the machine checks the rest of the identity.
    void on_prepare(LinkId link, std::uint64_t sequence,
                    const protocol::RelocationPrepare& prepare);
    void on_chunk(LinkId link, const protocol::RelocationState& chunk);
    void on_relay(LinkId link, const protocol::RelocationData& relay, ByteView frozen_bytes);
    void on_cutover(LinkId link, const protocol::RelocationCutover& cutover);
    /// The source process is ready again on another connection, which carries the move from here.
    void on_reconnected(LinkId link);
    void feed(relocation::TargetEvent event);

    /// A message that reached the target directly before it opened.
    void queue_direct(JobPtr job) { temporary_.push_back(std::move(job)); }

    const MoveFence& fence() const noexcept { return fence_; }
    const relocation::Target& machine() const noexcept { return machine_; }
    LinkId link() const noexcept { return link_; }

  private:
    void drain();

    void on(const relocation::ArmTimer& effect);
    void on(const relocation::CancelTimer& effect);
    void on(const relocation::Report& effect);
    void on(const relocation::Mark& effect);
    void on(const relocation::RegisterTemporaryQueue& effect);
    void on(const relocation::CheckOwner& effect);
    void on(const relocation::RestoreUnit& effect);
    void on(const relocation::SendReady& effect);
    void on(const relocation::SendFailed& effect);
    void on(const relocation::AssembleChunk& effect);
    void on(const relocation::DropChunk& effect);
    void on(const relocation::StageRelay& effect);
    void on(const relocation::StageLateRelay& effect);
    void on(const relocation::DropRelay& effect);
    void on(const relocation::DiscardRelaySpan& effect);
    void on(const relocation::SkipRelay& effect);
    void on(const relocation::CasOwner& effect);
    void on(const relocation::ReadTargetOwner& effect);
    void on(const relocation::OrderBacklog& effect);
    void on(const relocation::OpenQueue& effect);
    void on(const relocation::WriteSteady& effect);
    void on(const relocation::RemovePrepared& effect);

    result<void> restore();
    result<void> restore_state(const protocol::RelocationEnvelope& envelope, void* instance) const;
    result<void> stage_saved(const protocol::RelocationEnvelope& envelope);
    result<void> stage_timers(const protocol::RelocationEnvelope& envelope);
    /// The job of a record that moved; `sequence` numbers it for its reply (spec/wire.md 17.11).
    JobPtr thaw(const protocol::FrozenRecord& record, std::uint64_t sequence) const;
    JobPtr thaw_relay();

    TargetMoveParts parts_;
    MoveFence fence_;
    relocation::StreamManifest manifest_;
    relocation::Target machine_;
    std::deque<relocation::TargetEvent> events_;
    bool stepping_ = false;
    std::array<TimerId, 7> timers_{};

    LinkId link_;  // That carries the move.
    std::uint64_t prepare_sequence_ = 0;
    std::string stable_type_;
    RowMove row_;  // Since the owner was checked.

    relocation::Assembly assembly_;
    Bytes stream_;
    std::shared_ptr<ActorCell> cell_;  // Until it is open.
    std::weak_ptr<ActorCell> opened_cell_;
    relocation::ReceivedSpan received_;
    std::deque<JobPtr> relay_;
    std::deque<JobPtr> temporary_;
    std::uint64_t last_order_ = 0;

    // The record or chunk that the machine is being asked about.
    const protocol::RelocationState* chunk_ = nullptr;
    relocation::ConnectionId chunk_connection_;
    const protocol::FrozenRecord* relay_record_ = nullptr;
    ByteView relay_bytes_;
    relocation::ConnectionId relay_connection_;
};

}  // namespace shunt::host
