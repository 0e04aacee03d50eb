#pragma once
// The commands of service wire v1 (spec/wire.md section 5) as plain values, by group. Field order
// on the wire is declared in the command_*_layout.hpp of the same group; command_record.hpp turns a
// command into a record and back.

#include <string_view>
#include <variant>

#include "protocol/command_admission.hpp"
#include "protocol/command_creation.hpp"
#include "protocol/command_messaging.hpp"
#include "protocol/command_relocation.hpp"
#include "protocol/command_reply.hpp"
#include "protocol/command_session.hpp"
#include "protocol/enums.hpp"

namespace shunt::protocol {

/// Every command of this generation, by id; visited without a default branch.
using Command =
    std::variant<Hello, Admit, Reject, Update, LivenessProbe, LivenessAck, NodeSend, NodeRequest,
                 ChannelSend, ChannelRequest, Reply, SpotSend, SpotRequest, LogicalMulticast,
                 ActorSend, ActorRequest, ActorLookup, ActorDestroy, ActorJoin, ActorLeft,
                 RelocationReady, RelocationData, ReplyRelay, RelocationCutover, BoundSessionSend,
                 ActorJoined, BoundSessionBind, InstanceSpot, RelocationPrepare,
                 SessionRelocationSeal, SessionRelocationSealed, SessionRelocationRoute,
                 ReplyRelayAck, UserSpotCreate, UserSpotClose, ActorCreate, MessageFollow,
                 BoundSessionReplaced, RelocationState, RelocationFailed>;

CommandId id_of(const Command& command) noexcept;
/// The spec's name, letter for letter (`relocationPrepare`); empty for an undefined id.
std::string_view name_of(CommandId id) noexcept;

}  // namespace shunt::protocol
