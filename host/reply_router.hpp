#pragma once
// Brings an answer home by the route its request came (spec/objects.md section 9.1): to a pending
// operation of this host, as reply (20) over the link that brought the request, or as replyRelay
// (33) to the node whose request moved here, repeated until it is acknowledged (46).

#include <cstdint>
#include <map>
#include <set>

#include "host/mesh_port.hpp"
#include "host/pending_requests.hpp"
#include "host/services.hpp"

namespace shunt::host {

class ReplyRouter {
  public:
    /// How long an unacknowledged relay is repeated; stands in for the lease of the request's
    /// source, which an Actor's host does not watch.
    static constexpr std::chrono::seconds kRelayLifetime{60};
    static constexpr std::chrono::milliseconds kRelayInterval{500};

    ReplyRouter(Services& services, MeshPort& mesh, PendingRequests& pending)
        : services_(services), mesh_(mesh), pending_(pending) {}
    ReplyRouter(const ReplyRouter&) = delete;
    ReplyRouter& operator=(const ReplyRouter&) = delete;
    ~ReplyRouter() { services_.world.cancel(timer_); }

    void answer(const ReplyRoute& route, OperationId operation, result<Packet> answer);

    /// Command 20 under the transport sequence of the request it answers.
    void on_reply(const Arrival& arrival, const protocol::Reply& reply);
    void on_relay(const Arrival& arrival, const protocol::ReplyRelay& relay);
    void on_relay_ack(const protocol::ReplyRelayAck& ack);

    std::size_t unacknowledged() const noexcept { return relays_.size(); }

  private:
    /// Who waits for an acknowledgement: the request's node and its reply route there.
    struct RelayKey {
        NodeRid node;
        std::uint64_t reply_route_id = 0;
        OperationId operation;
        auto operator<=>(const RelayKey&) const = default;
    };
    struct Relay {
        RelayReply route;
        result<Packet> answer;
        TimePoint give_up;
    };

    void send_relay(const RelayKey& key, const Relay& relay);
    void repeat();
    void arm();

    Services& services_;
    MeshPort& mesh_;
    PendingRequests& pending_;
    std::map<RelayKey, Relay> relays_;
    TimerId timer_;
};

}  // namespace shunt::host
