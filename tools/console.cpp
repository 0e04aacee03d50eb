#include "tools/console.hpp"

#include <array>
#include <cerrno>
#include <system_error>
#include <unistd.h>

namespace shunt::tools {
namespace {

constexpr std::chrono::milliseconds kStatusOnTerminal{100};
constexpr std::chrono::milliseconds kStatusInLog{3'000};

std::string three_digits(double value, const char* unit) {
    std::array<char, 48> text{};
    const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
    std::snprintf(text.data(), text.size(), "%.*f %s", decimals, value, unit);
    return text.data();
}

}  // namespace

std::string grouped(std::uint64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

std::string shown(std::chrono::nanoseconds duration) {
    const auto value = static_cast<double>(duration.count());
    if (value >= 1e9) return three_digits(value / 1e9, "s");
    if (value >= 1e6) return three_digits(value / 1e6, "ms");
    return three_digits(value / 1e3, "us");
}

std::string shown_clock(std::chrono::nanoseconds elapsed) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%5.1f s", static_cast<double>(elapsed.count()) / 1e9);
    return text.data();
}

std::string shown_bytes(std::uint64_t bytes) {
    constexpr double kKibi = 1024;
    const auto value = static_cast<double>(bytes);
    if (bytes < 1024) return std::to_string(bytes) + " B";
    if (value < kKibi * kKibi) return three_digits(value / kKibi, "KiB");
    if (value < kKibi * kKibi * kKibi) return three_digits(value / kKibi / kKibi, "MiB");
    return three_digits(value / kKibi / kKibi / kKibi, "GiB");
}

Console::Console(std::FILE* out) : out_(out), is_terminal_(isatty(fileno(out)) == 1) {
    if (!is_terminal_) status_due_ = std::chrono::steady_clock::now() + kStatusInLog;
}

void Console::write(std::string_view text) {
    if (error_number_ != 0) return;
    if (std::fwrite(text.data(), 1, text.size(), out_) != text.size()) error_number_ = errno;
}

void Console::clear_status() {
    if (!status_shown_) return;
    status_shown_ = false;
    write("\r\x1b[K");
    std::fflush(out_);
}

void Console::line(std::string_view text) {
    clear_status();
    write(text);
    write("\n");
    if (std::fflush(out_) != 0 && error_number_ == 0) error_number_ = errno;
}

void Console::status(std::string_view text) {
    const auto now = std::chrono::steady_clock::now();
    if (now < status_due_) return;
    status_due_ = now + (is_terminal_ ? kStatusOnTerminal : kStatusInLog);
    if (!is_terminal_) return line(text);
    // Without wrapping, or a narrow window would leave the first row of each status behind.
    write("\r\x1b[K\x1b[?7l");
    write(text);
    write("\x1b[?7h");
    std::fflush(out_);
    status_shown_ = true;
}

result<void> Console::finish(std::string* why) {
    clear_status();
    if (std::fflush(out_) != 0 && error_number_ == 0) error_number_ = errno;
    if (error_number_ == 0 && std::ferror(out_) == 0) return outcome::success();
    *why = std::generic_category().message(error_number_ != 0 ? error_number_ : EIO);
    return Errc::OutputFailed;
}

}  // namespace shunt::tools
