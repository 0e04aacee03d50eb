#include "protocol/command_record.hpp"

#include <utility>

#include "base/assert.hpp"
#include "protocol/command_layout.hpp"
#include "protocol/typed_payload_layout.hpp"
#include "protocol/writer.hpp"

namespace shunt::protocol {
namespace {

template <class T>
std::uint8_t flags_of(const T& command, bool has_metadata) {
    std::uint8_t flags = has_metadata ? command_flag::kMetadata : std::uint8_t{0};
    if constexpr (kHasBoundSession<T>) {
        if (command.bound_session) flags |= command_flag::kBoundSession;
    }
    return flags;
}

template <class T>
OutPart encode_part(const T& value) {
    Writer writer(measure(value).copied_bytes());
    encode(writer, value);
    return std::move(writer).take_part();
}

template <class T>
OutPart encode_head(const T& command, std::uint8_t flags) {
    Writer writer(kHeadPrefixBytes + measure(command).copied_bytes());
    for (const std::uint8_t byte : kRecordMagic) writer.integer(byte);
    writer.integer(kRecordMajor);
    writer.integer(static_cast<std::uint8_t>(info(Of<T>{}).id));
    writer.integer(flags);
    encode(writer, command);
    return std::move(writer).take_part();
}

}  // namespace

template <class T>
OutRecord encode_record(const T& command, const TypedPayload* payload, const Metadata* metadata) {
    constexpr CommandInfo kInfo = info(Of<T>{});
    SHUNT_ASSERT(payload != nullptr || kInfo.payload != PayloadFrame::Required);
    SHUNT_ASSERT(payload == nullptr || kInfo.payload != PayloadFrame::Forbidden);
    SHUNT_ASSERT(payload == nullptr || may_carry_payload(command));
    SHUNT_ASSERT(metadata == nullptr || (kInfo.flags_allowed & command_flag::kMetadata) != 0);

    OutRecord record;
    record.leg = kInfo.leg;
    record.parts.push_back(encode_head(command, flags_of(command, metadata != nullptr)));
    if (metadata != nullptr) record.parts.push_back(encode_part(*metadata));
    if (payload != nullptr) record.parts.push_back(encode_part(*payload));
    return record;
}

#define SHUNT_ENCODE(T) \
    template OutRecord encode_record(const T&, const TypedPayload*, const Metadata*);
SHUNT_ENCODE(Hello)
SHUNT_ENCODE(Admit)
SHUNT_ENCODE(Reject)
SHUNT_ENCODE(Update)
SHUNT_ENCODE(LivenessProbe)
SHUNT_ENCODE(LivenessAck)
SHUNT_ENCODE(NodeSend)
SHUNT_ENCODE(NodeRequest)
SHUNT_ENCODE(ChannelSend)
SHUNT_ENCODE(ChannelRequest)
SHUNT_ENCODE(Reply)
SHUNT_ENCODE(SpotSend)
SHUNT_ENCODE(SpotRequest)
SHUNT_ENCODE(LogicalMulticast)
SHUNT_ENCODE(ActorSend)
SHUNT_ENCODE(ActorRequest)
SHUNT_ENCODE(ActorLookup)
SHUNT_ENCODE(ActorDestroy)
SHUNT_ENCODE(ActorJoin)
SHUNT_ENCODE(ActorLeft)
SHUNT_ENCODE(RelocationReady)
SHUNT_ENCODE(RelocationData)
SHUNT_ENCODE(ReplyRelay)
SHUNT_ENCODE(RelocationCutover)
SHUNT_ENCODE(BoundSessionSend)
SHUNT_ENCODE(ActorJoined)
SHUNT_ENCODE(BoundSessionBind)
SHUNT_ENCODE(InstanceSpot)
SHUNT_ENCODE(RelocationPrepare)
SHUNT_ENCODE(SessionRelocationSeal)
SHUNT_ENCODE(SessionRelocationSealed)
SHUNT_ENCODE(SessionRelocationRoute)
SHUNT_ENCODE(ReplyRelayAck)
SHUNT_ENCODE(UserSpotCreate)
SHUNT_ENCODE(UserSpotClose)
SHUNT_ENCODE(ActorCreate)
SHUNT_ENCODE(MessageFollow)
SHUNT_ENCODE(BoundSessionReplaced)
SHUNT_ENCODE(RelocationState)
SHUNT_ENCODE(RelocationFailed)
SHUNT_ENCODE(EncodedRelocationData)
#undef SHUNT_ENCODE

}  // namespace shunt::protocol
