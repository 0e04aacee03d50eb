#include "engine/inbox.hpp"

#include <cerrno>
#include <cstdint>
#include <memory>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/assert.hpp"

namespace shunt::engine {

// Blocking on purpose: a ring read of a non-blocking descriptor would fail instead of waiting.
Inbox::Inbox() noexcept : wake_fd_(::eventfd(0, EFD_CLOEXEC)) {}

Inbox::~Inbox() {
    free_list(taken_);
    free_list(pushed_.exchange(nullptr));
    if (wake_fd_ >= 0) ::close(wake_fd_);
}

void Inbox::push(UniqueFunction<void()> fn) {
    auto* node = new Node{.fn = std::move(fn), .next = pushed_.load(std::memory_order_relaxed)};
    while (!pushed_.compare_exchange_weak(node->next, node)) {
    }
    if (!sleeping_.exchange(false)) return;
    const std::uint64_t one = 1;
    // Can block only at 2^64 - 2 unread wake-ups, and one is enough for any number of pushes.
    ssize_t written = 0;
    do {
        written = ::write(wake_fd_, &one, sizeof(one));
    } while (written < 0 && errno == EINTR);
    SHUNT_ASSERT(written == sizeof(one));
}

bool Inbox::prepare_sleep() noexcept {
    if (taken_ != nullptr) return false;
    sleeping_.store(true);
    if (pushed_.load() == nullptr) return true;
    sleeping_.store(false);
    return false;
}

void Inbox::awake() noexcept {
    sleeping_.store(false);
}

std::size_t Inbox::run(std::size_t count_max) {
    std::size_t count = 0;
    while (count < count_max) {
        if (taken_ == nullptr) {
            Node* newest = pushed_.exchange(nullptr);
            while (newest != nullptr) {
                Node* const older = newest->next;
                newest->next = taken_;
                taken_ = newest;
                newest = older;
            }
            if (taken_ == nullptr) break;
        }
        const std::unique_ptr<Node> node(taken_);
        taken_ = node->next;
        node->fn();
        ++count;
    }
    return count;
}

bool Inbox::has_work() const noexcept {
    return taken_ != nullptr || pushed_.load(std::memory_order_relaxed) != nullptr;
}

void Inbox::free_list(Node* list) noexcept {
    while (list != nullptr) {
        const std::unique_ptr<Node> node(list);
        list = node->next;
    }
}

}  // namespace shunt::engine
