#pragma once
// Events and effects as one line of text each, for transcripts, the matrix and failure messages. A
// visitor names every alternative, so a new one does not compile until it has a name here.

#include <string>

#include "relocation/effect.hpp"
#include "relocation/event.hpp"
#include "relocation/source.hpp"

namespace shunt::relocation::testing {

std::string text_of(const SourceEffect& effect);
std::string text_of(const TargetEffect& effect);
std::string text_of(const SourceEvent& event);
std::string text_of(const TargetEvent& event);
std::string text_of(Ingress ingress);
std::string text_of(TimerKind timer);

/// All effects of a step, joined by ", "; "-" for none.
template <class Effects>
std::string list_of(const Effects& effects) {
    std::string line;
    for (const auto& effect : effects) line += (line.empty() ? "" : ", ") + text_of(effect);
    return line.empty() ? "-" : line;
}

/// The identity every test moves under unless it says otherwise.
RelocationIdentity test_identity();
/// The same RelocationId in another preparation attempt.
RelocationIdentity foreign_identity();

/// Milliseconds after the tests' epoch.
constexpr TimePoint at_ms(std::int64_t milliseconds) {
    return TimePoint(std::chrono::milliseconds(milliseconds));
}

/// A line such as `ConnectionLost connection=1` as the event it names; aborts on anything else.
/// Left out: identity is test_identity(), connection 1, every number 0.
SourceEvent source_event(const std::string& line);
TargetEvent target_event(const std::string& line);

}  // namespace shunt::relocation::testing
