#include "engine/lane.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "engine/errc.hpp"
#include "engine/shard.hpp"

namespace shunt::engine {
namespace {

constexpr std::uint8_t kHandshakeTimeout = 0x06;
// What a connection costs before its first byte.
constexpr std::size_t kConnectionBytes =
    sizeof(Lane) + sizeof(Connection) + Connection::kPlainReceiveBytes;

constexpr OpKind stream_kind_of(protocol::Lane lane) noexcept {
    return lane == protocol::Lane::Application ? OpKind::ReceiveBulk : OpKind::ReceiveSmall;
}

}  // namespace

Lane::Lane(Shard& shard, UniqueFd fd, Handshake handshake, const LaneOptions& options,
           LaneEvents& events)
    : shard_(shard),
      events_(events),
      connection_(&shard.adopt(std::make_unique<Connection>(shard, std::move(fd), *this))),
      handshake_(std::move(handshake)),
      reader_(options.record_bytes_max, RecordReader::Standing::Stranger),
      strangers_(options.strangers),
      self_(std::make_shared<Lane*>(this)) {
    account();
    handshake_timer_ = shard_.arm(options.handshake_deadline, [this] { on_handshake_timeout(); });
}

Lane::~Lane() {
    stop_accounting();
    SHUNT_ASSERT(connection_ == nullptr || !shard_.on_this_thread());
    *self_ = nullptr;
}

void Lane::connect(const SocketAddress& address) {
    peer_text_ = address.text();
    connection_->connect(address);
}

void Lane::begin_accepted() {
    peer_text_ = connection_->peer_text();
    connection_->send_control(handshake_.opening());
    connection_->receive_plain();
}

void Lane::on_connected() {
    connection_->send_control(handshake_.opening());
    connection_->receive_plain();
}

void Lane::open() {
    SHUNT_ASSERT(ready() && !open_);
    open_ = true;
    shard_.cancel(std::exchange(handshake_timer_, {}));
    if (receiving_) schedule_catch_up();
}

void Lane::trust() noexcept {
    stop_accounting();
    reader_.trust();
}

// Tells the endpoint when the lane grew, which may close it.
void Lane::account() {
    if (strangers_ == nullptr) return;
    const std::uint64_t before = stranger_bytes_;
    stranger_bytes_ = kConnectionBytes + reader_.memory_bytes() + held_.capacity();
    strangers_->bytes += stranger_bytes_ - before;
    strangers_->peak_bytes = std::max(strangers_->peak_bytes, strangers_->bytes);
    if (before > 0 && stranger_bytes_ > before) events_.on_stranger_grew(*this);
}

void Lane::stop_accounting() noexcept {
    if (strangers_ == nullptr) return;
    strangers_->bytes -= std::exchange(stranger_bytes_, 0);
    strangers_ = nullptr;
}

void Lane::set_receiving(bool receiving) {
    if (receiving_ == receiving) return;
    receiving_ = receiving;
    if (!open_ || failed_ || connection_ == nullptr) return;
    if (receiving) {
        schedule_catch_up();
    } else {
        connection_->pause_receiving();
    }
}

void Lane::send(protocol::OutRecord&& record, SubmitToken token) {
    connection_->send(std::move(record), token);
}

void Lane::close(CloseMode mode) {
    failed_ = true;
    stop_accounting();
    shard_.cancel(std::exchange(handshake_timer_, {}));
    if (connection_ != nullptr) connection_->close(mode);
}

std::uint64_t Lane::bytes_sent() const noexcept {
    return connection_ == nullptr ? bytes_sent_ : connection_->bytes_sent();
}

std::uint64_t Lane::bytes_received() const noexcept {
    return connection_ == nullptr ? bytes_received_ : connection_->bytes_received();
}

void Lane::on_bytes(ByteView bytes) {
    if (failed_) return;
    const bool deliver = open_ ? receiving_ && !catching_up_ && held_.empty() : !ready();
    if (deliver) {
        read(bytes);
    } else {
        keep(bytes);
    }
}

void Lane::read(ByteView bytes) {
    const result<void> fed = reader_.feed(bytes, *this);
    if (!fed && !refusal_) {
        refusal_ = Refusal{.reason = fed.error(), .frame = protocol::error_frame_for(fed.error())};
    }
    if (refusal_ && !failed_) refuse(*refusal_);
    if (!failed_) account();
    if (failed_) return;
    if (!bytes.empty()) keep(bytes);
    if (!failed_) receive_more();
}

// Keeps what may not be delivered yet. While the link forms that is bounded tightly: the peer has
// proven nothing but its handshake.
void Lane::keep(ByteView bytes) {
    held_.insert(held_.end(), bytes.begin(), bytes.end());
    account();
    if (!failed_) receive_more();
}

void Lane::receive_more() {
    if (open_) {
        if (receiving_ && !catching_up_ && held_.empty()) {
            connection_->receive_stream(stream_kind_of(handshake_.lane()));
        }
        return;
    }
    // Receiving on also notices that the peer went away.
    if (held_.size() < kHeldBeforeOpenMax) {
        connection_->receive_plain();
    } else {
        connection_->pause_receiving();
    }
}

void Lane::schedule_catch_up() {
    if (std::exchange(catching_up_, true)) return;
    shard_.post([self = self_] {
        if (*self != nullptr) (*self)->catch_up();
    });
}

void Lane::catch_up() {
    catching_up_ = false;
    if (failed_ || !receiving_) return;
    const Bytes bytes = std::exchange(held_, {});
    read(bytes);
}

RecordSink::Next Lane::on_record(const protocol::InRecord& record) {
    const bool reply = record.leg == protocol::Leg::Reply;
    if (reply != (handshake_.lane() == protocol::Lane::Completion)) {
        refusal_ = refuse_with(Errc::ProtocolViolation, "internal error");
        return Next::Stop;
    }
    if (events_.on_lane_record(*this, record) == Next::Stop) return Next::Stop;
    return failed_ || !receiving_ ? Next::Stop : Next::Continue;
}

RecordSink::Next Lane::on_control(ByteView body) {
    const auto frame = protocol::decode_control(body);
    if (!frame) {
        refusal_ =
            Refusal{.reason = frame.error(), .frame = protocol::error_frame_for(frame.error())};
        return Next::Stop;
    }
    const bool was_done = handshake_.done();
    Bytes reply;
    refusal_ = handshake_.take(frame.value(), reply);
    if (refusal_) return Next::Stop;
    if (!reply.empty()) connection_->send_control(std::move(reply));
    if (was_done || !handshake_.done()) return Next::Continue;
    events_.on_lane_ready(*this);
    // Whatever follows READY waits until the link stands; the sister may have made it stand now,
    // but then the catch-up is posted already.
    return Next::Stop;
}

std::error_code Lane::may_receive(const protocol::FrameHeader&) {
    if (handshake_.done()) return {};
    refusal_ = refuse_with(Errc::ProtocolViolation, "data before ready");
    return refusal_->reason;
}

void Lane::on_handshake_timeout() {
    handshake_timer_ = {};
    if (failed_ || open_) return;
    // Once its own handshake is through, the lane only misses its sister: the close is silent.
    if (ready()) return fail(Errc::SisterLaneMissing, CloseMode::Graceful);
    refuse({.reason = Errc::HandshakeTimeout,
            .frame = protocol::ZmpError{.code = kHandshakeTimeout, .reason = "handshake timeout"}});
}

void Lane::refuse(const Refusal& refusal) {
    if (refusal.frame && !connection_->closing()) {
        connection_->send_control(protocol::encode_control(*refusal.frame));
    }
    fail(refusal.reason, CloseMode::AfterSending);
}

void Lane::fail(std::error_code reason, CloseMode mode) {
    if (std::exchange(failed_, true)) return;
    stop_accounting();
    shard_.cancel(std::exchange(handshake_timer_, {}));
    connection_->close(mode);
    events_.on_lane_failed(*this, reason);
}

void Lane::on_settled(const SettledRecord& record) {
    events_.on_lane_settled(*this, record);
}

void Lane::on_end(std::error_code reason) {
    if (reason == Errc::PeerClosed && !reader_.at_record_boundary()) {
        reason = Errc::ConnectionReset;
    }
    fail(reason, CloseMode::Graceful);
}

void Lane::on_closed() {
    bytes_sent_ = connection_->bytes_sent();
    bytes_received_ = connection_->bytes_received();
    connection_ = nullptr;
    events_.on_lane_closed(*this);
}

}  // namespace shunt::engine
