#pragma once
// The people and rooms of the demo. Both remember everything they heard, so their state grows, and
// both take it along when they move.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/actor.hpp"
#include "tools/demo_books.hpp"

namespace shunt::tools {

inline constexpr char kPersonType[] = "person";
inline constexpr char kRoomType[] = "room";
/// Packet of the feed to a person; its payload is an encoded Order.
inline constexpr char kOrderPacket[] = "order";
/// Every room has one timer of this period.
inline constexpr std::chrono::milliseconds kRoomTimerPeriod{250};

/// Actor ids; people and rooms may bear the same name in a trace.
std::string person_id(const std::string& user);
std::string room_id(const std::string& room);
/// Who the feed is in the books.
inline constexpr std::string_view kFeedParty = "feed";

/// What a person and a room have in common; the part of it that moves is `digest`, the tick indices
/// and `memory`.
struct Member {
    Member(Books& its_books, const ActorId& id);

    /// Ticks the message off and remembers it. Answers its stamp, or nothing when it is broken.
    std::optional<Stamp> hear(const host::Message& message);

    Books& books;
    conservation::Party self;
    Digest digest = 0;
    std::uint64_t last_delivery_index = 0;
    std::uint64_t last_scheduled_index = 0;
    Bytes memory;
};

/// Two segments: the small fields with a checksum, and everything remembered.
result<Segments> capture(const Member& member);
/// Errc::InputMalformed for bytes that capture() did not write.
result<void> restore(Member& member, ByteView state);

/// Adds both types. `books` outlives every host started with the registry.
result<void> add_demo_types(host::Registry& types, Books& books);

}  // namespace shunt::tools
