#include "base/ids.hpp"

#include "base/utf8.hpp"

namespace shunt {

bool is_valid_id(std::string_view text) noexcept {
    if (text.empty() || text.size() > kIdBytesMax) return false;
    return text.find('\0') == std::string_view::npos && is_strict_utf8(text);
}

}  // namespace shunt
