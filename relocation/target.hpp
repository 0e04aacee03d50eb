#pragma once
// The target side of one move (seed unit sections 4.3-4.6, 6). Pure: see source.hpp. One Target per
// relocation identity, built when its first command 40 arrives and kept after its end as long as
// records of that move may still come (its source's retransmission window and operation deadline).

#include <cstdint>
#include <variant>

#include "base/time.hpp"
#include "relocation/effect.hpp"
#include "relocation/event.hpp"
#include "relocation/identity.hpp"
#include "relocation/relay_span.hpp"
#include "relocation/settings.hpp"
#include "relocation/stage.hpp"

namespace shunt::relocation {

/// Decides what joins the assembly and the relay span, when the unit is restored, when the one
/// owner change is tried, and that the queue opens only after it.
class Target {
  public:
    /// `identity` must be complete: no part of it may be zero (seed unit section 3).
    Target(RelocationIdentity identity, const MoveSettings& settings);

    /// Appends what has to be done to `out`, which must be empty. The first event is the
    /// PrepareReceived the machine was built for; its connection is the one that carries the move
    /// until ConnectionRestored names another. Records of another identity or connection are
    /// reported and dropped. Asserts only on what the driver alone can get wrong: another first
    /// event, a restore answer without RestoreUnit, BacklogReady without OrderBacklog.
    void step(const TargetEvent& event, TimePoint now, TargetEffects& out);

    Stage stage() const noexcept { return stage_; }
    const RelocationIdentity& identity() const noexcept { return identity_; }

    /// True in TargetOpen and TargetRemoved: no timer is armed and no answer is awaited.
    bool finished() const noexcept;
    /// What reply 53 said; None when none was sent, so that the source may count on this target.
    protocol::FrameworkErrorCode failure_answered() const noexcept;

  private:
    /// Before the first command 40.
    struct Fresh {};
    struct Restoring {
        bool owner_checked = false;
        bool assembled = false;
        bool restoring = false;  // RestoreUnit was asked.
    };
    struct AwaitingCutover {};
    enum class Awaits : std::uint8_t { Cas, Read, BackOff };
    /// CutoverReceived, CutoverFallback and StoreRetry: the owner change is being tried.
    struct ChangingOwner {
        Awaits awaits = Awaits::Cas;
        bool conflict_seen = false;  // By the latest CAS answer.
        Duration pause = Duration::zero();
    };
    struct Committed {};
    struct Open {};
    struct Removed {
        /// What 53 said; None when the move ended after relay-ready, where no 53 is ever sent.
        protocol::FrameworkErrorCode answered = protocol::FrameworkErrorCode::None;
    };

    using State =
        std::variant<Fresh, Restoring, AwaitingCutover, ChangingOwner, Committed, Open, Removed>;

    void on(const PrepareReceived& e, TimePoint now, TargetEffects& out);
    void on(const OwnerChecked& e, TimePoint now, TargetEffects& out);
    void on(const OwnerRefused& e, TimePoint now, TargetEffects& out);
    void on(const ChunkArrived& e, TimePoint now, TargetEffects& out);
    void on(const ChunkAssembled& e, TimePoint now, TargetEffects& out);
    void on(const ChunkConflict& e, TimePoint now, TargetEffects& out);
    void on(const UnitRestored& e, TimePoint now, TargetEffects& out);
    void on(const UnitRestoreFailed& e, TimePoint now, TargetEffects& out);
    void on(const RelayArrived& e, TimePoint now, TargetEffects& out);
    void on(const CutoverArrived& e, TimePoint now, TargetEffects& out);
    void on(const CasAnswered& e, TimePoint now, TargetEffects& out);
    void on(const TargetOwnerRead& e, TimePoint now, TargetEffects& out);
    void on(const BacklogReady& e, TimePoint now, TargetEffects& out);
    void on(const ConnectionLost& e, TimePoint now, TargetEffects& out);
    void on(const ConnectionRestored& e, TimePoint now, TargetEffects& out);
    void on(const TargetAborted& e, TimePoint now, TargetEffects& out);
    void on(const TimerElapsed& e, TimePoint now, TargetEffects& out);

    template <class To>
    void enter(Trigger trigger, Stage stage, To to);

    bool ours(const RelocationIdentity& identity, ConnectionId connection) const noexcept;
    void repeated_prepare(const PrepareReceived& e, TargetEffects& out);
    void restore_when_complete(Restoring& restoring, TargetEffects& out) const;
    void fail(protocol::FrameworkErrorCode code, TargetEffects& out);
    void change_owner(Trigger trigger, Stage stage, TargetEffects& out);
    void back_off(TimePoint now, TargetEffects& out);
    void commit(TargetEffects& out);
    void remove(TargetEffects& out);

    RelocationIdentity identity_;
    MoveSettings settings_;
    Stage stage_ = Stage::TargetRestoring;
    State state_;
    StreamManifest manifest_;
    ConnectionId connection_;
    SpanCursor relay_;
};

}  // namespace shunt::relocation
