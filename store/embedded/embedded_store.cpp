#include "store/embedded/embedded_store.hpp"

#include <chrono>
#include <mutex>
#include <random>
#include <type_traits>
#include <utility>

#include "store/embedded/embedded_core.hpp"
#include "store/embedded/journal.hpp"

namespace shunt::store {
namespace {

UnixMillis system_now() {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
    return UnixMillis{static_cast<std::uint64_t>(ms)};
}

std::uint64_t instance_number() {
    std::random_device source;
    return (std::uint64_t{source()} << 32U) | source();
}

}  // namespace

struct EmbeddedStore::Shared {
    explicit Shared(std::function<UnixMillis()> clock)
        : wall_clock(std::move(clock)), core(instance_number()) {}

    std::mutex mutex;  // Guards everything below.
    std::function<UnixMillis()> wall_clock;
    EmbeddedCore core;
    std::unique_ptr<Journal> journal;  // Of a store that lives in a file.
};

namespace {

class Handle final : public LocationStore {
  public:
    Handle(std::shared_ptr<EmbeddedStore::Shared> shared, Poster post)
        : shared_(std::move(shared)), post_(std::move(post)) {}

    void read(Key key, TimePoint /*deadline*/, ReadDone done) override {
        answer(std::move(done),
               perform([&](EmbeddedCore& core, UnixMillis now) { return core.read(key, now); }));
    }

    void write(Batch batch, TimePoint /*deadline*/, WriteDone done) override {
        answer(std::move(done),
               perform([&](EmbeddedCore& core, UnixMillis now) { return core.write(batch, now); }));
    }

    void scan(ScanRequest request, TimePoint /*deadline*/, ScanDone done) override {
        answer(std::move(done), perform([&](EmbeddedCore& core, UnixMillis now) {
                   return core.scan(request, now);
               }));
    }

  private:
    template <class Operation>
    std::invoke_result_t<Operation, EmbeddedCore&, UnixMillis> perform(Operation operation) {
        const std::scoped_lock lock(shared_->mutex);
        return operation(shared_->core, shared_->wall_clock());
    }

    // The mutex is free again here: posting may wake another thread.
    template <class Done, class Reply>
    void answer(Done done, Reply reply) {
        post_([done = std::move(done), reply = std::move(reply)]() mutable {
            done(std::move(reply));
        });
    }

    std::shared_ptr<EmbeddedStore::Shared> shared_;
    Poster post_;
};

}  // namespace

EmbeddedStore::EmbeddedStore() : EmbeddedStore(system_now) {}

EmbeddedStore::EmbeddedStore(std::function<UnixMillis()> wall_clock)
    : shared_(std::make_shared<Shared>(std::move(wall_clock))) {}

result<EmbeddedStore> EmbeddedStore::open(const std::string& path) {
    auto shared = std::make_shared<Shared>(system_now);
    BOOST_OUTCOME_TRY(shared->journal, Journal::open(path, shared->core, system_now()));
    return EmbeddedStore(std::move(shared));
}

std::unique_ptr<LocationStore> EmbeddedStore::connect(Poster post) const {
    return std::make_unique<Handle>(shared_, std::move(post));
}

}  // namespace shunt::store
