#pragma once
// What one connection has to send, in order: records framed on entry, gathered, and settled when
// the kernel's answer covers their last byte (spec/zmp.md sections 1, 8 and 16.5). Pure: knows no
// socket.
//
// Large records are never copied: header and payload go out as they lie. Small ones are packed one
// behind the other, because a piece of its own costs more than copying a few hundred bytes, in the
// kernel as well as here.

#include <array>
#include <cstdint>
#include <sys/uio.h>
#include <vector>

#include "base/bytes.hpp"
#include "engine/block_queue.hpp"
#include "engine/link_types.hpp"
#include "protocol/frame.hpp"
#include "protocol/record.hpp"

namespace shunt::engine {

/// What left the queue, one way or the other: one record, or several without token together.
struct SettledRecord {
    SubmitToken token;
    std::uint64_t charge = 0;
    protocol::SubmitResult result = protocol::SubmitResult::Sent;
};

class SendQueue final {
  public:
    /// One gather: large enough for full speed, small enough that what comes next does not wait
    /// long behind it (design-notes/io-uring.md section 3).
    static constexpr std::size_t kGatherBytesMax = 256 * 1024;
    static constexpr std::size_t kGatherPiecesMax = 1024;
    /// Records up to this size on the wire are packed.
    static constexpr std::size_t kPackedRecordMax = 1024;

    /// Appends `record`, which has at least one part.
    void push(protocol::OutRecord&& record, SubmitToken token);
    /// Appends a finished control frame; it has no charge and is not reported.
    void push_control(Bytes frame);

    bool empty() const noexcept { return entries_.empty(); }

    /// Fills `pieces` with the bytes that come next, at most one gather of them, and returns how
    /// many bytes that is. The pieces stay good until advance() or drop_all() covers them, whatever
    /// is pushed meanwhile.
    std::size_t gather(std::vector<iovec>& pieces);

    /// The kernel took `size_bytes` more. Calls `settled(SettledRecord)` for each record whose
    /// last byte that covers, in order; it may push.
    template <class Settled>
    void advance(std::size_t size_bytes, Settled&& settled) {
        front_sent_bytes_ += size_bytes;
        while (!entries_.empty()) {
            Entry& front = entries_.front();
            while (front.settled_count < front.marks.size() &&
                   front.marks[front.settled_count].end <= front_sent_bytes_) {
                // Copied first: the callback may push into this very entry.
                const Mark mark = front.marks[front.settled_count++];
                settle(mark, protocol::SubmitResult::Sent, settled);
            }
            if (front_sent_bytes_ < front.wire_bytes) return;
            front_sent_bytes_ -= front.wire_bytes;
            pop_front();
        }
        SHUNT_ASSERT(front_sent_bytes_ == 0);
    }

    /// The connection is gone and no operation of it is left: settles everything, Unknown for a
    /// record the kernel has a part of, Failed for those it has no byte of.
    template <class Settled>
    void drop_all(Settled&& settled) {
        while (!entries_.empty()) {
            Entry& front = entries_.front();
            std::uint64_t begin =
                front.settled_count == 0 ? 0 : front.marks[front.settled_count - 1].end;
            for (; front.settled_count < front.marks.size(); ++front.settled_count) {
                const Mark mark = front.marks[front.settled_count];
                settle(mark,
                       front_sent_bytes_ > begin ? protocol::SubmitResult::Unknown
                                                 : protocol::SubmitResult::Failed,
                       settled);
                begin = mark.end;
            }
            front_sent_bytes_ = 0;
            pop_front();
        }
    }

  private:
    static constexpr std::size_t kPackBytes = 16 * 1024;
    // A stranger in its handshake gets no more room than its HELLO and READY need.
    static constexpr std::size_t kControlPackBytes = 512;
    // The first header may carry a sequence, the others are plain.
    static constexpr std::size_t kHeadersBytesMax =
        protocol::kFrameHeaderBytesMax +
        (protocol::kRecordPartsMax - 1) * protocol::kFrameHeaderBytes;

    // Where in its entry a record ends.
    struct Mark {
        std::uint64_t end = 0;
        SubmitToken token;
        std::uint64_t charge = 0;
    };
    struct Headers {
        std::array<std::byte, kHeadersBytesMax> bytes;
        std::uint8_t first_bytes = 0;
        std::uint64_t wire_bytes = 0;  // Of the whole record.
    };
    // Either one record as it lies, or a pack of small ones and control frames.
    struct Entry {
        protocol::OutRecord record;
        Headers headers;
        // The room is taken once, so that packing more never moves what is being sent.
        Bytes pack;
        std::vector<Mark> marks;
        std::size_t settled_count = 0;
        std::uint64_t wire_bytes = 0;
    };
    class Gatherer;

    template <class Settled>
    static void settle(const Mark& mark, protocol::SubmitResult result, Settled& settled) {
        if (mark.token.value == 0 && mark.charge == 0) return;
        settled(SettledRecord{.token = mark.token, .charge = mark.charge, .result = result});
    }

    static Headers headers_of(const protocol::OutRecord& record);
    Entry& pack_with_room(std::size_t size_bytes, std::size_t room_bytes);
    void pop_front() noexcept;

    BlockQueue<Entry, 8> entries_;
    Entry* open_pack_ = nullptr;  // The last entry, when it is a pack.
    // Room of the last spent pack, so that a steady trickle does not allocate.
    Bytes spare_pack_;
    std::vector<Mark> spare_marks_;
    // Bytes of the front entry that the kernel has; only the front can be begun.
    std::uint64_t front_sent_bytes_ = 0;
};

}  // namespace shunt::engine
