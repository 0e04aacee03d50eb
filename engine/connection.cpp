#include "engine/connection.hpp"

#include <cerrno>

#include "base/assert.hpp"
#include "engine/errc.hpp"
#include "engine/shard.hpp"

namespace shunt::engine {

Connection::Connection(Shard& shard, UniqueFd fd, ConnectionEvents& events) noexcept
    : shard_(shard), fd_(std::move(fd)), events_(events) {}

Connection::~Connection() {
    SHUNT_ASSERT(ops_in_kernel() == 0);
}

void Connection::connect(const SocketAddress& address) {
    state_ = State::Connecting;
    connect_address_ = address;
    shard_.submit(*this, OpKind::Connect, [this](io_uring_sqe& sqe) {
        io_uring_prep_connect(&sqe, fd_.get(), connect_address_.get(), connect_address_.size_bytes);
    });
}

void Connection::receive_plain() {
    wanted_ = Receive::Plain;
    arm_receive();
}

void Connection::receive_stream(OpKind kind) {
    wanted_ = Receive::Stream;
    stream_kind_ = kind;
    arm_receive();
}

void Connection::pause_receiving() {
    wanted_ = Receive::None;
    if (armed_ == Receive::None || receive_cancelled_ || closing()) return;
    // A plain receive takes at most one small buffer and needs no cancel.
    if (armed_ == Receive::Plain) return;
    receive_cancelled_ = true;
    shard_.submit_cancel(*this, stream_kind_);
}

void Connection::arm_receive() {
    // An armed receive that is still ending re-arms from its completion, and one whose bytes are
    // being handed over does so afterwards: the buffer is in use until then.
    if (closing() || state_ == State::Connecting) return;
    if (armed_ != Receive::None || delivering_) return;
    receive_cancelled_ = false;
    armed_ = wanted_;
    switch (wanted_) {
        case Receive::None:
            return;
        case Receive::Plain:
            if (plain_buffer_ == nullptr) {
                plain_buffer_ = std::make_unique_for_overwrite<std::byte[]>(kPlainReceiveBytes);
            }
            shard_.submit(*this, OpKind::Receive, [this](io_uring_sqe& sqe) {
                io_uring_prep_recv(&sqe, fd_.get(), plain_buffer_.get(), kPlainReceiveBytes, 0);
            });
            return;
        case Receive::Stream:
            plain_buffer_.reset();
            shard_.submit(*this, stream_kind_, [this](io_uring_sqe& sqe) {
                io_uring_prep_recv_multishot(&sqe, fd_.get(), nullptr, 0, 0);
                sqe.flags |= IOSQE_BUFFER_SELECT;
                sqe.buf_group = shard_.buffers(stream_kind_).group();
            });
            return;
    }
}

void Connection::send(protocol::OutRecord&& record, SubmitToken token) {
    SHUNT_ASSERT(!closing());
    queue_.push(std::move(record), token);
    if (!send_in_flight_) shard_.request_flush(*this);
}

void Connection::send_control(Bytes frame) {
    SHUNT_ASSERT(!closing());
    queue_.push_control(std::move(frame));
    if (!send_in_flight_) shard_.request_flush(*this);
}

// One gather in flight at a time: two sends on one socket may reorder as soon as the first has to
// wait for room.
void Connection::flush() {
    if (state_ != State::Open || send_in_flight_ || queue_.empty()) return;
    const std::size_t size_bytes = queue_.gather(pieces_);
    SHUNT_ASSERT(size_bytes > 0);
    message_ = {};
    message_.msg_iov = pieces_.data();
    message_.msg_iovlen = pieces_.size();
    send_in_flight_ = true;
    shard_.submit(*this, OpKind::Send, [this](io_uring_sqe& sqe) {
        io_uring_prep_sendmsg(&sqe, fd_.get(), &message_, MSG_WAITALL | MSG_NOSIGNAL);
    });
}

void Connection::close(CloseMode mode) {
    if (state_ == State::Closing) return;
    if (mode == CloseMode::AfterSending && state_ == State::Open && !queue_.empty()) {
        if (std::exchange(ending_, true)) return;
        wanted_ = Receive::None;
        const TimePoint deadline = deadline_after(shard_.now(), kLastWordsWait);
        last_words_timer_ = shard_.arm(deadline, [this] {
            last_words_timer_ = {};
            close_now(CloseMode::Abort);
        });
        return;
    }
    close_now(mode);
}

// Step one of two: nothing new, and everything armed is asked to end. Step two is on_retired().
void Connection::close_now(CloseMode mode) {
    if (state_ == State::Closing) return;
    if (state_ == State::Connecting) shard_.submit_cancel(*this, OpKind::Connect);
    state_ = State::Closing;
    wanted_ = Receive::None;
    shard_.cancel(std::exchange(last_words_timer_, {}));
    shard_.cancel(std::exchange(exhausted_timer_, {}));
    if (mode == CloseMode::Abort) {
        const linger reset{.l_onoff = 1, .l_linger = 0};
        (void)::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    }
    // Ends the receive and wakes a send that waits for room; fails harmlessly when not connected.
    (void)::shutdown(fd_.get(), SHUT_RDWR);
    if (armed_ == Receive::Plain) shard_.submit_cancel(*this, OpKind::Receive);
    if (armed_ == Receive::Stream) shard_.submit_cancel(*this, stream_kind_);
    // What the kernel took of it counts; the result tells how much that is.
    if (send_in_flight_) shard_.submit_cancel(*this, OpKind::Send);
    shard_.retire(*this);
}

void Connection::on_completion(const Completion& completion) {
    switch (completion.kind()) {
        case OpKind::Receive:
        case OpKind::ReceiveBulk:
        case OpKind::ReceiveSmall:
            return on_receive(completion);
        case OpKind::Send:
            return on_send(completion);
        case OpKind::Connect:
            return on_connect(completion);
        case OpKind::Cancel:
            // Only the target's own terminal completion retires it.
            return;
        case OpKind::Accept:
        case OpKind::Wake:
            break;
    }
    SHUNT_ASSERT(false);
}

void Connection::on_connect(const Completion& completion) {
    if (state_ != State::Connecting) return;
    if (completion.result < 0) return end(socket_error(-completion.result));
    state_ = State::Open;
    events_.on_connected();
    arm_receive();
    if (!queue_.empty()) shard_.request_flush(*this);
}

void Connection::on_receive(const Completion& completion) {
    if (completion.terminal()) armed_ = Receive::None;
    if (completion.result > 0 || completion.has_buffer()) deliver(completion);
    if (closing()) return;
    if (completion.result == 0) return end(Errc::PeerClosed);
    if (completion.result < 0) return on_receive_ended(completion);
    if (completion.terminal()) arm_receive();
}

// Leases, hands over and gives back within the call: parsing happens in place.
void Connection::deliver(const Completion& completion) {
    const auto size_bytes = static_cast<std::size_t>(std::max(completion.result, 0));
    const bool wanted = size_bytes > 0 && !closing();
    bytes_received_ += size_bytes;
    delivering_ = true;
    if (completion.has_buffer()) {
        BufferRing& ring = shard_.buffers(completion.kind());
        const ByteView bytes = ring.lease(completion.buffer_id(), size_bytes);
        if (wanted) events_.on_bytes(bytes);
        ring.give_back(completion.buffer_id());
    } else if (wanted) {
        events_.on_bytes({plain_buffer_.get(), size_bytes});
    }
    delivering_ = false;
}

void Connection::on_receive_ended(const Completion& completion) {
    switch (-completion.result) {
        case ENOBUFS:
            if (completion.kind() == OpKind::Receive) return try_again_later();
            // Arming on an empty group fails at once, so wait until buffers are back.
            shard_.buffers(stream_kind_).wait_for_buffers(*this);
            return;
        case ENOMEM:
            return try_again_later();
        case ECANCELED:  // A pause; it may have been lifted meanwhile.
        case EINTR:
        case EAGAIN:
            return arm_receive();
        default:
            return end(socket_error(-completion.result));
    }
}

void Connection::on_buffers_available() {
    arm_receive();
}

// The kernel had no memory and took nothing. The stream is whole, and asking again at once would be
// a busy loop.
void Connection::try_again_later() {
    if (exhausted_timer_.value != 0) return;
    exhausted_timer_ = shard_.arm(deadline_after(shard_.now(), kExhaustedWait), [this] {
        exhausted_timer_ = {};
        arm_receive();
        if (!queue_.empty() && !send_in_flight_) shard_.request_flush(*this);
    });
}

void Connection::on_send(const Completion& completion) {
    send_in_flight_ = false;
    if (completion.result > 0) {
        const auto size_bytes = static_cast<std::size_t>(completion.result);
        bytes_sent_ += size_bytes;
        queue_.advance(size_bytes,
                       [this](const SettledRecord& record) { events_.on_settled(record); });
        if (state_ != State::Open) return;
        if (!queue_.empty()) {
            // A short result leaves the stream inside a frame; the next gather starts right there.
            shard_.request_flush(*this);
        } else if (ending_) {
            close_now(CloseMode::Graceful);
        }
        return;
    }
    if (state_ != State::Open) return;
    switch (-completion.result) {
        case EINTR:
        case EAGAIN:
            shard_.request_flush(*this);
            return;
        case ENOBUFS:
        case ENOMEM:
            return try_again_later();
        case 0:
            // A stream send of something never answers zero; were it to, waiting would hang.
            return end(Errc::ConnectionReset);
        default:
            return end(socket_error(-completion.result));
    }
}

void Connection::end(std::error_code reason) {
    if (ending_) return close_now(CloseMode::Graceful);
    if (state_ == State::Closing || std::exchange(end_told_, true)) return;
    events_.on_end(reason);
}

void Connection::shut_down() {
    if (state_ == State::Closing) return;
    end(Errc::Stopped);
    close_now(CloseMode::Graceful);
}

void Connection::on_retired() {
    queue_.drop_all([this](const SettledRecord& record) { events_.on_settled(record); });
    events_.on_closed();
}

}  // namespace shunt::engine
