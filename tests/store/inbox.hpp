#pragma once
// A shard's inbox for tests: closures wait until the test runs them.

#include <deque>
#include <utility>

#include "base/unique_function.hpp"
#include "store/embedded/embedded_store.hpp"

namespace shunt::store::test {

class Inbox {
  public:
    void post(UniqueFunction<void()> fn) { queue_.push_back(std::move(fn)); }
    Poster poster() {
        return [this](UniqueFunction<void()> fn) { post(std::move(fn)); };
    }
    bool empty() const noexcept { return queue_.empty(); }
    /// Runs everything, also what is posted meanwhile.
    void run() {
        while (!queue_.empty()) {
            UniqueFunction<void()> fn = std::move(queue_.front());
            queue_.pop_front();
            fn();
        }
    }

  private:
    std::deque<UniqueFunction<void()>> queue_;
};

}  // namespace shunt::store::test
