#pragma once
// `authority-key-v1` (spec/wire.md section 11): the text by which participants of a move are
// ordered. Not the Location Store's own key (spec/stores.md section 4).

#include <cstddef>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "protocol/enums.hpp"

namespace shunt::protocol {

inline constexpr std::size_t kAuthorityKeyBytesMax = 776;

/// What a key names.
struct AuthorityKey {
    AuthorityObjectKind kind = AuthorityObjectKind::Actor;
    /// ActorId or SpotId, by kind: 1..255 bytes of UTF-8 without NUL.
    std::string id;
    bool operator==(const AuthorityKey&) const = default;
};

/// Order keys by their unsigned bytes; std::string's comparison does that.
std::string encode_authority_key(const ActorId& actor);
std::string encode_authority_key(const SpotId& spot);
std::string encode_authority_key(const AuthorityKey& key);

/// Accepts exactly what the encoder writes. Errors: Errc::InvalidField.
result<AuthorityKey> decode_authority_key(std::string_view key);

}  // namespace shunt::protocol
