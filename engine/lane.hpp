#pragma once
// One connection as a lane of a mesh link: first its handshake, then records in both directions
// (spec/zmp.md sections 4, 5 and 10). Says what it found; which lanes belong together is the
// endpoint's business.

#include <memory>
#include <string>
#include <system_error>

#include "base/bytes.hpp"
#include "engine/connection.hpp"
#include "engine/handshake.hpp"
#include "engine/link_types.hpp"
#include "engine/record_reader.hpp"

namespace shunt::engine {

class Lane;
class Link;

/// What a lane tells the endpoint. Never inside a call into the lane.
class LaneEvents {
  public:
    virtual ~LaneEvents() = default;
    /// Its own handshake is through; nothing is delivered before open().
    virtual void on_lane_ready(Lane& lane) = 0;
    /// Answers whether the lane may deliver the next one.
    virtual RecordSink::Next on_lane_record(Lane& lane, const protocol::InRecord& record) = 0;
    virtual void on_lane_settled(Lane& lane, const SettledRecord& record) = 0;
    /// It cannot go on and is closing itself; the sister lane should follow. At most once, and not
    /// after close().
    virtual void on_lane_failed(Lane& lane, std::error_code reason) = 0;
    /// A stranger's lane takes more memory than before; StrangerMemory says how much all do. The
    /// only one that may come inside on_lane_record(), and may close the lane.
    virtual void on_stranger_grew(Lane& lane) = 0;
    /// The kernel has let go; the endpoint may destroy the lane.
    virtual void on_lane_closed(Lane& lane) = 0;
};

/// What lanes of strangers take together.
struct StrangerMemory {
    std::uint64_t bytes = 0;
    std::uint64_t peak_bytes = 0;
};

struct LaneOptions {
    std::uint64_t record_bytes_max = 0;
    TimePoint handshake_deadline = kNever;
    /// Outlives the lane. Every lane begins as a stranger's.
    StrangerMemory* strangers = nullptr;
};

class Lane final : public ConnectionEvents, private RecordSink {
  public:
    Lane(Shard& shard, UniqueFd fd, Handshake handshake, const LaneOptions& options,
         LaneEvents& events);
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;
    ~Lane() override;

    /// For a dialed lane; an accepted one begins by begin_accepted().
    void connect(const SocketAddress& address);
    void begin_accepted();

    /// The link stands: what was held back is delivered in a later turn, then everything.
    void open();
    /// The peer was admitted: the bounds for strangers end.
    void trust() noexcept;
    /// What this lane adds to StrangerMemory; zero once trusted or closing.
    std::uint64_t stranger_bytes() const noexcept { return stranger_bytes_; }
    /// Stops or resumes delivering; nothing is delivered inside the call.
    void set_receiving(bool receiving);

    /// Only on an open lane.
    void send(protocol::OutRecord&& record, SubmitToken token);
    void close(CloseMode mode);

    bool ready() const noexcept { return handshake_.done(); }
    std::uint64_t bytes_sent() const noexcept;
    std::uint64_t bytes_received() const noexcept;
    const Handshake& handshake() const noexcept { return handshake_; }
    const std::string& peer_text() const noexcept { return peer_text_; }
    /// Null for a lane that belongs to no link yet; set by the endpoint.
    Link* link = nullptr;

    // ConnectionEvents, called by the connection alone.
    void on_connected() override;
    void on_bytes(ByteView bytes) override;
    void on_settled(const SettledRecord& record) override;
    void on_end(std::error_code reason) override;
    void on_closed() override;

  private:
    // Bytes that may pile up unread while the sister lane is awaited.
    static constexpr std::size_t kHeldBeforeOpenMax = 4 * 1024;

    Next on_record(const protocol::InRecord& record) override;
    Next on_control(ByteView body) override;
    std::error_code may_receive(const protocol::FrameHeader& header) override;

    void account();
    void stop_accounting() noexcept;
    void read(ByteView bytes);
    void keep(ByteView bytes);
    void catch_up();
    void schedule_catch_up();
    void receive_more();
    void on_handshake_timeout();
    void refuse(const Refusal& refusal);
    void fail(std::error_code reason, CloseMode mode);

    Shard& shard_;
    LaneEvents& events_;
    Connection* connection_;  // Owned by the shard until on_closed().
    Handshake handshake_;
    RecordReader reader_;
    std::string peer_text_;
    TimerId handshake_timer_;
    Bytes held_;  // Received and not read yet: the link is forming, or receiving is paused.
    StrangerMemory* strangers_;  // Null once trusted or closing.
    std::uint64_t stranger_bytes_ = 0;
    // Taken over from the connection when it goes.
    std::uint64_t bytes_sent_ = 0;
    std::uint64_t bytes_received_ = 0;
    bool open_ = false;
    bool receiving_ = true;
    bool catching_up_ = false;  // A catch_up() is posted; held_ comes before new bytes.
    bool failed_ = false;
    std::optional<Refusal> refusal_;  // Found inside read(); carried out once it returns.
    // Posted work must not find a lane that is gone.
    std::shared_ptr<Lane*> self_;
};

}  // namespace shunt::engine
