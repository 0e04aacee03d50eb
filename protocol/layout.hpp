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
//     some(…), if_there(…), flagged(…), Wrapped
//                                 optional members
//     group("name", parts…)       no bytes of its own; a named object in a printout
//     must(condition)             a constraint of the field kind (invalid-field)
//     rule(condition)             a check of section 15.1 (semantic); run by validate()

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/assert.hpp"
#include "base/result.hpp"
#include "protocol/boxed.hpp"
#include "protocol/codec.hpp"
#include "protocol/errc.hpp"
#include "protocol/json_printer.hpp"
#include "protocol/of.hpp"
#include "protocol/reader.hpp"
#include "protocol/writer.hpp"

namespace shunt::protocol {

template <class T>
concept HasLayout = requires {
    layout(Of<T>{});
};

/// T's layout as a constant: one object, not one per call.
template <HasLayout T>
inline constexpr auto kLayout = layout(Of<T>{});

// --- whole values -----------------------------------------------------------------------------
// Never inlined: one function per type and direction keeps what the compiler sees small, which
// halves the time it takes and costs the message path a call per structure.

template <HasLayout T, class Sink>
[[gnu::noinline]] void encode(Sink& sink, const T& value) {
    kLayout<T>.encode(sink, value);
}

/// On failure `value` is partly written and worthless.
template <HasLayout T>
[[gnu::noinline]] result<void> decode(Reader& reader, T& value) {
    return kLayout<T>.decode(reader, value);
}

/// The rules of section 15.1 in `value` and everything in it. Error: Errc::Semantic.
template <HasLayout T>
[[gnu::noinline]] result<void> validate(const T& value) {
    return kLayout<T>.validate(value);
}

template <HasLayout T>
SizeCounter measure(const T& value) {
    SizeCounter counter;
    encode(counter, value);
    return counter;
}

/// As a JSON value, with the spec's field names.
template <HasLayout T>
[[gnu::noinline]] void print(JsonPrinter& printer, const T& value) {
    if constexpr (requires { is_bare(Of<T>{}); }) {
        kLayout<T>.print(printer, value);
    } else {
        printer.object([&] { kLayout<T>.print(printer, value); });
    }
}

/// Reads a whole value, to the exact end of `bytes`, with its rules. `fault` learns where it fails.
template <HasLayout T>
result<T> decode_whole(ByteView bytes, Fault* fault = nullptr) {
    Reader reader(bytes, fault);
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
    template <class T>
    void print(JsonPrinter& printer, const T& value) const {
        protocol::print(printer, value);
    }
};

// --- where a layout is compiled ---------------------------------------------------------------
// Layouts that many others contain are compiled in one .cpp each; the header that declares such a
// layout says SHUNT_LAYOUT_ELSEWHERE, its .cpp SHUNT_LAYOUT_HERE. Without that every command would
// be compiled together with all it contains, in every file that walks the commands.

#define SHUNT_LAYOUT(EXTERN, T)                          \
    EXTERN template void encode(SizeCounter&, const T&); \
    EXTERN template void encode(Writer&, const T&);      \
    EXTERN template result<void> decode(Reader&, T&);    \
    EXTERN template result<void> validate(const T&);     \
    EXTERN template void print(JsonPrinter&, const T&);
#define SHUNT_LAYOUT_ELSEWHERE(T) SHUNT_LAYOUT(extern, T)
#define SHUNT_LAYOUT_HERE(T) SHUNT_LAYOUT(, T)

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
/// A boxed value lies on the wire as the value.
struct BoxedCodec {
    template <class Sink, class T>
    void encode(Sink& sink, const Boxed<T>& value) const {
        protocol::encode(sink, *value);
    }
    template <class T>
    result<void> decode(Reader& reader, Boxed<T>& value) const {
        return protocol::decode(reader, *value);
    }
    template <class T>
    result<void> validate(const Boxed<T>& value) const {
        return protocol::validate(*value);
    }
    template <class T>
    void print(JsonPrinter& printer, const Boxed<T>& value) const {
        protocol::print(printer, *value);
    }
};
template <class T>
constexpr auto codec_for(Of<Boxed<T>>) {
    return BoxedCodec{};
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
void print_with(const Part& part, JsonPrinter& printer, const S& s) {
    if constexpr (requires { part.print(printer, s); }) part.print(printer, s);
}
template <class Part, class S>
void clear_with(const Part& part, S& s) {
    if constexpr (requires { part.clear(s); }) part.clear(s);
}

template <std::size_t Index, class Part>
struct Slot {
    Part part;
};

/// Parts in order; itself a part. Slots and folds instead of a tuple and apply(): layouts nest, and
/// every helper in between would carry the whole nest in its name.
template <class Indices, class... Parts>
struct LayoutOf;
template <std::size_t... I, class... Parts>
struct LayoutOf<std::index_sequence<I...>, Parts...> : Slot<I, Parts>... {
    template <class Sink, class S>
    void encode([[maybe_unused]] Sink& sink, [[maybe_unused]] const S& s) const {
        (Slot<I, Parts>::part.encode(sink, s), ...);
    }
    /// Up to the first part that fails.
    template <class S>
    result<void> decode([[maybe_unused]] Reader& reader, [[maybe_unused]] S& s) const {
        result<void> status = outcome::success();
        static_cast<void>(
            ((status = Slot<I, Parts>::part.decode(reader, s), status.has_value()) && ...));
        return status;
    }
    template <class S>
    result<void> validate([[maybe_unused]] const S& s) const {
        result<void> status = outcome::success();
        static_cast<void>(
            ((status = validate_with(Slot<I, Parts>::part, s), status.has_value()) && ...));
        return status;
    }
    template <class S>
    void clear([[maybe_unused]] S& s) const {
        (clear_with(Slot<I, Parts>::part, s), ...);
    }
    template <class S>
    void print([[maybe_unused]] JsonPrinter& printer, [[maybe_unused]] const S& s) const {
        (print_with(Slot<I, Parts>::part, printer, s), ...);
    }
};
template <class... Parts>
using Layout = LayoutOf<std::index_sequence_for<Parts...>, Parts...>;

template <class... Parts>
constexpr Layout<Parts...> fields(Parts... parts) {
    return {{parts}...};
}

/// The whole struct where a member is asked for: layouts of bare variants.
struct Self {};
inline constexpr Self kSelf{};

/// The member a part works on.
template <class T, class Base, class S>
constexpr auto& at(T Base::*member, S& s) noexcept {
    return s.*member;
}
template <class S>
constexpr S& at(Self /*self*/, S& s) noexcept {
    return s;
}
template <class Member, class S>
using MemberOf = std::remove_cvref_t<decltype(at(std::declval<Member>(), std::declval<S&>()))>;

template <class Member, class Codec>
struct Field {
    const char* name;
    Member member;
    Codec codec;

    template <class Sink, class S>
    void encode(Sink& sink, const S& s) const {
        codec.encode(sink, at(member, s));
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        const std::size_t start = reader.offset();
        return reader.named(name, start, codec.decode(reader, at(member, s)));
    }
    template <class S>
    result<void> validate(const S& s) const {
        return validate_with(codec, at(member, s));
    }
    template <class S>
    void clear(S& s) const {
        at(member, s) = {};
    }
    /// A field without a name is what its bare struct prints as.
    template <class S>
    void print(JsonPrinter& printer, const S& s) const {
        if (name != nullptr) printer.key(name);
        codec.print(printer, at(member, s));
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
        const std::size_t start = reader.offset();
        T found = 0;
        return reader.named("version", start, Between<T>{value, value}.decode(reader, found));
    }
};
template <std::unsigned_integral T>
constexpr Constant<T> constant(T value) {
    return {value};
}

/// Discriminator of a variant member: alternative number i is written as kinds[i].
template <class Member, class Enum, std::size_t N>
struct Kind {
    const char* name;
    Member member;
    std::array<Enum, N> kinds;

    template <class Sink, class S>
    void encode(Sink& sink, const S& s) const {
        EnumCodec<Enum>{}.encode(sink, kinds[at(member, s).index()]);
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        static_assert(std::variant_size_v<MemberOf<Member, S>> == N, "one kind per alternative");
        const std::size_t start = reader.offset();
        Enum found{};
        result<void> status = EnumCodec<Enum>{}.decode(reader, found);
        if (status.has_value() && !select(at(member, s), found, std::make_index_sequence<N>{})) {
            status = Errc::InvalidField;
        }
        return reader.named(name, start, status);
    }
    template <class S>
    void clear(S& s) const {
        at(member, s) = {};
    }
    template <class S>
    void print(JsonPrinter& printer, const S& s) const {
        printer.key(name);
        EnumCodec<Enum>{}.print(printer, kinds[at(member, s).index()]);
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

/// The fields of the alternative that a Kind, or the decoder's caller, has selected. In a printout
/// they stand beside the kind; an alternative with a name stands under it.
template <class Member, std::size_t N>
struct Content {
    Member member;
    std::array<const char*, N> names;

    template <class Sink, class S>
    void encode(Sink& sink, const S& s) const {
        std::visit([&](const auto& value) { protocol::encode(sink, value); }, at(member, s));
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        return std::visit([&](auto& value) { return protocol::decode(reader, value); },
                          at(member, s));
    }
    template <class S>
    result<void> validate(const S& s) const {
        return std::visit([](const auto& value) { return protocol::validate(value); },
                          at(member, s));
    }
    template <class S>
    void clear(S& s) const {
        at(member, s) = {};
    }
    template <class S>
    void print(JsonPrinter& printer, const S& s) const {
        const auto& variant = at(member, s);
        const char* name = variant.index() < N ? names[variant.index()] : nullptr;
        std::visit(
            [&]<class T>(const T& value) {
                if (name == nullptr) return kLayout<T>.print(printer, value);
                printer.key(name);
                protocol::print(printer, value);
            },
            variant);
    }
};
template <class Member, class... Names>
constexpr Content<Member, sizeof...(Names)> content(Member member, Names... names) {
    return {member, {names...}};
}

}  // namespace shunt::protocol
