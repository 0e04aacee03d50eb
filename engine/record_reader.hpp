#pragma once
// Bytes of one lane to records (spec/zmp.md sections 1, 7 and 8): in place while a record lies in
// what just arrived, gathered in one buffer per connection when it does not. Pure: knows no
// socket.

#include <cstdint>
#include <memory>
#include <system_error>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "protocol/frame.hpp"
#include "protocol/record.hpp"

namespace shunt::engine {

/// What the reader found. Both answer whether to go on with the bytes that follow.
class RecordSink {
  public:
    virtual ~RecordSink() = default;
    enum class Next : std::uint8_t { Continue, Stop };
    /// A complete record; its bytes are borrowed for the call.
    virtual Next on_record(const protocol::InRecord& record) = 0;
    /// The body of a complete control frame, borrowed for the call.
    virtual Next on_control(ByteView body) = 0;
    /// A data frame begins; asked before any byte of it is kept.
    virtual std::error_code may_receive(const protocol::FrameHeader& header) = 0;
};

class RecordReader final {
  public:
    /// Parts one record may have; far above any use, so that empty parts cannot fill memory.
    static constexpr std::size_t kPartsMax = 65536;
    /// The same for a stranger, whose records are one admission each (spec/wire.md section 4.7).
    static constexpr std::size_t kStrangerPartsMax = 16;
    static constexpr std::uint64_t kStrangerRecordBytesMax = 1024 * 1024 + 4096;

    /// A stranger may be anybody: it gets the small bounds until trust().
    enum class Standing : std::uint8_t { Stranger, Trusted };

    /// `record_bytes_max` bounds the sum over the parts of a record.
    explicit RecordReader(std::uint64_t record_bytes_max,
                          Standing standing = Standing::Trusted) noexcept
        : parser_(protocol::FrameParser::Limits{.record_bytes_max = record_bytes_max}),
          standing_(standing) {}

    void trust() noexcept { standing_ = Standing::Trusted; }

    /// Takes bytes from the front of `input` until it is empty or the sink says Stop. What is left
    /// then must be fed again, first. After an error the reader is spent.
    result<void> feed(ByteView& input, RecordSink& sink);

    /// The stream may end here.
    bool at_record_boundary() const noexcept { return parser_.at_record_boundary(); }
    /// Memory held for a record that is not complete yet.
    std::size_t held_bytes() const noexcept { return held_bytes_; }
    /// All memory taken for records, used or not.
    std::size_t memory_bytes() const noexcept {
        return held_room_ + parts_.capacity() * sizeof(Part) + views_.capacity() * sizeof(ByteView);
    }

  private:
    struct Part {
        // Where the bytes are: borrowed from the current input, or in held_ when null.
        const std::byte* borrowed = nullptr;
        std::size_t held_at = 0;
        std::size_t size_bytes = 0;
    };

    std::error_code begin_frame(const protocol::FrameHeader& header, RecordSink& sink);
    void take_piece(const protocol::FrameParser::Event& event);
    RecordSink::Next finish_frame(const protocol::FrameHeader& header, RecordSink& sink);
    void hold_borrowed();
    void hold(ByteView bytes, std::size_t expected_bytes);
    void reset_record() noexcept;

    protocol::FrameParser parser_;
    Standing standing_;
    std::uint64_t announced_bytes_ = 0;  // By the headers of this record.
    std::vector<Part> parts_;
    std::size_t held_parts_ = 0;  // Parts before it borrow nothing.
    std::vector<ByteView> views_;
    protocol::Leg leg_ = protocol::Leg::Send;
    std::uint64_t sequence_ = 0;
    bool swallow_ = false;  // The record is read to its end but not for the sink.
    std::unique_ptr<std::byte[]> held_;
    std::size_t held_bytes_ = 0;
    std::size_t held_room_ = 0;
};

}  // namespace shunt::engine
