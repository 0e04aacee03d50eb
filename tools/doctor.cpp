#include "tools/doctor.hpp"

#include <array>
#include <cstdio>
#include <string>

#include "engine/probe.hpp"
#include "tools/console.hpp"

namespace shunt::tools {

int run_doctor() {
    const engine::Capabilities& found = engine::capabilities();
    Console console(stdout);
    for (const engine::ProbeLine& line : engine::describe(found)) {
        std::array<char, 64> name{};
        std::snprintf(name.data(), name.size(), "%-2s%-34s", line.good ? "" : "!",
                      line.name.c_str());
        console.line(name.data() + line.value);
    }
    std::string why;
    if (!console.finish(&why)) {
        std::fprintf(stderr, "shunt doctor: the output cannot be written: %s\n", why.c_str());
        return 2;
    }
    return found.blocker ? 1 : 0;
}

}  // namespace shunt::tools
