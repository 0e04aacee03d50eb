#include "engine/record_reader.hpp"

#include <algorithm>
#include <cstring>

#include "base/assert.hpp"
#include "engine/errc.hpp"

namespace shunt::engine {
namespace {

using protocol::FrameHeader;
using protocol::FrameKind;
using protocol::FrameParser;
using protocol::Leg;

// An announced length is believed up to here; more room comes only as the bytes do, so a header
// alone cannot make a node allocate much.
constexpr std::size_t kTrustedBytes = 512 * 1024;
constexpr std::size_t kStrangerTrustedBytes = 4 * 1024;
// Room kept between records; a rare giant gives its memory back.
constexpr std::size_t kKeptBytes = 2 * 1024 * 1024;

constexpr Leg leg_of(FrameKind kind) noexcept {
    switch (kind) {
        case FrameKind::Data:
            return Leg::Send;
        case FrameKind::Request:
            return Leg::Request;
        case FrameKind::Reply:
        case FrameKind::ErrorReply:
            return Leg::Reply;
    }
    return Leg::Send;
}

}  // namespace

result<void> RecordReader::feed(ByteView& input, RecordSink& sink) {
    for (;;) {
        BOOST_OUTCOME_TRY(const FrameParser::Event event, parser_.next(input));
        switch (event.kind) {
            case FrameParser::Event::Kind::NeedInput:
                hold_borrowed();
                return outcome::success();
            case FrameParser::Event::Kind::Header:
                if (const std::error_code refusal = begin_frame(event.header, sink)) {
                    return refusal;
                }
                break;
            case FrameParser::Event::Kind::Body:
                take_piece(event);
                if (!event.last) break;
                if (finish_frame(event.header, sink) == RecordSink::Next::Stop) {
                    return outcome::success();
                }
                break;
        }
    }
}

std::error_code RecordReader::begin_frame(const FrameHeader& header, RecordSink& sink) {
    if (!header.control()) {
        if (const std::error_code refusal = sink.may_receive(header)) return refusal;
    }
    if (header.identity()) return {};  // Its body is never kept.
    if (parts_.empty()) {
        leg_ = leg_of(header.kind);
        sequence_ = header.sequence;
        // The mesh answers requests with records of its own; a transport-level refusal by errno
        // has no reader here and completes nothing (spec/zmp.md section 8).
        swallow_ = header.kind == FrameKind::ErrorReply;
    }
    const bool stranger = standing_ == Standing::Stranger;
    announced_bytes_ += header.body_bytes;
    if (stranger && announced_bytes_ > kStrangerRecordBytesMax) return Errc::RecordTooLarge;
    if (parts_.size() >= (stranger ? kStrangerPartsMax : kPartsMax)) return Errc::RecordTooLarge;
    parts_.push_back({.borrowed = nullptr, .held_at = held_bytes_, .size_bytes = 0});
    return {};
}

void RecordReader::take_piece(const FrameParser::Event& event) {
    if (event.header.identity()) return;
    SHUNT_ASSERT(!parts_.empty());
    Part& part = parts_.back();
    const bool whole = event.last && part.size_bytes == 0;
    part.size_bytes += event.piece.size();
    if (whole && !event.piece.empty()) {
        part.borrowed = event.piece.data();
        return;
    }
    if (event.piece.empty()) return;
    if (part.size_bytes == event.piece.size()) {
        // First piece of a part that straddles: earlier parts go first, so that held_ is in order.
        hold_borrowed();
        part.held_at = held_bytes_;
    }
    hold(event.piece, event.header.body_bytes - (part.size_bytes - event.piece.size()));
}

RecordSink::Next RecordReader::finish_frame(const FrameHeader& header, RecordSink& sink) {
    if (header.identity() || header.more()) return RecordSink::Next::Continue;
    views_.clear();
    for (const Part& part : parts_) {
        const std::byte* bytes =
            part.borrowed != nullptr ? part.borrowed : held_.get() + part.held_at;
        views_.emplace_back(bytes, part.size_bytes);
    }
    RecordSink::Next next = RecordSink::Next::Continue;
    if (header.control()) {
        next = sink.on_control(views_.front());
    } else if (!swallow_) {
        next = sink.on_record({.leg = leg_, .sequence = sequence_, .parts = views_});
    }
    reset_record();
    return next;
}

// The input ends inside a record: what was borrowed from it must be kept.
void RecordReader::hold_borrowed() {
    // Only the last part can still come to borrow. Looking at all of them again and again would
    // let a peer burn time with many small parts.
    for (std::size_t i = held_parts_; i < parts_.size(); ++i) {
        Part& part = parts_[i];
        if (part.borrowed == nullptr) continue;
        const ByteView bytes(std::exchange(part.borrowed, nullptr), part.size_bytes);
        part.held_at = held_bytes_;
        hold(bytes, bytes.size());
    }
    if (!parts_.empty()) held_parts_ = parts_.size() - 1;
}

void RecordReader::hold(ByteView bytes, std::size_t expected_bytes) {
    const std::size_t needed = held_bytes_ + bytes.size();
    if (needed > held_room_) {
        const std::size_t believed =
            standing_ == Standing::Stranger ? kStrangerTrustedBytes : kTrustedBytes;
        const std::size_t trusted = held_bytes_ + std::min(expected_bytes, believed);
        const std::size_t room = std::max({needed, trusted, held_room_ * 2});
        auto larger = std::make_unique_for_overwrite<std::byte[]>(room);
        if (held_bytes_ > 0) std::memcpy(larger.get(), held_.get(), held_bytes_);
        held_ = std::move(larger);
        held_room_ = room;
    }
    std::memcpy(held_.get() + held_bytes_, bytes.data(), bytes.size());
    held_bytes_ = needed;
}

void RecordReader::reset_record() noexcept {
    parts_.clear();
    held_parts_ = 0;
    held_bytes_ = 0;
    announced_bytes_ = 0;
    swallow_ = false;
    if (held_room_ <= kKeptBytes) return;
    held_.reset();
    held_room_ = 0;
}

}  // namespace shunt::engine
