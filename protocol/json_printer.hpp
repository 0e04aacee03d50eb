#pragma once
// Writes a decoded value as one JSON document, the way the golden vectors spell them (spec/wire.md
// section 16): 64-bit integers as decimal strings, bytes as hex, enums by name. Layouts drive it.

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"

namespace shunt::protocol {

class JsonPrinter {
  public:
    /// Runs `members`, which print "key" and value in turn, between braces.
    template <class Members>
    void object(Members&& members) {
        open('{');
        members();
        close('}');
    }
    /// Runs `items`, which print values, between brackets.
    template <class Items>
    void list(Items&& items) {
        open('[');
        items();
        close(']');
    }

    void key(std::string_view name);
    void text(std::string_view text);
    void bytes(ByteView bytes);
    void boolean(bool value) { raw(value ? "true" : "false"); }
    void null() { raw("null"); }
    template <std::unsigned_integral T>
    void number(T value) {
        const std::string digits = std::to_string(value);
        if constexpr (sizeof(T) == 8) {
            text(digits);
        } else {
            raw(digits);
        }
    }

    std::string take() { return std::move(out_); }

  private:
    void open(char bracket);
    void close(char bracket);
    void raw(std::string_view token);
    void quoted(std::string_view text);
    void separate();

    std::string out_;
    bool first_ = true;       // Nothing yet in the innermost bracket.
    bool after_key_ = false;  // The next value follows its key, not another value.
};

}  // namespace shunt::protocol
