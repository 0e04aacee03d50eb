#pragma once
// A listening socket with one multishot accept.

#include <cstdint>

#include "base/unique_function.hpp"
#include "engine/io_target.hpp"
#include "engine/socket.hpp"
#include "engine/timer_wheel.hpp"

namespace shunt::engine {

class Shard;

class Listener final : public IoTarget {
  public:
    /// `accepted` gets each connection; `closed` runs once the kernel has let go of the socket.
    /// `shard` adopts the object right after.
    Listener(Shard& shard, UniqueFd fd, UniqueFunction<void(UniqueFd)> accepted,
             UniqueFunction<void()> closed) noexcept;

    void start();
    /// Accepts nothing more; `closed` follows. Connections that arrive meanwhile are closed.
    void close();

    void on_completion(const Completion& completion) override;
    void shut_down() override { close(); }
    void on_retired() override;

  private:
    // Out of descriptors or memory: how long to wait before asking again.
    static constexpr Duration kExhaustedWait = std::chrono::milliseconds(100);

    Shard& shard_;
    UniqueFd fd_;
    UniqueFunction<void(UniqueFd)> accepted_;
    UniqueFunction<void()> closed_;
    TimerId retry_timer_;
    bool armed_ = false;
};

}  // namespace shunt::engine
