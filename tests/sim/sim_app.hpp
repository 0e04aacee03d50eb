#pragma once
// The application of a simulated cluster: Actors that wander through messages, requests, timers and
// self-sends, and write everything they see into the books. What they decide comes from the seed.

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/actor.hpp"
#include "host/probe.hpp"
#include "tests/sim/conservation.hpp"
#include "tests/sim/flat_record.hpp"
#include "tests/sim/ownership.hpp"
#include "tests/sim/random.hpp"
#include "tests/sim/scheduler.hpp"

namespace shunt::sim {

struct AppOptions {
    std::uint32_t actors = 12;
    /// Ballast of one Actor's state, so that moves take one chunk or many.
    std::size_t state_bytes_max = 4096;
    /// A message makes its receiver send on, at most this many times over.
    std::uint32_t hops_max = 2;
    std::chrono::milliseconds request_timeout{4000};
};

/// What one handler saw of the run, in numbers of the coverage report.
struct Coverage {
    std::array<std::uint64_t, 11> source_stages{};
    std::array<std::uint64_t, 11> target_stages{};
    std::array<std::uint64_t, 64> source_effects{};
    std::array<std::uint64_t, 64> target_effects{};
    std::array<std::uint64_t, relocation::kLogCodeCount> log_codes{};
    std::map<std::string, std::uint64_t> results;
    std::map<std::string, std::uint64_t> drops;

    void add(const Coverage& other);
};

class SimApp {
  public:
    SimApp(Scheduler& scheduler, std::uint64_t seed, const AppOptions& options);
    SimApp(const SimApp&) = delete;
    SimApp& operator=(const SimApp&) = delete;

    /// Both Actor types: `sim.walker` keeps its state over moves, `sim.newborn` is made anew.
    result<void> register_types(host::Registry& registry);

    const AppOptions& options() const noexcept { return options_; }
    ActorId actor(std::uint32_t index) const { return ActorId{"actor-" + std::to_string(index)}; }
    std::string type_of(std::uint32_t index) const;
    std::uint32_t number_of(const ActorId& actor) const;
    ActorId any_actor() {
        return actor(static_cast<std::uint32_t>(random_.below(options_.actors)));
    }

    conservation::Ledger& ledger() noexcept { return ledger_; }
    conservation::OwnerWatch& owners() noexcept { return owners_; }
    Coverage& coverage() noexcept { return coverage_; }
    /// State or timers that did not survive a move as they were.
    const conservation::Findings& findings() const noexcept { return findings_; }
    std::uint64_t ticks() const noexcept { return ticks_; }

    /// A numbered message, and what to tell the books about it later.
    struct Outgoing {
        conservation::MessageRef ref;
        host::Packet packet;
    };
    Outgoing next_note(const std::string& sender, const ActorId& receiver, std::uint32_t hops);
    Outgoing next_ask(const std::string& sender, const ActorId& receiver, std::uint32_t hops);
    void admitted(const conservation::MessageRef& ref, const result<void>& answer);
    void answered(const conservation::MessageRef& ref, const result<host::Packet>& answer);

    /// The network lost this record. A message the protocol never resends may be missing; one of
    /// a boundary batch only if its move had to do without the rest.
    void record_lost(const FlatRecord& record);
    /// A host gave this message up because of a fault and counted it.
    void message_dropped(std::string_view reason, ByteView payload);
    /// The actor's move ended by the fallback or was given up: order is off, and what was lost of
    /// its boundary batch stays lost.
    void troubled(const ActorId& actor);
    /// The process of this run ended with its objects still on it (a lost lease, a kill).
    void died(std::uint64_t lifecycle, const std::string& caller);
    /// Settles what only the end can tell; true when the books are closed. May be called again.
    bool settle(bool calm);
    /// Actors without an owner: their target could not confirm the change, or never came back.
    std::vector<ActorId> ownerless() const;

    /// Writes down one line of what happened; the last ones are in story().
    void tell(const std::string& who, const std::string& what);
    std::string story() const;
    /// Prints each line of the story as it happens.
    void set_verbose(bool verbose) noexcept { verbose_ = verbose; }

    /// False once traffic shall die down: handlers send nothing on.
    void set_lively(bool lively) noexcept { lively_ = lively; }

  private:
    friend class Walker;

    Outgoing next(const std::string& sender, const ActorId& receiver, std::uint32_t hops, bool ask);
    std::optional<conservation::MessageRef> message_in(ByteView bytes);
    conservation::MessageRef note_run(const host::Turn& turn, const host::Message& message,
                                      std::uint32_t& hops);
    void check_state(const ActorId& actor, std::uint64_t handled);
    void check_tick(const ActorId& actor, const host::Tick& tick);

    struct TickMark {
        std::uint64_t delivery_index = 0;
        std::uint64_t scheduled_index = 0;
    };

    Scheduler& scheduler_;
    AppOptions options_;
    Random random_;
    conservation::Ledger ledger_;
    conservation::OwnerWatch owners_;
    conservation::Findings findings_;
    Coverage coverage_;
    std::map<ActorId, std::uint64_t> handled_;
    std::map<ActorId, TickMark> tick_marks_;
    std::vector<conservation::MessageRef> batch_losses_;
    std::vector<conservation::MessageRef> drops_;
    std::set<ActorId> troubled_;
    std::uint64_t ticks_ = 0;
    std::deque<std::string> story_;
    bool verbose_ = false;
    bool lively_ = true;
};

/// Feeds the books with what one host lifecycle reports.
class SimProbe final : public host::Probe {
  public:
    SimProbe(SimApp& app, Scheduler& scheduler, std::uint64_t lifecycle)
        : app_(app),
          scheduler_(scheduler),
          node_{lifecycle},
          name_("run " + std::to_string(lifecycle)) {}

    void on_turn_started(const ActorId& actor, AuthorityOwnerGeneration generation) override;
    void on_turn_ended(const ActorId& actor, AuthorityOwnerGeneration generation) override;
    void on_stage(const ActorId& actor, relocation::Role role, relocation::Stage stage) override;
    void on_effect(relocation::Role role, std::size_t effect_index) override;
    void on_log(relocation::LogCode code) override;
    void on_unit_moved(const ActorId& actor, std::uint64_t stream_bytes) override;
    void on_dropped(std::string_view reason) override;
    void on_message_dropped(std::string_view reason, ByteView payload) override;

  private:
    SimApp& app_;
    Scheduler& scheduler_;
    conservation::Node node_;
    std::string name_;
};

}  // namespace shunt::sim
