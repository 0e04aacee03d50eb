// Lease operations of the repository (spec/stores.md section 7).

#include <utility>

#include "store/keys.hpp"
#include "store/owner_lease.hpp"
#include "store/repository.hpp"

namespace shunt::store {
namespace {

/// A stored lease that is ours, byte for byte, and has the expiry every lease must have.
bool is_ours(const Found& found, const OwnerLease& lease) {
    return same_bytes(found.value, encode_owner_lease(lease)) && found.expires_at;
}

LeaseHeld held(const OwnerLease& lease, const LeaseLife& life, const LeaseTimings& timings) {
    return {lease, life, admission_deadline(life, timings.fencing_margin)};
}

/// The life a Put with this ttl has given the lease.
LeaseLife fresh_life(TimePoint submitted_at, const Applied& applied, const LeaseTimings& timings) {
    const auto ttl_ms = static_cast<std::uint64_t>(timings.ttl.count());
    return {submitted_at, applied.store_now, UnixMillis{applied.store_now.value + ttl_ms}};
}

LeaseLife life_of(TimePoint read_at, const Found& found) {
    return {read_at, found.store_now, *found.expires_at};
}

bool is_retriable(std::error_code error) {
    return error == Errc::Transient || error == Errc::Indeterminate;
}

}  // namespace

// --- claim ------------------------------------------------------------------------------------

struct Repository::ClaimCall {
    OwnerLease lease;
    LeaseTimings timings;
    TimePoint deadline;
    Done<ClaimAnswer> done;
    Backoff backoff = {};
    TimePoint started_at = {};
    Certainty certainty = {};
};

void Repository::claim_lease(OwnerId owner, LeaseTimings timings, TimePoint deadline,
                             Done<ClaimAnswer> done) {
    auto call = std::make_shared<ClaimCall>(
        ClaimCall{{std::move(owner), {}}, timings, deadline, counted(std::move(done))});
    counters_.issue({Key(kOwnerCounterKey)}, deadline, [this, call](auto issued) {
        if (issued.has_error()) return call->done(issued.error());
        const auto* numbers = std::get_if<Counters::Issued>(&issued.value());
        if (numbers == nullptr) return call->done(ClaimAnswer(GenerationExhausted{}));
        call->lease.generation.value = numbers->front();
        write_claim(call);
    });
}

void Repository::write_claim(std::shared_ptr<ClaimCall> call) {
    const Key key = owner_lease_key(call->lease.owner_id);
    Batch batch{{IfMissing{key}}, {Put{key, encode_owner_lease(call->lease), call->timings.ttl}}};
    call->started_at = access_.now();
    access_.write_once(std::move(batch), call->deadline, [this, call](result<WriteReply> reply) {
        if (reply.has_error() && !is_retriable(reply.error())) {
            return call->done(call->certainty.report(reply.error()));
        }
        if (reply.has_value()) {
            if (const auto* applied = std::get_if<Applied>(&reply.value())) {
                const LeaseLife life = fresh_life(call->started_at, *applied, call->timings);
                return call->done(ClaimAnswer(held(call->lease, life, call->timings)));
            }
        } else if (reply.error() == Errc::Indeterminate) {
            call->certainty.lose();
        }
        look_at_claim(call);
    });
}

void Repository::look_at_claim(std::shared_ptr<ClaimCall> call) {
    const TimePoint read_at = access_.now();
    access_.read(owner_lease_key(call->lease.owner_id), call->deadline,
                 [this, call, read_at](result<ReadReply> reply) {
                     if (reply.has_error())
                         return call->done(call->certainty.report(reply.error()));
                     if (const auto* found = std::get_if<Found>(&reply.value())) {
                         if (!is_ours(*found, call->lease)) {
                             return call->done(ClaimAnswer(LeaseTaken{}));
                         }
                         return call->done(ClaimAnswer(
                             held(call->lease, life_of(read_at, *found), call->timings)));
                     }
                     if (!access_.retry(call->backoff, call->deadline,
                                        [this, call] { write_claim(call); })) {
                         call->done(call->certainty.report(Errc::Transient));
                     }
                 });
}

// --- renew ------------------------------------------------------------------------------------

struct Repository::RenewCall {
    OwnerLease lease;
    LeaseTimings timings;
    TimePoint deadline;
    Done<RenewAnswer> done;
    Backoff backoff = {};
    TimePoint started_at = {};
    /// The version the last attempt replaced; another one with our bytes is a renewal that arrived.
    std::optional<Version> replaced = {};
};

void Repository::renew_lease(OwnerLease lease, LeaseTimings timings, TimePoint deadline,
                             Done<RenewAnswer> done) {
    read_renewal(std::make_shared<RenewCall>(
        RenewCall{std::move(lease), timings, deadline, counted(std::move(done))}));
}

void Repository::read_renewal(std::shared_ptr<RenewCall> call) {
    call->started_at = access_.now();
    access_.read(owner_lease_key(call->lease.owner_id), call->deadline,
                 [this, call](result<ReadReply> reply) {
                     if (reply.has_error()) return call->done(reply.error());
                     const auto* found = std::get_if<Found>(&reply.value());
                     if (found == nullptr || !is_ours(*found, call->lease)) {
                         return call->done(RenewAnswer(LeaseLost{}));
                     }
                     if (call->replaced && *call->replaced != found->version) {
                         const LeaseLife life = life_of(call->started_at, *found);
                         return call->done(RenewAnswer(held(call->lease, life, call->timings)));
                     }
                     call->replaced = found->version;
                     write_renewal(call);
                 });
}

void Repository::write_renewal(std::shared_ptr<RenewCall> call) {
    const Key key = owner_lease_key(call->lease.owner_id);
    Batch batch{{IfVersion{key, *call->replaced}},
                {Put{key, encode_owner_lease(call->lease), call->timings.ttl}}};
    call->started_at = access_.now();
    access_.write_once(std::move(batch), call->deadline, [this, call](result<WriteReply> reply) {
        if (reply.has_error() && !is_retriable(reply.error())) return call->done(reply.error());
        if (reply.has_value()) {
            if (const auto* applied = std::get_if<Applied>(&reply.value())) {
                const LeaseLife life = fresh_life(call->started_at, *applied, call->timings);
                return call->done(RenewAnswer(held(call->lease, life, call->timings)));
            }
        }
        if (!access_.retry(call->backoff, call->deadline, [this, call] { read_renewal(call); })) {
            // Whether it was renewed or not, nobody may count on it; both errors say so.
            call->done(reply.has_error() ? reply.error() : make_error_code(Errc::Transient));
        }
    });
}

// --- release and read -------------------------------------------------------------------------

struct Repository::ReleaseCall {
    OwnerLease lease;
    TimePoint deadline;
    Done<ReleaseAnswer> done;
    Backoff backoff = {};
    Certainty certainty = {};
};

void Repository::release_lease(OwnerLease lease, TimePoint deadline, Done<ReleaseAnswer> done) {
    release(std::make_shared<ReleaseCall>(
        ReleaseCall{std::move(lease), deadline, counted(std::move(done))}));
}

void Repository::release(std::shared_ptr<ReleaseCall> call) {
    const Key key = owner_lease_key(call->lease.owner_id);
    access_.read(key, call->deadline, [this, call, key](result<ReadReply> reply) {
        if (reply.has_error()) return call->done(call->certainty.report(reply.error()));
        const auto* found = std::get_if<Found>(&reply.value());
        if (found == nullptr || !same_bytes(found->value, encode_owner_lease(call->lease))) {
            const bool arrived_late = found == nullptr && call->certainty.lost();
            return call->done(arrived_late ? ReleaseAnswer::Released : ReleaseAnswer::Stale);
        }
        Batch batch{{IfVersion{key, found->version}}, {Delete{key}}};
        access_.write(std::move(batch), call->deadline, [this, call](result<WriteOutcome> outcome) {
            if (outcome.has_error()) return call->done(call->certainty.report(outcome.error()));
            if (std::holds_alternative<Written>(outcome.value())) {
                return call->done(ReleaseAnswer::Released);
            }
            // A renewal of ours came between, or the delete has not arrived.
            if (const auto* refused = std::get_if<Refused>(&outcome.value())) {
                call->certainty.note(*refused);
            }
            if (!access_.retry(call->backoff, call->deadline, [this, call] { release(call); })) {
                call->done(call->certainty.report(Errc::Transient));
            }
        });
    });
}

void Repository::read_lease(OwnerId owner, TimePoint deadline,
                            Done<std::optional<LeaseSeen>> done) {
    const TimePoint read_at = access_.now();
    access_.read(
        owner_lease_key(owner), deadline,
        [owner, read_at, done = counted(std::move(done))](auto reply) mutable {
            if (reply.has_error()) return done(reply.error());
            const auto* found = std::get_if<Found>(&reply.value());
            if (found == nullptr) return done(std::optional<LeaseSeen>{});
            const result<OwnerLease> lease = decode_owner_lease(found->value);
            // Without an expiry it would never die: corruption, not a dead lease.
            if (!lease || !found->expires_at || lease.value().owner_id != owner) {
                return done(Errc::Corrupt);
            }
            done(std::optional(LeaseSeen{lease.value(), valid_until(life_of(read_at, *found))}));
        });
}

void Repository::check_own_lease(OwnerLease lease, TimePoint deadline, Done<bool> done) {
    access_.read(owner_lease_key(lease.owner_id), deadline,
                 [lease, done = std::move(done)](result<ReadReply> reply) mutable {
                     if (reply.has_error()) return done(reply.error());
                     const auto* found = std::get_if<Found>(&reply.value());
                     done(found != nullptr && same_bytes(found->value, encode_owner_lease(lease)));
                 });
}

}  // namespace shunt::store
