#pragma once
// The way of a message from a turn of this host to its Actor (spec/objects.md section 9.1): local
// cell, follow route, cached route, or a store read; one FIFO per receiver, so that waiting for a
// route or for room never lets a later message pass an earlier one.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "host/cell_table.hpp"
#include "host/follow.hpp"
#include "host/mesh_port.hpp"
#include "host/pending_requests.hpp"
#include "host/reply_router.hpp"
#include "host/rows.hpp"

namespace shunt::host {

class Router final : public Outbound {
  public:
    Router(Services& services, MeshPort& mesh, Locator& locator, CellTable& cells, Follow& follow,
           PendingRequests& pending, ReplyRouter& replies);
    Router(const Router&) = delete;
    Router& operator=(const Router&) = delete;
    ~Router() override;

    // --- Outbound ---------------------------------------------------------------------------
    void send(const protocol::ActorRef* from, ActorId target, Packet packet,
              Admitted admitted) override;
    void request(const protocol::ActorRef* from, ActorId target, Packet packet,
                 std::chrono::milliseconds timeout, Answered answered) override;
    void reply(const MessageJob& job, result<Packet> answer) override;

    /// Starts the clean-up of lanes that are idle; on the shard.
    void open();

    // --- news -------------------------------------------------------------------------------
    void on_peer_ready();
    void on_peer_lost(const Peer& peer);
    void on_link_writable(LinkId link);
    /// Command 50: forgets the route it names, and no other (spec/objects.md section 9.4).
    void on_follow_notice(const protocol::MessageFollow& notice);
    /// A route is certainly stale: the node answered that the Actor is not there.
    void forget(const ActorId& actor);
    /// From here every new submission ends ShuttingDown.
    void close(std::error_code why);

    std::size_t cached_routes() const noexcept;

  private:
    struct Outgoing {
        std::optional<protocol::ActorRef> from;
        Packet packet;
        OperationId operation;
        std::uint64_t request_id = 0;  // Zero for one-way.
        Admitted admitted;
        TimePoint give_up;
    };
    /// Everything about one receiver.
    struct Lane {
        std::deque<Outgoing> waiting;
        std::optional<Located> route;
        bool resolving = false;
        bool blocked = false;  // On room in the link's pipe.
        TimerId retry;
        std::chrono::milliseconds backoff{0};
    };
    enum class Step : std::uint8_t { Sent, Wait };

    void submit(const ActorId& target, Outgoing outgoing);
    void flush(const ActorId& target);
    Step send_front(const ActorId& target, Lane& lane);
    Step send_remote(const ActorId& target, Lane& lane, const Located& route);
    void deliver_here(ActorCell& cell, Outgoing outgoing);
    void resolve(const ActorId& target, Lane& lane);
    void resolved(const ActorId& target, result<Located> found);
    void retry_later(const ActorId& target, Lane& lane);
    void drop_expired(Lane& lane);
    void finish(Outgoing& outgoing, result<void> admitted);
    void fail_lane(Lane& lane, std::error_code error);
    std::optional<protocol::Metadata> stamp(LinkId link, AuthorityOwnerGeneration owner) const;
    OperationId new_operation();
    void sweep();

    Services& services_;
    MeshPort& mesh_;
    Locator& locator_;
    CellTable& cells_;
    Follow& follow_;
    PendingRequests& pending_;
    ReplyRouter& replies_;
    std::unordered_map<ActorId, Lane> lanes_;
    std::map<LinkId, std::set<ActorId>> blocked_;
    /// Receivers whose route is known or asked for, but whose node is no ready peer.
    std::set<ActorId> unreachable_;
    std::error_code closed_;
    TimerId sweep_timer_;
};

}  // namespace shunt::host
