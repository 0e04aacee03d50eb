#pragma once
// Work for a shard from threads that are no shard: a lock-free list with many pushers and one
// taker, and an eventfd that wakes the taker out of the ring (design-notes/io-uring.md section 7).
// The only atomics of the shard live here.

#include <atomic>

#include "base/unique_function.hpp"

namespace shunt::engine {

class Inbox final {
  public:
    /// Opens the eventfd; ok() says whether that worked.
    Inbox() noexcept;
    Inbox(const Inbox&) = delete;
    Inbox& operator=(const Inbox&) = delete;
    /// Destroys what nobody took, without running it.
    ~Inbox();

    bool ok() const noexcept { return wake_fd_ >= 0; }

    /// Appends `fn` and wakes the taker when it sleeps. Any thread; pushes of one thread keep
    /// their order.
    void push(UniqueFunction<void()> fn);

    // --- the taker's side, one thread ---

    /// Announces that the taker is about to sleep on wake_fd(). False when something has arrived
    /// meanwhile: do not sleep then.
    bool prepare_sleep() noexcept;
    /// Ends what prepare_sleep() announced. Harmless when nothing was announced.
    void awake() noexcept;

    /// Runs up to `count_max` functions in the order they were pushed; returns how many.
    std::size_t run(std::size_t count_max);
    /// True when run() would find something.
    bool has_work() const noexcept;

    /// Becomes readable when a push found the taker asleep.
    int wake_fd() const noexcept { return wake_fd_; }

  private:
    struct Node {
        UniqueFunction<void()> fn;
        Node* next = nullptr;
    };
    static void free_list(Node* list) noexcept;

    // Newest first. Release on push publishes the function; acquire on take sees it.
    std::atomic<Node*> pushed_{nullptr};
    // True from prepare_sleep() to awake(). The taker writes it and then reads pushed_, a pusher
    // writes pushed_ and then reads it; all four are seq_cst, so at least one side sees the other
    // and no push is slept over.
    std::atomic<bool> sleeping_{false};
    // Oldest first; the taker's own.
    Node* taken_ = nullptr;
    int wake_fd_ = -1;
};

}  // namespace shunt::engine
