#pragma once
// A TCP proxy in front of a mesh listener that misbehaves on demand: resets everything, stops
// forwarding one way, or holds bytes back for a while. One thread; every order takes effect before
// the call returns.

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "engine/socket.hpp"

namespace shunt::link_test {

class Proxy {
  public:
    enum class Way : std::uint8_t { Forth, Back };  // Forth is what the dialer sends.

    Proxy();
    Proxy(const Proxy&) = delete;
    Proxy& operator=(const Proxy&) = delete;
    ~Proxy();

    /// `host:port` to dial instead of the backend.
    const std::string& address() const noexcept { return address_; }
    /// `host:port` where the backend is to listen: the proxy's own port on another loopback
    /// address. Two proxies never share a port, so no other test can have taken it.
    const std::string& backend_address() const noexcept { return backend_address_; }

    /// Resets every connection through it, both ends at once; what it held is lost.
    void cut();
    /// What comes after a stall.
    enum class Then : std::uint8_t { Resume, Cut };
    /// Nothing is forwarded in that direction for so long, and the senders' windows close.
    void stall(Way way, Duration length, Then then);
    /// What is read from now on is forwarded that much later.
    void delay(Duration wait);

    std::uint64_t cuts() const;
    std::uint64_t connections() const;

  private:
    struct Piece {
        TimePoint due;
        Bytes bytes;
        std::size_t sent_bytes = 0;
    };
    struct Stream {
        engine::UniqueFd* from = nullptr;
        engine::UniqueFd* to = nullptr;
        Way way = Way::Forth;
        std::deque<Piece> pieces;
        std::size_t held_bytes = 0;
        bool ended = false;       // `from` said so.
        bool end_passed = false;  // `to` was told.
    };
    struct Pair {
        engine::UniqueFd dialer;
        engine::UniqueFd backend;
        Stream streams[2];
        bool broken = false;
    };

    void order(std::function<void()> fn);
    void run();
    void run_orders();
    void accept();
    void cut_all();
    void end_stalls();
    void move(Stream& stream, Pair& pair);
    bool stalled(Way way) const noexcept {
        return stalled_until_[static_cast<std::size_t>(way)] != TimePoint{};
    }

    std::string address_;
    std::string backend_address_;
    engine::UniqueFd listener_;
    engine::UniqueFd wake_;
    // Of the thread.
    std::list<Pair> pairs_;
    TimePoint stalled_until_[2] = {};  // Zero: not stalled.
    Then then_ = Then::Resume;
    Duration delay_{};
    std::uint64_t cuts_ = 0;
    std::uint64_t connections_ = 0;
    bool stopping_ = false;
    // Between threads.
    mutable std::mutex mutex_;
    std::vector<std::function<void()>> orders_;
    std::thread thread_;
};

}  // namespace shunt::link_test
