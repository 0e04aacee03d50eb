#include "memory_meter.hpp"

#include <algorithm>
#include <malloc.h>
#include <new>

namespace shunt::fuzz {
namespace {

// Below zero when memory from before the start is freed.
thread_local std::ptrdiff_t held_bytes = 0;
thread_local std::ptrdiff_t peak_bytes = 0;

void* take(std::size_t size) noexcept {
    void* const memory = std::malloc(std::max<std::size_t>(size, 1));
    if (memory == nullptr) std::abort();
    held_bytes += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
    peak_bytes = std::max(peak_bytes, held_bytes);
    return memory;
}

void give_back(void* memory) noexcept {
    if (memory != nullptr) held_bytes -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
    std::free(memory);
}

}  // namespace

void meter_start() noexcept {
    held_bytes = 0;
    peak_bytes = 0;
}

std::size_t meter_peak_bytes() noexcept {
    return static_cast<std::size_t>(peak_bytes);
}

}  // namespace shunt::fuzz

void* operator new(std::size_t size) {
    return shunt::fuzz::take(size);
}
void* operator new[](std::size_t size) {
    return shunt::fuzz::take(size);
}
void operator delete(void* memory) noexcept {
    shunt::fuzz::give_back(memory);
}
void operator delete[](void* memory) noexcept {
    shunt::fuzz::give_back(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
    shunt::fuzz::give_back(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
    shunt::fuzz::give_back(memory);
}
