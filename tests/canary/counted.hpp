#pragma once
// A value that knows how many of its kind live, and a string too long to stay inside it: a compiler
// that destroys a temporary twice, or never, shows in the count or in freed memory.

#include <string>
#include <utility>

namespace shunt::canary {

struct Counted {
    Counted() { ++live; }
    explicit Counted(std::string value) : text(std::move(value)) { ++live; }
    Counted(const Counted& other) : text(other.text) { ++live; }
    Counted(Counted&& other) noexcept : text(std::move(other.text)) { ++live; }
    Counted& operator=(const Counted&) = default;
    Counted& operator=(Counted&&) = default;
    ~Counted() { --live; }

    static inline int live = 0;
    std::string text;
};

inline const char* const kLongText = "a text that is too long to be kept inside of the string";

}  // namespace shunt::canary
