#include "store/access.hpp"

#include <algorithm>
#include <optional>

#include "base/assert.hpp"

namespace shunt::store {
namespace {

constexpr std::chrono::milliseconds kBackoffMax{250};
constexpr std::size_t kScanPageItems = 100;

/// Whether the key of a mutation reads as if the mutation had just happened; with the version it
/// has then. Adds show nothing.
std::optional<Version> shown_by(const Mutation& mutation, const ReadReply& reply) {
    const auto* found = std::get_if<Found>(&reply);
    if (const auto* put = std::get_if<Put>(&mutation)) {
        const bool shown = found != nullptr && same_bytes(found->value, put->value) &&
                           found->expires_at.has_value() == put->retention.has_value();
        return shown ? std::optional(found->version) : std::nullopt;
    }
    return found == nullptr ? std::optional(Version{}) : std::nullopt;
}

}  // namespace

Duration Backoff::next(std::uint64_t random) noexcept {
    const Duration step = step_;
    step_ = std::min(step_ * 2, kBackoffMax);
    const auto half = static_cast<std::uint64_t>((step / 2).count());
    return step / 2 + Duration(static_cast<std::int64_t>(random % (half + 1)));
}

bool Access::retry(Backoff& backoff, TimePoint deadline, UniqueFunction<void()> again) {
    const TimePoint at = environment_.now() + backoff.next(environment_.random());
    if (at >= deadline) return false;
    environment_.arm(at, std::move(again));
    return true;
}

// --- read -------------------------------------------------------------------------------------

struct Access::ReadCall {
    Key key;
    TimePoint deadline;
    ReadDone done;
    Backoff backoff = {};
};

void Access::read(Key key, TimePoint deadline, ReadDone done) {
    run(std::make_shared<ReadCall>(ReadCall{std::move(key), deadline, std::move(done)}));
}

void Access::run(std::shared_ptr<ReadCall> call) {
    store_.read(call->key, call->deadline, [this, call](result<ReadReply> reply) {
        if (reply.has_error() && reply.error() == Errc::Transient &&
            retry(call->backoff, call->deadline, [this, call] { run(call); })) {
            return;
        }
        call->done(std::move(reply));
    });
}

// --- write ------------------------------------------------------------------------------------

struct Access::WriteCall {
    Batch batch;
    TimePoint deadline;
    WriteDone done;
    Backoff backoff = {};
    TimePoint submitted_at = {};
    Applied seen = {};  // What the keys show while an unknown result is resolved.
};

void Access::write(Batch batch, TimePoint deadline, WriteDone done) {
    run(std::make_shared<WriteCall>(WriteCall{std::move(batch), deadline, std::move(done)}));
}

void Access::run(std::shared_ptr<WriteCall> call) {
    call->submitted_at = environment_.now();
    store_.write(call->batch, call->deadline, [this, call](result<WriteReply> reply) {
        if (reply.has_error()) {
            if (reply.error() == Errc::Indeterminate) return resolve(call, 0);
            if (reply.error() == Errc::Transient &&
                retry(call->backoff, call->deadline, [this, call] { run(call); })) {
                return;
            }
            return call->done(reply.error());
        }
        if (auto* applied = std::get_if<Applied>(&reply.value())) {
            return call->done(WriteOutcome(Written{std::move(*applied), call->submitted_at}));
        }
        if (std::holds_alternative<Conflict>(reply.value())) {
            return call->done(WriteOutcome(Refused{}));
        }
        call->done(WriteOutcome(OutOfRange{}));
    });
}

void Access::resolve(std::shared_ptr<WriteCall> call, std::size_t index) {
    const std::vector<Mutation>& mutations = call->batch.mutations;
    while (index < mutations.size() && std::holds_alternative<Add>(mutations[index])) ++index;
    if (index == mutations.size()) {
        return call->done(WriteOutcome(Written{std::move(call->seen), call->submitted_at}));
    }
    const Mutation& mutation = mutations[index];
    Key key = std::holds_alternative<Put>(mutation) ? std::get<Put>(mutation).key
                                                    : std::get<Delete>(mutation).key;
    read(std::move(key), call->deadline, [this, call, index](result<ReadReply> reply) {
        // An unreadable key leaves the write as unknown as it was, whatever made it unreadable.
        if (reply.has_error()) return call->done(Errc::Indeterminate);
        const Mutation& asked = call->batch.mutations[index];
        call->seen.store_now =
            std::visit([](const auto& seen) { return seen.store_now; }, reply.value());
        std::optional<Version> version = shown_by(asked, reply.value());
        if (!version) return call->done(WriteOutcome(Refused{.may_still_arrive = true}));
        if (std::holds_alternative<Put>(asked)) call->seen.versions.push_back(std::move(*version));
        resolve(call, index + 1);
    });
}

// --- scan -------------------------------------------------------------------------------------

struct Access::ScanCall {
    ScanRequest request;
    TimePoint deadline;
    ScanDone done;
    Backoff backoff = {};
    std::vector<ScanItem> items = {};
};

void Access::scan_all(std::string prefix, TimePoint deadline, ScanDone done) {
    ScanRequest request{std::move(prefix), std::nullopt, kScanPageItems};
    run(std::make_shared<ScanCall>(ScanCall{std::move(request), deadline, std::move(done)}));
}

void Access::run(std::shared_ptr<ScanCall> call) {
    store_.scan(call->request, call->deadline, [this, call](result<ScanReply> reply) {
        const auto again = [this, call] { run(call); };
        if (reply.has_error()) {
            if (reply.error() == Errc::Transient && retry(call->backoff, call->deadline, again)) {
                return;
            }
            return call->done(reply.error());
        }
        auto* page = std::get_if<Page>(&reply.value());
        if (page == nullptr) {
            // What was read belongs to a snapshot that is gone.
            call->items.clear();
            call->request.cursor.reset();
            if (retry(call->backoff, call->deadline, again)) return;
            return call->done(Errc::Transient);
        }
        std::move(page->items.begin(), page->items.end(), std::back_inserter(call->items));
        if (!page->next_cursor) return call->done(std::move(call->items));
        call->request.cursor = std::move(page->next_cursor);
        run(call);
    });
}

}  // namespace shunt::store
