#pragma once
// One accepted, not yet executed piece of application work, and the way its answer takes home.
// Frozen records (spec/wire.md section 6) are made from it only when a move needs them.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/ids.hpp"
#include "host/job_permits.hpp"
#include "host/message.hpp"
#include "host/world.hpp"
#include "protocol/frozen_record.hpp"

namespace shunt::host {

/// A one-way message expects nothing.
struct NoReply {};
/// The caller is an operation pending on this host.
struct LocalReply {
    std::uint64_t request_id = 0;
};
/// The request came over this link as a transport request; the reply rides back on it.
struct LinkReply {
    LinkId link;
    std::uint64_t sequence = 0;
    std::uint64_t correlation = 0;
};
/// The request moved here as a frozen record: replyRelay (33) to the node that sent it.
struct RelayReply {
    protocol::RequestSourceFence source;
    std::uint64_t reply_route_id = 0;
    RelocationId relocation;
    TargetAttemptGeneration attempt;
    protocol::RelocationCoordinatorFence coordinator;
    protocol::ParticipantId participant;
    std::uint64_t sequence = 0;
};
using ReplyRoute = std::variant<NoReply, LocalReply, LinkReply, RelayReply>;

struct MessageJob {
    Packet packet;
    OperationId operation;
    /// Message Follow hops behind it, at most 8.
    std::uint8_t hop_count = 0;
    /// The node that handed it over, and the sender it named.
    protocol::FrozenSourceIdentity source;
    std::optional<protocol::Metadata> metadata;
    ReplyRoute reply;
};

/// A due timer tick; indices are settled when it starts (spec/objects.md section 6).
struct TickJob {
    std::string timer;
    std::uint64_t timer_generation = 0;
    std::uint64_t scheduled_index = 0;
    UnixMillis scheduled_at;
};

/// First turn of a brand-new Actor.
struct CreateJob {};

struct Job {
    std::variant<MessageJob, TickJob, CreateJob> work;
    /// Held from acceptance to the handler's first instruction; absent in a backlog.
    JobPermit permit;

    bool is_request() const noexcept {
        const auto* message = std::get_if<MessageJob>(&work);
        return message != nullptr && !std::holds_alternative<NoReply>(message->reply);
    }
};

using JobPtr = std::shared_ptr<Job>;

/// Metadata key that carries the sender's route when HostOptions::stamp_routes is on.
inline constexpr char kRouteKey[] = "shunt.route";

}  // namespace shunt::host
