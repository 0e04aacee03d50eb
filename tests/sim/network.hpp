#pragma once
// The simulated mesh: who listens where, which links stand, and every way they misbehave. Hosts see
// it through SimWorld; tests and fault plans steer it directly. All chance comes from the run's
// seed, all progress from the scheduler.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "host/world.hpp"
#include "tests/sim/flat_record.hpp"
#include "tests/sim/link.hpp"
#include "tests/sim/random.hpp"
#include "tests/sim/scheduler.hpp"

namespace shunt::sim {

/// How the network of one run behaves while nothing is wrong with it.
struct NetworkOptions {
    Duration delay_min = std::chrono::microseconds(20);
    Duration delay_max = std::chrono::microseconds(500);
    /// From send() to the kernel taking the record, per gather.
    Duration submit_delay_max = std::chrono::microseconds(100);
    Duration handshake_max = std::chrono::milliseconds(3);
    Duration handshake_timeout = std::chrono::seconds(5);
    Duration backoff_min = std::chrono::milliseconds(50);
    Duration backoff_max = std::chrono::seconds(1);
    /// Both socket buffers of one lane and direction; one record always fits into an empty one.
    std::uint64_t wire_bytes_max = 256 * 1024;
    /// Of one side's application pipe, in charged bytes (spec/zmp.md section 16.2).
    std::uint64_t high_water_mark = 4'096'000;
    /// Closing a socket with unread input resets it: part of what was sent may be lost.
    std::uint32_t rude_close_per_mille = 0;
    /// Longest time until a side learns of a break that its kernel can see.
    Duration break_notice_max = std::chrono::milliseconds(50);
};

enum class CutKind : std::uint8_t {
    Reset,   // Both kernels see it soon.
    Silent,  // Nobody sees it until a side closes: only liveness finds out.
};

/// A record at the moment something happens to it.
struct RecordNotice {
    NodeIndex from;
    NodeIndex to;
    LinkNumber link;
    const FlatRecord& record;
};

/// What a filter wants done with a record that enters the wire.
enum class Verdict : std::uint8_t {
    Pass,
    Drop,       // Unphysical on TCP: a lost record of a correct peer does not leave a gap.
    CutBefore,  // The link breaks and this record is the first one lost.
    CutAfter,   // The link breaks right behind it; it still arrives.
};

class Network {
  public:
    Network(Scheduler& scheduler, std::uint64_t seed, const NetworkOptions& options = {});
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;
    ~Network();

    Scheduler& scheduler() noexcept { return scheduler_; }
    const NetworkOptions& options() const noexcept { return options_; }

    // --- observation ------------------------------------------------------------------------
    /// Called when the kernel takes a record; may change its bytes and decides its fate.
    void set_filter(std::function<Verdict(NodeIndex from, NodeIndex to, FlatRecord&)> filter) {
        filter_ = std::move(filter);
    }
    /// Called just before a record is handed to the receiving host.
    void on_delivery(std::function<void(const RecordNotice&)> fn) { delivery_ = std::move(fn); }
    /// Called for each record that will certainly never be handed over.
    void on_loss(std::function<void(const RecordNotice&)> fn) { loss_ = std::move(fn); }

    /// Links with at least one side that is neither Down nor killed.
    std::vector<LinkNumber> live_links() const;
    /// Links that are up on both sides, between these two nodes.
    std::vector<LinkNumber> links_between(NodeIndex a, NodeIndex b) const;
    /// Charged bytes in every pipe; zero when everything is quiet.
    std::uint64_t charged_bytes() const noexcept;
    std::uint64_t records_delivered() const noexcept { return records_delivered_; }
    std::uint64_t records_lost() const noexcept { return records_lost_; }
    std::uint64_t link_breaks() const noexcept { return link_breaks_; }

    // --- faults -----------------------------------------------------------------------------
    void cut(LinkNumber link, CutKind kind);
    /// Cuts every link between the two nodes; returns how many.
    std::size_t cut_between(NodeIndex a, NodeIndex b, CutKind kind);
    /// Nothing from `from` arrives at `to` before `end`; then it all does.
    void silence(NodeIndex from, NodeIndex to, SimTime end);
    /// Records sent until `end` take up to `extra` longer.
    void slow_down(NodeIndex from, NodeIndex to, Duration extra, SimTime end);
    /// Dials between the two nodes fail until `end`.
    void refuse_dials(NodeIndex a, NodeIndex b, SimTime end);
    void set_rude_close(std::uint32_t per_mille) noexcept {
        options_.rude_close_per_mille = per_mille;
    }
    /// Ends silence, slowness and refusals. Links that were cut silently are reset.
    void heal();

  private:
    friend class SimWorld;

    using NodePair = std::pair<NodeIndex, NodeIndex>;  // Directed.
    struct Slowness {
        Duration extra;
        SimTime end;
    };
    struct Dial {
        SimWorld* world = nullptr;
        host::DialOptions options;
        Duration backoff{};
        LinkNumber link;
        EventId attempt;
    };

    // network.cpp: endpoints, dials, handshakes. Called by SimWorld.
    result<std::string> listen(SimWorld& world, const std::string& bind_address);
    void stop_listening(SimWorld& world);
    host::DialId start_dial(SimWorld& world, const host::DialOptions& options);
    void stop_dial(host::DialId dial);
    void stop_dials(SimWorld& world);
    void arm_attempt(std::uint64_t dial_id, Duration wait);
    void attempt(std::uint64_t dial_id);
    void back_off(std::uint64_t dial_id);
    SimWorld* reachable(const Dial& dial) const;
    void open_link(std::uint64_t dial_id, SimWorld& acceptor);
    void accept(LinkNumber number);
    void come_up(LinkNumber number, SideIndex side);
    void dial_again(LinkNumber number);
    bool dials_refused(NodeIndex a, NodeIndex b) const;

    // network_links.cpp: records on links, and links ending.
    host::Admission send(SimWorld& world, host::LinkId id, protocol::OutRecord&& record,
                         host::Gate gate, host::SubmitToken token);
    void close_link(SimWorld& world, host::LinkId id, std::error_code reason);
    void close_all(SimWorld& world, std::error_code reason);
    void forget_world(SimWorld& world, CutKind kind);
    void receiving_changed(SimWorld& world);
    bool has_links(const SimWorld& world) const;

    void arm_submit(SimLink& link, SideIndex side, Lane lane);
    void take_records(LinkNumber number, SideIndex side, Lane lane);
    void put_on_wire(SimLink& link, SideIndex side, Lane lane, FlatRecord&& record);
    void report_writable(SimLink& link, SideIndex side);
    void arm_delivery(SimLink& link, SideIndex sender, Lane lane);
    void deliver_head(LinkNumber number, SideIndex sender, Lane lane);
    SimTime held_until(const SimLink& link, SideIndex sender, SimTime arrives) const;

    void break_link(SimLink& link);
    void break_lane(SimLink& link, SideIndex sender, Lane lane);
    void break_behind(SimLink& link);
    void drop_wire(SimLink& link, SideIndex sender, Lane lane, std::size_t keep);
    void arm_notice(LinkNumber number, SideIndex side, Duration wait, std::error_code reason);
    void arm_notice_behind_data(LinkNumber number, SideIndex side);
    void leave_side(SimLink& link, SideIndex side, CutKind kind);
    void begin_closing(SimLink& link, SideIndex side, std::error_code reason);
    void drain_side(LinkNumber number, SideIndex side);
    void finish_side(LinkNumber number, SideIndex side);
    void lose(const SimLink& link, SideIndex sender, const FlatRecord& record);
    SimLink* find(LinkNumber number);
    EventLabel label(const char* what, NodeIndex node, std::uint64_t detail) const;

    Scheduler& scheduler_;
    NetworkOptions options_;
    Random random_;
    Graveyard graveyard_;
    std::map<LinkNumber, std::unique_ptr<SimLink>> links_;
    std::map<std::string, SimWorld*> listeners_;  // By endpoint.
    std::map<std::uint64_t, Dial> dials_;
    std::uint64_t last_link_ = 0;
    std::uint64_t last_dial_ = 0;
    std::uint16_t last_port_ = 20000;
    std::map<NodePair, SimTime> silences_;
    std::map<NodePair, Slowness> slowness_;
    std::map<NodePair, SimTime> refusals_;
    std::function<Verdict(NodeIndex, NodeIndex, FlatRecord&)> filter_;
    std::function<void(const RecordNotice&)> delivery_;
    std::function<void(const RecordNotice&)> loss_;
    std::uint64_t records_delivered_ = 0;
    std::uint64_t records_lost_ = 0;
    std::uint64_t link_breaks_ = 0;
};

}  // namespace shunt::sim
