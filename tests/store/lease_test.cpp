// The owner lease: its time rules and the operations on it (spec/stores.md section 7).

#include "store/lease.hpp"

#include <string>
#include <variant>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "golden.hpp"
#include "repository_bed.hpp"
#include "store/keys.hpp"

namespace shunt::store::test {
namespace {

using std::chrono::milliseconds;

milliseconds ms(const nlohmann::json& number) {
    return milliseconds(number.get<std::int64_t>());
}
std::uint64_t u64(const nlohmann::json& text) {
    return std::stoull(text.get<std::string>());
}

TEST(Lease, TimingVectors) {
    for_each_golden("lease-timing", [](const nlohmann::json& vector) {
        const LeaseTimings timings{
            .renew_interval = ms(vector.at("renewIntervalMs")),
            .ttl = ms(vector.at("ttlMs")),
            .renew_timeout = ms(vector.at("renewTimeoutMs")),
            .fencing_margin = ms(vector.at("fencingMarginMs")),
        };
        EXPECT_EQ(is_valid(timings), vector.at("accepted").get<bool>());
    });
}

TEST(Lease, DefaultTimingsAreValidAndEachMustBePositive) {
    EXPECT_TRUE(is_valid(LeaseTimings{}));
    EXPECT_FALSE(is_valid(LeaseTimings{.renew_interval = 0ms}));
    EXPECT_FALSE(is_valid(LeaseTimings{.ttl = 0ms}));
    EXPECT_FALSE(is_valid(LeaseTimings{.renew_timeout = 0ms}));
    EXPECT_FALSE(is_valid(LeaseTimings{.fencing_margin = 0ms}));
    EXPECT_FALSE(is_valid(LeaseTimings{.renew_interval = 7'000ms}));  // 7 + 3 = 15 - 5.
    EXPECT_TRUE(is_valid(LeaseTimings{.renew_interval = 6'999ms}));
    EXPECT_FALSE(is_valid(LeaseTimings{.fencing_margin = milliseconds::max()}));
}

TEST(Lease, AdmissionDeadlineVectors) {
    for_each_golden("lease-deadline", [](const nlohmann::json& vector) {
        const auto at = [](std::uint64_t since) {
            return TimePoint(milliseconds(static_cast<std::int64_t>(since)));
        };
        const LeaseLife life{at(u64(vector.at("localRequestStartMs"))),
                             UnixMillis{u64(vector.at("storeNowMs"))},
                             UnixMillis{u64(vector.at("expiresAtMs"))}};
        const milliseconds margin(static_cast<std::int64_t>(u64(vector.at("fencingMarginMs"))));

        EXPECT_EQ(admission_deadline(life, margin), at(u64(vector.at("localAdmissionDeadlineMs"))));
    });
}

TEST(Lease, ClaimIsHeldUntilMarginBeforeExpiry) {
    RepositoryBed bed;
    HostBed host(bed, "a");
    const TimePoint before = bed.time.now();

    const result<ClaimAnswer> answer = host.claim();

    ASSERT_TRUE(answer && std::holds_alternative<LeaseHeld>(answer.value()));
    const auto& held = std::get<LeaseHeld>(answer.value());
    EXPECT_EQ(held.lease.generation, OwnerLeaseGeneration{1});
    EXPECT_EQ(held.admission_deadline, before + 10s);
    EXPECT_EQ(bed.text(owner_lease_key(OwnerId{"owner-a"})),
              R"({"recordVersion":1,"ownerId":"owner-a","leaseGeneration":"1"})");
    EXPECT_EQ(bed.text(Key(kOwnerCounterKey)), "2");
}

TEST(Lease, SecondClaimOfALivingLeaseIsTakenAndOfADeadOneIsHeld) {
    RepositoryBed bed;
    HostBed first(bed, "a");
    HostBed second(bed, "a");
    first.start();

    EXPECT_TRUE(std::holds_alternative<LeaseTaken>(second.claim().value()));
    bed.time.advance(15s);
    const result<ClaimAnswer> later = second.claim();

    ASSERT_TRUE(std::holds_alternative<LeaseHeld>(later.value()));
    EXPECT_EQ(std::get<LeaseHeld>(later.value()).lease.generation, OwnerLeaseGeneration{3});
    EXPECT_TRUE(std::holds_alternative<LeaseLost>(first.renew().value()));
}

// Two hosts that start with one OwnerId at the same instant: the batch decides.
TEST(Lease, OfTwoClaimsInFlightOneWins) {
    RepositoryBed bed;
    HostBed first(bed, "a");
    HostBed second(bed, "a");
    std::optional<result<ClaimAnswer>> one;
    std::optional<result<ClaimAnswer>> other;

    first.repository.claim_lease(OwnerId{"owner-a"}, {}, bed.in(3s), [&](auto a) { one = a; });
    second.repository.claim_lease(OwnerId{"owner-a"}, {}, bed.in(3s), [&](auto a) { other = a; });
    bed.inbox.run();

    ASSERT_TRUE(one && other && *one && *other);
    EXPECT_NE(std::holds_alternative<LeaseHeld>(one->value()),
              std::holds_alternative<LeaseHeld>(other->value()));
}

TEST(Lease, ExhaustedCounterChangesNothing) {
    RepositoryBed bed;
    HostBed host(bed, "a");
    bed.put(Key(kOwnerCounterKey), "9223372036854775807");

    EXPECT_TRUE(std::holds_alternative<GenerationExhausted>(host.claim().value()));

    EXPECT_EQ(bed.text(Key(kOwnerCounterKey)), "9223372036854775807");
    EXPECT_FALSE(bed.text(owner_lease_key(OwnerId{"owner-a"})));
}

TEST(Lease, BrokenCounterIsCorrupt) {
    for (const char* text : {"0", "07", "x"}) {
        RepositoryBed bed;
        HostBed host(bed, "a");
        bed.put(Key(kOwnerCounterKey), text);

        EXPECT_EQ(host.claim().error(), Errc::Corrupt) << text;
    }
    for_each_golden("counter-invalid", [](const nlohmann::json& vector) {
        EXPECT_EQ(decode_counter(unhex(vector.at("storedValueHex"))).error(), Errc::Corrupt);
    });
    EXPECT_EQ(decode_counter(bytes_of("9223372036854775807")).value(), 0x7FFF'FFFF'FFFF'FFFFU);
    EXPECT_FALSE(decode_counter(bytes_of("9223372036854775808")));
}

// Every way an answer can go missing around a claim must end in one held lease.
TEST(Lease, ClaimSurvivesTransientAndLostAnswers) {
    using enum Fault;
    for (const Fault fault : {FailBefore, LoseRequest, LoseAnswer}) {
        for (std::size_t nth = 0; nth < 3; ++nth) {  // Counter row, its Add, the lease.
            RepositoryBed bed;
            HostBed host(bed, "a");
            for (std::size_t i = 0; i < nth; ++i) host.faults.plan_writes({None});
            host.faults.plan_writes({fault});

            const result<ClaimAnswer> answer = host.claim();

            ASSERT_TRUE(answer && std::holds_alternative<LeaseHeld>(answer.value()));
            const auto& held = std::get<LeaseHeld>(answer.value());
            EXPECT_EQ(bed.text(owner_lease_key(OwnerId{"owner-a"})),
                      text_of(encode_owner_lease(held.lease)));
            EXPECT_LE(held.admission_deadline, bed.time.now() + 10s);
        }
    }
}

TEST(Lease, ClaimAtItsDeadlineSaysWhetherAnythingMayHaveHappened) {
    for (const auto& [fault, errc] : {std::pair(Fault::FailBefore, Errc::Transient),
                                      std::pair(Fault::LoseRequest, Errc::Indeterminate),
                                      std::pair(Fault::Refuse, Errc::Unavailable)}) {
        RepositoryBed bed;
        HostBed host(bed, "a");
        host.faults.plan_writes({Fault::None, Fault::None});
        host.faults.always(fault);
        if (fault == Fault::LoseRequest) host.faults.plan_reads(std::initializer_list<Fault>{});
        const TimePoint start = bed.time.now();

        EXPECT_EQ(host.claim().error(), errc);

        EXPECT_LE(bed.time.now(), start + HostBed::kTimeout);
    }
}

TEST(Lease, RenewalExtendsTheLifeAndTheDeadline) {
    RepositoryBed bed;
    HostBed host(bed, "a");
    host.start();
    for (int i = 0; i < 10; ++i) {
        bed.time.advance(14s);
        const result<RenewAnswer> answer = host.renew();

        ASSERT_TRUE(answer && std::holds_alternative<LeaseHeld>(answer.value()));
        EXPECT_EQ(std::get<LeaseHeld>(answer.value()).admission_deadline, bed.time.now() + 10s);
    }
}

TEST(Lease, RenewalSurvivesLostAnswersAndNeverReportsAnOldLifeAsNew) {
    for (const Fault fault : {Fault::FailBefore, Fault::LoseRequest, Fault::LoseAnswer}) {
        RepositoryBed bed;
        HostBed host(bed, "a");
        host.start();
        bed.time.advance(5s);
        const TimePoint start = bed.time.now();
        host.faults.plan_writes({fault, fault});

        const result<RenewAnswer> answer = host.renew();

        ASSERT_TRUE(answer && std::holds_alternative<LeaseHeld>(answer.value()));
        const auto& held = std::get<LeaseHeld>(answer.value());
        EXPECT_GE(held.admission_deadline, start + 10s);
        EXPECT_LE(held.admission_deadline, bed.time.now() + 10s);
    }
}

TEST(Lease, RenewalOfADeadLeaseIsLost) {
    RepositoryBed bed;
    HostBed host(bed, "a");
    host.start();
    bed.time.advance(15s);

    EXPECT_TRUE(std::holds_alternative<LeaseLost>(host.renew().value()));
}

TEST(Lease, ReleaseDeletesOnlyOurs) {
    using Answer = result<ReleaseAnswer>;
    for (const Fault fault :
         {Fault::None, Fault::FailBefore, Fault::LoseRequest, Fault::LoseAnswer}) {
        RepositoryBed bed;
        HostBed host(bed, "a");
        host.start();
        const auto release = [&] {
            return host.ask<Answer>([&](auto done) {
                host.repository.release_lease(host.lease, bed.in(3s), std::move(done));
            });
        };
        host.faults.plan_writes({fault});

        EXPECT_EQ(release().value(), ReleaseAnswer::Released);
        EXPECT_FALSE(bed.text(owner_lease_key(host.lease.owner_id)));
        EXPECT_EQ(release().value(), ReleaseAnswer::Stale);

        HostBed successor(bed, "a");
        successor.start();
        EXPECT_EQ(release().value(), ReleaseAnswer::Stale);
        EXPECT_TRUE(bed.text(owner_lease_key(host.lease.owner_id)));
    }
}

TEST(Lease, ReadShowsWhoHoldsItAndUntilWhen) {
    using Answer = result<std::optional<LeaseSeen>>;
    RepositoryBed bed;
    HostBed host(bed, "a");
    const auto read = [&] {
        return host.ask<Answer>([&](auto done) {
            host.repository.read_lease(OwnerId{"owner-a"}, bed.in(3s), std::move(done));
        });
    };
    EXPECT_FALSE(read().value());
    host.start();
    bed.time.advance(5s);

    ASSERT_TRUE(read().value());
    EXPECT_EQ(read().value()->lease, host.lease);
    EXPECT_EQ(read().value()->valid_until, bed.time.now() + 10s);
    bed.time.advance(10s);
    EXPECT_FALSE(read().value());
    bed.put(owner_lease_key(OwnerId{"owner-a"}), text_of(encode_owner_lease(host.lease)));
    EXPECT_EQ(read().error(), Errc::Corrupt) << "a lease without expiry";
}

}  // namespace
}  // namespace shunt::store::test
