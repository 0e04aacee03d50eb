#include "engine/send_queue.hpp"

#include <algorithm>
#include <cstring>

#include "base/assert.hpp"

namespace shunt::engine {
namespace {

using protocol::FrameHeader;
using protocol::FrameKind;
using protocol::Leg;

constexpr FrameKind kind_of(Leg leg) noexcept {
    switch (leg) {
        case Leg::Send:
            return FrameKind::Data;
        case Leg::Request:
            return FrameKind::Request;
        case Leg::Reply:
            return FrameKind::Reply;
    }
    return FrameKind::Data;
}

}  // namespace

// Appends pieces until the gather is full, skipping what the kernel already has.
class SendQueue::Gatherer {
  public:
    Gatherer(std::vector<iovec>& pieces, std::uint64_t skip_bytes) noexcept
        : pieces_(pieces), skip_bytes_(skip_bytes) {}

    bool full() const noexcept {
        return size_bytes_ >= kGatherBytesMax || pieces_.size() >= kGatherPiecesMax;
    }
    std::size_t size_bytes() const noexcept { return size_bytes_; }

    void add(ByteView bytes) {
        if (skip_bytes_ >= bytes.size()) {
            skip_bytes_ -= bytes.size();
            return;
        }
        bytes = bytes.subspan(static_cast<std::size_t>(std::exchange(skip_bytes_, 0)));
        if (full()) return;
        bytes = bytes.first(std::min(bytes.size(), kGatherBytesMax - size_bytes_));
        // sendmsg only reads, but iovec has one pointer type for both directions.
        pieces_.push_back({const_cast<std::byte*>(bytes.data()), bytes.size()});
        size_bytes_ += bytes.size();
    }

    void add(const Entry& entry) {
        const ByteView headers(entry.headers);
        std::size_t at = 0;
        std::size_t header_bytes = entry.first_header_bytes;
        for (const protocol::OutPart& part : entry.record.parts) {
            if (full()) return;
            add(headers.subspan(at, header_bytes));
            add(part.head);
            for (const Segment& segment : part.tail) {
                if (full()) return;
                add(segment.view());
            }
            at += header_bytes;
            header_bytes = entry.other_header_bytes;
        }
    }

  private:
    std::vector<iovec>& pieces_;
    std::uint64_t skip_bytes_;
    std::size_t size_bytes_ = 0;
};

void SendQueue::push(protocol::OutRecord&& record, SubmitToken token) {
    SHUNT_ASSERT(!record.parts.empty());
    SHUNT_ASSERT((record.leg == Leg::Send) == (record.sequence == 0));
    Entry& entry = entries_.emplace_back();
    entry.record = std::move(record);
    entry.token = token;
    entry.charge = entry.record.charge();
    std::size_t at = 0;
    for (std::size_t i = 0; i < entry.record.parts.size(); ++i) {
        const std::size_t body_bytes = entry.record.parts[i].size_bytes();
        SHUNT_ASSERT(body_bytes <= 0xFFFF'FFFFU);
        const bool first = i == 0;
        const bool last = i + 1 == entry.record.parts.size();
        const auto header = protocol::encode_frame_header(FrameHeader{
            .flags = last ? std::uint8_t{0} : protocol::frame_flag::kMore,
            .kind = first ? kind_of(entry.record.leg) : FrameKind::Data,
            .body_bytes = static_cast<std::uint32_t>(body_bytes),
            .sequence = first ? entry.record.sequence : 0,
        });
        std::memcpy(entry.headers.data() + at, header.bytes.data(), header.size_bytes);
        at += header.size_bytes;
        if (first) entry.first_header_bytes = static_cast<std::uint8_t>(header.size_bytes);
        entry.wire_bytes += header.size_bytes + body_bytes;
    }
    entry.other_header_bytes = protocol::kFrameHeaderBytes;
}

void SendQueue::push_control(Bytes frame) {
    Entry& entry = entries_.emplace_back();
    entry.wire_bytes = frame.size();
    entry.record.parts.push_back({.head = std::move(frame), .tail = {}});
}

std::size_t SendQueue::gather(std::vector<iovec>& pieces) {
    pieces.clear();
    Gatherer gatherer(pieces, front_sent_bytes_);
    entries_.visit_while([&](const Entry& entry) {
        gatherer.add(entry);
        return !gatherer.full();
    });
    return gatherer.size_bytes();
}

SettledRecord SendQueue::take_front(protocol::SubmitResult result) noexcept {
    const Entry& front = entries_.front();
    const SettledRecord settled{.token = front.token, .charge = front.charge, .result = result};
    entries_.pop_front();
    return settled;
}

}  // namespace shunt::engine
