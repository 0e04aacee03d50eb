#pragma once
// Coroutines for user code (design.md section 2). A Task is lazy, and every resumption goes through
// a Resumer, never by symmetric transfer: on a shard that is the shard's own queue, so the
// simulator controls each step; outside, block_on() (host/block_on.hpp) runs it on the calling
// thread.
//
// Take parameters by value, never make a capturing lambda a coroutine, keep co_await out of
// conditions and braced lists: docs/handlers.md says why.

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/assert.hpp"

namespace shunt::host {

/// Where a suspended coroutine continues. post() may be called from any thread.
class Resumer {
  public:
    virtual ~Resumer() = default;
    virtual void post(std::coroutine_handle<> coroutine) = 0;
};

template <class T = void>
class Task;

namespace detail {

class PromiseBase {
  public:
    std::suspend_always initial_suspend() noexcept { return {}; }

    struct Final {
        bool await_ready() noexcept { return false; }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> self) noexcept {
            PromiseBase& promise = self.promise();
            if (promise.parent_)
                promise.resumer_->post(promise.parent_);
            else if (promise.on_done_)
                promise.on_done_(promise.on_done_context_);
        }
        void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }

    void unhandled_exception() noexcept { exception_ = std::current_exception(); }

    Resumer* resumer() const noexcept { return resumer_; }

    Resumer* resumer_ = nullptr;
    std::coroutine_handle<> parent_;
    void (*on_done_)(void*) = nullptr;
    void* on_done_context_ = nullptr;
    std::exception_ptr exception_;
};

template <class T>
class Promise final : public PromiseBase {
  public:
    Task<T> get_return_object() noexcept;
    template <class U>
    void return_value(U&& value) {
        value_.emplace(std::forward<U>(value));
    }
    T take() {
        if (exception_) std::rethrow_exception(exception_);
        return std::move(*value_);
    }

  private:
    std::optional<T> value_;
};

template <>
class Promise<void> final : public PromiseBase {
  public:
    Task<void> get_return_object() noexcept;
    void return_void() noexcept {}
    void take() {
        if (exception_) std::rethrow_exception(exception_);
    }
};

}  // namespace detail

/// A computation that starts when it is awaited (or given to block_on()) and is destroyed with this
/// object. Move-only; await it once.
template <class T>
class [[nodiscard]] Task {
  public:
    using promise_type = detail::Promise<T>;

    explicit Task(std::coroutine_handle<promise_type> coroutine) noexcept : coroutine_(coroutine) {}
    Task(Task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
    Task& operator=(Task&& other) noexcept {
        std::swap(coroutine_, other.coroutine_);
        return *this;
    }
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    ~Task() {
        if (coroutine_) coroutine_.destroy();
    }

    class Awaiter {
      public:
        explicit Awaiter(std::coroutine_handle<promise_type> coroutine) noexcept
            : coroutine_(coroutine) {}
        bool await_ready() noexcept { return false; }
        template <class Parent>
        void await_suspend(std::coroutine_handle<Parent> parent) {
            coroutine_.promise().resumer_ = parent.promise().resumer();
            coroutine_.promise().parent_ = parent;
            coroutine_.promise().resumer_->post(coroutine_);
        }
        T await_resume() { return coroutine_.promise().take(); }

      private:
        std::coroutine_handle<promise_type> coroutine_;
    };
    Awaiter operator co_await() && noexcept { return Awaiter(coroutine_); }
    Awaiter operator co_await() & noexcept { return Awaiter(coroutine_); }

    /// Runs it on `resumer`; `on_done(context)` is called where it ended. Framework use.
    void start(Resumer& resumer, void (*on_done)(void*), void* context) {
        promise_type& promise = coroutine_.promise();
        promise.resumer_ = &resumer;
        promise.on_done_ = on_done;
        promise.on_done_context_ = context;
        resumer.post(coroutine_);
    }

    /// The value once it is done; rethrows what the coroutine threw.
    T take() { return coroutine_.promise().take(); }

  private:
    std::coroutine_handle<promise_type> coroutine_;
};

namespace detail {

template <class T>
Task<T> Promise<T>::get_return_object() noexcept {
    return Task<T>(std::coroutine_handle<Promise>::from_promise(*this));
}

inline Task<void> Promise<void>::get_return_object() noexcept {
    return Task<void>(std::coroutine_handle<Promise>::from_promise(*this));
}

}  // namespace detail

}  // namespace shunt::host
