#pragma once
// What section 5 of spec/wire.md says about a command beside its body. Each command declares it as
// info(Of<Command>), next to its layout.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "base/result.hpp"
#include "protocol/codec.hpp"
#include "protocol/enums.hpp"
#include "protocol/errc.hpp"
#include "protocol/of.hpp"
#include "protocol/reader.hpp"
#include "protocol/record.hpp"

namespace shunt::protocol {

/// The head prefix (section 1.1), followed by command id and flags.
inline constexpr std::uint8_t kRecordMagic[] = {0x5A, 0x4D};
inline constexpr std::uint8_t kRecordMajor = 1;
inline constexpr std::size_t kHeadPrefixBytes = 5;

/// Flags of the head prefix (section 1.2).
namespace command_flag {
inline constexpr std::uint8_t kMetadata = 0x01;
/// Bits boundSession and sourceSpotId: both or neither.
inline constexpr std::uint8_t kBoundSession = 0x06;
}  // namespace command_flag

enum class PayloadFrame : std::uint8_t { Forbidden, Optional, Required };

/// What section 5 says about a command beside its body.
struct CommandInfo {
    CommandId id;
    std::string_view name;
    Leg leg = Leg::Send;
    PayloadFrame payload = PayloadFrame::Forbidden;
    std::uint8_t flags_allowed = 0;
};

/// A role that section 15.1 demands of the sender; any declared role decodes.
struct RoleOf {
    RelocationRole required;

    template <class Sink>
    void encode(Sink& sink, RelocationRole role) const {
        SHUNT_ASSERT(role == required);
        EnumCodec<RelocationRole>{}.encode(sink, role);
    }
    result<void> decode(Reader& reader, RelocationRole& role) const {
        return EnumCodec<RelocationRole>{}.decode(reader, role);
    }
    result<void> validate(RelocationRole role) const {
        if (role != required) return Errc::Semantic;
        return outcome::success();
    }
    void print(JsonPrinter& printer, RelocationRole role) const {
        EnumCodec<RelocationRole>{}.print(printer, role);
    }
};
inline constexpr RoleOf kFromSource{RelocationRole::Source};
inline constexpr RoleOf kFromTarget{RelocationRole::Target};

/// Commands 24 and 25: the session tail goes with a flag.
template <class T>
constexpr bool kHasBoundSession = requires(const T& command) {
    command.bound_session;
};

/// Section 15.1: a reply or relay that is not ok carries no payload.
template <class T>
bool may_carry_payload(const T& command) {
    if constexpr (requires { command.terminal_result; }) {
        return command.terminal_result == RequestTerminalResult::Ok;
    } else {
        return true;
    }
}

}  // namespace shunt::protocol
