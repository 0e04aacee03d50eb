#pragma once
// Assertions for our own mistakes (design-notes style, section 3). Nothing a peer, a store, a file
// or a user can cause is ever asserted: those are error values.

#include <cstdlib>

namespace shunt {

/// Prints where the broken invariant stands to stderr and aborts. Async-signal-safe: it uses only
/// write(2), so it may run with any lock held.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace shunt

/// Stays on in release builds: a broken invariant must stop the node, not corrupt an object.
#define SHUNT_ASSERT(condition)                          \
    (static_cast<bool>(condition) ? static_cast<void>(0) \
                                  : ::shunt::assertion_failed(#condition, __FILE__, __LINE__))

/// For loops that run per byte, where the check would be the work. Off with NDEBUG.
#ifdef NDEBUG
#define SHUNT_DEBUG_ASSERT(condition) static_cast<void>(0)
#else
#define SHUNT_DEBUG_ASSERT(condition) SHUNT_ASSERT(condition)
#endif
