#pragma once
// What one connection has to send, in order: records framed on entry, gathered without copying a
// payload byte, settled when the kernel's answer covers their last byte (spec/zmp.md sections 1, 8
// and 16.5). Pure: knows no socket.

#include <array>
#include <cstdint>
#include <sys/uio.h>
#include <vector>

#include "base/bytes.hpp"
#include "base/unique_function.hpp"
#include "engine/block_queue.hpp"
#include "engine/link_types.hpp"
#include "protocol/frame.hpp"
#include "protocol/record.hpp"

namespace shunt::engine {

/// A record that left the queue, one way or the other.
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

    /// Appends `record`, which has at least one part.
    void push(protocol::OutRecord&& record, SubmitToken token);
    /// Appends a finished control frame; it has no charge and is not reported.
    void push_control(Bytes frame);

    bool empty() const noexcept { return entries_.empty(); }
    std::size_t record_count() const noexcept { return entries_.size(); }

    /// Fills `pieces` with the bytes that come next, at most one gather of them, and returns how
    /// many bytes that is. The pieces stay good until advance() or drop_all() covers them.
    std::size_t gather(std::vector<iovec>& pieces);

    /// The kernel took `size_bytes` more. Calls `settled(SettledRecord)` for each record whose
    /// last byte that covers, in order; it may push.
    template <class Settled>
    void advance(std::size_t size_bytes, Settled&& settled) {
        front_sent_bytes_ += size_bytes;
        while (!entries_.empty() && front_sent_bytes_ >= entries_.front().wire_bytes) {
            front_sent_bytes_ -= entries_.front().wire_bytes;
            const SettledRecord record = take_front(protocol::SubmitResult::Sent);
            if (!record.token.value && record.charge == 0) continue;
            settled(record);
        }
        SHUNT_ASSERT(!entries_.empty() || front_sent_bytes_ == 0);
    }

    /// The connection is gone and no operation of it is left: settles everything, Unknown for a
    /// record the kernel has a part of, Failed for those it has no byte of.
    template <class Settled>
    void drop_all(Settled&& settled) {
        while (!entries_.empty()) {
            const bool begun = front_sent_bytes_ > 0;
            front_sent_bytes_ = 0;
            const SettledRecord record = take_front(begun ? protocol::SubmitResult::Unknown
                                                          : protocol::SubmitResult::Failed);
            if (!record.token.value && record.charge == 0) continue;
            settled(record);
        }
    }

  private:
    // The first header may carry a sequence, the others are plain.
    static constexpr std::size_t kHeadersBytesMax =
        protocol::kFrameHeaderBytesMax +
        (protocol::kRecordPartsMax - 1) * protocol::kFrameHeaderBytes;

    struct Entry {
        protocol::OutRecord record;
        std::array<std::byte, kHeadersBytesMax> headers;
        std::uint8_t first_header_bytes = 0;
        std::uint8_t other_header_bytes = 0;
        SubmitToken token;
        std::uint64_t charge = 0;
        std::uint64_t wire_bytes = 0;
    };
    class Gatherer;

    SettledRecord take_front(protocol::SubmitResult result) noexcept;

    BlockQueue<Entry, 32> entries_;
    // Bytes of the front entry that the kernel has; only the front can be begun.
    std::uint64_t front_sent_bytes_ = 0;
};

}  // namespace shunt::engine
