#pragma once
// Where a long-running command writes: lines that stay, and on a terminal one line at the bottom
// that is replaced. A full disk shows here and nowhere else.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "tools/errc.hpp"

namespace shunt::tools {

/// `1234567` as `1,234,567`.
std::string grouped(std::uint64_t number);
/// At most three digits and a unit, such as `1.24 ms` or `35.1 s`.
std::string shown(std::chrono::nanoseconds duration);
/// Seconds with one decimal in a column of its own, such as ` 12.3 s`.
std::string shown_clock(std::chrono::nanoseconds elapsed);
/// As shown(), for sizes, such as `12.3 MiB`.
std::string shown_bytes(std::uint64_t bytes);

/// Not thread-safe.
class Console {
  public:
    /// `out` outlives this. Whether it is a terminal is found out here.
    explicit Console(std::FILE* out);
    ~Console() { clear_status(); }
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;

    /// A line that stays.
    void line(std::string_view text);
    /// What is going on now. A terminal shows the newest; elsewhere it becomes a line every few
    /// seconds, so that a log stays readable.
    void status(std::string_view text);
    /// Takes the status away.
    void clear_status();

    /// Something was not taken: going on is of no use.
    bool failed() const noexcept { return error_number_ != 0; }
    /// Errc::OutputFailed when anything was not taken, then with the reason in `why`.
    result<void> finish(std::string* why);

  private:
    void write(std::string_view text);

    std::FILE* out_;
    bool is_terminal_;
    bool status_shown_ = false;
    int error_number_ = 0;
    std::chrono::steady_clock::time_point status_due_{};
};

}  // namespace shunt::tools
