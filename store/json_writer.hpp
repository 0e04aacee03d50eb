#pragma once
// Writes the JSON of a record byte for byte as spec/stores.md section 5.1 demands: no whitespace,
// members in call order, the fewest escapes. Internal to store/.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace shunt::store {

/// Members are written in the order of the calls. A list holds objects only.
class JsonWriter {
  public:
    void begin_object();
    void begin_object(std::string_view name);
    void end_object();
    void begin_list(std::string_view name);
    void end_list();

    /// `value` is UTF-8.
    void text(std::string_view name, std::string_view value);
    void integer(std::string_view name, std::uint64_t value);
    /// A 64-bit value: a decimal inside quotes.
    void decimal(std::string_view name, std::uint64_t value);
    void boolean(std::string_view name, bool value);
    void null(std::string_view name);

    Bytes bytes() const { return copy_of(bytes_of(out_)); }

  private:
    void separate();
    void begin_member(std::string_view name);
    void open(char bracket);
    void close(char bracket);
    void quote(std::string_view value);

    std::string out_;
    bool needs_comma_ = false;  // A value stands before this place in the same brackets.
};

}  // namespace shunt::store
