#pragma once
// What can go wrong in the tools with a user's files and options. The program ends with exit code 2
// and one sentence for each of them.

#include <system_error>

namespace shunt::tools {

enum class Errc {
    InputUnreadable = 1,  // A file is missing, no file, or cannot be read to its end.
    InputMalformed,       // A line breaks the format; the reader's problem() says which and why.
    OutputFailed,         // A file cannot be created or written, such as on a full disk.
    InvalidArgument,      // An option is outside of its bounds.
};

std::error_code make_error_code(Errc code) noexcept;

}  // namespace shunt::tools

template <>
struct std::is_error_code_enum<shunt::tools::Errc> : std::true_type {};
