#include "tools/read_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "tools/errc.hpp"

namespace shunt::tools {

result<std::string> read_file(const std::string& path, std::string* why) {
    const bool is_input = path == "-";
    std::FILE* const file = is_input ? stdin : std::fopen(path.c_str(), "rb");
    std::string text;
    int reason = file == nullptr ? errno : 0;
    if (file != nullptr) {
        std::array<char, 65536> part{};
        while (const std::size_t size = std::fread(part.data(), 1, part.size(), file)) {
            text.append(part.data(), size);
        }
        if (std::ferror(file) != 0) reason = errno;
        if (!is_input) std::fclose(file);
    }
    if (reason == 0) return text;
    *why = (is_input ? "standard input" : path) + ": " + std::generic_category().message(reason);
    return Errc::InputUnreadable;
}

}  // namespace shunt::tools
