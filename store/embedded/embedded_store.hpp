#pragma once
// The embedded provider as hosts use it: one store for all hosts of one process, a handle per shard
// (design.md section 2: one mutex, answers are posted). Everything is gone when the process ends.

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/unique_function.hpp"
#include "store/location_store.hpp"

namespace shunt::store {

/// Runs a closure in a later turn of the shard that owns a handle; never inside the call.
using Poster = std::function<void(UniqueFunction<void()>)>;

/// Thread: any. Copies share one store, and every handle keeps it alive, so the order in which
/// handles and this object end does not matter.
class EmbeddedStore {
  public:
    /// Store time is the system's wall clock.
    EmbeddedStore();
    /// Store time is `wall_clock`, called under the store's mutex from any thread that calls in.
    explicit EmbeddedStore(std::function<UnixMillis()> wall_clock);

    /// A store that survives its process: every commit is in the file at `path` before it happens
    /// (journal.hpp), and the file's earlier commits are there again. Store time is the system's
    /// wall clock. A write then waits for the disk inside the call, and with it every handle:
    /// for a small deployment on one machine, not for many objects a second.
    /// Errors: Errc::Corrupt for a file that is damaged or none of ours; otherwise the system's
    /// (`resource_unavailable_try_again` when another process has the file open).
    [[nodiscard]] static result<EmbeddedStore> open(const std::string& path);

    /// A handle for the shard behind `post`. An operation happens inside the call, so `deadline`
    /// never passes; its answer is posted and arrives even when the handle has ended meanwhile.
    [[nodiscard]] std::unique_ptr<LocationStore> connect(Poster post) const;

    struct Shared;

  private:
    explicit EmbeddedStore(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

    std::shared_ptr<Shared> shared_;
};

}  // namespace shunt::store
