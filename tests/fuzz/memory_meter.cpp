#include "memory_meter.hpp"

#include <algorithm>

// AddressSanitizer keeps its own accounts and wants operator new to itself, so there its hooks
// count; elsewhere operator new is ours.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SHUNT_METER_BY_HOOKS
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SHUNT_METER_BY_HOOKS
#endif

#ifdef SHUNT_METER_BY_HOOKS
// Declared here because g++ installs no header for them.
extern "C" {
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                              void (*on_free)(const volatile void*));
std::size_t __sanitizer_get_allocated_size(const volatile void* memory);
}
#else
#include <malloc.h>
#include <new>
#endif

namespace shunt::fuzz {
namespace {

// Below zero when memory from before the start is freed.
thread_local std::ptrdiff_t held_bytes = 0;
thread_local std::ptrdiff_t peak_bytes = 0;

void count_taken(std::size_t size) noexcept {
    held_bytes += static_cast<std::ptrdiff_t>(size);
    peak_bytes = std::max(peak_bytes, held_bytes);
}

void count_given_back(std::size_t size) noexcept {
    held_bytes -= static_cast<std::ptrdiff_t>(size);
}

#ifdef SHUNT_METER_BY_HOOKS

void on_malloc(const volatile void* /*memory*/, std::size_t size) {
    count_taken(size);
}
void on_free(const volatile void* memory) {
    if (memory == nullptr) return;
    count_given_back(__sanitizer_get_allocated_size(memory));
}
const int kHooked = __sanitizer_install_malloc_and_free_hooks(&on_malloc, &on_free);

#else

void* take(std::size_t size) noexcept {
    void* const memory = std::malloc(std::max<std::size_t>(size, 1));
    if (memory == nullptr) std::abort();
    count_taken(malloc_usable_size(memory));
    return memory;
}

void give_back(void* memory) noexcept {
    if (memory != nullptr) count_given_back(malloc_usable_size(memory));
    std::free(memory);
}

#endif

}  // namespace

void meter_start() noexcept {
#ifdef SHUNT_METER_BY_HOOKS
    if (kHooked == 0) std::abort();
#endif
    held_bytes = 0;
    peak_bytes = 0;
}

std::size_t meter_peak_bytes() noexcept {
    return static_cast<std::size_t>(peak_bytes);
}

}  // namespace shunt::fuzz

#ifndef SHUNT_METER_BY_HOOKS
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
#endif
