#pragma once
// The one mechanism of protocol/: a layout is declared once, as the list of its fields in wire
// order, and encoding, decoding, measuring and checking are derived from that list.
//
//     constexpr auto layout(Of<ActorRef>) {
//         return fields(field("actorId", &ActorRef::actor_id),
//                       field("objectGeneration", &ActorRef::object_generation));
//     }
//
// A field's codec follows from its type (codec_for) unless the declaration names one. Everything
// else of spec/wire.md section 2.1 is a part of its own, here and in layout_parts.hpp:
//
//     constant<T>(v)              a version: written, required
//     kind("name", member, …)     the discriminator of a variant member; decoding it selects the
//                                 alternative
//     content(member)             the fields of the alternative selected
//     body<Length>(parts…)        a body length that must match the parts exactly
//     at_most(bytes, part…)       a whole-size limit
//     when(condition, parts…)     parts that exist only if the fields before say so
//     some(…), flagged(…)         optional members
//     must(condition)             a constraint of the field kind (invalid-field)
//     rule(condition)             a check of section 15.1 (semantic); run by validate()

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/assert.hpp"
#include "base/result.hpp"
#include "protocol/codec.hpp"
#include "protocol/errc.hpp"
#include "protocol/of.hpp"
#include "protocol/reader.hpp"
#include "protocol/writer.hpp"

namespace shunt::protocol {

template <class T>
concept HasLayout = requires {
    layout(Of<T>{});
};

// --- whole values -----------------------------------------------------------------------------

template <HasLayout T, class Sink>
void encode(Sink& sink, const T& value) {
    layout(Of<T>{}).encode(sink, value);
}

/// On failure `value` is partly written and worthless.
template <HasLayout T>
result<void> decode(Reader& reader, T& value) {
    return layout(Of<T>{}).decode(reader, value);
}

/// The rules of section 15.1 in `value` and everything in it. Error: Errc::Semantic.
template <HasLayout T>
result<void> validate(const T& value) {
    return layout(Of<T>{}).validate(value);
}

template <HasLayout T>
SizeCounter measure(const T& value) {
    SizeCounter counter;
    encode(counter, value);
    return counter;
}

/// Reads a whole value, to the exact end of `bytes`, with its rules.
template <HasLayout T>
result<T> decode_whole(ByteView bytes) {
    Reader reader(bytes);
    T value;
    BOOST_OUTCOME_TRY(decode(reader, value));
    BOOST_OUTCOME_TRY(reader.finish());
    BOOST_OUTCOME_TRY(validate(value));
    return value;
}

/// A value that has a layout, as a field of another.
struct Nested {
    template <class Sink, class T>
    void encode(Sink& sink, const T& value) const {
        protocol::encode(sink, value);
    }
    template <class T>
    result<void> decode(Reader& reader, T& value) const {
        return protocol::decode(reader, value);
    }
    template <class T>
    result<void> validate(const T& value) const {
        return protocol::validate(value);
    }
};

// --- which codec a type has by itself ---------------------------------------------------------

template <class T>
constexpr auto codec_for(Of<T>) {
    if constexpr (HasLayout<T>) {
        return Nested{};
    } else if constexpr (std::is_enum_v<T>) {
        return EnumCodec<T>{};
    } else if constexpr (std::is_same_v<T, bool>) {
        return Bool8{};
    } else {
        static_assert(std::unsigned_integral<T>, "this field type needs its codec named");
        return Between<T>{};
    }
}
template <class Tag>
constexpr auto codec_for(Of<Numbered<Tag>>) {
    return NumberedCodec{};
}
template <class Tag>
constexpr auto codec_for(Of<Wide<Tag>>) {
    return WideCodec<false>{};
}
template <class Tag>
constexpr auto codec_for(Of<Named<Tag>>) {
    return kText8;
}
constexpr auto codec_for(Of<NodeRid>) {
    return kRid;
}
constexpr auto codec_for(Of<std::string>) {
    return kText8;
}
constexpr auto codec_for(Of<std::string_view>) {
    return kText8;
}

template <class Count, class ItemCodec>
constexpr auto list_of(ItemCodec item, Count count_max = std::numeric_limits<Count>::max()) {
    return List<Count, ItemCodec, AnyOrder>{item, {}, count_max};
}
template <class Count, class ItemCodec, class Key>
constexpr auto sorted_list(ItemCodec item, Key key,
                           Count count_max = std::numeric_limits<Count>::max()) {
    return List<Count, ItemCodec, SortedBy<Key>>{item, {key}, count_max};
}
template <class Count, class ItemCodec, class Key>
constexpr auto unique_list(ItemCodec item, Key key,
                           Count count_max = std::numeric_limits<Count>::max()) {
    return List<Count, ItemCodec, UniqueBy<Key>>{item, {key}, count_max};
}

// --- parts ------------------------------------------------------------------------------------
// A part works on the whole struct S: encode(sink, s) and decode(reader, s); validate(s) where it
// has rules; clear(s) where it has a member to reset when it turns out to be absent.

template <class Part, class S>
void clear_with(const Part& part, S& s) {
    if constexpr (requires { part.clear(s); }) part.clear(s);
}

/// Parts in order; itself a part.
template <class... Parts>
struct Layout {
    std::tuple<Parts...> parts;

    template <class Sink, class S>
    void encode(Sink& sink, const S& s) const {
        std::apply([&](const auto&... part) { (part.encode(sink, s), ...); }, parts);
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        return each([&](const auto& part) { return part.decode(reader, s); });
    }
    template <class S>
    result<void> validate(const S& s) const {
        return each([&](const auto& part) { return validate_with(part, s); });
    }
    template <class S>
    void clear(S& s) const {
        std::apply([&](const auto&... part) { (clear_with(part, s), ...); }, parts);
    }

  private:
    /// In order, up to the first that fails.
    template <class Step>
    result<void> each(Step step) const {
        result<void> status = outcome::success();
        std::apply(
            [&](const auto&... part) {
                static_cast<void>(((status = step(part), status.has_value()) && ...));
            },
            parts);
        return status;
    }
};

template <class... Parts>
constexpr Layout<Parts...> fields(Parts... parts) {
    return {std::tuple<Parts...>(parts...)};
}

template <class Member, class S>
using MemberOf = std::remove_cvref_t<std::invoke_result_t<Member, S&>>;

template <class Member, class Codec>
struct Field {
    const char* name;
    Member member;
    Codec codec;

    template <class Sink, class S>
    void encode(Sink& sink, const S& s) const {
        codec.encode(sink, std::invoke(member, s));
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        return codec.decode(reader, std::invoke(member, s));
    }
    template <class S>
    result<void> validate(const S& s) const {
        return validate_with(codec, std::invoke(member, s));
    }
    template <class S>
    void clear(S& s) const {
        std::invoke(member, s) = {};
    }
};

template <class Member, class Codec>
constexpr Field<Member, Codec> field(const char* name, Member member, Codec codec) {
    return {name, member, codec};
}
template <class S, class T>
constexpr auto field(const char* name, T S::*member) {
    return field(name, member, codec_for(Of<T>{}));
}

/// A value every encoding carries: a version.
template <std::unsigned_integral T>
struct Constant {
    T value;

    template <class Sink, class S>
    void encode(Sink& sink, const S& /*s*/) const {
        sink.integer(value);
    }
    template <class S>
    result<void> decode(Reader& reader, S& /*s*/) const {
        BOOST_OUTCOME_TRY(const T found, reader.integer<T>());
        if (found != value) return Errc::InvalidField;
        return outcome::success();
    }
};
template <std::unsigned_integral T>
constexpr Constant<T> constant(T value) {
    return {value};
}

/// The whole struct where a member is asked for: layouts of bare variants.
inline constexpr std::identity kSelf{};

/// Discriminator of a variant member: alternative number i is written as kinds[i].
template <class Member, class Enum, std::size_t N>
struct Kind {
    const char* name;
    Member member;
    std::array<Enum, N> kinds;

    template <class Sink, class S>
    void encode(Sink& sink, const S& s) const {
        EnumCodec<Enum>{}.encode(sink, kinds[std::invoke(member, s).index()]);
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        static_assert(std::variant_size_v<MemberOf<Member, S>> == N, "one kind per alternative");
        Enum found{};
        BOOST_OUTCOME_TRY(EnumCodec<Enum>{}.decode(reader, found));
        if (!select(std::invoke(member, s), found, std::make_index_sequence<N>{})) {
            return Errc::InvalidField;
        }
        return outcome::success();
    }
    template <class S>
    void clear(S& s) const {
        std::invoke(member, s) = {};
    }

  private:
    template <class Variant, std::size_t... I>
    bool select(Variant& variant, Enum found, std::index_sequence<I...>) const {
        return ((kinds[I] == found && (variant.template emplace<I>(), true)) || ...);
    }
};
template <class Member, class Enum, class... Enums>
constexpr auto kind(const char* name, Member member, Enum first, Enums... rest) {
    return Kind<Member, Enum, 1 + sizeof...(rest)>{name, member, {first, rest...}};
}

/// The fields of the alternative that a Kind, or the decoder's caller, has selected.
template <class Member>
struct Content {
    Member member;

    template <class Sink, class S>
    void encode(Sink& sink, const S& s) const {
        std::visit([&](const auto& value) { protocol::encode(sink, value); },
                   std::invoke(member, s));
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        return std::visit([&](auto& value) { return protocol::decode(reader, value); },
                          std::invoke(member, s));
    }
    template <class S>
    result<void> validate(const S& s) const {
        return std::visit([](const auto& value) { return protocol::validate(value); },
                          std::invoke(member, s));
    }
    template <class S>
    void clear(S& s) const {
        std::invoke(member, s) = {};
    }
};
template <class Member>
constexpr Content<Member> content(Member member) {
    return {member};
}

}  // namespace shunt::protocol
