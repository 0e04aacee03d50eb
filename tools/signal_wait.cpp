#include "tools/signal_wait.hpp"

#include <ctime>

namespace shunt::tools {

SignalWait::SignalWait() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

SignalWait::~SignalWait() {
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool SignalWait::wait_for(std::chrono::milliseconds wait) {
    timespec time{};
    time.tv_sec = wait.count() / 1'000;
    time.tv_nsec = (wait.count() % 1'000) * 1'000'000;
    // An error is the elapsed wait, or a signal of no interest: the caller comes back either way.
    return sigtimedwait(&signals_, nullptr, &time) > 0;
}

}  // namespace shunt::tools
