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

// Calls `visit(bytes)` for header, head and tail of each part in wire order, until it says false.
template <class Visit>
void visit_pieces(const protocol::OutRecord& record, ByteView headers, std::size_t first_bytes,
                  Visit&& visit) {
    std::size_t header_bytes = first_bytes;
    for (const protocol::OutPart& part : record.parts) {
        if (!visit(headers.first(header_bytes)) || !visit(ByteView(part.head))) return;
        for (const Segment& segment : part.tail) {
            if (!visit(segment.view())) return;
        }
        headers = headers.subspan(header_bytes);
        header_bytes = protocol::kFrameHeaderBytes;
    }
}

}  // namespace

// Appends pieces until the gather is full, skipping what the kernel already has.
class SendQueue::Gatherer {
  public:
    Gatherer(std::vector<iovec>& pieces, std::uint64_t skip_bytes) noexcept
        : pieces_(pieces), skip_bytes_(skip_bytes) {}

    std::size_t size_bytes() const noexcept { return size_bytes_; }

    /// False when the gather is full.
    bool add(ByteView bytes) {
        if (skip_bytes_ >= bytes.size()) {
            skip_bytes_ -= bytes.size();
            return true;
        }
        bytes = bytes.subspan(static_cast<std::size_t>(std::exchange(skip_bytes_, 0)));
        bytes = bytes.first(std::min(bytes.size(), kGatherBytesMax - size_bytes_));
        // sendmsg only reads, but iovec has one pointer type for both directions.
        pieces_.push_back({const_cast<std::byte*>(bytes.data()), bytes.size()});
        size_bytes_ += bytes.size();
        return size_bytes_ < kGatherBytesMax && pieces_.size() < kGatherPiecesMax;
    }

  private:
    std::vector<iovec>& pieces_;
    std::uint64_t skip_bytes_;
    std::size_t size_bytes_ = 0;
};

SendQueue::Headers SendQueue::headers_of(const protocol::OutRecord& record) {
    Headers out;
    std::size_t at = 0;
    for (std::size_t i = 0; i < record.parts.size(); ++i) {
        const std::size_t body_bytes = record.parts[i].size_bytes();
        SHUNT_ASSERT(body_bytes <= 0xFFFF'FFFFU);
        const bool first = i == 0;
        const bool last = i + 1 == record.parts.size();
        const auto header = protocol::encode_frame_header(FrameHeader{
            .flags = last ? std::uint8_t{0} : protocol::frame_flag::kMore,
            .kind = first ? kind_of(record.leg) : FrameKind::Data,
            .body_bytes = static_cast<std::uint32_t>(body_bytes),
            .sequence = first ? record.sequence : 0,
        });
        std::memcpy(out.bytes.data() + at, header.bytes.data(), header.size_bytes);
        at += header.size_bytes;
        if (first) out.first_bytes = static_cast<std::uint8_t>(header.size_bytes);
        out.wire_bytes += header.size_bytes + body_bytes;
    }
    return out;
}

void SendQueue::push(protocol::OutRecord&& record, SubmitToken token) {
    SHUNT_ASSERT(!record.parts.empty());
    SHUNT_ASSERT((record.leg == Leg::Send) == (record.sequence == 0));
    const std::uint64_t charge = record.charge();
    const Headers headers = headers_of(record);
    if (headers.wire_bytes > kPackedRecordMax) {
        Entry& entry = entries_.emplace_back();
        open_pack_ = nullptr;
        entry.record = std::move(record);
        entry.headers = headers;
        entry.wire_bytes = headers.wire_bytes;
        entry.marks.push_back({.end = headers.wire_bytes, .token = token, .charge = charge});
        return;
    }
    Entry& entry = pack_with_room(static_cast<std::size_t>(headers.wire_bytes), kPackBytes);
    visit_pieces(record, ByteView(headers.bytes), headers.first_bytes, [&](ByteView bytes) {
        entry.pack.insert(entry.pack.end(), bytes.begin(), bytes.end());
        return true;
    });
    entry.wire_bytes = entry.pack.size();
    const bool joins = !entry.marks.empty() && entry.settled_count < entry.marks.size() &&
                       entry.marks.back().token.value == 0 && token.value == 0;
    if (joins) {
        entry.marks.back().end = entry.wire_bytes;
        entry.marks.back().charge += charge;
    } else {
        entry.marks.push_back({.end = entry.wire_bytes, .token = token, .charge = charge});
    }
}

void SendQueue::push_control(Bytes frame) {
    Entry& entry = pack_with_room(frame.size(), kControlPackBytes);
    entry.pack.insert(entry.pack.end(), frame.begin(), frame.end());
    entry.wire_bytes = entry.pack.size();
    entry.marks.push_back({.end = entry.wire_bytes, .token = {}, .charge = 0});
}

SendQueue::Entry& SendQueue::pack_with_room(std::size_t size_bytes, std::size_t room_bytes) {
    const bool fits = open_pack_ != nullptr &&
                      open_pack_->pack.capacity() - open_pack_->pack.size() >= size_bytes;
    if (fits) return *open_pack_;
    open_pack_ = &entries_.emplace_back();
    open_pack_->pack = std::move(spare_pack_);
    open_pack_->marks = std::move(spare_marks_);
    spare_pack_ = {};
    spare_marks_ = {};
    open_pack_->pack.reserve(std::max(room_bytes, size_bytes));
    return *open_pack_;
}

std::size_t SendQueue::gather(std::vector<iovec>& pieces) {
    pieces.clear();
    Gatherer gatherer(pieces, front_sent_bytes_);
    entries_.visit_while([&](const Entry& entry) {
        if (entry.record.parts.empty()) return gatherer.add(entry.pack);
        bool more = true;
        visit_pieces(entry.record, ByteView(entry.headers.bytes), entry.headers.first_bytes,
                     [&](ByteView bytes) { return more = gatherer.add(bytes); });
        return more;
    });
    return gatherer.size_bytes();
}

void SendQueue::pop_front() noexcept {
    Entry& front = entries_.front();
    if (open_pack_ == &front) open_pack_ = nullptr;
    if (front.record.parts.empty() && spare_pack_.capacity() == 0) {
        front.pack.clear();
        front.marks.clear();
        spare_pack_ = std::move(front.pack);
        spare_marks_ = std::move(front.marks);
    }
    entries_.pop_front();
}

}  // namespace shunt::engine
