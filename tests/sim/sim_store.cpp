#include "tests/sim/sim_store.hpp"

#include <algorithm>
#include <utility>

namespace shunt::sim {

/// One host's client. An operation reaches the store after one latency, happens there in one event
/// (in the order of the calls), and its answer comes back after another.
class SimStoreHandle final : public store::LocationStore {
  public:
    SimStoreHandle(SimStore& store, SimWorld& world)
        : store_(store), caller_{world.handle(), world.node(), world.lifecycle()} {}

    void read(store::Key key, TimePoint deadline, ReadDone done) override {
        ++store_.reads_[caller_.node];
        start<store::ReadReply>(
            "store read", deadline, std::move(done),
            [&store = store_, key = std::move(key)] { return store.core_.read(key, store.now()); });
    }

    void scan(store::ScanRequest request, TimePoint deadline, ScanDone done) override {
        start<store::ScanReply>("store scan", deadline, std::move(done),
                                [&store = store_, request = std::move(request)] {
                                    return store.core_.scan(request, store.now());
                                });
    }

    void write(store::Batch batch, TimePoint deadline, WriteDone done) override {
        auto answer = std::make_shared<Answer<store::WriteReply>>();
        answer->error_when_late = store::Errc::Indeterminate;
        hold(*answer, std::move(done), answer, deadline);
        at_store("store write",
                 [&store = store_, caller = caller_, answer, batch = std::move(batch)]() mutable {
                     answer->reply = write_at_store(store, caller, std::move(batch));
                     come_back(store, caller, answer);
                 });
    }

  private:
    template <class Reply>
    struct Answer {
        std::optional<result<Reply>> reply;
        store::Errc error_when_late = store::Errc::Transient;
        TimePoint deadline;
        std::uint64_t held = 0;
    };

    static result<store::WriteReply> write_at_store(SimStore& store, const SimStore::Caller& caller,
                                                    store::Batch&& batch) {
        const WriteFate fate = store.choose(caller.node, batch);
        switch (fate) {
            case WriteFate::Normal:
                return store.apply(caller, batch, fate);
            case WriteFate::Transient:
                return store::Errc::Transient;
            case WriteFate::LostBefore:
                return store::Errc::Indeterminate;
            case WriteFate::LostAfter:
                static_cast<void>(store.apply(caller, batch, fate));
                return store::Errc::Indeterminate;
            case WriteFate::LateApply:
                store.apply_late(caller, std::move(batch));
                return store::Errc::Indeterminate;
            case WriteFate::Unavailable:
                return store::Errc::Unavailable;
        }
        return store::Errc::Corrupt;
    }

    template <class Reply, class Operation>
    void start(const char* what, TimePoint deadline, UniqueFunction<void(result<Reply>)> done,
               Operation operation) {
        auto answer = std::make_shared<Answer<Reply>>();
        hold(*answer, std::move(done), answer, deadline);
        at_store(what,
                 [&store = store_, caller = caller_, answer, operation = std::move(operation)] {
                     const bool transient = store.random_.chance(store.faults_.transient);
                     if (store.is_unavailable(caller.node)) {
                         answer->reply = store::Errc::Unavailable;
                     } else if (transient) {
                         answer->reply = store::Errc::Transient;
                     } else {
                         answer->reply = operation();
                     }
                     come_back(store, caller, answer);
                 });
    }

    template <class Reply>
    void hold(Answer<Reply>& slot, UniqueFunction<void(result<Reply>)> done,
              std::shared_ptr<Answer<Reply>> answer, TimePoint deadline) {
        slot.deadline = deadline;
        SimWorld* world = *caller_.world;
        if (world == nullptr) return;
        slot.held = world->hold([done = std::move(done), answer = std::move(answer)]() mutable {
            done(std::move(*answer->reply));
        });
    }

    template <class Operation>
    void at_store(const char* what, Operation operation) {
        const SimTime arrives = store_.scheduler_.now() + store_.latency();
        last_arrival_ = std::max(last_arrival_ + Duration(1), arrives);
        store_.scheduler_.at(last_arrival_,
                             {.kind = EventKind::Store, .what = what, .detail = caller_.lifecycle},
                             std::move(operation));
    }

    template <class Reply>
    static void come_back(SimStore& store, const SimStore::Caller& caller,
                          std::shared_ptr<Answer<Reply>> answer) {
        SimWorld* world = *caller.world;
        if (world == nullptr) return;
        Duration wait = store.latency();
        const Duration left = std::max(answer->deadline - world->now(), Duration(0));
        if (left < wait) {
            // Too late for the caller, whatever the store did with it.
            wait = left;
            answer->reply = answer->error_when_late;
        }
        store.scheduler_.after(wait,
                               {.kind = EventKind::Store,
                                .what = "store answer",
                                .node = caller.node,
                                .detail = caller.lifecycle},
                               [handle = caller.world, answer] {
                                   if (*handle != nullptr) (*handle)->run_held(answer->held);
                               });
    }

    SimStore& store_;
    SimStore::Caller caller_;
    SimTime last_arrival_{0};
};

SimStore::SimStore(Scheduler& scheduler, std::uint64_t seed, const StoreOptions& options)
    : scheduler_(scheduler), options_(options), random_(Random(seed).split("store")), core_(seed) {}

std::unique_ptr<store::LocationStore> SimStore::connect(SimWorld& world) {
    return std::make_unique<SimStoreHandle>(*this, world);
}

UnixMillis SimStore::now() const noexcept {
    const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(scheduler_.now());
    const auto wall =
        static_cast<std::int64_t>(kWallClockStart) + (elapsed + options_.wall_skew).count();
    return UnixMillis{static_cast<std::uint64_t>(wall)};
}

Duration SimStore::latency() {
    return random_.between(options_.latency_min, options_.latency_max);
}

void SimStore::unavailable(NodeIndex node, SimTime end) {
    SimTime& until = unavailable_[node];
    until = std::max(until, end);
}

void SimStore::heal() {
    faults_ = {};
    unavailable_.clear();
}

bool SimStore::is_unavailable(NodeIndex node) const noexcept {
    const auto down = [&](NodeIndex who) {
        const auto found = unavailable_.find(who);
        return found != unavailable_.end() && found->second > scheduler_.now();
    };
    return down(node) || down(kNoNode);
}

WriteFate SimStore::choose(NodeIndex node, const store::Batch& batch) {
    WriteFate fate = WriteFate::Normal;
    // One draw for all kinds: the chances add up, and a kind that is off changes no other draw.
    std::uint64_t draw = random_.below(1000);
    const auto hit = [&draw](std::uint32_t per_mille) {
        if (draw < per_mille) return true;
        draw -= per_mille;
        return false;
    };
    if (hit(faults_.transient)) {
        fate = WriteFate::Transient;
    } else if (hit(faults_.lost_before)) {
        fate = WriteFate::LostBefore;
    } else if (hit(faults_.lost_after)) {
        fate = WriteFate::LostAfter;
    } else if (hit(faults_.late_apply)) {
        fate = WriteFate::LateApply;
    }
    if (is_unavailable(node)) fate = WriteFate::Unavailable;
    if (chooser_) fate = chooser_(node, batch).value_or(fate);
    ++fates_[static_cast<std::size_t>(fate)];
    return fate;
}

result<store::WriteReply> SimStore::apply(const Caller& caller, const store::Batch& batch,
                                          WriteFate fate) {
    result<store::WriteReply> reply = core_.write(batch, now());
    if (reply.has_value() && std::holds_alternative<store::Applied>(reply.value())) {
        scheduler_.note("applied", caller.lifecycle);
        log_.push_back({scheduler_.now(), caller.node, caller.lifecycle, fate, batch});
        if (applied_) applied_(log_.back());
    }
    return reply;
}

void SimStore::apply_late(const Caller& caller, store::Batch&& batch) {
    ++late_writes_;
    scheduler_.after(latency() * 2 + random_.between(Duration(0), faults_.late_apply_max),
                     {.kind = EventKind::Store, .what = "late write", .detail = caller.lifecycle},
                     [this, caller, batch = std::move(batch)] {
                         --late_writes_;
                         static_cast<void>(apply(caller, batch, WriteFate::LateApply));
                     });
}

result<store::ReadReply> SimStore::peek(const store::Key& key) const {
    return core_.read(key, now());
}

}  // namespace shunt::sim
