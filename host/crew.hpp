#pragma once
// The shards of one host: where an id is at home, and how a shard speaks to another
// (design.md section 2). A unit lives on the shard its id hashes to; everything sent to it goes
// there first, from any shard, so what one sender sends to one receiver stays in order.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/unique_function.hpp"
#include "host/world.hpp"
#include "protocol/command_relocation.hpp"

namespace shunt::host {

class ShardCore;

/// Built with the worlds of all shards, shard 0 first; outlives every function that is posted.
class Crew {
  public:
    explicit Crew(std::vector<ShardWorld*> worlds) : worlds_(std::move(worlds)) {
        cores_.resize(worlds_.size());
    }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(worlds_.size()); }
    ShardWorld& world(ShardId shard) const noexcept { return *worlds_[shard.value]; }

    /// The shard's parts; null before and after its life. On that shard only.
    ShardCore* core(ShardId shard) const noexcept { return cores_[shard.value]; }
    void set_core(ShardId shard, ShardCore* core) noexcept { cores_[shard.value] = core; }

    // --- who lives where --------------------------------------------------------------------
    ShardId home_of(const ActorId& actor) const noexcept;
    /// The shard of the unit that a relocation record is about.
    ShardId home_of(const protocol::RelocationObjectIdentity& object) const noexcept;
    /// Numbers that come back from outside name the shard that gave them out.
    std::uint64_t tagged(ShardId shard, std::uint64_t number) const noexcept {
        return number * worlds_.size() + shard.value;
    }
    ShardId shard_in(std::uint64_t tagged) const noexcept {
        return ShardId{static_cast<std::uint32_t>(tagged % worlds_.size())};
    }
    std::uint64_t number_in(std::uint64_t tagged) const noexcept { return tagged / worlds_.size(); }

    // --- speaking ---------------------------------------------------------------------------
    /// Runs `fn(core)` on `shard` in a later step, unless the shard has closed by then. Any thread.
    template <class F>
    void post(ShardId shard, F fn) {
        worlds_[shard.value]->post([this, shard, fn = std::move(fn)]() mutable {
            if (ShardCore* core = cores_[shard.value]) fn(*core);
        });
    }
    template <class F>
    void post_all(const F& fn) {
        for (std::uint32_t shard = 0; shard < size(); ++shard) post(ShardId{shard}, fn);
    }

    /// Called on shard 0: runs `ask(core)` on every shard and `done(answers)` back on shard 0, the
    /// answers in shard order. No shard may close meanwhile.
    template <class Answer, class Ask, class Done>
    void gather(Ask ask, Done done) {
        struct Round {
            std::vector<Answer> answers;
            std::size_t missing;
            Done done;
        };
        auto round = std::make_shared<Round>(
            Round{std::vector<Answer>(worlds_.size()), worlds_.size(), std::move(done)});
        for (std::uint32_t shard = 0; shard < size(); ++shard) {
            post(ShardId{shard}, [this, shard, ask, round](ShardCore& core) {
                worlds_.front()->post([shard, round, answer = ask(core)]() mutable {
                    round->answers[shard] = std::move(answer);
                    if (--round->missing == 0) round->done(std::move(round->answers));
                });
            });
        }
    }

  private:
    std::vector<ShardWorld*> worlds_;
    std::vector<ShardCore*> cores_;
};

}  // namespace shunt::host
