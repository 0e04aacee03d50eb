#include "samples.hpp"

#include <utility>
#include <variant>

#include "base/bytes.hpp"
#include "protocol/enum_names.hpp"
#include "protocol/of.hpp"

namespace shunt::protocol::test {
namespace {

constexpr RelocationId kMove{.high = 0x0102030405060708, .low = 0x090A0B0C0D0E0F10};
constexpr TargetAttemptGeneration kAttempt{3};
constexpr OperationId kOperation{.high = 7, .low = 42};

RelocationCoordinatorFence coordinator() {
    return {OwnerId{"owner-a"}, OwnerLeaseGeneration{7}, NodeRid{"node-a"}, NodeGeneration{11},
            "store-3"};
}
RelocationTargetFence target() {
    return {NodeRid{"node-b"}, NodeGeneration{12}, OwnerId{"owner-b"}, OwnerLeaseGeneration{8}};
}
SpotRef spot() {
    return {SpotId{"room"}, ObjectGeneration{1}};
}
ActorRef actor() {
    return {ActorId{"actor-1"}, ObjectGeneration{5}};
}
SpotRouteFence spot_fence() {
    return {spot(), NodeRid{"node-b"}, NodeGeneration{4}, AuthorityOwnerGeneration{7},
            OwnerLeaseGeneration{13}};
}
AuthorityGenerationFence authority() {
    return {ObjectGeneration{1}, OwnerId{"owner-a"}, AuthorityOwnerGeneration{7},
            OwnerLeaseGeneration{5}, "store-1"};
}
SessionFence session() {
    return {NodeRid{"node-s"},       NodeGeneration{2},       OwnerId{"owner-s"},
            OwnerLeaseGeneration{8}, SessionRid{"session-1"}, BindingGeneration{6}};
}
ObjectReservationFence reservation() {
    return {"reserve-1",
            "store-1",
            ObjectGeneration{5},
            AuthorityOwnerGeneration{6},
            NodeRid{"node-b"},
            NodeGeneration{7},
            OwnerId{"owner-b"},
            OwnerLeaseGeneration{8},
            1};
}
InstanceRoute ready_route() {
    return ReadyInstanceRoute{NodeRid{"node-b"}, NodeGeneration{4}, SpotId{"quest"}, authority(),
                              true};
}
InstanceRoute cold_route() {
    return ColdActivationRoute{NodeRid{"node-b"}, NodeGeneration{4}, SpotId{"quest"},  "main",
                               "quest",           "descriptor-9",    1'700'000'000'000};
}
ServiceAdmission mesh_admission() {
    RouteMeshAdmission mesh;
    mesh.mesh_name = "main";
    mesh.lifecycle_generation = NodeGeneration{9};
    mesh.advertised_endpoint = "tcp://127.0.0.1:7000";
    mesh.channels = {{"chat", 100}, {"trade", 0}};
    mesh.extension.spot_types = {"lobby", "room"};
    mesh.extension.stateful_capabilities = {
        {StatefulObjectKind::Actor, "player", RelocationPolicyKind::Snapshot, 100, 10, true, 5},
        {StatefulObjectKind::UserSpot, "room", RelocationPolicyKind::Recreate, 50, 5, false, 0},
    };
    mesh.extension.maintenance_wave = "wave-1";
    return mesh;
}
ServiceAdmission server_admission() {
    ServerAdmission server;
    server.channel_name = "chat";
    server.server_rid = NodeRid{"node-a"};
    server.lifecycle_generation = NodeGeneration{9};
    server.security_identity = "default";
    server.normalized_effective_max_message_bytes = 65536;
    server.advertised_endpoint = "tcp://127.0.0.1:7001";
    return ClientServerAdmission(server);
}

// One overload per command; the variant decides which are needed.
RecordSample sample(Of<Hello>) {
    return {"hello", Hello{mesh_admission()}};
}
RecordSample sample(Of<Admit>) {
    return {"admit", Admit{server_admission()}};
}
RecordSample sample(Of<Reject>) {
    return {"reject", Reject{RejectReason::ResourceLimit}};
}
RecordSample sample(Of<Update>) {
    return {"update", Update{mesh_admission()}};
}
RecordSample sample(Of<LivenessProbe>) {
    return {"livenessProbe", LivenessProbe{77}};
}
RecordSample sample(Of<LivenessAck>) {
    return {"livenessAck", LivenessAck{77}};
}
RecordSample sample(Of<NodeSend>) {
    return {"nodeSend", NodeSend{}, payload_sample()};
}
RecordSample sample(Of<NodeRequest>) {
    return {"nodeRequest", NodeRequest{9}, payload_sample()};
}
RecordSample sample(Of<ChannelSend>) {
    return {"channelSend", ChannelSend{"chat"}, payload_sample()};
}
RecordSample sample(Of<ChannelRequest>) {
    return {"channelRequest", ChannelRequest{9, "chat"}, payload_sample()};
}
RecordSample sample(Of<Reply>) {
    return {
        "reply", Reply{.correlation = 9}, payload_sample(), {}, {MeshOperationKind::ActorRequest}};
}
RecordSample sample(Of<SpotSend>) {
    return {"spotSend", SpotSend{kOperation, 1, SpotId{"lobby"}, spot_fence()}, payload_sample()};
}
RecordSample sample(Of<SpotRequest>) {
    return {"spotRequest", SpotRequest{9, kOperation, 8, SpotId{"lobby"}, spot_fence()},
            payload_sample()};
}
RecordSample sample(Of<LogicalMulticast>) {
    return {"logicalMulticast", LogicalMulticast{"chat", "topic", SpotId{"lobby"}},
            payload_sample()};
}
RecordSample sample(Of<ActorSend>) {
    return {"actorSend", ActorSend{kOperation, 0, actor(), actor_fence(), {}}, payload_sample(),
            Metadata{{{"trace", "abc"}, {"empty", ""}}}};
}
RecordSample sample(Of<ActorRequest>) {
    return {"actorRequest",
            ActorRequest{9,
                         kOperation,
                         2,
                         {},
                         actor_fence(),
                         BoundSessionTail{SessionRid{"session-1"}, BindingGeneration{6}, 77}},
            payload_sample()};
}
RecordSample sample(Of<ActorLookup>) {
    return {"actorLookup", ActorLookup{9, actor().actor_id}};
}
RecordSample sample(Of<ActorDestroy>) {
    return {"actorDestroy", ActorDestroy{9, actor_fence()}};
}
RecordSample sample(Of<ActorJoin>) {
    return {"actorJoin", ActorJoin{9, actor_fence(), true, spot_fence()}, payload_sample()};
}
RecordSample sample(Of<ActorLeft>) {
    return {"actorLeft", ActorLeft{actor(), {spot()}, AuthorityOwnerGeneration{12}}};
}
RecordSample sample(Of<RelocationReady>) {
    return {"relocationReady",
            RelocationReady{kMove, kAttempt, coordinator(), target(), actor_object()}};
}
RecordSample sample(Of<RelocationData>) {
    return {"relocationData", RelocationData{kMove, kAttempt, coordinator(), RelocationRole::Source,
                                             actor_object(), frozen_samples().front()}};
}
RecordSample sample(Of<ReplyRelay>) {
    return {"replyRelay",
            ReplyRelay{
                kOperation, 3,
                MaintenanceRelocationContext{kMove, kAttempt, coordinator(), ParticipantId{1}, 4}},
            payload_sample()};
}
RecordSample sample(Of<RelocationCutover>) {
    return {"relocationCutover",
            RelocationCutover{kMove, kAttempt, coordinator(), RelocationRole::Source,
                              actor_object(), 2, 0xCD6C9AE6}};
}
RecordSample sample(Of<BoundSessionSend>) {
    return {"boundSessionSend", BoundSessionSend{actor_fence(), BindingGeneration{6}},
            payload_sample()};
}
RecordSample sample(Of<ActorJoined>) {
    return {"actorJoined",
            ActorJoined{actor(), SpotMembership{spot()}, {spot()}, AuthorityOwnerGeneration{12}}};
}
RecordSample sample(Of<BoundSessionBind>) {
    return {"boundSessionBind", BoundSessionBind{9, actor_fence(), SessionRid{"session-1"},
                                                 TombstoneBinding{BindingGeneration{6}}}};
}
RecordSample sample(Of<InstanceSpot>) {
    return {"instanceSpot",
            InstanceSpot{cold_route(), NodeGeneration{3}, NodeRid{"node-a"}, SpotId{"lobby"},
                         InstanceOperationKind::Request, kOperation, 11},
            payload_sample()};
}
RecordSample sample(Of<RelocationPrepare>) {
    return {"relocationPrepare",
            RelocationPrepare{kMove, kAttempt, coordinator(), target(), RelocationRole::Source,
                              actor_object(), NodeRid{"node-a"}, NodeGeneration{11}, 24, 2,
                              0x29BC8795, 1}};
}
RecordSample sample(Of<SessionRelocationSeal>) {
    return {"sessionRelocationSeal",
            SessionRelocationSeal{kMove, coordinator(), RelocationRole::Source, actor_fence(),
                                  session()}};
}
RecordSample sample(Of<SessionRelocationSealed>) {
    return {"sessionRelocationSealed",
            SessionRelocationSealed{kMove, coordinator(), actor_fence(), session()}};
}
RecordSample sample(Of<SessionRelocationRoute>) {
    return {"sessionRelocationRoute",
            SessionRelocationRoute{
                kMove, coordinator(), RelocationRole::Target, actor(), session(),
                CommitSessionRoute{AuthorityOwnerGeneration{11}, AuthorityOwnerGeneration{12},
                                   NodeRid{"node-b"}, NodeGeneration{4}, OwnerLeaseGeneration{5}}}};
}
RecordSample sample(Of<ReplyRelayAck>) {
    return {"replyRelayAck",
            ReplyRelayAck{kMove, coordinator(), kOperation, 3,
                          RequestSourceFence{OwnerId{"owner-c"}, OwnerLeaseGeneration{13},
                                             NodeRid{"node-c"}, NodeGeneration{17}}}};
}
RecordSample sample(Of<UserSpotCreate>) {
    return {"userSpotCreate", UserSpotCreate{9, kOperation, NodeRid{"node-a"}, NodeGeneration{4},
                                             SpotId{"room"}, "chat", reservation(), 10}};
}
RecordSample sample(Of<UserSpotClose>) {
    return {"userSpotClose",
            UserSpotClose{9, kOperation, NodeRid{"node-a"}, NodeGeneration{4},
                          UserSpotCloseFence{spot(), NodeRid{"node-b"}, NodeGeneration{7},
                                             AuthorityOwnerGeneration{6}, "store-1"},
                          10}};
}
RecordSample sample(Of<ActorCreate>) {
    return {"actorCreate", ActorCreate{9, kOperation, NodeRid{"node-a"}, NodeGeneration{4},
                                       ActorId{"actor-1"}, "player", reservation(), 10}};
}
RecordSample sample(Of<MessageFollow>) {
    ActorRouteFence moved = actor_fence();
    moved.target_node_rid = NodeRid{"node-c"};
    moved.expected_authority_owner_generation.value += 1;
    return {"messageFollow", MessageFollow{{actor_fence(), moved, 1, 2, 4096, kOperation, 0}}};
}
RecordSample sample(Of<BoundSessionReplaced>) {
    return {"boundSessionReplaced",
            BoundSessionReplaced{
                actor_fence(),
                {NodeRid{"node-s"}, NodeGeneration{5}, OwnerId{"owner-s"}, OwnerLeaseGeneration{6},
                 SessionRid{"session-1"}, BindingGeneration{7}}}};
}
RecordSample sample(Of<RelocationState>) {
    return {"relocationState",
            RelocationState{kMove, kAttempt, coordinator(), RelocationRole::Source, actor_object(),
                            1, Blob(copy_of(bytes_of("chunk bytes")))}};
}
RecordSample sample(Of<RelocationFailed>) {
    return {"relocationFailed",
            RelocationFailed{kMove, kAttempt, coordinator(), target(), actor_object(),
                             RelocationRole::Target, FrameworkErrorCode::RelocationDataLost}};
}

template <class... Commands>
std::vector<RecordSample> all(Of<std::variant<Commands...>>) {
    return {sample(Of<Commands>{})...};
}

RecordSample reply(std::string name, ReplyTail tail, MeshOperationKind operation) {
    return {std::move(name), Reply{.correlation = 9, .tail = std::move(tail)}, {}, {}, {operation}};
}

FrozenSourceIdentity sent_from(decltype(FrozenSourceIdentity::origin) origin) {
    return {NodeRid{"node-a"}, NodeGeneration{1}, OwnerId{"owner-a"}, OwnerLeaseGeneration{6},
            std::move(origin)};
}

FrozenRecord frozen(FrozenBody body, MeshOperationKind kind, OperationId operation) {
    FrozenRecord record;
    record.source = sent_from(FromNode{});
    record.operation_id = operation;
    record.operation_kind = kind;
    record.body = std::move(body);
    return record;
}

FrozenRecord frozen_request(FrozenBody body, MeshOperationKind kind) {
    FrozenRecord record = frozen(std::move(body), kind, kOperation);
    record.reply_route_id = 99;
    return record;
}

}  // namespace

TypedPayload payload_sample() {
    return {"Chat", "application/json", Blob(copy_of(bytes_of("{}")))};
}

ActorRouteFence actor_fence() {
    return {actor(), NodeRid{"node-b"}, NodeGeneration{4}, AuthorityOwnerGeneration{11},
            OwnerLeaseGeneration{13}};
}

RelocationObjectIdentity actor_object() {
    return ActorObject{actor(), AuthorityOwnerGeneration{10}};
}

std::vector<RecordSample> record_samples() {
    std::vector<RecordSample> samples = all(Of<Command>{});
    using K = MeshOperationKind;
    samples.push_back(reply("reply-lookup",
                            ActorLookupTail{actor(), spot().spot_id, ObjectGeneration{1}, 2,
                                            AuthorityOwnerGeneration{12}},
                            K::ActorLookup));
    samples.push_back(
        reply("reply-join", ActorJoinTail{ActorJoinAccepted{spot(), 1, 32768}}, K::ActorJoin));
    samples.push_back(
        reply("reply-join-rejected", ActorJoinTail{ActorJoinRejected{spot()}}, K::ActorJoin));
    samples.push_back(reply("reply-bind",
                            StreamBindTail{BindingGeneration{6}, AuthorityOwnerGeneration{12}},
                            K::StreamBind));
    samples.push_back(
        reply("reply-spot", UserSpotCreateTail{CreateResult::Created, spot()}, K::UserSpotCreate));
    samples.push_back(reply("reply-close", UserSpotCloseTail{true}, K::UserSpotClose));
    samples.push_back(reply("reply-actor", ActorCreateTail{ActorCreated{actor()}}, K::ActorCreate));
    RecordSample failed = sample(Of<Reply>{});
    failed.name = "reply-failed";
    failed.payload.reset();
    failed.command = Reply{.correlation = 9,
                           .terminal_result = RequestTerminalResult::Conflict,
                           .failure_code = FrameworkErrorCode::ActorLocationStale};
    samples.push_back(std::move(failed));
    samples.push_back({"instanceSpot-ready",
                       InstanceSpot{ready_route(),
                                    NodeGeneration{3},
                                    NodeRid{"node-a"},
                                    {},
                                    InstanceOperationKind::Send,
                                    {},
                                    {}},
                       payload_sample()});
    samples.push_back(
        {"replyRelay-cold",
         ReplyRelay{kOperation, 3, ColdActivationContext{ActivationFailed{authority()}},
                    RequestTerminalResult::TimedOut}});
    samples.push_back(
        {"sessionRelocationRoute-abort",
         SessionRelocationRoute{kMove, coordinator(), RelocationRole::Source, actor(), session(),
                                AbortSessionRoute{AuthorityOwnerGeneration{11}}}});
    return samples;
}

std::vector<FrozenRecord> frozen_samples() {
    using K = MeshOperationKind;
    const TypedPayload payload = payload_sample();
    const ActorMembershipSnapshot membership{actor(), {spot()}};
    std::vector<FrozenRecord> samples = {
        frozen(FrozenActorSend{actor_fence(), payload}, K::None, kOperation),
        frozen_request(FrozenActorRequest{actor_fence(), payload}, K::ActorRequest),
        frozen(FrozenNodeSend{payload}, K::None, {}),
        frozen_request(FrozenNodeRequest{payload}, K::NodeRequest),
        frozen(FrozenChannelSend{"chat", payload}, K::None, {}),
        frozen_request(FrozenChannelRequest{"chat", payload}, K::ChannelRequest),
        frozen(FrozenSpotSend{spot_fence(), payload}, K::None, kOperation),
        frozen_request(FrozenSpotRequest{spot_fence(), payload}, K::SpotRequest),
        frozen(FrozenSpotMulticast{"chat", "topic", payload}, K::None, {}),
        frozen(FrozenSpotControl{ActorWasCreated{membership}}, K::None, {}),
        frozen(FrozenSpotControl{ActorHasJoined{membership, membership}}, K::ActorJoin, kOperation),
        frozen(FrozenSpotControl{ActorHasLeft{membership, membership}}, K::ActorLeave, kOperation),
        frozen(FrozenSpotControl{ActorWasDisconnected{membership}}, K::None, {}),
        frozen(FrozenSpotControl{ActorWasDestroyed{membership}}, K::ActorDestroy, kOperation),
        frozen_request(
            FrozenCompletion{RequestTerminalResult::Ok, FrameworkErrorCode::None, payload},
            K::SpotRequest),
        frozen(FrozenSendReady{ToBoundSession{actor_fence(), BindingGeneration{6}}}, K::None, {}),
        frozen(FrozenRelocationControl{{RelocationPhase::Prepared, RelocationRole::Target, kMove,
                                        actor_object(), RequestTerminalResult::Ok,
                                        FrameworkErrorCode::None}},
               K::None, {}),
        frozen_request(FrozenInstanceSpotActivation{cold_route(), NodeGeneration{3},
                                                    InstanceOperationKind::Request, payload},
                       K::InstanceSpotRequest),
    };
    FrozenRecord from_session = samples.front();
    from_session.source =
        sent_from(FromBoundSession{actor(), SessionRid{"session-1"}, BindingGeneration{6}, 77});
    from_session.metadata = Metadata{{{"trace", "abc"}}};
    FrozenRecord from_actor = samples.front();
    from_actor.source = sent_from(FromActor{actor()});
    FrozenRecord from_spot = samples.front();
    from_spot.source = sent_from(FromSpot{SpotId{"lobby"}});
    samples.insert(samples.end(), {from_session, from_actor, from_spot});
    return samples;
}

RelocationEnvelope envelope_sample() {
    RelocationEnvelope envelope;
    envelope.relocation = kMove;
    envelope.object = actor_object();
    envelope.application_version = 2;
    envelope.application_states = {
        {ParticipantId{1}, Blob(copy_of(bytes_of("state bytes")))},
        {ParticipantId{2}, Blob()},
        {ParticipantId{3}, std::nullopt},
    };
    std::uint64_t order = 0;
    for (FrozenRecord& record : frozen_samples()) {
        envelope.saved_work.push_back({ParticipantId{1}, ++order, std::move(record)});
    }
    envelope.timer_registrations = {
        {ParticipantId{1}, "heartbeat", "Heartbeat", 1000, TimerOverrunPolicyKind::CatchUpBounded,
         4, true, 6, 7, 1'700'000'001'000},
        {ParticipantId{1}, "save", "Save", 60'000, TimerOverrunPolicyKind::DelayNextTick, 1, false,
         0, 0, 1'700'000'060'000},
    };
    envelope.pending_timer_ticks = {
        {ParticipantId{1}, order + 1, "heartbeat", 7, 8, 1'700'000'000'000, 2},
        {ParticipantId{3}, 1, "other", 1, 1, 1'700'000'000'000, 0},
    };
    return envelope;
}

}  // namespace shunt::protocol::test
