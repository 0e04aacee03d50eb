#include "host/host.hpp"

#include <atomic>
#include <cstdio>
#include <future>

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

/// The shard, and what lives on it. `core` and what it uses are built and destroyed there.
class Host::Impl {
  public:
    Impl(const HostOptions& options, const Registry& types, const LocalStore& store,
         HostExtras extras)
        : options_(options),
          types_(types),
          store_(store.shared()),
          logger_(extras.logger ? std::move(extras.logger) : stderr_logger()),
          probe_(extras.probe != nullptr ? *extras.probe : no_probe_),
          shard_(shard_options(options)) {}
    ~Impl() {
        stop();
        --live_;
    }

    result<void> start();
    void stop();

    /// Runs `fn(core)` on the shard.
    template <class F>
    void post(F&& fn) {
        shard_.post([this, fn = std::forward<F>(fn)]() mutable {
            if (core_ != nullptr) fn(*core_);
        });
    }

    HostStatus status();
    NodeRid rid;
    std::string endpoint;

  private:
    static engine::ShardOptions shard_options(const HostOptions& options) {
        engine::ShardOptions shard;
        shard.name = options.node_prefix.substr(0, 15);
        // A shard that polls while another one needs its processor only delays both.
        shard.shards_in_process = ++live_;
        return shard;
    }

    /// Hosts of this process.
    static inline std::atomic<std::size_t> live_{0};

    HostOptions options_;
    Registry types_;
    std::shared_ptr<LocalStore::Shared> store_;
    Logger logger_;
    Probe no_probe_;
    Probe& probe_;
    engine::Shard shard_;
    std::unique_ptr<EngineWorld> world_;
    std::unique_ptr<store::LocationStore> handle_;
    std::unique_ptr<HostCore> core_;
    HostStatus last_status_;
    bool stopped_ = false;
};

result<void> Host::Impl::start() {
    std::promise<std::error_code> started;
    BOOST_OUTCOME_TRY(shard_.start([this, &started] {
        world_ = std::make_unique<EngineWorld>(shard_, engine::MeshOptions{});
        world_->on_protocol_error([this](std::string_view from, std::error_code reason) {
            logger_(LogLevel::Warning, "mesh_connection_refused",
                    "Closed a connection from " + std::string(from) + ". " + reason.message());
        });
        handle_ = store_->store.connect(
            [this](UniqueFunction<void()> fn) { shard_.post(std::move(fn)); });
        core_ = std::make_unique<HostCore>(
            *world_, *handle_, types_, options_, probe_,
            [this](relocation::LogLevel level, std::string_view name, const std::string& text) {
                logger_(static_cast<LogLevel>(level), name, text);
            });
        core_->start([this, &started](std::error_code error) {
            rid = core_->identity().rid;
            endpoint = core_->identity().endpoint;
            started.set_value(error);
        });
    }));
    const std::error_code error = started.get_future().get();
    if (error) {
        stop();
        return error;
    }
    return outcome::success();
}

void Host::Impl::stop() {
    if (std::exchange(stopped_, true)) return;
    std::promise<void> ended;
    shard_.post([this, &ended] {
        if (core_ == nullptr) return ended.set_value();
        core_->shutdown(std::chrono::milliseconds(0), [this, &ended](TerminationResult) {
            // One more turn, so that nothing of the core is on the stack any more.
            shard_.post([this, &ended] {
                last_status_ = core_->status();
                core_.reset();
                handle_.reset();
                world_.reset();
                ended.set_value();
            });
        });
    });
    ended.get_future().wait();
    shard_.stop();
}

HostStatus Host::Impl::status() {
    if (stopped_) return last_status_;
    std::promise<HostStatus> answer;
    shard_.post(
        [this, &answer] { answer.set_value(core_ != nullptr ? core_->status() : last_status_); });
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
    impl_->post([id = std::move(id), type = std::move(stable_type),
                 done = std::move(done)](HostCore& core) mutable {
        core.create_actor(std::move(id), type, std::move(done));
    });
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
    impl_->post([target = std::move(target), packet = std::move(packet),
                 admitted = std::move(admitted)](HostCore& core) mutable {
        core.send(std::move(target), std::move(packet), std::move(admitted));
    });
}

void Host::request(ActorId target, Packet packet, std::chrono::milliseconds timeout,
                   UniqueFunction<void(result<Packet>)> answered) {
    impl_->post([target = std::move(target), packet = std::move(packet), timeout,
                 answered = std::move(answered)](HostCore& core) mutable {
        core.request(std::move(target), std::move(packet), timeout, std::move(answered));
    });
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
