#pragma once
// How an application describes its Actors and what their handlers can do (spec/objects.md
// section 3, spec/execution.md section 2). A handler runs on the Actor's shard, one turn at a time;
// the turn stays open while a continuation or a coroutine of it is outstanding.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "base/unique_function.hpp"
#include "host/message.hpp"
#include "host/task.hpp"

namespace shunt::host {

/// What happens to ticks that come due while the Actor was busy or moving (spec/objects.md 6).
enum class TimerOverrun : std::uint8_t { SkipLateTicks, CatchUpBounded, DelayNextTick };

struct TimerOptions {
    /// `handler` names an ActorType::on_timer() handler; both texts are 1..255 bytes of UTF-8.
    TimerOptions(std::string timer_name, std::string handler_name,
                 std::chrono::milliseconds timer_period)
        : name(std::move(timer_name)), handler(std::move(handler_name)), period(timer_period) {}

    std::string name;
    std::string handler;
    /// At least 1 ms.
    std::chrono::milliseconds period;
    TimerOverrun overrun = TimerOverrun::SkipLateTicks;
    /// Only for CatchUpBounded; at least 1.
    std::uint32_t max_catch_up_ticks = 1;
    bool stop_on_unhandled_exception = false;
};

/// Who an Actor instance is; handed to the factory.
struct ActorContext {
    ActorId id;
    ObjectGeneration generation;
    /// The instance takes over a moved Actor: state follows, on_create does not.
    bool relocated = false;
};

class TurnState;

/// A handler's hold on its turn. Copy it into continuations; once the turn has ended every call
/// answers Errc::InvalidOperation. Shard-owned: never touch it from another thread.
class Turn {
  public:
    explicit Turn(std::shared_ptr<TurnState> state) noexcept : state_(std::move(state)) {}

    const ActorId& self() const noexcept;
    TimePoint now() const noexcept;

    /// One-way. Complete when this host accepted it (spec/execution.md section 5): `admitted` gets
    /// success then, or why it was not sent. It never means that a handler ran.
    void send(ActorId target, Packet packet);
    void send(ActorId target, Packet packet, UniqueFunction<void(result<void>)> admitted);

    using Continuation = UniqueFunction<void(result<Packet>)>;
    /// Asks and keeps this turn open until `then` has run. Exactly one answer: the reply, a typed
    /// error, or DeadlineExceeded. A request to self() is InvalidOperation before it is sent.
    void request(ActorId target, Packet packet, Continuation then);
    void request(ActorId target, Packet packet, std::chrono::milliseconds timeout,
                 Continuation then);

    /// Answers the request that opened this turn, once.
    result<void> reply(Packet packet);
    result<void> fail(std::error_code error);

    /// Keeps the turn open and runs `then` after `wait`.
    void after(Duration wait, UniqueFunction<void()> then);

    /// Registering a name again replaces the timer. Timers move with the Actor.
    result<void> start_timer(const TimerOptions& options);
    void stop_timer(const std::string& name);

    // --- the same for coroutines ------------------------------------------------------------
    class RequestAwaiter;
    class AfterAwaiter;
    /// `result<Packet> answer = co_await turn.request(...)`.
    RequestAwaiter request(ActorId target, Packet packet);
    AfterAwaiter after(Duration wait);

    /// Adopts a coroutine into this turn: the turn ends when it does. Used by ActorType.
    void adopt(Task<> task);

  private:
    std::shared_ptr<TurnState> state_;
};

class Turn::RequestAwaiter {
  public:
    RequestAwaiter(Turn turn, ActorId target, Packet packet)
        : turn_(std::move(turn)), target_(std::move(target)), packet_(std::move(packet)) {}
    bool await_ready() const noexcept { return false; }
    template <class P>
    void await_suspend(std::coroutine_handle<P> awaiting) {
        // The continuation runs in a later step of the shard, so resuming inline here is already a
        // fresh step.
        turn_.request(std::move(target_), std::move(packet_),
                      [this, awaiting](result<Packet> answer) {
                          answer_.emplace(std::move(answer));
                          awaiting.resume();
                      });
    }
    result<Packet> await_resume() { return std::move(*answer_); }

  private:
    Turn turn_;
    ActorId target_;
    Packet packet_;
    std::optional<result<Packet>> answer_;
};

class Turn::AfterAwaiter {
  public:
    AfterAwaiter(Turn turn, Duration wait) : turn_(std::move(turn)), wait_(wait) {}
    bool await_ready() const noexcept { return false; }
    template <class P>
    void await_suspend(std::coroutine_handle<P> awaiting) {
        turn_.after(wait_, [awaiting] { awaiting.resume(); });
    }
    void await_resume() const noexcept {}

  private:
    Turn turn_;
    Duration wait_;
};

inline Turn::RequestAwaiter Turn::request(ActorId target, Packet packet) {
    return RequestAwaiter(*this, std::move(target), std::move(packet));
}
inline Turn::AfterAwaiter Turn::after(Duration wait) {
    return AfterAwaiter(*this, wait);
}

/// What a move does with the application's state (spec/objects.md section 3).
enum class RelocationPolicy : std::uint8_t { Disable, Recreate, PreserveState };

/// An ActorType without its C++ type; what the framework works with.
struct ActorDefinition {
    std::string stable_type;
    std::function<std::shared_ptr<void>(const ActorContext&)> factory;
    std::function<void(void*, Turn)> on_create;
    std::map<std::string, std::function<void(void*, Turn, Message)>, std::less<>> handlers;
    std::map<std::string, std::function<void(void*, Turn, Tick)>, std::less<>> timer_handlers;
    std::optional<RelocationPolicy> policy;
    std::function<result<Segments>(const void*)> capture;
    std::function<result<void>(void*, ByteView)> restore;
};

/// Describes Actors of class `T`. Handlers are `void` or `Task<>` functions, members of T or taking
/// `T&` first. Exactly one relocation policy must be chosen. Exceptions that leave a handler fail
/// its request with InternalFailure and are logged; they never leave the host.
template <class T>
class ActorType {
  public:
    /// `stable_type` is the name of the type on every node: 1..255 bytes of UTF-8, never a class
    /// name that might change.
    explicit ActorType(std::string stable_type) {
        definition_.stable_type = std::move(stable_type);
    }

    /// `std::shared_ptr<T> make(const ActorContext&)`. Without it T must be default-constructible.
    template <class F>
    ActorType& factory(F make) {
        definition_.factory = [make = std::move(make)](const ActorContext& context) {
            return std::shared_ptr<void>(make(context));
        };
        return *this;
    }

    /// First turn of a brand-new Actor; not after a move.
    template <class F>
    ActorType& on_create(F handler) {
        definition_.on_create = [handler = std::move(handler)](void* self, Turn turn) {
            run(turn, handler, *static_cast<T*>(self), turn);
        };
        return *this;
    }

    /// Handler of messages and requests whose packet is called `packet_name`.
    template <class F>
    ActorType& on(std::string packet_name, F handler) {
        definition_.handlers[std::move(packet_name)] = [handler = std::move(handler)](
                                                           void* self, Turn turn, Message message) {
            run(turn, handler, *static_cast<T*>(self), turn, std::move(message));
        };
        return *this;
    }

    /// Handler that timers refer to by TimerOptions::handler.
    template <class F>
    ActorType& on_timer(std::string handler_name, F handler) {
        definition_.timer_handlers[std::move(handler_name)] =
            [handler = std::move(handler)](void* self, Turn turn, Tick tick) {
                run(turn, handler, *static_cast<T*>(self), turn, std::move(tick));
            };
        return *this;
    }

    ActorType& disable_relocation() { return choose(RelocationPolicy::Disable); }
    /// The factory runs on the target; queue and timers move, state does not.
    ActorType& recreate_on_relocation() { return choose(RelocationPolicy::Recreate); }
    /// `result<Segments> capture(const T&)` on the source, `result<void> restore(T&, ByteView)` on
    /// the target; the view lives for the call. Both may run more than once for one move.
    template <class Capture, class Restore>
    ActorType& preserve_state(Capture capture, Restore restore) {
        definition_.capture = [capture = std::move(capture)](const void* self) -> result<Segments> {
            return std::invoke(capture, *static_cast<const T*>(self));
        };
        definition_.restore = [restore = std::move(restore)](void* self,
                                                             ByteView state) -> result<void> {
            return std::invoke(restore, *static_cast<T*>(self), state);
        };
        return choose(RelocationPolicy::PreserveState);
    }

    /// The finished description; asserts nothing, Registry::add() checks it.
    ActorDefinition definition() const {
        ActorDefinition finished = definition_;
        if constexpr (std::is_default_constructible_v<T>) {
            if (!finished.factory) {
                finished.factory = [](const ActorContext&) { return std::make_shared<T>(); };
            }
        }
        if (policies_chosen_ != 1) finished.policy.reset();
        return finished;
    }

  private:
    template <class F, class... Args>
    static void run(Turn turn, const F& handler, Args&&... args) {
        if constexpr (std::is_same_v<std::invoke_result_t<const F&, Args...>, Task<>>) {
            turn.adopt(std::invoke(handler, std::forward<Args>(args)...));
        } else {
            std::invoke(handler, std::forward<Args>(args)...);
        }
    }

    ActorType& choose(RelocationPolicy policy) {
        definition_.policy = policy;
        ++policies_chosen_;
        return *this;
    }

    ActorDefinition definition_;
    int policies_chosen_ = 0;
};

/// The types one host can run. Filled before the host starts, read-only afterwards.
class Registry {
  public:
    template <class T>
    result<void> add(const ActorType<T>& type) {
        return add(type.definition());
    }
    /// Errc::InvalidArgument for a bad name, a missing factory, or not exactly one policy;
    /// Errc::AlreadyExists for a second type of the same name.
    result<void> add(ActorDefinition definition);

    const ActorDefinition* find(const std::string& stable_type) const noexcept;
    /// Sorted by stable type.
    const std::map<std::string, ActorDefinition, std::less<>>& all() const noexcept {
        return definitions_;
    }

  private:
    std::map<std::string, ActorDefinition, std::less<>> definitions_;
};

}  // namespace shunt::host
