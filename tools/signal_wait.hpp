#pragma once
// Ctrl-C as a value: the signals that end a program are blocked, and its main loop asks for them
// where it waits anyway. No handler runs, so nothing is interrupted halfway.

#include <chrono>
#include <signal.h>

namespace shunt::tools {

/// Blocks SIGINT and SIGTERM for this thread and every thread it starts. Make it before hosts.
class SignalWait {
  public:
    SignalWait();
    /// Restores the mask, so that a signal that waits ends the program as usual.
    ~SignalWait();
    SignalWait(const SignalWait&) = delete;
    SignalWait& operator=(const SignalWait&) = delete;

    /// Waits at most `wait`; true when one of the signals came.
    bool wait_for(std::chrono::milliseconds wait);

  private:
    sigset_t signals_{};
    sigset_t before_{};
};

}  // namespace shunt::tools
