#pragma once
// One TCP connection: a receive that is armed at most once, one ordered gather in flight, and a
// close that waits for the kernel to let go (design-notes/io-uring.md sections 3, 5 and 8). Moves
// bytes; what they mean is the lane's business.

#include <cstdint>
#include <memory>
#include <system_error>
#include <vector>

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "engine/io_target.hpp"
#include "engine/send_queue.hpp"
#include "engine/socket.hpp"
#include "engine/timer_wheel.hpp"

namespace shunt::engine {

class Shard;

/// What a connection tells its owner. Never inside a call into the connection.
class ConnectionEvents {
  public:
    virtual ~ConnectionEvents() = default;
    /// The dialed peer accepted.
    virtual void on_connected() = 0;
    /// Bytes in stream order, borrowed for the call.
    virtual void on_bytes(ByteView bytes) = 0;
    /// A record left the send queue.
    virtual void on_settled(const SettledRecord& record) = 0;
    /// The stream is over for this reason, and the owner should close(); comes at most once and
    /// not after close().
    virtual void on_end(std::error_code reason) = 0;
    /// After close(), all records settled: the connection is destroyed when this returns.
    virtual void on_closed() = 0;
};

/// How a connection ends.
enum class CloseMode : std::uint8_t {
    Graceful,      // The kernel still delivers what it took.
    AfterSending,  // The queue goes out first, for a bounded time.
    Abort,         // Reset: the peer loses what is under way.
};

class Connection final : public IoTarget {
  public:
    /// How long CloseMode::AfterSending waits.
    static constexpr Duration kLastWordsWait = std::chrono::seconds(1);
    /// How long to let the kernel find memory again.
    static constexpr Duration kExhaustedWait = std::chrono::milliseconds(10);
    /// Received at a time before the link stands: a stranger's bytes take no pool buffer.
    static constexpr std::size_t kPlainReceiveBytes = 4096;

    /// `shard` adopts the object right after.
    Connection(Shard& shard, UniqueFd fd, ConnectionEvents& events) noexcept;
    ~Connection() override;

    /// Connects a fresh socket; on_connected() or on_end() follows.
    void connect(const SocketAddress& address);

    /// Receives once, into memory of this connection: for the time before the link stands.
    void receive_plain();
    /// Receives continuously from the buffers of `kind`, after a plain receive under way.
    void receive_stream(OpKind kind);
    /// Arms no further receive and ends the one that is armed. Bytes already received may still
    /// come.
    void pause_receiving();

    /// Queues behind everything earlier. Nothing is sent before the end of the turn.
    void send(protocol::OutRecord&& record, SubmitToken token);
    void send_control(Bytes frame);

    /// Queues nothing more, tells nothing but on_settled() and on_closed(). May be repeated with
    /// a harder mode.
    void close(CloseMode mode);
    bool closing() const noexcept { return state_ == State::Closing || ending_; }

    std::string peer_text() const { return peer_address(fd_.get()).text(); }
    std::uint64_t bytes_received() const noexcept { return bytes_received_; }
    std::uint64_t bytes_sent() const noexcept { return bytes_sent_; }

    void on_completion(const Completion& completion) override;
    void flush() override;
    void on_buffers_available() override;
    void shut_down() override;
    void on_retired() override;

  private:
    enum class State : std::uint8_t { Connecting, Open, Closing };
    // What the owner wants received, and what is in the kernel for it.
    enum class Receive : std::uint8_t { None, Plain, Stream };

    void on_receive(const Completion& completion);
    void on_receive_ended(const Completion& completion);
    void on_send(const Completion& completion);
    void on_connect(const Completion& completion);
    void deliver(const Completion& completion);
    void arm_receive();
    void try_again_later();
    void end(std::error_code reason);
    void close_now(CloseMode mode);

    Shard& shard_;
    UniqueFd fd_;
    ConnectionEvents& events_;
    State state_ = State::Open;
    bool ending_ = false;  // Last words are going out; nothing else counts any more.
    bool end_told_ = false;
    Receive wanted_ = Receive::None;
    Receive armed_ = Receive::None;
    bool receive_cancelled_ = false;  // The armed receive was asked to end.
    bool delivering_ = false;         // on_bytes() is running.
    bool send_in_flight_ = false;
    OpKind stream_kind_ = OpKind::ReceiveBulk;
    TimerId last_words_timer_;
    TimerId exhausted_timer_;
    SendQueue queue_;
    // Both are read by the kernel while a send is in flight.
    std::vector<iovec> pieces_;
    msghdr message_{};
    SocketAddress connect_address_;
    // Read from the kernel's side while a plain receive is armed; freed once the stream runs.
    std::unique_ptr<std::byte[]> plain_buffer_;
    std::uint64_t bytes_received_ = 0;
    std::uint64_t bytes_sent_ = 0;
};

}  // namespace shunt::engine
