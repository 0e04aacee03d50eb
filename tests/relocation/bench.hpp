#pragma once
// A machine on a table: fed one event line at a time, answering with its effects as text. The named
// constructors walk it to the state a test is about.

#include <string>

#include "relocation/source.hpp"
#include "relocation/target.hpp"
#include "tests/relocation/text.hpp"

namespace shunt::relocation::testing {

/// Two chunks of 16 and 8 bytes, 00..17 (spec/wire.md section 8).
inline constexpr char kManifest[] = " total=24 chunks=2 crc=700221333";

class SourceBench {
  public:
    static SourceBench idle(const MoveSettings& settings = {});
    static SourceBench awaiting_turn_end(const MoveSettings& settings = {});
    static SourceBench capturing(const MoveSettings& settings = {});
    /// Captured, 40 sent, room for the first chunk asked for.
    static SourceBench transferring(const MoveSettings& settings = {});
    /// Both chunks submitted, no reply yet.
    static SourceBench transferred(const MoveSettings& settings = {});
    /// Relay-ready accepted, cutover submitted.
    static SourceBench relay_ready(const MoveSettings& settings = {});
    /// S1 at 1000 ms with this result.
    static SourceBench following(const std::string& result, const MoveSettings& settings = {});
    /// The deadline passed at 30000 ms in silence.
    static SourceBench boundary_unknown(const MoveSettings& settings = {});

    /// Feeds one event; effects as text, "-" for none.
    std::string step(const std::string& event);
    std::string step(const SourceEvent& event);
    SourceBench& at(std::int64_t milliseconds);

    Stage stage() const { return machine_.stage(); }
    std::string ingress() const { return text_of(machine_.ingress()); }
    const Source& machine() const { return machine_; }

  private:
    explicit SourceBench(const MoveSettings& settings) : machine_(test_identity(), settings) {}

    Source machine_;
    TimePoint now_ = at_ms(0);
};

class TargetBench {
  public:
    static TargetBench fresh(const MoveSettings& settings = {});
    /// First 40 at 0 ms.
    static TargetBench restoring(const MoveSettings& settings = {});
    /// Owner checked, both chunks assembled, RestoreUnit asked.
    static TargetBench restoring_unit(const MoveSettings& settings = {});
    /// Relay-ready sent at 100 ms.
    static TargetBench relay_ready(const MoveSettings& settings = {});
    /// Cutover of an empty batch arrived, CAS asked.
    static TargetBench cutover_received(const MoveSettings& settings = {});
    /// The wait elapsed at 1100 ms, CAS asked.
    static TargetBench cutover_fallback(const MoveSettings& settings = {});
    /// The CAS stayed unanswered at 1100 ms, back-off armed.
    static TargetBench store_retry(const MoveSettings& settings = {});
    static TargetBench committed(const MoveSettings& settings = {});
    static TargetBench open(const MoveSettings& settings = {});
    /// Removed with 53, code 35.
    static TargetBench failed(const MoveSettings& settings = {});
    /// Removed after relay-ready: the row names another owner.
    static TargetBench stale(const MoveSettings& settings = {});

    std::string step(const std::string& event);
    std::string step(const TargetEvent& event);
    TargetBench& at(std::int64_t milliseconds);

    Stage stage() const { return machine_.stage(); }
    const Target& machine() const { return machine_; }

  private:
    explicit TargetBench(const MoveSettings& settings) : machine_(test_identity(), settings) {}

    Target machine_;
    TimePoint now_ = at_ms(0);
};

}  // namespace shunt::relocation::testing
