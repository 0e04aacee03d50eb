#pragma once
// Something the kernel reports to: a connection, a listener, the shard's own doorbell. The shard
// owns it from adopt() on, counts its operations, and destroys it once it is retiring and the
// count is zero: what the kernel may still touch outlives the operation (style.md section 7).

#include <cstdint>

#include "engine/completion.hpp"

namespace shunt::engine {

class IoTarget {
  public:
    IoTarget() = default;
    IoTarget(const IoTarget&) = delete;
    IoTarget& operator=(const IoTarget&) = delete;
    virtual ~IoTarget() = default;

    /// One completion; operations in the kernel are already counted down for a terminal one.
    virtual void on_completion(const Completion& completion) = 0;
    /// End of a turn, after Shard::request_flush(): the place to prepare a send.
    virtual void flush() {}
    /// After BufferRing::wait_for_buffers(): buffers are free again.
    virtual void on_buffers_available() {}
    /// The shard is stopping: end every operation and retire.
    virtual void shut_down() = 0;
    /// Retiring and nothing left in the kernel; destroyed right after this.
    virtual void on_retired() {}

    std::uint32_t ops_in_kernel() const noexcept { return ops_in_kernel_; }
    bool retiring() const noexcept { return retiring_; }

  private:
    friend class Shard;
    friend class BufferRing;
    TargetId id_;
    std::uint32_t ops_in_kernel_ = 0;
    bool retiring_ = false;
    bool flush_requested_ = false;
    bool waits_for_buffers_ = false;
};

}  // namespace shunt::engine
