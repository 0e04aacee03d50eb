#pragma once
// The door from an ordinary thread into coroutines: it waits here until the task has ended. Apart
// from host/task.hpp, because a shard never blocks and so never needs it.

#include <condition_variable>
#include <coroutine>
#include <deque>
#include <mutex>
#include <utility>

#include "host/task.hpp"

namespace shunt::host {

namespace detail {

/// A Resumer that runs everything on the thread waiting in block_on().
class ThreadResumer final : public Resumer {
  public:
    void post(std::coroutine_handle<> coroutine) override {
        const std::lock_guard lock(mutex_);
        ready_.push_back(coroutine);
        wake_.notify_one();
    }

    void run_until(const bool& done) {
        while (!done) {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return !ready_.empty(); });
            const std::coroutine_handle<> next = ready_.front();
            ready_.pop_front();
            lock.unlock();
            next.resume();
        }
    }

  private:
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::coroutine_handle<>> ready_;
};

}  // namespace detail

/// Runs `task` to its end on the calling thread, which must not be a shard.
template <class T>
T block_on(Task<T> task) {
    detail::ThreadResumer resumer;
    bool done = false;
    task.start(
        resumer, [](void* flag) { *static_cast<bool*>(flag) = true; }, &done);
    resumer.run_until(done);
    return task.take();
}

}  // namespace shunt::host
