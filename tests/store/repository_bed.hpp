#pragma once
// Hosts, one embedded store and both clocks in the hands of a test: nothing happens between two
// calls of the test that it did not ask for.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/assert.hpp"
#include "faulty_store.hpp"
#include "inbox.hpp"
#include "store/embedded/embedded_store.hpp"
#include "store/repository.hpp"

namespace shunt::store::test {

using namespace std::chrono_literals;

/// One monotonic clock, the store's wall clock and all timers. Time stands still unless advance()
/// is called or run() has nothing to do but wait for a timer.
class TestTime final : public Environment {
  public:
    TimePoint now() const noexcept override { return now_; }
    void arm(TimePoint deadline, UniqueFunction<void()> fn) override {
        timers_.emplace(deadline, std::move(fn));
    }
    std::uint64_t random() noexcept override { return random_ += 0x9E3779B97F4A7C15ULL; }

    UnixMillis store_now() const {
        const auto since_start =
            std::chrono::duration_cast<std::chrono::milliseconds>(now_.time_since_epoch());
        return UnixMillis{1'700'000'000'000 + static_cast<std::uint64_t>(since_start.count())};
    }
    void advance(Duration wait) { now_ += wait; }

    bool fire_next() {
        if (timers_.empty()) return false;
        auto first = timers_.extract(timers_.begin());
        now_ = std::max(now_, first.key());
        first.mapped()();
        return true;
    }

  private:
    TimePoint now_{1h};
    std::multimap<TimePoint, UniqueFunction<void()>> timers_;
    std::uint64_t random_ = 0;
};

/// The store and its time.
class RepositoryBed {
  public:
    TestTime time;
    Inbox inbox;
    EmbeddedStore embedded{[this] { return time.store_now(); }};
    std::unique_ptr<LocationStore> handle = embedded.connect(inbox.poster());

    /// Runs closures, and timers when nothing else is left, until `answer` is there.
    template <class T>
    T wait_for(std::optional<T>& answer) {
        while (!answer) {
            if (!inbox.empty()) {
                inbox.run();
            } else if (!time.fire_next()) {
                ADD_FAILURE() << "nothing will ever answer";
                SHUNT_ASSERT(answer);
            }
        }
        return std::move(*answer);
    }
    TimePoint in(Duration wait) const { return deadline_after(time.now(), wait); }

    std::optional<std::string> text(const Key& key) {
        std::optional<result<ReadReply>> reply;
        handle->read(key, kNever, [&](auto r) { reply.emplace(std::move(r)); });
        const result<ReadReply> seen = wait_for(reply);
        const auto* found = std::get_if<Found>(&seen.value());
        if (found == nullptr) return std::nullopt;
        return std::string(text_of(found->value));
    }
    void put(const Key& key, std::string_view text,
             std::optional<std::chrono::milliseconds> retention = {}) {
        std::optional<result<WriteReply>> reply;
        handle->write(Batch{{}, {Put{key, copy_of(bytes_of(text)), retention}}}, kNever,
                      [&](auto r) { reply.emplace(std::move(r)); });
        ASSERT_TRUE(wait_for(reply));
    }
};

/// One host's repository behind its own faults, and its identity once it has a lease.
class HostBed {
  public:
    HostBed(RepositoryBed& bed, std::string name)
        : bed_(bed), faults(*bed.handle), repository(faults, bed.time), name_(std::move(name)) {}

    static constexpr Duration kTimeout = 3s;

    /// Calls an operation whose last argument is its completion and waits for the answer.
    template <class T, class Start>
    T ask(Start start) {
        std::optional<T> answer;
        start([&](T given) { answer.emplace(std::move(given)); });
        EXPECT_FALSE(answer) << "an answer came inside the call";
        return bed_.wait_for(answer);
    }

    result<ClaimAnswer> claim() {
        return ask<result<ClaimAnswer>>([&](auto done) {
            repository.claim_lease(OwnerId{"owner-" + name_}, LeaseTimings{}, bed_.in(kTimeout),
                                   std::move(done));
        });
    }
    result<RenewAnswer> renew() {
        return ask<result<RenewAnswer>>([&](auto done) {
            repository.renew_lease(lease, LeaseTimings{}, bed_.in(kTimeout), std::move(done));
        });
    }
    /// Claims and keeps the lease; the ordinary start of a host.
    void start() {
        const result<ClaimAnswer> answer = claim();
        ASSERT_TRUE(answer);
        ASSERT_TRUE(std::holds_alternative<LeaseHeld>(answer.value()));
        lease = std::get<LeaseHeld>(answer.value()).lease;
    }

    CapacityOwner node() const { return {"main", NodeRid{"rid-" + name_}, NodeGeneration{77}}; }

    NodeDescriptor descriptor(std::uint64_t revision) const {
        NodeDescriptor d;
        d.mesh_name = node().mesh_name;
        d.rid = node().rid;
        d.lifecycle_generation = node().lifecycle_generation;
        d.descriptor_revision = revision;
        d.endpoint = "tcp://" + name_;
        d.entry_spot_id = SpotId{"entry-" + name_};
        d.object_role = protocol::ObjectRole::Server;
        d.state = NodeState::Serving;
        d.security_identity = "default";
        d.lease = lease;
        return d;
    }
    result<PublishAnswer> publish(NodeDescriptor d) {
        return ask<result<PublishAnswer>>([&](auto done) {
            repository.publish_descriptor(std::move(d), bed_.in(kTimeout), std::move(done));
        });
    }
    result<std::vector<ListedNode>> list() {
        return ask<result<std::vector<ListedNode>>>([&](auto done) {
            repository.list_descriptors("main", bed_.in(kTimeout), std::move(done));
        });
    }

    Membership entry_spot() const {
        return {{SpotId{"entry-" + name_}, ObjectGeneration{77}}, protocol::ActorSpotKind::Entry};
    }
    result<CreateAnswer> create(const std::string& actor) {
        ActorAuthority object;
        object.actor_type = "chat";
        object.actor_id = ActorId{actor};
        object.current_spot = entry_spot().spot;
        return ask<result<CreateAnswer>>([&](auto done) {
            repository.create_active(NewObject{object, node(), lease}, bed_.in(kTimeout),
                                     std::move(done));
        });
    }
    Authority created(const std::string& actor) {
        const result<CreateAnswer> answer = create(actor);
        EXPECT_TRUE(answer && std::holds_alternative<Created>(answer.value()));
        return std::get<Created>(answer.value()).authority;
    }
    result<std::optional<Authority>> read(const std::string& actor) {
        return ask<result<std::optional<Authority>>>([&](auto done) {
            repository.read_authority({protocol::AuthorityObjectKind::Actor, actor},
                                      bed_.in(kTimeout), std::move(done));
        });
    }
    CasOwnerAnswer cas(const OwnerMove& move) {
        return ask<CasOwnerAnswer>(
            [&](auto done) { repository.cas_owner(move, bed_.in(kTimeout), std::move(done)); });
    }
    OwnerSeen seen_as_target(const OwnerMove& move) {
        return ask<OwnerSeen>([&](auto done) {
            repository.read_owner_as_target(move, bed_.in(kTimeout), std::move(done));
        });
    }
    OwnerSeen seen_as_source(const OwnerMove& move) {
        return ask<OwnerSeen>([&](auto done) {
            repository.read_owner_as_source(move, bed_.in(kTimeout), std::move(done));
        });
    }
    std::string active_actors() {
        return bed_.text(actors_capacity_key(node(), CapacityState::Active)).value_or("none");
    }

  private:
    RepositoryBed& bed_;

  public:
    FaultyStore faults;
    Repository repository;
    OwnerLease lease;

  private:
    std::string name_;
};

}  // namespace shunt::store::test
