#pragma once
// The source side of one move (seed unit sections 4.1-4.4, 9, 10). Pure: the driver feeds events in
// the order they happened and performs the effects of each step in list order before the next
// event. One Source per unit and target attempt, on the unit's shard; no thread, clock or memory of
// its own.

#include <cstdint>
#include <variant>

#include "base/time.hpp"
#include "relocation/effect.hpp"
#include "relocation/event.hpp"
#include "relocation/identity.hpp"
#include "relocation/settings.hpp"
#include "relocation/stage.hpp"

namespace shunt::relocation {

/// What the driver does with an application record that reaches the unit now. Ask again for each
/// record: only step() changes the answer.
enum class Ingress : std::uint8_t {
    Queue,        // The unit serves: its own mailbox.
    Hold,         // The ingress hold, in arrival order.
    Follow,       // Message Follow to the target.
    Unavailable,  // Nobody knows the owner any more: a request ends Unavailable, a send is dropped.
};

/// Decides when the unit stops, what leaves on which connection, when the source may come back and
/// what becomes of the messages it still receives.
class Source {
  public:
    /// `identity` must be complete: no part of it may be zero (seed unit section 3).
    Source(RelocationIdentity identity, const MoveSettings& settings);

    /// Appends what has to be done to `out`, which must be empty. Events of another identity or
    /// connection are reported and change nothing. Asserts only on what the driver alone can get
    /// wrong: MoveRequested twice, TurnEnded without PauseAtTurnEnd, a capture answer without
    /// CaptureUnit, CutoverTerminal without SubmitCutover.
    void step(const SourceEvent& event, TimePoint now, SourceEffects& out);

    Stage stage() const noexcept { return stage_; }
    Ingress ingress() const noexcept;
    const RelocationIdentity& identity() const noexcept { return identity_; }

    /// True when the machine waits for nothing: restored with its effects performed, or Message
    /// Follow and the retransmission window over with the owner settled. It may be destroyed; what
    /// comes later would only be reported.
    bool finished() const noexcept;

  private:
    /// Built, not yet asked to move.
    struct Idle {};
    /// The unit serves until its turn ends.
    struct AwaitingTurnEnd {};
    /// Sealed; the adapter is at work, so nothing may run even when the move is already off.
    struct Capturing {
        protocol::FrameworkErrorCode given_up = protocol::FrameworkErrorCode::None;
    };
    /// The stream is fixed in memory and on its way.
    struct Transferring {
        std::uint32_t chunk_count = 0;
        std::uint32_t next_ordinal = 0;
        bool awaits_room = false;
        /// On any connection: from here the target may be ready, so silence proves nothing.
        bool last_chunk_submitted = false;
    };
    /// Relay-ready accepted, the terminal of the cutover submit pending.
    struct AwaitingTerminal {
        ConnectionId submitted_on;
    };
    enum class Route : std::uint8_t {
        Open,        // Confirmed by the Store or assumed after a sent cutover.
        Unknown,     // Held for reconciliation.
        Unresolved,  // The decisive read did not show the target; looked at again on each sweep.
        Elsewhere,   // Another owner or incarnation: nothing to deliver to.
    };
    /// Stage FollowOnly.
    struct Following {
        Route route = Route::Unknown;
        bool has_batch = false;
        bool window_open = false;
        bool follow_over = false;
        bool reading = false;
        /// The read in flight was asked before the follow period ended: one more decides.
        bool decisive_read_due = false;
    };
    /// Explicit failure: the unit serves here again.
    struct Restored {};

    using State = std::variant<Idle, AwaitingTurnEnd, Capturing, Transferring, AwaitingTerminal,
                               Following, Restored>;

    void on(const MoveRequested& e, TimePoint now, SourceEffects& out);
    void on(const TurnEnded& e, TimePoint now, SourceEffects& out);
    void on(const CaptureSucceeded& e, TimePoint now, SourceEffects& out);
    void on(const CaptureFailed& e, TimePoint now, SourceEffects& out);
    void on(const ChunkRoomGranted& e, TimePoint now, SourceEffects& out);
    void on(const RelayReadyReceived& e, TimePoint now, SourceEffects& out);
    void on(const RelocationFailedReceived& e, TimePoint now, SourceEffects& out);
    void on(const ConnectionLost& e, TimePoint now, SourceEffects& out);
    void on(const ConnectionRestored& e, TimePoint now, SourceEffects& out);
    void on(const CutoverTerminal& e, TimePoint now, SourceEffects& out);
    void on(const AbortRequested& e, TimePoint now, SourceEffects& out);
    void on(const OwnerRead& e, TimePoint now, SourceEffects& out);
    void on(const TimerElapsed& e, TimePoint now, SourceEffects& out);

    template <class To>
    To& enter(Trigger trigger, Stage stage, To to);

    bool takes_reply(const RelocationIdentity& identity, ConnectionId connection,
                     SourceEffects& out) const;
    void send_attempt(Transferring& transfer, SourceEffects& out) const;
    void give_up(protocol::FrameworkErrorCode code, SourceEffects& out);
    void restore(protocol::FrameworkErrorCode code, SourceEffects& out);
    void boundary_unknown(TimePoint now, SourceEffects& out);
    void resend_batch(SourceEffects& out) const;
    void open_route(Following& follow, SourceEffects& out) const;
    void read_owner(Following& follow, SourceEffects& out) const;
    void follow_ended(Following& follow, SourceEffects& out) const;
    void adopt(Following& follow, SourceEffects& out) const;
    void owner_elsewhere(Following& follow, SourceEffects& out) const;
    void owner_not_seen(Following& follow, TimePoint now, SourceEffects& out) const;

    RelocationIdentity identity_;
    MoveSettings settings_;
    Stage stage_ = Stage::SourceRunning;
    State state_;
    ConnectionId connection_;
    bool link_up_ = false;
};

}  // namespace shunt::relocation
