#include "proxy.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <future>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/assert.hpp"

namespace shunt::link_test {
namespace {

// Little, so that a stalled direction soon pushes back on its sender.
constexpr std::size_t kHeldMax = 256 * 1024;

TimePoint read_clock() noexcept {
    return TimePoint(std::chrono::steady_clock::now().time_since_epoch());
}

void make_nonblocking(int fd) noexcept {
    (void)::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

// Small buffers, so that what is under way is mostly in the proxy and a cut loses some of it.
void prepare(int fd) noexcept {
    make_nonblocking(fd);
    const int on = 1;
    (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    const int small = 32 * 1024;
    (void)::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
}

void reset(engine::UniqueFd& fd) noexcept {
    const linger hard{.l_onoff = 1, .l_linger = 0};
    (void)::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    fd = engine::UniqueFd();
}

}  // namespace

Proxy::Proxy() : wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    const auto address = engine::parse_address("127.0.0.1:0");
    auto listener = engine::open_listener(address.value(), {});
    SHUNT_ASSERT(listener.has_value());
    listener_ = std::move(listener).value();
    make_nonblocking(listener_.get());
    address_ = engine::local_address(listener_.get()).text();
    backend_address_ = "127.0.0.2" + address_.substr(address_.rfind(':'));
    thread_ = std::thread([this] { run(); });
}

Proxy::~Proxy() {
    order([this] { stopping_ = true; });
    thread_.join();
}

void Proxy::order(std::function<void()> fn) {
    std::promise<void> done;
    {
        const std::lock_guard lock(mutex_);
        orders_.push_back([&] {
            fn();
            done.set_value();
        });
    }
    const std::uint64_t one = 1;
    (void)!::write(wake_.get(), &one, sizeof(one));
    done.get_future().wait();
}

void Proxy::cut() {
    order([this] { cut_all(); });
}

void Proxy::cut_all() {
    ++cuts_;
    for (Pair& pair : pairs_) {
        reset(pair.dialer);
        reset(pair.backend);
    }
    pairs_.clear();
}

void Proxy::stall(Way way, Duration length, Then then) {
    order([this, way, length, then] {
        stalled_until_[static_cast<std::size_t>(way)] = deadline_after(read_clock(), length);
        then_ = then;
    });
}

void Proxy::end_stalls() {
    for (TimePoint& until : stalled_until_) {
        if (until == TimePoint{} || until > read_clock()) continue;
        until = {};
        if (then_ == Then::Cut) cut_all();
    }
}

void Proxy::delay(Duration wait) {
    order([this, wait] { delay_ = wait; });
}

std::uint64_t Proxy::cuts() const {
    std::uint64_t out = 0;
    const_cast<Proxy*>(this)->order([&] { out = cuts_; });
    return out;
}

std::uint64_t Proxy::connections() const {
    std::uint64_t out = 0;
    const_cast<Proxy*>(this)->order([&] { out = connections_; });
    return out;
}

// Looks again after each millisecond of due bytes; a test's proxy need not be fast.
void Proxy::run() {
    while (!stopping_) {
        std::vector<pollfd> polls{{wake_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
        bool waits = stalled(Way::Forth) || stalled(Way::Back);
        for (Pair& pair : pairs_) {
            for (Stream& stream : pair.streams) {
                if (!stream.ended && stream.held_bytes < kHeldMax && !stalled(stream.way)) {
                    polls.push_back({stream.from->get(), POLLIN, 0});
                }
                if (stream.pieces.empty() || stalled(stream.way)) continue;
                if (stream.pieces.front().due > read_clock()) {
                    waits = true;
                } else {
                    polls.push_back({stream.to->get(), POLLOUT, 0});
                }
            }
        }
        (void)::poll(polls.data(), polls.size(), waits ? 1 : -1);
        run_orders();
        end_stalls();
        if ((polls[1].revents & POLLIN) != 0) accept();
        for (Pair& pair : pairs_) {
            for (Stream& stream : pair.streams) move(stream, pair);
        }
        pairs_.remove_if([](Pair& pair) {
            const bool over =
                pair.broken || (pair.streams[0].end_passed && pair.streams[1].end_passed);
            if (pair.broken) {
                reset(pair.dialer);
                reset(pair.backend);
            }
            return over;
        });
    }
}

void Proxy::run_orders() {
    std::uint64_t count = 0;
    (void)!::read(wake_.get(), &count, sizeof(count));
    std::vector<std::function<void()>> orders;
    {
        const std::lock_guard lock(mutex_);
        orders = std::exchange(orders_, {});
    }
    for (auto& fn : orders) fn();
}

void Proxy::accept() {
    engine::UniqueFd dialer(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!dialer) return;
    auto address = engine::parse_address(backend_address_);
    auto backend = engine::open_socket(address.value(), {});
    if (!backend ||
        ::connect(backend.value().get(), address.value().get(), address.value().size_bytes) != 0) {
        return;
    }
    ++connections_;
    Pair& pair = pairs_.emplace_back();
    pair.dialer = std::move(dialer);
    pair.backend = std::move(backend).value();
    prepare(pair.dialer.get());
    prepare(pair.backend.get());
    pair.streams[0].from = &pair.dialer;
    pair.streams[0].to = &pair.backend;
    pair.streams[1].from = &pair.backend;
    pair.streams[1].to = &pair.dialer;
    pair.streams[1].way = Way::Back;
}

void Proxy::move(Stream& stream, Pair& pair) {
    if (pair.broken || stalled(stream.way)) return;
    std::array<std::byte, 16 * 1024> room;
    while (!stream.ended && stream.held_bytes < kHeldMax) {
        const ssize_t got = ::recv(stream.from->get(), room.data(), room.size(), 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) break;
        if (got < 0) {
            pair.broken = true;
            return;
        }
        if (got == 0) {
            stream.ended = true;
            break;
        }
        stream.held_bytes += static_cast<std::size_t>(got);
        stream.pieces.push_back(
            {deadline_after(read_clock(), delay_), Bytes(room.begin(), room.begin() + got), 0});
    }
    while (!stream.pieces.empty() && stream.pieces.front().due <= read_clock()) {
        Piece& piece = stream.pieces.front();
        const ssize_t sent = ::send(stream.to->get(), piece.bytes.data() + piece.sent_bytes,
                                    piece.bytes.size() - piece.sent_bytes, MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (sent < 0) {
            pair.broken = true;
            return;
        }
        piece.sent_bytes += static_cast<std::size_t>(sent);
        stream.held_bytes -= static_cast<std::size_t>(sent);
        if (piece.sent_bytes == piece.bytes.size()) stream.pieces.pop_front();
    }
    if (stream.ended && stream.pieces.empty() && !stream.end_passed) {
        stream.end_passed = true;
        (void)::shutdown(stream.to->get(), SHUT_WR);
    }
}

}  // namespace shunt::link_test
