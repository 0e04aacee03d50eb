#include "base/assert.hpp"

#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace shunt {

void assertion_failed(const char* condition, const char* file, int line) noexcept {
    char text[512];
    const int size = std::snprintf(text, sizeof(text), "shunt: broken invariant at %s:%d: %s\n",
                                   file, line, condition);
    if (size > 0) {
        const auto bytes = static_cast<std::size_t>(size) < sizeof(text)
                               ? static_cast<std::size_t>(size)
                               : std::strlen(text);
        // Nothing can be done about a failed write on the way to abort().
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, bytes);
    }
    std::abort();
}

}  // namespace shunt
