#include "host/host.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <future>
#include <mutex>
#include <vector>

#include "host/engine_world.hpp"
#include "host/host_core.hpp"
#include "store/embedded/embedded_store.hpp"

namespace shunt::host {
namespace {

/// A callback operation as something a coroutine can await. Resumed through its Resumer, so the
/// callback's thread never runs the coroutine.
template <class T>
class Awaitable {
  public:
    using Start = UniqueFunction<void(UniqueFunction<void(T)>)>;

    explicit Awaitable(Start start) : start_(std::move(start)) {}
    bool await_ready() const noexcept { return false; }
    template <class P>
    void await_suspend(std::coroutine_handle<P> awaiting) {
        start_([this, awaiting, resumer = awaiting.promise().resumer()](T value) {
            value_.emplace(std::move(value));
            resumer->post(awaiting);
        });
    }
    T await_resume() { return std::move(*value_); }

  private:
    Start start_;
    std::optional<T> value_;
};

const char* word(LogLevel level) noexcept {
    switch (level) {
        case LogLevel::Debug:
            return "debug";
        case LogLevel::Info:
            return "info";
        case LogLevel::Warning:
            return "warning";
        case LogLevel::Error:
            return "error";
    }
    return "?";
}

Logger stderr_logger() {
    return [](LogLevel level, std::string_view name, const std::string& text) {
        if (level < LogLevel::Warning) return;
        std::fprintf(stderr, "shunt %s %.*s: %s\n", word(level), static_cast<int>(name.size()),
                     name.data(), text.c_str());
    };
}

}  // namespace

struct LocalStore::Shared {
    store::EmbeddedStore store;
};

LocalStore::LocalStore() : shared_(std::make_shared<Shared>()) {}

/// The shards, and what lives on them. `core_` and what it uses are built and destroyed on shard 0.
class Host::Impl {
  public:
    Impl(const HostOptions& options, const Registry& types, const LocalStore& store,
         HostExtras extras)
        : options_(options),
          types_(types),
          store_(store.shared()),
          logger_(extras.logger ? std::move(extras.logger) : stderr_logger()),
          probe_(extras.probe != nullptr ? *extras.probe : no_probe_),
          shard_count_(options.shards != 0 ? options.shards : default_shards()) {
        live_shards_ += shard_count_;
    }
    ~Impl() {
        stop();
        live_shards_ -= shard_count_;
    }

    result<void> start();
    void stop();

    /// Runs `fn(core)` on shard 0.
    template <class F>
    void post(F&& fn) {
        shards_.front()->post([this, fn = std::forward<F>(fn)]() mutable { fn(*core_); });
    }

    HostCore& core() noexcept { return *core_; }
    HostStatus status();
    NodeRid rid;
    std::string endpoint;

  private:
    result<void> start_shards();
    engine::ShardOptions shard_options(std::uint32_t index) const;
    std::unique_ptr<store::LocationStore> connect(engine::Shard& shard);
    void build();

    /// Shards of all hosts of this process.
    static inline std::atomic<std::size_t> live_shards_{0};

    HostOptions options_;
    Registry types_;
    std::shared_ptr<LocalStore::Shared> store_;
    Logger logger_;
    std::mutex logging_;
    Probe no_probe_;
    Probe& probe_;
    std::uint32_t shard_count_;
    std::vector<std::unique_ptr<engine::Shard>> shards_;
    std::vector<std::unique_ptr<EngineShardWorld>> further_worlds_;
    /// One per shard, used and destroyed there.
    std::vector<std::unique_ptr<store::LocationStore>> stores_;
    std::unique_ptr<EngineWorld> world_;
    std::unique_ptr<HostCore> core_;
    HostStatus last_status_;
    bool stopped_ = false;
};

engine::ShardOptions Host::Impl::shard_options(std::uint32_t index) const {
    engine::ShardOptions shard;
    shard.name = options_.node_prefix.substr(0, 12);  // 15 bytes show.
    shard.name += '/';
    shard.name += std::to_string(index);
    // A shard that polls while another one needs its processor only delays both.
    shard.shards_in_process = live_shards_;
    return shard;
}

std::unique_ptr<store::LocationStore> Host::Impl::connect(engine::Shard& shard) {
    return store_->store.connect(
        [&shard](UniqueFunction<void()> fn) { shard.post(std::move(fn)); });
}

result<void> Host::Impl::start_shards() {
    for (std::uint32_t index = 0; index < shard_count_; ++index) {
        shards_.push_back(std::make_unique<engine::Shard>(shard_options(index)));
        BOOST_OUTCOME_TRY(shards_.back()->start());
        stores_.push_back(connect(*shards_.back()));
    }
    return outcome::success();
}

void Host::Impl::build() {
    world_ = std::make_unique<EngineWorld>(*shards_.front(), engine::MeshOptions{});
    world_->on_protocol_error([this](std::string_view from, std::error_code reason) {
        const std::lock_guard lock(logging_);
        logger_(LogLevel::Warning, "mesh_connection_refused",
                "Closed a connection from " + std::string(from) + ". " + reason.message());
    });
    std::vector<FurtherShard> further;
    for (std::uint32_t index = 1; index < shard_count_; ++index) {
        further_worlds_.push_back(std::make_unique<EngineShardWorld>(*shards_[index]));
        further.push_back({further_worlds_.back().get(), stores_[index].get()});
    }
    core_ = std::make_unique<HostCore>(
        *world_, *stores_.front(), further, types_, options_, probe_,
        [this](relocation::LogLevel level, std::string_view name, const std::string& text) {
            const std::lock_guard lock(logging_);
            logger_(static_cast<LogLevel>(level), name, text);
        });
}

result<void> Host::Impl::start() {
    BOOST_OUTCOME_TRY(start_shards());
    std::promise<std::error_code> started;
    shards_.front()->post([this, &started] {
        build();
        core_->start([this, &started](std::error_code error) {
            rid = core_->identity().rid;
            endpoint = core_->identity().endpoint;
            started.set_value(error);
        });
    });
    if (const std::error_code error = started.get_future().get()) return error;
    return outcome::success();
}

void Host::Impl::stop() {
    if (std::exchange(stopped_, true)) return;
    if (core_ != nullptr) {
        std::promise<void> ended;
        post([this, &ended](HostCore& core) {
            core.shutdown(std::chrono::milliseconds(0), [this, &ended](TerminationResult) {
                // One more turn, so that nothing of the core is on the stack any more.
                shards_.front()->post([this, &ended] {
                    last_status_ = core_->status();
                    ended.set_value();
                });
            });
        });
        ended.get_future().wait();
    }
    for (std::size_t index = 1; index < shards_.size(); ++index) {
        if (index < stores_.size()) {
            shards_[index]->post([this, index] { stores_[index].reset(); });
        }
        shards_[index]->stop();
    }
    if (shards_.empty()) return;
    shards_.front()->post([this] {
        core_.reset();
        if (!stores_.empty()) stores_.front().reset();
        world_.reset();
    });
    shards_.front()->stop();
}

HostStatus Host::Impl::status() {
    if (stopped_) return last_status_;
    std::promise<HostStatus> answer;
    post([&answer](HostCore& core) {
        core.ask_status([&answer](HostStatus status) { answer.set_value(std::move(status)); });
    });
    return answer.get_future().get();
}

// --- Host -------------------------------------------------------------------------------------

Host::Host(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Host::~Host() = default;

result<std::unique_ptr<Host>> Host::start(const HostOptions& options, const Registry& types,
                                          const LocalStore& store, HostExtras extras) {
    std::string why;
    if (const result<void> valid = options.validate(&why); !valid) {
        Logger logger = extras.logger ? std::move(extras.logger) : stderr_logger();
        logger(LogLevel::Error, "invalid_options", why);
        return valid.error();
    }
    auto impl = std::make_unique<Impl>(options, types, store, std::move(extras));
    BOOST_OUTCOME_TRY(impl->start());
    return std::unique_ptr<Host>(new Host(std::move(impl)));
}

void Host::create_actor(ActorId id, std::string stable_type,
                        UniqueFunction<void(result<void>)> done) {
    impl_->core().create_actor(std::move(id), std::move(stable_type), std::move(done));
}

Task<result<void>> Host::create_actor(ActorId id, std::string stable_type) {
    Awaitable<result<void>> operation([this, id = std::move(id), type = std::move(stable_type)](
                                          UniqueFunction<void(result<void>)> done) mutable {
        create_actor(std::move(id), std::move(type), std::move(done));
    });
    result<void> created = co_await operation;
    co_return created;
}

void Host::send(ActorId target, Packet packet, UniqueFunction<void(result<void>)> admitted) {
    impl_->core().send(std::move(target), std::move(packet), std::move(admitted));
}

void Host::request(ActorId target, Packet packet, std::chrono::milliseconds timeout,
                   UniqueFunction<void(result<Packet>)> answered) {
    impl_->core().request(std::move(target), std::move(packet), timeout, std::move(answered));
}

Task<result<Packet>> Host::request(ActorId target, Packet packet,
                                   std::chrono::milliseconds timeout) {
    Awaitable<result<Packet>> operation(
        [this, target = std::move(target), packet = std::move(packet),
         timeout](UniqueFunction<void(result<Packet>)> done) mutable {
            request(std::move(target), std::move(packet), timeout, std::move(done));
        });
    result<Packet> answer = co_await operation;
    co_return answer;
}

void Host::relocate(RelocateOptions options, UniqueFunction<void(result<RelocationResult>)> done) {
    impl_->post([options, done = std::move(done)](HostCore& core) mutable {
        core.relocate(options, std::move(done));
    });
}

Task<result<RelocationResult>> Host::relocate(RelocateOptions options) {
    Awaitable<result<RelocationResult>> operation(
        [this, options](UniqueFunction<void(result<RelocationResult>)> done) mutable {
            relocate(options, std::move(done));
        });
    result<RelocationResult> answer = co_await operation;
    co_return answer;
}

void Host::shutdown(std::chrono::milliseconds deadline,
                    UniqueFunction<void(TerminationResult)> done) {
    impl_->post([deadline, done = std::move(done)](HostCore& core) mutable {
        core.shutdown(deadline, std::move(done));
    });
}

Task<TerminationResult> Host::shutdown(std::chrono::milliseconds deadline) {
    Awaitable<TerminationResult> operation(
        [this, deadline](UniqueFunction<void(TerminationResult)> done) mutable {
            shutdown(deadline, std::move(done));
        });
    TerminationResult answer = co_await operation;
    co_return answer;
}

HostStatus Host::status() const {
    return impl_->status();
}

const NodeRid& Host::node_rid() const noexcept {
    return impl_->rid;
}

const std::string& Host::endpoint() const noexcept {
    return impl_->endpoint;
}

}  // namespace shunt::host
