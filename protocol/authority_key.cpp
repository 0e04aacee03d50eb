#include "protocol/authority_key.hpp"

#include <cstdint>

#include "base/assert.hpp"
#include "protocol/errc.hpp"

namespace shunt::protocol {
namespace {

constexpr std::string_view kPrefix = "zla1:";
constexpr char kHex[] = "0123456789ABCDEF";

constexpr bool is_unreserved(char c) noexcept {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

/// 0..15, or 16 for no hex digit; lowercase is refused by comparing with the canonical form.
constexpr unsigned hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
    return 16;
}

result<std::string> unescape(std::string_view text) {
    std::string id;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            id.push_back(text[at]);
            continue;
        }
        if (text.size() - at < 3) return Errc::InvalidField;
        const unsigned high = hex_value(text[at + 1]);
        const unsigned low = hex_value(text[at + 2]);
        if (high > 15 || low > 15) return Errc::InvalidField;
        id.push_back(static_cast<char>((high << 4U) | low));
        at += 2;
    }
    return id;
}

}  // namespace

std::string encode_authority_key(const AuthorityKey& key) {
    SHUNT_ASSERT(is_valid_id(key.id));
    std::string text(kPrefix);
    text += key.kind == AuthorityObjectKind::Actor ? "a:" : "s:";
    text += std::to_string(key.id.size());
    text += ':';
    for (const char c : key.id) {
        if (is_unreserved(c)) {
            text += c;
            continue;
        }
        const auto byte = static_cast<std::uint8_t>(c);
        text += '%';
        text += kHex[byte >> 4U];
        text += kHex[byte & 0xFU];
    }
    return text;
}

std::string encode_authority_key(const ActorId& actor) {
    return encode_authority_key(AuthorityKey{AuthorityObjectKind::Actor, actor.value});
}

std::string encode_authority_key(const SpotId& spot) {
    return encode_authority_key(AuthorityKey{AuthorityObjectKind::Spot, spot.value});
}

result<AuthorityKey> decode_authority_key(std::string_view key) {
    if (key.size() > kAuthorityKeyBytesMax || !key.starts_with(kPrefix)) return Errc::InvalidField;
    std::string_view rest = key.substr(kPrefix.size());
    AuthorityKey decoded;
    if (rest.starts_with("s:")) {
        decoded.kind = AuthorityObjectKind::Spot;
    } else if (!rest.starts_with("a:")) {
        return Errc::InvalidField;
    }
    rest.remove_prefix(2);
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos) return Errc::InvalidField;
    BOOST_OUTCOME_TRY(decoded.id, unescape(rest.substr(colon + 1)));
    if (!is_valid_id(decoded.id)) return Errc::InvalidField;
    // Everything else that could differ (length, leading zero, spelling of an escape) differs
    // from the one canonical text.
    if (encode_authority_key(decoded) != key) return Errc::InvalidField;
    return decoded;
}

}  // namespace shunt::protocol
