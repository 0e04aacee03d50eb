// Authority rows: creation, owner change, what reads say about it (spec/stores.md 9, 10, 13).

#include "store/authority.hpp"

#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "repository_bed.hpp"
#include "store/keys.hpp"
#include "store/owner_change.hpp"

namespace shunt::store::test {
namespace {

/// Two hosts with leases and one Actor on host a.
class Authorities : public ::testing::Test {
  protected:
    void SetUp() override {
        a.start();
        b.start();
        c.start();
        actor = a.created("user:42");
    }

    OwnerMove move_to(HostBed& target, std::uint64_t attempt = 1) const {
        OwnerMove move;
        move.before = actor;
        move.relocation = {0xA, attempt};
        move.target_attempt_generation = TargetAttemptGeneration{attempt};
        move.coordinator = actor.fence();
        move.target_owner = target.lease;
        move.target_node = target.node();
        move.membership = target.entry_spot();
        move.application_version = 3;
        return move;
    }

    result<PreserveAnswer> steady(HostBed& host, const OwnerMove& move) {
        return host.ask<result<PreserveAnswer>>([&](auto done) {
            host.repository.preserve_steady({protocol::AuthorityObjectKind::Actor, "user:42"},
                                            host.lease, move.relocation, bed.in(3s),
                                            std::move(done));
        });
    }

    result<DeleteAnswer> remove(HostBed& host, const Authority& authority) {
        return host.ask<result<DeleteAnswer>>([&](auto done) {
            host.repository.delete_authority(authority, bed.in(3s), std::move(done));
        });
    }

    RepositoryBed bed;
    HostBed a{bed, "a"};
    HostBed b{bed, "b"};
    HostBed c{bed, "c"};
    Authority actor;
};

TEST_F(Authorities, CreatedRowIsReadBackAndCounted) {
    const result<std::optional<Authority>> row = b.read("user:42");

    ASSERT_TRUE(row && row.value());
    EXPECT_EQ(*row.value(), actor);
    EXPECT_EQ(actor.object_generation, ObjectGeneration{1});
    EXPECT_EQ(actor.owner, a.lease);
    EXPECT_EQ(a.active_actors(), "1");
    EXPECT_FALSE(b.read("nobody").value());
}

TEST_F(Authorities, SecondCreationFollowsTheRowOfTheFirst) {
    const result<CreateAnswer> answer = b.create("user:42");

    ASSERT_TRUE(answer && std::holds_alternative<AlreadyExists>(answer.value()));
    EXPECT_EQ(std::get<AlreadyExists>(answer.value()).authority, actor);
    EXPECT_EQ(b.active_actors(), "none");
}

TEST_F(Authorities, CreationSurvivesLostAnswersAndCountsOnce) {
    using enum Fault;
    int created = 1;
    for (const Fault fault : {FailBefore, LoseRequest, LoseAnswer}) {
        a.faults.plan_writes({fault, None, fault});  // Generations, generations again, row.
        const Authority again = a.created("other-" + std::to_string(created));

        EXPECT_EQ(*a.read("other-" + std::to_string(created)).value(), again);
        EXPECT_EQ(a.active_actors(), std::to_string(++created));
    }
}

// The delayed first request arrives when the second attempt has already been made.
TEST_F(Authorities, LateCreationRequestIsRecognisedAsOurs) {
    a.faults.plan_writes({Fault::None, Fault::Delay, Fault::Delay});
    std::optional<result<CreateAnswer>> answer;
    ActorAuthority object;
    object.actor_type = "chat";
    object.actor_id = ActorId{"late"};
    object.current_spot = a.entry_spot().spot;
    a.repository.create_active({object, a.node(), a.lease}, bed.in(3s),
                               [&](auto given) { answer = std::move(given); });
    bed.inbox.run();
    ASSERT_FALSE(answer);
    a.faults.deliver_delayed();

    const result<CreateAnswer> given = bed.wait_for(answer);

    ASSERT_TRUE(given && std::holds_alternative<Created>(given.value()));
    EXPECT_EQ(a.active_actors(), "2");
}

TEST_F(Authorities, CreationWithoutALeaseWritesNothing) {
    bed.time.advance(15s);

    EXPECT_TRUE(std::holds_alternative<LeaseLost>(a.create("other").value()));
    EXPECT_FALSE(b.read("other").value());
    EXPECT_EQ(a.active_actors(), "1");
}

TEST_F(Authorities, ExhaustedGenerationsEndTheCreation) {
    for (const std::string_view key : {kObjectCounterKey, kAuthorityOwnerCounterKey}) {
        bed.put(Key(kObjectCounterKey), "50");
        bed.put(Key(kAuthorityOwnerCounterKey), "50");
        bed.put(Key(key), "9223372036854775807");

        EXPECT_TRUE(std::holds_alternative<GenerationExhausted>(a.create("other").value()));
    }
    EXPECT_FALSE(a.read("other").value());
}

TEST_F(Authorities, CommitChangesOwnerNodeSpotGenerationAndNothingElse) {
    const OwnerMove move = move_to(b);

    EXPECT_EQ(b.cas(move), CasOwnerAnswer::Applied);

    const Authority after = *b.read("user:42").value();
    EXPECT_EQ(after.owner, b.lease);
    EXPECT_EQ(after.node, b.node());
    EXPECT_EQ(after.owner_generation.value, actor.owner_generation.value + 1);
    EXPECT_EQ(after.object_generation, actor.object_generation);
    const auto& object = std::get<ActorAuthority>(after.object);
    EXPECT_EQ(object.current_spot, b.entry_spot().spot);
    EXPECT_EQ(object.current_spot_kind, protocol::ActorSpotKind::Entry);
    ASSERT_TRUE(after.relocation);
    EXPECT_EQ(after.relocation->phase, protocol::RelocationPhase::Committed);
    EXPECT_EQ(after.relocation->aggregate_generation, 1U);
    EXPECT_EQ(source_of(*after.relocation), actor.fence());
    EXPECT_EQ(target_of(*after.relocation), move.target());
    EXPECT_EQ(after.relocation->coordinator_expected_store_version, actor.version);
    EXPECT_EQ(after.relocation->relocation_reference, "pending");
    EXPECT_EQ(after.relocation->application_version, 3U);
    EXPECT_EQ(a.active_actors(), "0");
    EXPECT_EQ(b.active_actors(), "1");
}

TEST_F(Authorities, MemberKeepsItsSpot) {
    OwnerMove move = move_to(b);
    move.membership.reset();

    ASSERT_EQ(b.cas(move), CasOwnerAnswer::Applied);

    EXPECT_EQ(std::get<ActorAuthority>(b.read("user:42").value()->object).current_spot,
              a.entry_spot().spot);
}

TEST_F(Authorities, SteadyWriteClearsTheSlotOnceAndKeepsTheRest) {
    const OwnerMove move = move_to(b);
    ASSERT_EQ(b.cas(move), CasOwnerAnswer::Applied);

    const result<PreserveAnswer> answer = steady(b, move);

    ASSERT_TRUE(answer && std::holds_alternative<Preserved>(answer.value()));
    Authority expected = row_after(move);
    expected.relocation.reset();
    expected.operation_kind = protocol::AuthorityOperationKind::Steady;
    expected.version = b.read("user:42").value()->version;
    EXPECT_EQ(*b.read("user:42").value(), expected);
    EXPECT_EQ(std::get<Preserved>(answer.value()).authority, expected);
    const result<PreserveAnswer> again = steady(b, move);
    ASSERT_TRUE(again && std::holds_alternative<Preserved>(again.value())) << "an answer was lost";
    EXPECT_EQ(std::get<Preserved>(again.value()).authority, expected) << "and nothing was written";
    EXPECT_TRUE(std::holds_alternative<RowChanged>(steady(a, move).value()));
}

TEST_F(Authorities, SteadyWriteSurvivesLostAnswers) {
    for (const Fault fault : {Fault::FailBefore, Fault::LoseRequest, Fault::LoseAnswer}) {
        actor = a.created("x");
        const OwnerMove move = move_to(b);
        ASSERT_EQ(b.cas(move), CasOwnerAnswer::Applied);
        b.faults.plan_writes({fault});

        const auto answer = b.ask<result<PreserveAnswer>>([&](auto done) {
            b.repository.preserve_steady(key_of(actor.object), b.lease, move.relocation, bed.in(3s),
                                         std::move(done));
        });

        ASSERT_TRUE(answer && std::holds_alternative<Preserved>(answer.value()));
        EXPECT_FALSE(b.read("x").value()->relocation);
        ASSERT_EQ(remove(b, *b.read("x").value()).value(), DeleteAnswer::Deleted);
    }
}

TEST_F(Authorities, RenewalsDoNotDisturbACommit) {
    const OwnerMove move = move_to(b);
    bed.time.advance(5s);
    ASSERT_TRUE(b.renew());
    ASSERT_TRUE(a.renew());

    EXPECT_EQ(b.cas(move), CasOwnerAnswer::Applied);
}

TEST_F(Authorities, StaleVersionOrDeadTargetLeaseChangesNothing) {
    OwnerMove stale = move_to(b);
    stale.before.version = "999";
    EXPECT_EQ(b.cas(stale), CasOwnerAnswer::Conflict);
    OwnerMove other_lease = move_to(b);
    other_lease.target_owner.generation.value += 1;
    EXPECT_EQ(b.cas(other_lease), CasOwnerAnswer::Conflict);
    bed.time.advance(15s);
    EXPECT_EQ(b.cas(move_to(b)), CasOwnerAnswer::Conflict);

    EXPECT_EQ(*b.read("user:42").value(), actor);
    EXPECT_EQ(a.active_actors(), "1");
    EXPECT_EQ(b.active_actors(), "none");
}

TEST_F(Authorities, OfTwoTargetsOneCommits) {
    const OwnerMove to_b = move_to(b, 1);
    const OwnerMove to_c = move_to(c, 2);

    EXPECT_EQ(b.cas(to_b), CasOwnerAnswer::Applied);
    EXPECT_EQ(c.cas(to_c), CasOwnerAnswer::Conflict);

    EXPECT_EQ(b.seen_as_target(to_b), OwnerSeen::Target);
    EXPECT_EQ(c.seen_as_target(to_c), OwnerSeen::Other);
    EXPECT_EQ(a.seen_as_source(to_b), OwnerSeen::Target);
    EXPECT_EQ(a.seen_as_source(to_c), OwnerSeen::Other);
}

TEST_F(Authorities, AnswersOfOneAttemptTellWhatIsKnown) {
    using enum Fault;
    const OwnerMove move = move_to(b);
    b.faults.plan_writes({FailBefore, Refuse, LoseRequest, LoseAnswer});

    EXPECT_EQ(b.cas(move), CasOwnerAnswer::Transient);
    EXPECT_EQ(b.cas(move), CasOwnerAnswer::Transient);
    EXPECT_EQ(b.cas(move), CasOwnerAnswer::Indeterminate);
    EXPECT_EQ(b.seen_as_target(move), OwnerSeen::Source);
    EXPECT_EQ(b.cas(move), CasOwnerAnswer::Indeterminate);
    EXPECT_EQ(b.seen_as_target(move), OwnerSeen::Target);
    EXPECT_EQ(b.cas(move), CasOwnerAnswer::Conflict);

    EXPECT_EQ(b.active_actors(), "1");
}

// The delayed request of an attempt whose resubmission was applied must not act a second time.
TEST_F(Authorities, LateCommitRequestHasNoEffect) {
    const OwnerMove move = move_to(b);
    b.faults.plan_writes({Fault::Delay});
    EXPECT_EQ(b.cas(move), CasOwnerAnswer::Indeterminate);
    EXPECT_EQ(b.cas(move), CasOwnerAnswer::Applied);
    const Authority after = *b.read("user:42").value();

    b.faults.deliver_delayed();
    bed.inbox.run();

    EXPECT_EQ(*b.read("user:42").value(), after);
    EXPECT_EQ(b.active_actors(), "1");
    EXPECT_EQ(a.active_actors(), "0");
}

// Section 13, item 2, row by row.
TEST_F(Authorities, RereadAsTarget) {
    const OwnerMove move = move_to(b);
    const Authority committed = row_after(move);
    const auto seen = [&](Authority row, const Version& version) {
        row.version = version;
        return seen_by_target(move, row);
    };
    EXPECT_EQ(seen(committed, "7"), OwnerSeen::Target);
    EXPECT_EQ(seen(steadied(committed), "8"), OwnerSeen::Target);
    EXPECT_EQ(seen(actor, actor.version), OwnerSeen::Source);
    EXPECT_EQ(seen(actor, "8"), OwnerSeen::Other) << "changed by someone";
    EXPECT_EQ(seen(row_after(move_to(c)), "7"), OwnerSeen::Other);
    EXPECT_EQ(seen(row_after(move_to(b, 2)), "7"), OwnerSeen::Other) << "another attempt";
    EXPECT_EQ(seen_by_target(move, std::nullopt), OwnerSeen::Other);

    Authority recreated = steadied(committed);
    recreated.object_generation.value += 1;
    EXPECT_EQ(seen(recreated, "9"), OwnerSeen::Other);
    Authority next_life = steadied(committed);
    next_life.node.lifecycle_generation.value += 1;
    EXPECT_EQ(seen(next_life, "9"), OwnerSeen::Other);

    b.faults.always(Fault::FailBefore);
    EXPECT_EQ(b.seen_as_target(move), OwnerSeen::Unreadable);
}

TEST_F(Authorities, RereadAsSource) {
    const OwnerMove move = move_to(b);
    Authority rewritten = actor;
    rewritten.version = "8";

    EXPECT_EQ(seen_by_source(move, actor), OwnerSeen::Source);
    EXPECT_EQ(seen_by_source(move, rewritten), OwnerSeen::Source);
    EXPECT_EQ(seen_by_source(move, row_after(move)), OwnerSeen::Target);
    EXPECT_EQ(seen_by_source(move, steadied(row_after(move))), OwnerSeen::Target);
    EXPECT_EQ(seen_by_source(move, row_after(move_to(c))), OwnerSeen::Other);
    EXPECT_EQ(seen_by_source(move, std::nullopt), OwnerSeen::Other);
    Authority home_again = actor;
    home_again.owner_generation.value += 2;
    EXPECT_EQ(seen_by_source(move, home_again), OwnerSeen::Other);
}

TEST_F(Authorities, ChainOfMovesRaisesTheOwnerGenerationEachTime) {
    ASSERT_EQ(b.cas(move_to(b, 1)), CasOwnerAnswer::Applied);
    actor = *b.read("user:42").value();
    ASSERT_EQ(c.cas(move_to(c, 2)), CasOwnerAnswer::Applied);
    actor = *b.read("user:42").value();

    EXPECT_EQ(actor.owner_generation, AuthorityOwnerGeneration{3});
    EXPECT_EQ(a.active_actors() + b.active_actors() + c.active_actors(), "001");
}

TEST_F(Authorities, JoinOnTheSameNodeIsAPreserve) {
    Authority next = actor;
    auto& object = std::get<ActorAuthority>(next.object);
    object.current_spot = {SpotId{"room"}, ObjectGeneration{9}};
    object.current_spot_kind = protocol::ActorSpotKind::User;
    const auto preserve = [&](HostBed& host) {
        return host.ask<result<PreserveAnswer>>(
            [&](auto done) { host.repository.preserve(next, bed.in(3s), std::move(done)); });
    };
    for (const Fault fault : {Fault::None, Fault::LoseRequest, Fault::LoseAnswer}) {
        a.faults.plan_writes({fault});
        const result<PreserveAnswer> answer = preserve(a);
        ASSERT_TRUE(answer && std::holds_alternative<Preserved>(answer.value()));
        EXPECT_EQ(std::get<ActorAuthority>(a.read("user:42").value()->object), object);
        next = std::get<Preserved>(answer.value()).authority;
        EXPECT_EQ(*a.read("user:42").value(), next);
        std::get<ActorAuthority>(next.object).current_spot.object_generation.value += 1;
        object = std::get<ActorAuthority>(next.object);
    }
    next.version = "1";
    EXPECT_TRUE(std::holds_alternative<RowChanged>(preserve(a).value()));
}

TEST_F(Authorities, PreserveWithoutALeaseIsRefused) {
    bed.time.advance(15s);
    const auto answer = a.ask<result<PreserveAnswer>>(
        [&](auto done) { a.repository.preserve(actor, bed.in(3s), std::move(done)); });

    EXPECT_TRUE(std::holds_alternative<LeaseLost>(answer.value()));
}

TEST_F(Authorities, ReservationsAreRefusedWithoutAWrite) {
    OwnerMove move = move_to(b);
    move.before.pending_creation = PendingCreation{"r", "inline-v1:", std::string(64, '0'), 0};
    const std::size_t writes = b.faults.write_count() + a.faults.write_count();

    EXPECT_EQ(b.cas(move), CasOwnerAnswer::Conflict);
    EXPECT_EQ(remove(a, move.before).value(), DeleteAnswer::RowChanged);
    const auto preserved = a.ask<result<PreserveAnswer>>(
        [&](auto done) { a.repository.preserve(move.before, bed.in(3s), std::move(done)); });
    EXPECT_TRUE(std::holds_alternative<RowChanged>(preserved.value()));

    EXPECT_EQ(b.faults.write_count() + a.faults.write_count(), writes);
}

TEST_F(Authorities, ExhaustedOwnerGenerationIsNeverWritten) {
    OwnerMove move = move_to(b);
    move.before.owner_generation.value = 0x7FFF'FFFF'FFFF'FFFE;

    EXPECT_EQ(b.cas(move), CasOwnerAnswer::Corrupt);
    EXPECT_EQ(*b.read("user:42").value(), actor);
}

TEST_F(Authorities, DeleteGivesTheCapacityBackOnce) {
    using enum Fault;
    for (const Fault fault : {None, FailBefore, LoseRequest, LoseAnswer}) {
        const Authority other = a.created("gone");
        EXPECT_EQ(a.active_actors(), "2");
        a.faults.plan_writes({fault});

        EXPECT_EQ(remove(a, other).value(), DeleteAnswer::Deleted);

        EXPECT_EQ(a.active_actors(), "1");
        EXPECT_FALSE(a.read("gone").value());
        EXPECT_EQ(remove(a, other).value(), DeleteAnswer::RowChanged);
    }
}

TEST_F(Authorities, DeleteTouchesNeitherALaterVersionNorAnotherOwner) {
    ASSERT_EQ(b.cas(move_to(b)), CasOwnerAnswer::Applied);

    EXPECT_EQ(remove(a, actor).value(), DeleteAnswer::RowChanged);
    bed.time.advance(15s);
    const Authority now = *b.read("user:42").value();
    EXPECT_EQ(remove(b, now).value(), DeleteAnswer::LeaseLost);

    EXPECT_TRUE(b.read("user:42").value());
}

TEST_F(Authorities, RouteNeedsARowAndALivingOwner) {
    const auto resolve = [&](const std::string& id) {
        return b.ask<result<RouteAnswer>>([&](auto done) {
            b.repository.resolve_owner({protocol::AuthorityObjectKind::Actor, id}, bed.in(3s),
                                       std::move(done));
        });
    };
    const result<RouteAnswer> ready = resolve("user:42");
    ASSERT_TRUE(ready && std::holds_alternative<ReadyRoute>(ready.value()));
    EXPECT_EQ(std::get<ReadyRoute>(ready.value()).authority, actor);
    EXPECT_EQ(std::get<ReadyRoute>(ready.value()).lease_valid_until, bed.time.now() + 15s);
    EXPECT_TRUE(std::holds_alternative<RouteMissing>(resolve("nobody").value()));

    bed.time.advance(15s);
    EXPECT_TRUE(std::holds_alternative<OwnerUnusable>(resolve("user:42").value()));
    a.start();
    EXPECT_TRUE(std::holds_alternative<OwnerUnusable>(resolve("user:42").value()))
        << "the same owner in another generation";
    b.faults.always(Fault::Refuse);
    EXPECT_EQ(resolve("user:42").error(), Errc::Unavailable);
}

TEST_F(Authorities, RowAndPayloadMustAgree) {
    const protocol::AuthorityKey key = key_of(actor.object);
    const Bytes good = encode_authority(actor);
    EXPECT_EQ(decode_authority(key, Found{good, actor.version, {}, {}}).value(), actor);

    EXPECT_FALSE(decode_authority({key.kind, "user:43"}, Found{good, "1", {}, {}}));
    EXPECT_FALSE(decode_authority(key, Found{good, "1", UnixMillis{5}, {}}));
    AuthorityRow row = decode_authority_row(good).value();
    row.stable_type = "other";
    EXPECT_FALSE(decode_authority(key, Found{encode_authority_row(row), "1", {}, {}}));
    row = decode_authority_row(good).value();
    row.owner.generation.value += 1;
    EXPECT_FALSE(decode_authority(key, Found{encode_authority_row(row), "1", {}, {}}));
    row = decode_authority_row(good).value();
    row.node.rid.value += "x";
    EXPECT_FALSE(decode_authority(key, Found{encode_authority_row(row), "1", {}, {}}));
}

TEST_F(Authorities, SpotShellCountsTheSpotAndItsType) {
    UserSpotAuthority spot{SpotId{"room"}, "game", protocol::EntryUserSpotAuthorityState::Ready};
    const auto answer = a.ask<result<CreateAnswer>>([&](auto done) {
        a.repository.create_active({SpotAuthority(spot), a.node(), a.lease}, bed.in(3s),
                                   std::move(done));
    });
    ASSERT_TRUE(answer && std::holds_alternative<Created>(answer.value()));
    OwnerMove move = move_to(b);
    move.before = std::get<Created>(answer.value()).authority;
    move.membership.reset();

    ASSERT_EQ(b.cas(move), CasOwnerAnswer::Applied);

    const Key spots_a = spots_capacity_key(a.node(), CapacityState::Active);
    const Key type_b = type_capacity_key(b.node(), protocol::StatefulObjectKind::UserSpot, "game",
                                         CapacityState::Active);
    EXPECT_EQ(bed.text(spots_a), "0");
    EXPECT_EQ(bed.text(type_b), "1");
}

}  // namespace
}  // namespace shunt::store::test
