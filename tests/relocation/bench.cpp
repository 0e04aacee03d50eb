#include "tests/relocation/bench.hpp"

namespace shunt::relocation::testing {

SourceBench SourceBench::idle(const MoveSettings& settings) {
    return SourceBench(settings);
}
SourceBench SourceBench::awaiting_turn_end(const MoveSettings& settings) {
    SourceBench bench = idle(settings);
    bench.step("MoveRequested");
    return bench;
}
SourceBench SourceBench::capturing(const MoveSettings& settings) {
    SourceBench bench = awaiting_turn_end(settings);
    bench.step("TurnEnded");
    return bench;
}
SourceBench SourceBench::transferring(const MoveSettings& settings) {
    SourceBench bench = capturing(settings);
    bench.step(std::string("CaptureSucceeded") + kManifest);
    return bench;
}
SourceBench SourceBench::transferred(const MoveSettings& settings) {
    SourceBench bench = transferring(settings);
    bench.step("ChunkRoomGranted ordinal=0");
    bench.step("ChunkRoomGranted ordinal=1");
    return bench;
}
SourceBench SourceBench::relay_ready(const MoveSettings& settings) {
    SourceBench bench = transferred(settings);
    bench.step("RelayReadyReceived");
    return bench;
}
SourceBench SourceBench::following(const std::string& result, const MoveSettings& settings) {
    SourceBench bench = relay_ready(settings);
    bench.at(1000).step("CutoverTerminal result=" + result);
    return bench;
}
SourceBench SourceBench::boundary_unknown(const MoveSettings& settings) {
    SourceBench bench = transferred(settings);
    bench.at(30000).step("TimerElapsed timer=OperationDeadline");
    return bench;
}

std::string SourceBench::step(const std::string& event) {
    return step(source_event(event));
}
std::string SourceBench::step(const SourceEvent& event) {
    SourceEffects effects;
    machine_.step(event, now_, effects);
    return list_of(effects);
}
SourceBench& SourceBench::at(std::int64_t milliseconds) {
    now_ = at_ms(milliseconds);
    return *this;
}

TargetBench TargetBench::fresh(const MoveSettings& settings) {
    return TargetBench(settings);
}
TargetBench TargetBench::restoring(const MoveSettings& settings) {
    TargetBench bench = fresh(settings);
    bench.step(std::string("PrepareReceived") + kManifest);
    return bench;
}
TargetBench TargetBench::restoring_unit(const MoveSettings& settings) {
    TargetBench bench = restoring(settings);
    bench.step("OwnerChecked");
    bench.step("ChunkAssembled ordinal=0 bytes=16 crc=1");
    bench.step("ChunkAssembled ordinal=1 bytes=24 crc=700221333");
    return bench;
}
TargetBench TargetBench::relay_ready(const MoveSettings& settings) {
    TargetBench bench = restoring_unit(settings);
    bench.at(100).step("UnitRestored");
    return bench;
}
TargetBench TargetBench::cutover_received(const MoveSettings& settings) {
    TargetBench bench = relay_ready(settings);
    bench.step("CutoverArrived declared=0:0 received=0:0");
    return bench;
}
TargetBench TargetBench::cutover_fallback(const MoveSettings& settings) {
    TargetBench bench = relay_ready(settings);
    bench.at(1100).step("TimerElapsed timer=CutoverWait");
    return bench;
}
TargetBench TargetBench::store_retry(const MoveSettings& settings) {
    TargetBench bench = cutover_fallback(settings);
    bench.step("CasAnswered answer=Indeterminate");
    return bench;
}
TargetBench TargetBench::committed(const MoveSettings& settings) {
    TargetBench bench = cutover_received(settings);
    bench.step("CasAnswered answer=Applied");
    return bench;
}
TargetBench TargetBench::open(const MoveSettings& settings) {
    TargetBench bench = committed(settings);
    bench.step("BacklogReady");
    return bench;
}
TargetBench TargetBench::failed(const MoveSettings& settings) {
    TargetBench bench = restoring(settings);
    bench.step("ChunkAssembled ordinal=1 bytes=24 crc=1");
    return bench;
}
TargetBench TargetBench::stale(const MoveSettings& settings) {
    TargetBench bench = cutover_received(settings);
    bench.step("CasAnswered answer=Conflict");
    bench.step("TargetOwnerRead owner=Other");
    return bench;
}

std::string TargetBench::step(const std::string& event) {
    return step(target_event(event));
}
std::string TargetBench::step(const TargetEvent& event) {
    TargetEffects effects;
    machine_.step(event, now_, effects);
    return list_of(effects);
}
TargetBench& TargetBench::at(std::int64_t milliseconds) {
    now_ = at_ms(milliseconds);
    return *this;
}

}  // namespace shunt::relocation::testing
