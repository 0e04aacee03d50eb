// libFuzzer's door to the targets: SHUNT_FUZZ_TARGET names one. Built by `./dev fuzz` only.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "targets.hpp"

namespace {

const shunt::fuzz::Target& chosen() {
    const char* name = std::getenv("SHUNT_FUZZ_TARGET");
    for (const shunt::fuzz::Target& target : shunt::fuzz::kTargets) {
        if (name != nullptr && target.name == name) return target;
    }
    std::fprintf(stderr, "SHUNT_FUZZ_TARGET names no target\n");
    std::exit(2);
}

}  // namespace

// The names and types are libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const shunt::fuzz::Target& target = chosen();
    target.run({reinterpret_cast<const std::byte*>(data), size});
    return 0;
}
