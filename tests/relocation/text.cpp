#include "tests/relocation/text.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string_view>
#include <type_traits>

namespace shunt::relocation::testing {
namespace {

template <class... Fs>
struct Overloaded : Fs... {
    using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

std::string number(std::uint64_t value) {
    return std::to_string(value);
}
std::string on(ConnectionId connection) {
    return " connection=" + number(connection.value);
}
std::string with(protocol::FrameworkErrorCode code) {
    return " code=" + number(static_cast<std::uint32_t>(code));
}
std::string whose(const RelocationIdentity& identity) {
    return identity == test_identity() ? "" : " identity=foreign";
}
template <class E>
std::string chunk(const E& e) {
    return on(e.connection) + " ordinal=" + number(e.ordinal);
}
template <class E>
std::string sender(const E& e) {
    return whose(e.identity) + on(e.connection);
}
std::string manifest(const StreamManifest& m) {
    return " total=" + number(m.total_length_bytes) + " chunks=" + number(m.chunk_count) +
           " crc=" + number(m.checksum_crc32c);
}
std::string proof(const std::string& name, const BoundaryProof& p) {
    return " " + name + "=" + number(p.record_count) + ":" + number(p.checksum_crc32c);
}
std::int64_t ms_of(TimePoint at) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

std::string deadline(const MoveRequested& e) {
    return " deadline=" + std::to_string(ms_of(e.operation_deadline));
}
std::string progress(const ChunkAssembled& e) {
    return " ordinal=" + number(e.ordinal) + " bytes=" + number(e.assembled_bytes) +
           " crc=" + number(e.checksum_crc32c);
}
std::string proofs(const CutoverArrived& e) {
    return proof("declared", e.declared) + proof("received", e.received);
}

// clang-format off
constexpr std::array<std::string_view, 7> kTimers = {
    "OperationDeadline", "RetransmissionWindow", "FollowEnd", "ReconcileSweep",
    "CutoverWait", "RestoreValidity", "CasRetry"};
constexpr std::array<std::string_view, 4> kOwners = {"Source", "Target", "Other", "Unreadable"};
constexpr std::array<std::string_view, 4> kAnswers = {"Applied", "Conflict", "Transient", "Indeterminate"};
constexpr std::array<std::string_view, 3> kResults = {"Sent", "Failed", "Unknown"};
constexpr std::array<std::string_view, 3> kOutcomes = {"Detached", "Restored", "Unavailable"};
constexpr std::array<std::string_view, 5> kPoints = {"S0", "S1", "S2", "S3", "S4"};
constexpr std::array<std::string_view, 4> kIngress = {"Queue", "Hold", "Follow", "Unavailable"};
// clang-format on

template <std::size_t N, class Enum>
std::string named(const std::array<std::string_view, N>& names, Enum value) {
    return std::string(names.at(static_cast<std::size_t>(value)));
}

const auto kCommonEffects = Overloaded{
    [](const ArmTimer& e) {
        return "ArmTimer " + named(kTimers, e.timer) + " " + std::to_string(ms_of(e.deadline));
    },
    [](const CancelTimer& e) { return "CancelTimer " + named(kTimers, e.timer); },
    [](const Report& e) { return "Report " + std::string(name_of(e.code)); },
    [](const Mark& e) { return "Mark " + named(kPoints, e.point); },
};

}  // namespace

RelocationIdentity test_identity() {
    return {.relocation = {7, 9},
            .attempt = {1},
            .coordinator = {.coordinator_owner_id = {"owner-a"},
                            .coordinator_lease_generation = {3},
                            .coordinator_node_rid = {"node-a"},
                            .coordinator_node_generation = {5},
                            .expected_authority_store_version = "v1"}};
}

RelocationIdentity foreign_identity() {
    RelocationIdentity other = test_identity();
    other.attempt = {2};
    return other;
}

std::string text_of(TimerKind timer) {
    return named(kTimers, timer);
}
std::string text_of(Ingress ingress) {
    return named(kIngress, ingress);
}

// clang-format off
std::string text_of(const SourceEffect& effect) {
    const auto own = Overloaded{
        [](const PauseAtTurnEnd&) { return std::string("PauseAtTurnEnd"); },
        [](const CancelPause&) { return std::string("CancelPause"); },
        [](const CaptureUnit&) { return std::string("CaptureUnit"); },
        [](const SendPrepare& e) { return "SendPrepare" + on(e.connection); },
        [](const RequestChunkRoom& e) { return "RequestChunkRoom" + chunk(e); },
        [](const ReturnChunkRoom& e) { return "ReturnChunkRoom" + chunk(e); },
        [](const SubmitChunk& e) { return "SubmitChunk" + chunk(e); },
        [](const RelayHold& e) { return "RelayHold" + on(e.connection); },
        [](const SubmitCutover& e) { return "SubmitCutover" + on(e.connection); },
        [](const ResendBatch& e) { return "ResendBatch" + on(e.connection); },
        [](const RestoreQueue&) { return std::string("RestoreQueue"); },
        [](const EndDispatch&) { return std::string("EndDispatch"); },
        [](const ReleasePermits&) { return std::string("ReleasePermits"); },
        [](const ReleaseCopies&) { return std::string("ReleaseCopies"); },
        [](const BeginFollow&) { return std::string("BeginFollow"); },
        [](const DrainHold&) { return std::string("DrainHold"); },
        [](const FailHold&) { return std::string("FailHold"); },
        [](const EndFollow&) { return std::string("EndFollow"); },
        [](const ReadSourceOwner&) { return std::string("ReadSourceOwner"); },
        [](const Conclude& e) { return "Conclude " + named(kOutcomes, e.outcome) + with(e.code); },
    };
    return std::visit(Overloaded{own, kCommonEffects}, effect);
}

std::string text_of(const TargetEffect& effect) {
    const auto own = Overloaded{
        [](const RegisterTemporaryQueue&) { return std::string("RegisterTemporaryQueue"); },
        [](const CheckOwner&) { return std::string("CheckOwner"); },
        [](const RestoreUnit&) { return std::string("RestoreUnit"); },
        [](const SendReady& e) { return "SendReady" + on(e.connection); },
        [](const SendFailed& e) { return "SendFailed" + on(e.connection) + with(e.code); },
        [](const AssembleChunk&) { return std::string("AssembleChunk"); },
        [](const DropChunk&) { return std::string("DropChunk"); },
        [](const StageRelay&) { return std::string("StageRelay"); },
        [](const StageLateRelay&) { return std::string("StageLateRelay"); },
        [](const DropRelay&) { return std::string("DropRelay"); },
        [](const DiscardRelaySpan&) { return std::string("DiscardRelaySpan"); },
        [](const SkipRelay&) { return std::string("SkipRelay"); },
        [](const CasOwner&) { return std::string("CasOwner"); },
        [](const ReadTargetOwner&) { return std::string("ReadTargetOwner"); },
        [](const OrderBacklog&) { return std::string("OrderBacklog"); },
        [](const OpenQueue&) { return std::string("OpenQueue"); },
        [](const WriteSteady&) { return std::string("WriteSteady"); },
        [](const RemovePrepared&) { return std::string("RemovePrepared"); },
    };
    return std::visit(Overloaded{own, kCommonEffects}, effect);
}

std::string text_of(const SourceEvent& event) {
    return std::visit(Overloaded{
        [](const MoveRequested& e) { return "MoveRequested" + on(e.connection) + deadline(e); },
        [](const TurnEnded&) { return std::string("TurnEnded"); },
        [](const CaptureSucceeded& e) { return "CaptureSucceeded" + manifest(e.manifest); },
        [](const CaptureFailed& e) { return "CaptureFailed" + with(e.code); },
        [](const ChunkRoomGranted& e) { return "ChunkRoomGranted" + chunk(e); },
        [](const RelayReadyReceived& e) { return "RelayReadyReceived" + sender(e); },
        [](const RelocationFailedReceived& e) { return "RelocationFailedReceived" + sender(e) + with(e.code); },
        [](const ConnectionLost& e) { return "ConnectionLost" + on(e.connection); },
        [](const ConnectionRestored& e) { return "ConnectionRestored" + on(e.connection); },
        [](const CutoverTerminal& e) { return "CutoverTerminal result=" + named(kResults, e.result); },
        [](const AbortRequested& e) { return "AbortRequested" + with(e.code); },
        [](const OwnerRead& e) { return "OwnerRead owner=" + named(kOwners, e.owner); },
        [](const TimerElapsed& e) { return "TimerElapsed timer=" + named(kTimers, e.timer); },
    }, event);
}

std::string text_of(const TargetEvent& event) {
    return std::visit(Overloaded{
        [](const PrepareReceived& e) { return "PrepareReceived" + sender(e) + manifest(e.manifest); },
        [](const OwnerChecked&) { return std::string("OwnerChecked"); },
        [](const OwnerRefused& e) { return "OwnerRefused" + with(e.code); },
        [](const ChunkArrived& e) { return "ChunkArrived" + sender(e); },
        [](const ChunkAssembled& e) { return "ChunkAssembled" + sender(e) + progress(e); },
        [](const ChunkConflict& e) { return "ChunkConflict" + sender(e); },
        [](const UnitRestored&) { return std::string("UnitRestored"); },
        [](const UnitRestoreFailed& e) { return "UnitRestoreFailed" + with(e.code); },
        [](const RelayArrived& e) { return "RelayArrived" + sender(e); },
        [](const CutoverArrived& e) { return "CutoverArrived" + sender(e) + proofs(e); },
        [](const CasAnswered& e) { return "CasAnswered answer=" + named(kAnswers, e.answer); },
        [](const TargetOwnerRead& e) { return "TargetOwnerRead owner=" + named(kOwners, e.owner); },
        [](const BacklogReady&) { return std::string("BacklogReady"); },
        [](const ConnectionLost& e) { return "ConnectionLost" + on(e.connection); },
        [](const ConnectionRestored& e) { return "ConnectionRestored" + on(e.connection); },
        [](const TargetAborted& e) { return "TargetAborted" + with(e.code); },
        [](const TimerElapsed& e) { return "TimerElapsed timer=" + named(kTimers, e.timer); },
    }, event);
}
// clang-format on

namespace {

/// One event line taken apart; every argument asked for is marked, so that a misspelt one is found.
class Line {
  public:
    explicit Line(const std::string& line) : line_(line) {
        std::istringstream words(line);
        words >> name_;
        for (std::string word; words >> word;) {
            const std::size_t equals = word.find('=');
            if (equals == std::string::npos) fail();
            values_[word.substr(0, equals)] = word.substr(equals + 1);
        }
    }

    const std::string& name() const { return name_; }

    std::uint64_t number(const std::string& key, std::uint64_t otherwise = 0) {
        const std::string text = take(key);
        return text.empty() ? otherwise : std::strtoull(text.c_str(), nullptr, 10);
    }
    ConnectionId connection() { return {number("connection", 1)}; }
    protocol::FrameworkErrorCode code() {
        return static_cast<protocol::FrameworkErrorCode>(number("code"));
    }
    RelocationIdentity identity() {
        return take("identity") == "foreign" ? foreign_identity() : test_identity();
    }
    StreamManifest manifest() {
        return {number("total"), static_cast<std::uint32_t>(number("chunks")),
                static_cast<std::uint32_t>(number("crc"))};
    }
    BoundaryProof proof(const std::string& key) {
        const std::string text = take(key);
        const std::size_t colon = text.find(':');
        if (colon == std::string::npos) fail();
        return {std::strtoull(text.c_str(), nullptr, 10),
                static_cast<std::uint32_t>(std::strtoull(text.c_str() + colon + 1, nullptr, 10))};
    }
    template <class Enum, std::size_t N>
    Enum named(const std::string& key, const std::array<std::string_view, N>& names) {
        const std::string text = take(key);
        for (std::size_t i = 0; i < N; ++i) {
            if (names.at(i) == text) return static_cast<Enum>(i);
        }
        fail();
    }

    [[noreturn]] void fail() const {
        std::fprintf(stderr, "not an event line: %s\n", line_.c_str());
        std::abort();
    }
    void finish() const {
        if (!values_.empty()) fail();
    }

  private:
    std::string take(const std::string& key) {
        const auto found = values_.find(key);
        if (found == values_.end()) return {};
        std::string value = found->second;
        values_.erase(found);
        return value;
    }

    std::string line_;
    std::string name_;
    std::map<std::string, std::string> values_;
};

SourceEvent parse_source(Line& line) {
    const std::string& name = line.name();
    if (name == "MoveRequested") {
        return MoveRequested{line.connection(),
                             at_ms(static_cast<std::int64_t>(line.number("deadline", 30000)))};
    }
    if (name == "TurnEnded") return TurnEnded{};
    if (name == "CaptureSucceeded") return CaptureSucceeded{line.manifest()};
    if (name == "CaptureFailed") return CaptureFailed{line.code()};
    if (name == "ChunkRoomGranted") {
        return ChunkRoomGranted{line.connection(),
                                static_cast<std::uint32_t>(line.number("ordinal"))};
    }
    if (name == "RelayReadyReceived") return RelayReadyReceived{line.identity(), line.connection()};
    if (name == "RelocationFailedReceived") {
        return RelocationFailedReceived{line.identity(), line.connection(), line.code()};
    }
    if (name == "ConnectionLost") return ConnectionLost{line.connection()};
    if (name == "ConnectionRestored") return ConnectionRestored{line.connection()};
    if (name == "CutoverTerminal") {
        return CutoverTerminal{line.named<protocol::SubmitResult>("result", kResults)};
    }
    if (name == "AbortRequested") return AbortRequested{line.code()};
    if (name == "OwnerRead") return OwnerRead{line.named<OwnerSeen>("owner", kOwners)};
    if (name == "TimerElapsed") return TimerElapsed{line.named<TimerKind>("timer", kTimers)};
    line.fail();
}

TargetEvent parse_target(Line& line) {
    const std::string& name = line.name();
    if (name == "PrepareReceived") {
        return PrepareReceived{line.identity(), line.connection(), line.manifest()};
    }
    if (name == "OwnerChecked") return OwnerChecked{};
    if (name == "OwnerRefused") return OwnerRefused{line.code()};
    if (name == "ChunkArrived") return ChunkArrived{line.identity(), line.connection()};
    if (name == "ChunkAssembled") {
        return ChunkAssembled{line.identity(), line.connection(),
                              static_cast<std::uint32_t>(line.number("ordinal")),
                              line.number("bytes"), static_cast<std::uint32_t>(line.number("crc"))};
    }
    if (name == "ChunkConflict") return ChunkConflict{line.identity(), line.connection()};
    if (name == "UnitRestored") return UnitRestored{};
    if (name == "UnitRestoreFailed") return UnitRestoreFailed{line.code()};
    if (name == "RelayArrived") return RelayArrived{line.identity(), line.connection()};
    if (name == "CutoverArrived") {
        return CutoverArrived{line.identity(), line.connection(), line.proof("declared"),
                              line.proof("received")};
    }
    if (name == "CasAnswered") return CasAnswered{line.named<CasAnswer>("answer", kAnswers)};
    if (name == "TargetOwnerRead") {
        return TargetOwnerRead{line.named<OwnerSeen>("owner", kOwners)};
    }
    if (name == "BacklogReady") return BacklogReady{};
    if (name == "ConnectionLost") return ConnectionLost{line.connection()};
    if (name == "ConnectionRestored") return ConnectionRestored{line.connection()};
    if (name == "TargetAborted") return TargetAborted{line.code()};
    if (name == "TimerElapsed") return TimerElapsed{line.named<TimerKind>("timer", kTimers)};
    line.fail();
}

}  // namespace

SourceEvent source_event(const std::string& text) {
    Line line(text);
    SourceEvent event = parse_source(line);
    line.finish();
    return event;
}

TargetEvent target_event(const std::string& text) {
    Line line(text);
    TargetEvent event = parse_target(line);
    line.finish();
    return event;
}

}  // namespace shunt::relocation::testing
