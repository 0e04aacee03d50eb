// Authority rows in the repository (spec/stores.md sections 9, 10 and 13).

#include <utility>

#include "base/assert.hpp"
#include "store/decimal.hpp"
#include "store/keys.hpp"
#include "store/repository.hpp"

namespace shunt::store {
namespace {

Condition holds_lease(const OwnerLease& lease) {
    return IfValue{owner_lease_key(lease.owner_id), encode_owner_lease(lease)};
}

Key row_key(const Authority& authority) {
    return authority_key(key_of(authority.object));
}

/// An earlier attempt that arrived late wrote exactly this.
bool same_but_version(Authority seen, const Authority& asked) {
    seen.version = asked.version;
    return seen == asked;
}

}  // namespace

// --- reading ----------------------------------------------------------------------------------

void Repository::read_authority(protocol::AuthorityKey object, TimePoint deadline,
                                Done<std::optional<Authority>> done) {
    const Key key = authority_key(object);
    access_.read(key, deadline,
                 [object = std::move(object), done = counted(std::move(done))](auto reply) mutable {
                     if (reply.has_error()) return done(reply.error());
                     const auto* found = std::get_if<Found>(&reply.value());
                     if (found == nullptr) return done(std::optional<Authority>{});
                     result<Authority> authority = decode_authority(object, *found);
                     if (!authority) return done(authority.error());
                     done(std::optional(std::move(authority.value())));
                 });
}

void Repository::resolve_owner(protocol::AuthorityKey object, TimePoint deadline,
                               Done<RouteAnswer> done) {
    auto answer = std::make_shared<Done<RouteAnswer>>(counted(std::move(done)));
    read_authority(std::move(object), deadline, [this, deadline, answer](auto row) {
        if (row.has_error()) return (*answer)(row.error());
        if (!row.value()) return (*answer)(RouteAnswer(RouteMissing{}));
        if (row.value()->pending_creation) return (*answer)(RouteAnswer(OwnerUnusable{}));
        const OwnerId owner = row.value()->owner.owner_id;
        auto authority = std::make_shared<Authority>(std::move(*row.value()));
        read_lease(owner, deadline, [answer, authority](auto lease) {
            if (lease.has_error()) return (*answer)(lease.error());
            const std::optional<LeaseSeen>& seen = lease.value();
            if (!seen || seen->lease != authority->owner) {
                return (*answer)(RouteAnswer(OwnerUnusable{}));
            }
            (*answer)(RouteAnswer(ReadyRoute{std::move(*authority), seen->valid_until}));
        });
    });
}

// --- create -----------------------------------------------------------------------------------

struct Repository::CreateCall {
    Authority authority;
    TimePoint deadline;
    Done<CreateAnswer> done;
    Backoff backoff = {};
    Certainty certainty = {};
};

void Repository::create_active(NewObject object, TimePoint deadline, Done<CreateAnswer> done) {
    auto call = std::make_shared<CreateCall>(CreateCall{{}, deadline, counted(std::move(done))});
    call->authority.object = std::move(object.object);
    call->authority.owner = std::move(object.owner);
    call->authority.node = std::move(object.node);
    counters_.issue({Key(kObjectCounterKey), Key(kAuthorityOwnerCounterKey)}, deadline,
                    [this, call](auto issued) {
                        if (issued.has_error()) return call->done(issued.error());
                        const auto* numbers = std::get_if<Counters::Issued>(&issued.value());
                        if (numbers == nullptr) {
                            return call->done(CreateAnswer(GenerationExhausted{}));
                        }
                        call->authority.object_generation.value = numbers->at(0);
                        call->authority.owner_generation.value = numbers->at(1);
                        write_created(call);
                    });
}

void Repository::write_created(std::shared_ptr<CreateCall> call) {
    const Key key = row_key(call->authority);
    Batch batch;
    batch.conditions = {IfMissing{key}, holds_lease(call->authority.owner)};
    batch.mutations = capacity_adds(call->authority, 1);
    batch.mutations.emplace_back(Put{key, encode_authority(call->authority), {}});
    access_.write(std::move(batch), call->deadline, [this, call](result<WriteOutcome> outcome) {
        if (outcome.has_error()) return call->done(call->certainty.report(outcome.error()));
        if (auto* written = std::get_if<Written>(&outcome.value())) {
            call->authority.version = written->applied.versions.at(0);
            return call->done(CreateAnswer(Created{std::move(call->authority)}));
        }
        // A count of capacity that overflows was never a count.
        if (std::holds_alternative<OutOfRange>(outcome.value())) return call->done(Errc::Corrupt);
        call->certainty.note(std::get<Refused>(outcome.value()));
        look_at_created(call);
    });
}

void Repository::look_at_created(std::shared_ptr<CreateCall> call) {
    read_authority(key_of(call->authority.object), call->deadline, [this, call](auto row) {
        if (row.has_error()) return call->done(call->certainty.report(row.error()));
        if (row.value()) {
            // Numbers are issued once, so equal generations are our own earlier attempt.
            const bool ours = row.value()->object_generation == call->authority.object_generation &&
                              row.value()->owner_generation == call->authority.owner_generation;
            if (ours) return call->done(CreateAnswer(Created{std::move(*row.value())}));
            return call->done(CreateAnswer(AlreadyExists{std::move(*row.value())}));
        }
        check_own_lease(call->authority.owner, call->deadline, [this, call](result<bool> ours) {
            if (ours.has_error()) return call->done(call->certainty.report(ours.error()));
            if (!ours.value()) return call->done(CreateAnswer(LeaseLost{}));
            if (!access_.retry(call->backoff, call->deadline,
                               [this, call] { write_created(call); })) {
                call->done(call->certainty.report(Errc::Transient));
            }
        });
    });
}

// --- preserve ---------------------------------------------------------------------------------

struct Repository::PreserveCall {
    Authority next;
    TimePoint deadline;
    Done<PreserveAnswer> done;
    Backoff backoff = {};
    Certainty certainty = {};
};

void Repository::preserve(Authority next, TimePoint deadline, Done<PreserveAnswer> done) {
    SHUNT_ASSERT(!next.version.empty());
    auto call = std::make_shared<PreserveCall>(
        PreserveCall{std::move(next), deadline, counted(std::move(done))});
    if (call->next.pending_creation) {
        return access_.later([call] { call->done(PreserveAnswer(RowChanged{})); });
    }
    write_preserved(std::move(call));
}

void Repository::write_preserved(std::shared_ptr<PreserveCall> call) {
    const Key key = row_key(call->next);
    Batch batch{{IfVersion{key, call->next.version}, holds_lease(call->next.owner)},
                {Put{key, encode_authority(call->next), {}}}};
    access_.write(std::move(batch), call->deadline, [this, call](result<WriteOutcome> outcome) {
        if (outcome.has_error()) return call->done(call->certainty.report(outcome.error()));
        if (auto* written = std::get_if<Written>(&outcome.value())) {
            call->next.version = written->applied.versions.at(0);
            return call->done(PreserveAnswer(Preserved{std::move(call->next)}));
        }
        // Without Adds nothing is out of range.
        call->certainty.note(std::get<Refused>(outcome.value()));
        read_authority(key_of(call->next.object), call->deadline, [this, call](auto row) {
            if (row.has_error()) return call->done(call->certainty.report(row.error()));
            if (!row.value() || row.value()->version != call->next.version) {
                if (!row.value() || !same_but_version(*row.value(), call->next)) {
                    return call->done(PreserveAnswer(RowChanged{}));
                }
                return call->done(PreserveAnswer(Preserved{std::move(*row.value())}));
            }
            check_own_lease(call->next.owner, call->deadline, [this, call](result<bool> ours) {
                if (ours.has_error()) return call->done(call->certainty.report(ours.error()));
                if (!ours.value()) return call->done(PreserveAnswer(LeaseLost{}));
                // The row stands as read and the lease is ours, so the write has not happened
                // yet. The version keeps it from happening twice.
                if (!access_.retry(call->backoff, call->deadline,
                                   [this, call] { write_preserved(call); })) {
                    call->done(call->certainty.report(Errc::Transient));
                }
            });
        });
    });
}

void Repository::preserve_steady(protocol::AuthorityKey object, OwnerLease lease,
                                 RelocationId relocation, TimePoint deadline,
                                 Done<PreserveAnswer> done) {
    auto answer = std::make_shared<Done<PreserveAnswer>>(counted(std::move(done)));
    read_authority(std::move(object), deadline,
                   [this, lease = std::move(lease), relocation, deadline, answer](auto row) {
                       if (row.has_error()) return (*answer)(row.error());
                       const std::optional<Authority>& seen = row.value();
                       if (seen && seen->owner == lease && !seen->relocation) {
                           // An earlier attempt whose answer was lost has done it.
                           return (*answer)(PreserveAnswer(Preserved{*seen}));
                       }
                       if (!seen || seen->owner != lease || !seen->relocation ||
                           seen->relocation->relocation != relocation) {
                           return (*answer)(PreserveAnswer(RowChanged{}));
                       }
                       preserve(steadied(*seen), deadline,
                                [answer](auto preserved) { (*answer)(std::move(preserved)); });
                   });
}

// --- delete -----------------------------------------------------------------------------------

struct Repository::DeleteCall {
    Authority authority;
    TimePoint deadline;
    Done<DeleteAnswer> done;
    Backoff backoff = {};
    Certainty certainty = {};
};

void Repository::delete_authority(Authority authority, TimePoint deadline,
                                  Done<DeleteAnswer> done) {
    SHUNT_ASSERT(!authority.version.empty());
    auto call = std::make_shared<DeleteCall>(
        DeleteCall{std::move(authority), deadline, counted(std::move(done))});
    if (call->authority.pending_creation) {
        return access_.later([call] { call->done(DeleteAnswer::RowChanged); });
    }
    delete_row(std::move(call));
}

void Repository::delete_row(std::shared_ptr<DeleteCall> call) {
    const Key key = row_key(call->authority);
    Batch batch;
    batch.conditions = {IfVersion{key, call->authority.version},
                        holds_lease(call->authority.owner)};
    batch.mutations = capacity_adds(call->authority, -1);
    batch.mutations.emplace_back(Delete{key});
    access_.write(std::move(batch), call->deadline, [this, call](result<WriteOutcome> outcome) {
        if (outcome.has_error()) return call->done(call->certainty.report(outcome.error()));
        if (std::holds_alternative<Written>(outcome.value())) {
            return call->done(DeleteAnswer::Deleted);
        }
        if (std::holds_alternative<OutOfRange>(outcome.value())) return call->done(Errc::Corrupt);
        call->certainty.note(std::get<Refused>(outcome.value()));
        read_authority(key_of(call->authority.object), call->deadline, [this, call](auto row) {
            if (row.has_value() && !row.value() && call->certainty.lost()) {
                return call->done(DeleteAnswer::Deleted);
            }
            if (row.has_error()) return call->done(call->certainty.report(row.error()));
            if (!row.value() || row.value()->version != call->authority.version) {
                return call->done(DeleteAnswer::RowChanged);
            }
            check_own_lease(call->authority.owner, call->deadline, [this, call](result<bool> ours) {
                if (ours.has_error()) return call->done(call->certainty.report(ours.error()));
                if (!ours.value()) return call->done(DeleteAnswer::LeaseLost);
                if (!access_.retry(call->backoff, call->deadline,
                                   [this, call] { delete_row(call); })) {
                    call->done(call->certainty.report(Errc::Transient));
                }
            });
        });
    });
}

// --- owner change -----------------------------------------------------------------------------

void Repository::cas_owner(OwnerMove move, TimePoint deadline,
                           UniqueFunction<void(CasOwnerAnswer)> done) {
    ++pending_;
    auto answer = [this, done = std::move(done)](CasOwnerAnswer given) mutable {
        --pending_;
        done(given);
    };
    // Neither can be written, so neither becomes a request.
    if (move.before.pending_creation) {
        return access_.later(
            [answer = std::move(answer)]() mutable { answer(CasOwnerAnswer::Conflict); });
    }
    if (move.before.owner_generation.value >= kIssuedMax) {
        return access_.later(
            [answer = std::move(answer)]() mutable { answer(CasOwnerAnswer::Corrupt); });
    }
    access_.write_once(
        owner_change_batch(move), deadline,
        [done = std::move(answer)](result<WriteReply> reply) mutable {
            if (reply.has_value()) {
                if (std::holds_alternative<Applied>(reply.value())) {
                    return done(CasOwnerAnswer::Applied);
                }
                const bool conflict = std::holds_alternative<Conflict>(reply.value());
                return done(conflict ? CasOwnerAnswer::Conflict : CasOwnerAnswer::Corrupt);
            }
            if (reply.error() == Errc::Indeterminate) return done(CasOwnerAnswer::Indeterminate);
            const bool later =
                reply.error() == Errc::Transient || reply.error() == Errc::Unavailable;
            done(later ? CasOwnerAnswer::Transient : CasOwnerAnswer::Corrupt);
        });
}

void Repository::read_owner_as_target(OwnerMove move, TimePoint deadline,
                                      UniqueFunction<void(OwnerSeen)> done) {
    const protocol::AuthorityKey object = key_of(move.before.object);
    read_authority(object, deadline,
                   [move = std::move(move), done = std::move(done)](auto row) mutable {
                       done(row ? seen_by_target(move, row.value()) : OwnerSeen::Unreadable);
                   });
}

void Repository::read_owner_as_source(OwnerMove move, TimePoint deadline,
                                      UniqueFunction<void(OwnerSeen)> done) {
    const protocol::AuthorityKey object = key_of(move.before.object);
    read_authority(object, deadline,
                   [move = std::move(move), done = std::move(done)](auto row) mutable {
                       done(row ? seen_by_source(move, row.value()) : OwnerSeen::Unreadable);
                   });
}

}  // namespace shunt::store
