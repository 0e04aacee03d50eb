#pragma once
// Message Follow: the old address forwards to the new one for a while (seed unit section 10,
// spec/objects.md section 9.3). Reads no store, runs no handler; keeps operation, sender, payload
// and reply route.

#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>

#include "host/job.hpp"
#include "host/mesh_port.hpp"
#include "host/pending_requests.hpp"
#include "host/reply_router.hpp"

namespace shunt::host {

/// Where one moved Actor went. `source` is the fence it had here, `target` the one it has there.
struct FollowRoute {
    protocol::ActorRouteFence source;
    protocol::ActorRouteFence target;
    RelocationId relocation;
};

class Follow {
  public:
    Follow(Services& services, MeshPort& mesh, PendingRequests& pending, ReplyRouter& replies)
        : services_(services), mesh_(mesh), pending_(pending), replies_(replies) {}

    void begin(FollowRoute route);
    /// Only the route of that move goes; a later one stays.
    void end(const ActorId& actor, RelocationId relocation);
    const FollowRoute* find(const ActorId& actor) const;
    std::size_t size() const noexcept { return routes_.size(); }

    /// Forwards `job` over `route`, one hop more. `from` is the node it came from, which gets the
    /// notice; nullptr for work that was held here. While the target cannot be reached the job
    /// waits with those behind it, at most until the route ends; a job that cannot go ends here: a
    /// request with Unavailable, a one-way message counted as dropped.
    void forward(const FollowRoute& route, const MessageJob& job, const Peer* from);
    void on_peer_ready(const Peer& peer);

  private:
    bool send(const FollowRoute& route, const MessageJob& job);
    void notify(const FollowRoute& route, const MessageJob& job, const Peer& from);
    void fail(const MessageJob& job, std::error_code error, const char* reason);

    Services& services_;
    MeshPort& mesh_;
    PendingRequests& pending_;
    ReplyRouter& replies_;
    std::unordered_map<ActorId, FollowRoute> routes_;
    /// Jobs whose target is not connected now, in arrival order.
    std::map<ActorId, std::deque<MessageJob>> parked_;
    /// Links that were told of a route already, per Actor: one notice per fence pair and link.
    std::unordered_map<ActorId, std::map<LinkId, RelocationId>> notified_;
};

}  // namespace shunt::host
