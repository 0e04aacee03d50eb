#include "engine/listener.hpp"

#include <cerrno>

#include "engine/shard.hpp"

namespace shunt::engine {

Listener::Listener(Shard& shard, UniqueFd fd, UniqueFunction<void(UniqueFd)> accepted,
                   UniqueFunction<void()> closed) noexcept
    : shard_(shard),
      fd_(std::move(fd)),
      accepted_(std::move(accepted)),
      closed_(std::move(closed)) {}

void Listener::start() {
    if (retiring() || armed_) return;
    armed_ = true;
    shard_.submit(*this, OpKind::Accept, [this](io_uring_sqe& sqe) {
        io_uring_prep_multishot_accept(&sqe, fd_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    });
}

void Listener::close() {
    if (retiring()) return;
    shard_.cancel(std::exchange(retry_timer_, {}));
    if (armed_) shard_.submit_cancel(*this, OpKind::Accept);
    shard_.retire(*this);
}

void Listener::on_completion(const Completion& completion) {
    if (completion.kind() != OpKind::Accept) return;
    if (completion.terminal()) armed_ = false;
    if (completion.result >= 0) {
        UniqueFd accepted(completion.result);
        if (!retiring()) accepted_(std::move(accepted));
    }
    if (retiring() || armed_) return;
    switch (-completion.result) {
        case EMFILE:
        case ENFILE:
        case ENOMEM:
        case ENOBUFS:
            // Asking again at once would fail at once: a busy loop.
            retry_timer_ = shard_.arm(deadline_after(shard_.now(), kExhaustedWait), [this] {
                retry_timer_ = {};
                start();
            });
            return;
        default:
            // A connection that died in the queue, or the end of one multishot: both ordinary.
            return start();
    }
}

void Listener::on_retired() {
    closed_();
}

}  // namespace shunt::engine
