#pragma once
// Store calls as the repository makes them: certain failures are retried with back-off, unknown
// results are resolved by reading again (spec/stores.md section 13). Internal to store/.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/unique_function.hpp"
#include "store/environment.hpp"
#include "store/location_store.hpp"

namespace shunt::store {

/// 10 ms doubling to 250 ms; each wait is drawn from its upper half, so that hosts that failed
/// together do not come back together.
class Backoff {
  public:
    Duration next(std::uint64_t random) noexcept;

  private:
    std::chrono::milliseconds step_{10};
};

/// The write happened.
struct Written {
    Applied applied;
    /// Local time before the request that took effect.
    TimePoint submitted_at;
};
/// The write has not happened.
struct Refused {
    /// Its request was lost on the way and may still arrive; otherwise a condition was false.
    bool may_still_arrive = false;
};
using WriteOutcome = std::variant<Written, Refused, OutOfRange>;

/// Remembers whether an earlier attempt of one operation may still arrive: from then on no failure
/// may claim that nothing was changed.
class Certainty {
  public:
    void note(const Refused& refused) noexcept { lost_ = lost_ || refused.may_still_arrive; }
    void lose() noexcept { lost_ = true; }
    bool lost() const noexcept { return lost_; }
    std::error_code report(std::error_code error) const noexcept {
        return lost_ ? make_error_code(Errc::Indeterminate) : error;
    }

  private:
    bool lost_ = false;
};

/// Store and environment must outlive every call. Errors after the deadline: Transient when the
/// write certainly did not happen, Indeterminate when nobody knows. Unavailable, InvalidArgument
/// and Corrupt pass through at once.
class Access {
  public:
    using ReadDone = LocationStore::ReadDone;
    using WriteDone = UniqueFunction<void(result<WriteOutcome>)>;
    using ScanDone = UniqueFunction<void(result<std::vector<ScanItem>>)>;

    Access(LocationStore& store, Environment& environment) noexcept
        : store_(store), environment_(environment) {}

    /// Retries Transient until the deadline.
    void read(Key key, TimePoint deadline, ReadDone done);

    /// Retries Transient. An Indeterminate result becomes Written when every key that was put or
    /// deleted shows the request, otherwise Refused: the caller reads and judges anew. Not for
    /// batches of Adds alone and not for puts that repeat the stored bytes: reading tells nothing.
    void write(Batch batch, TimePoint deadline, WriteDone done);

    /// One attempt, exactly as the store answers it.
    void write_once(Batch batch, TimePoint deadline, LocationStore::WriteDone done) {
        store_.write(std::move(batch), deadline, std::move(done));
    }

    /// Every item under `prefix`, of one snapshot; an expired scan starts over.
    void scan_all(std::string prefix, TimePoint deadline, ScanDone done);

    /// Runs `again` after the next back-off wait; false when that would pass the deadline.
    [[nodiscard]] bool retry(Backoff& backoff, TimePoint deadline, UniqueFunction<void()> again);

    /// Runs `fn` in a later turn: for answers that need no store.
    void later(UniqueFunction<void()> fn) { environment_.arm(environment_.now(), std::move(fn)); }

    TimePoint now() const noexcept { return environment_.now(); }

  private:
    struct ReadCall;
    struct WriteCall;
    struct ScanCall;

    void run(std::shared_ptr<ReadCall> call);
    void run(std::shared_ptr<WriteCall> call);
    void run(std::shared_ptr<ScanCall> call);
    void resolve(std::shared_ptr<WriteCall> call, std::size_t index);

    LocationStore& store_;
    Environment& environment_;
};

}  // namespace shunt::store
