#pragma once
// Both machines of one move, joined by a toy network, store and application that one seed drives.
// Far simpler than tests/sim, and therefore fast: thousands of moves in a second, with faults at
// every step. It keeps its own account of each message and of everything taken and given back.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "relocation/assembly.hpp"
#include "relocation/source.hpp"
#include "relocation/target.hpp"

namespace shunt::relocation::testing {

/// Which faults a run may have, as chances in a thousand per choice.
struct ToyFaults {
    unsigned cut = 0;
    unsigned corrupt = 0;
    unsigned store = 0;
    unsigned failing_step = 0;  // Capture, owner check, restore, abort.
    unsigned impatience = 0;    // Time passes although work is left.
};

class ToyMove {
  public:
    ToyMove(std::uint64_t seed, const ToyFaults& faults);

    /// One random action.
    void act();
    /// No more faults: everything that is left runs its course.
    void settle();

    const Source& source() const { return source_; }
    bool target_open() const { return target_ && target_->stage() == Stage::TargetOpen; }
    bool cut_happened() const { return cut_happened_; }

    /// What went wrong, empty for nothing. The run stops being meaningful after the first.
    std::string broken;

    using Messages = std::vector<int>;
    int arrived = 0;
    Messages run_at_source;
    Messages run_at_target;
    Messages refused;  // Ended Unavailable.
    Messages hold;
    std::set<LogCode> reported;
    int copies_released = 0;
    int permits_released = 0;
    int concluded = 0;
    int opened = 0;
    bool sealed = false;
    bool boundary_passed = false;

  private:
    struct Frame {
        enum class Kind { Prepare, Chunk, Relay, Cutover, Follow, Ready, Failed } kind;
        std::uint32_t ordinal = 0;
        int message = 0;
        BoundaryProof proof{};
        protocol::FrameworkErrorCode code = protocol::FrameworkErrorCode::None;
    };
    enum class Work {
        EndTurn,
        Capture,
        GrantRoom,
        CutoverTerminal,
        ReadSourceOwner,
        CheckOwner,
        Restore,
        Cas,
        LateCas,
        ReadTargetOwner,
        OrderBacklog,
    };
    struct Pending {
        Work work;
        ConnectionId connection;
        std::uint32_t ordinal = 0;
    };

    bool chance(unsigned per_thousand) { return rng_() % 1000 < per_thousand; }
    std::uint64_t pick(std::uint64_t below) { return rng_() % below; }
    void expect(bool holds, const std::string& what);
    ConnectionId link() const { return {connection_}; }

    void step(const SourceEvent& event);
    void step(const TargetEvent& event, int message = 0);
    void perform(const SourceEffect& effect);
    void perform(const TargetEffect& effect, int message);

    void arrive();
    void run_source_turn();
    void deliver(std::deque<Frame>& lane);
    void deliver_to_target(const Frame& frame);
    void deliver_chunk(const Frame& frame);
    void run(const Pending& pending);
    void answer_cas();
    OwnerSeen read_owner();
    void cut();
    void reconnect();
    void pass_time(bool to_next_timer);
    void send(std::deque<Frame>& lane, ConnectionId on, Frame frame);
    void send_batch(ConnectionId on);
    void forward(int message);
    void place_at_target(int message, Messages& closed_place);

    std::mt19937_64 rng_;
    ToyFaults faults_;
    TimePoint now_{};
    Source source_;
    std::optional<Target> target_;
    std::optional<Assembly> assembly_;
    ReceivedSpan received_;

    std::uint64_t connection_ = 1;
    bool up_ = true;
    bool cut_happened_ = false;
    std::deque<Frame> to_target_;
    std::deque<Frame> to_source_;
    std::vector<Pending> pending_;
    std::map<TimerKind, TimePoint> timers_;

    OwnerSeen owner_ = OwnerSeen::Source;
    bool assemble_ = false;

    Messages queue_;
    Messages saved_;
    Messages payload_;  // What the stream carries, whatever the source still keeps.
    Messages batch_;
    Messages restored_;
    Messages span_;
    Messages late_;
    Messages temporary_;
};

}  // namespace shunt::relocation::testing
