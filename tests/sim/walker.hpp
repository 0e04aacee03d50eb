#pragma once
// The simulated cluster's Actor: what it does with a message is drawn from the seed, and its state
// is checked against the model after every move.

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.hpp"
#include "host/actor.hpp"
#include "host/task.hpp"

namespace shunt::sim {

class SimApp;

class Walker {
  public:
    Walker(SimApp& app, const host::ActorContext& context) : app_(app), id_(context.id) {}

    void created(host::Turn turn);
    void note(host::Turn turn, host::Message message);
    void ask(host::Turn turn, host::Message message);
    /// The same as ask(), as a coroutine.
    host::Task<> ask_slowly(host::Turn turn, host::Message message);
    void beat(host::Turn turn, host::Tick tick);

    result<Segments> capture() const;
    result<void> restore(ByteView state);

  private:
    void count(const host::Turn& turn);
    void act(host::Turn turn, std::uint32_t hops);
    void ask_on(host::Turn turn, std::uint32_t hops, UniqueFunction<void(host::Turn)> then);

    SimApp& app_;
    ActorId id_;
    std::uint64_t handled_ = 0;
    Bytes ballast_;
};

}  // namespace shunt::sim
