#pragma once
// The Location Store of a simulated cluster: the embedded provider's data structure behind a
// simulated client. Every operation takes time, and writes fail in each way the interface allows
// (spec/stores.md section 19.1), including the unpleasant one: "unknown" now, applied later.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "store/embedded/embedded_core.hpp"
#include "store/location_store.hpp"
#include "tests/sim/random.hpp"
#include "tests/sim/scheduler.hpp"
#include "tests/sim/sim_world.hpp"

namespace shunt::sim {

struct StoreOptions {
    /// One way; an operation takes two of these.
    Duration latency_min = std::chrono::microseconds(50);
    Duration latency_max = std::chrono::milliseconds(2);
    /// Store time minus true wall time.
    std::chrono::milliseconds wall_skew{0};
};

/// Chances per operation, in thousandths. Writes draw one of them, reads only `transient`.
struct StoreFaults {
    std::uint32_t transient = 0;
    std::uint32_t lost_before = 0;
    std::uint32_t lost_after = 0;
    std::uint32_t late_apply = 0;
    /// How long after its Indeterminate answer a late write may still land.
    Duration late_apply_max = std::chrono::seconds(5);
};

/// What becomes of one write.
enum class WriteFate : std::uint8_t {
    Normal,       // Applied or refused by its conditions; answered as it was.
    Transient,    // Not applied.
    LostBefore,   // Indeterminate; never applied.
    LostAfter,    // Indeterminate; applied.
    LateApply,    // Indeterminate; tried some time after that answer.
    Unavailable,  // Not applied.
};

/// One write that took effect, in the order of effect.
struct LoggedWrite {
    SimTime at;
    NodeIndex node;
    std::uint64_t lifecycle = 0;
    WriteFate fate = WriteFate::Normal;
    store::Batch batch;
};

class SimStore {
  public:
    SimStore(Scheduler& scheduler, std::uint64_t seed, const StoreOptions& options = {});
    SimStore(const SimStore&) = delete;
    SimStore& operator=(const SimStore&) = delete;

    /// A handle for the host on `world`. Both must end before this store; answers still on their
    /// way when the world is killed are dropped.
    [[nodiscard]] std::unique_ptr<store::LocationStore> connect(SimWorld& world);

    void set_faults(const StoreFaults& faults) noexcept { faults_ = faults; }
    /// Everything fails with Unavailable until `end`, for `node` or (kNoNode) for everybody.
    void unavailable(NodeIndex node, SimTime end);
    /// Ends faults and unavailability. Late writes that are under way still land.
    void heal();
    /// Decides single writes by hand; nullopt leaves them to the faults.
    void set_chooser(
        std::function<std::optional<WriteFate>(NodeIndex writer, const store::Batch&)> chooser) {
        chooser_ = std::move(chooser);
    }
    /// Called right after a write took effect.
    void on_applied(std::function<void(const LoggedWrite&)> fn) { applied_ = std::move(fn); }

    const std::vector<LoggedWrite>& log() const noexcept { return log_; }
    /// Reads of single keys that `node` has asked for.
    std::uint64_t reads_by(NodeIndex node) const {
        const auto found = reads_.find(node);
        return found == reads_.end() ? 0 : found->second;
    }
    /// Late writes that have not been tried yet.
    std::size_t late_writes() const noexcept { return late_writes_; }
    /// How many writes met `fate`.
    std::uint64_t count_of(WriteFate fate) const noexcept {
        return fates_[static_cast<std::size_t>(fate)];
    }

    /// Reads as the store sees itself, at once and without faults; for checkers.
    result<store::ReadReply> peek(const store::Key& key) const;
    UnixMillis now() const noexcept;
    std::size_t row_count() const noexcept { return core_.row_count(); }

  private:
    friend class SimStoreHandle;

    struct Caller {
        std::shared_ptr<SimWorld* const> world;
        NodeIndex node;
        std::uint64_t lifecycle = 0;
    };

    bool is_unavailable(NodeIndex node) const noexcept;
    WriteFate choose(NodeIndex node, const store::Batch& batch);
    result<store::WriteReply> apply(const Caller& caller, const store::Batch& batch,
                                    WriteFate fate);
    void apply_late(const Caller& caller, store::Batch&& batch);
    Duration latency();

    Scheduler& scheduler_;
    StoreOptions options_;
    StoreFaults faults_;
    Random random_;
    store::EmbeddedCore core_;
    std::map<NodeIndex, SimTime> unavailable_;
    std::function<std::optional<WriteFate>(NodeIndex, const store::Batch&)> chooser_;
    std::function<void(const LoggedWrite&)> applied_;
    std::vector<LoggedWrite> log_;
    std::map<NodeIndex, std::uint64_t> reads_;
    std::array<std::uint64_t, 6> fates_{};
    std::size_t late_writes_ = 0;
};

}  // namespace shunt::sim
