#pragma once
// The parts of a layout beyond plain fields (see layout.hpp): body lengths, whole-size limits,
// conditional and optional members, constraints and rules.

#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "base/assert.hpp"
#include "base/result.hpp"
#include "protocol/codec.hpp"
#include "protocol/errc.hpp"
#include "protocol/json_printer.hpp"
#include "protocol/layout.hpp"
#include "protocol/reader.hpp"
#include "protocol/writer.hpp"

namespace shunt::protocol {

/// A length of type `Length` that covers exactly the parts. A length above `bytes_max` is refused
/// before anything is read.
template <std::unsigned_integral Length, class Parts>
struct Body {
    Parts parts;
    Length bytes_max = std::numeric_limits<Length>::max();

    template <class Sink, class S>
    void encode(Sink& sink, const S& s) const {
        if constexpr (Sink::kCounts) {
            sink.integer(Length{});
        } else {
            SizeCounter counter;
            parts.encode(counter, s);
            SHUNT_ASSERT(counter.total_bytes() <= bytes_max);
            sink.integer(static_cast<Length>(counter.total_bytes()));
        }
        parts.encode(sink, s);
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        BOOST_OUTCOME_TRY(const Reader::Scope scope, reader.open<Length>(bytes_max));
        return reader.leave(scope, parts.decode(reader, s));
    }
    template <class S>
    result<void> validate(const S& s) const {
        return parts.validate(s);
    }
    template <class S>
    void clear(S& s) const {
        parts.clear(s);
    }
    template <class S>
    void print(JsonPrinter& printer, const S& s) const {
        parts.print(printer, s);
    }
};
template <std::unsigned_integral Length, class... Parts>
constexpr auto body(Parts... parts) {
    return Body<Length, Layout<Parts...>>{fields(parts...)};
}
/// `bytes_max` counts the body alone: subtract what stands before it from a whole-size limit.
template <std::unsigned_integral Length, class... Parts>
constexpr auto body_at_most(Length bytes_max, Parts... parts) {
    return Body<Length, Layout<Parts...>>{fields(parts...), bytes_max};
}

/// Parts without a length of their own that may not take more than `bytes_max`.
template <class Parts>
struct AtMost {
    std::size_t bytes_max;
    Parts parts;

    template <class Sink, class S>
    void encode(Sink& sink, const S& s) const {
        if constexpr (!Sink::kCounts) {
            SizeCounter counter;
            parts.encode(counter, s);
            SHUNT_ASSERT(counter.total_bytes() <= bytes_max);
        }
        parts.encode(sink, s);
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        const std::size_t start = reader.offset();
        BOOST_OUTCOME_TRY(parts.decode(reader, s));
        if (reader.offset() - start > bytes_max) return Errc::LimitExceeded;
        return outcome::success();
    }
    template <class S>
    result<void> validate(const S& s) const {
        return parts.validate(s);
    }
    template <class S>
    void clear(S& s) const {
        parts.clear(s);
    }
    template <class S>
    void print(JsonPrinter& printer, const S& s) const {
        parts.print(printer, s);
    }
};
template <class... Parts>
constexpr auto at_most(std::size_t bytes_max, Parts... parts) {
    return AtMost<Layout<Parts...>>{bytes_max, fields(parts...)};
}

/// Parts that take part only if `condition(s)` holds; otherwise their members are reset.
template <class Condition, class Parts>
struct When {
    Condition condition;
    Parts parts;

    template <class Sink, class S>
    void encode(Sink& sink, const S& s) const {
        if (condition(s)) parts.encode(sink, s);
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        if (condition(s)) return parts.decode(reader, s);
        parts.clear(s);
        return outcome::success();
    }
    template <class S>
    result<void> validate(const S& s) const {
        if (!condition(s)) return outcome::success();
        return parts.validate(s);
    }
    template <class S>
    void clear(S& s) const {
        parts.clear(s);
    }
    template <class S>
    void print(JsonPrinter& printer, const S& s) const {
        if (condition(s)) parts.print(printer, s);
    }
};
template <class Condition, class... Parts>
constexpr auto when(Condition condition, Parts... parts) {
    return When<Condition, Layout<Parts...>>{condition, fields(parts...)};
}

/// An optional member at a place where it is known to be there (inside when()).
template <class Member, class Codec>
struct Some {
    const char* name;
    Member member;
    Codec codec;

    template <class Sink, class S>
    void encode(Sink& sink, const S& s) const {
        SHUNT_ASSERT(at(member, s).has_value());
        codec.encode(sink, *at(member, s));
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        const std::size_t start = reader.offset();
        return reader.named(name, start, codec.decode(reader, at(member, s).emplace()));
    }
    template <class S>
    result<void> validate(const S& s) const {
        return validate_with(codec, *at(member, s));
    }
    template <class S>
    void clear(S& s) const {
        at(member, s).reset();
    }
    template <class S>
    void print(JsonPrinter& printer, const S& s) const {
        printer.key(name);
        codec.print(printer, *at(member, s));
    }
};
template <class Member, class Codec>
constexpr Some<Member, Codec> some(const char* name, Member member, Codec codec) {
    return {name, member, codec};
}
template <class S, class T>
constexpr auto some(const char* name, std::optional<T> S::*member) {
    return some(name, member, codec_for(Of<T>{}));
}

/// An optional member whose presence is known before its bytes: a flag field, or the decoder's
/// caller, has filled it. Prints as null when it is not there.
template <class Member, class Codec>
struct IfThere {
    Some<Member, Codec> some;

    template <class S>
    bool in(const S& s) const {
        return at(some.member, s).has_value();
    }
    template <class Sink, class S>
    void encode(Sink& sink, const S& s) const {
        if (in(s)) some.encode(sink, s);
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        if (in(s)) return some.decode(reader, s);
        return outcome::success();
    }
    template <class S>
    result<void> validate(const S& s) const {
        if (in(s)) return some.validate(s);
        return outcome::success();
    }
    template <class S>
    void clear(S& s) const {
        some.clear(s);
    }
    template <class S>
    void print(JsonPrinter& printer, const S& s) const {
        if (in(s)) return some.print(printer, s);
        printer.key(some.name);
        printer.null();
    }
};
template <class S, class T>
constexpr auto if_there(const char* name, std::optional<T> S::*member) {
    auto part = some(name, member);
    return IfThere<decltype(part.member), decltype(part.codec)>{part};
}

/// A bool8 that says whether an optional member is there.
template <class Member>
struct Presence {
    const char* name;
    Member member;

    template <class Sink, class S>
    void encode(Sink& sink, const S& s) const {
        Bool8{}.encode(sink, at(member, s).has_value());
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        bool present = false;
        const std::size_t start = reader.offset();
        BOOST_OUTCOME_TRY(reader.named(name, start, Bool8{}.decode(reader, present)));
        auto& value = at(member, s);
        if (present) {
            value.emplace();
        } else {
            value.reset();
        }
        return outcome::success();
    }
    template <class S>
    void print(JsonPrinter& printer, const S& s) const {
        printer.key(name);
        printer.boolean(at(member, s).has_value());
    }
};

/// bool8, then the field if it is true.
template <class S, class T>
constexpr auto flagged(const char* flag, const char* name, std::optional<T> S::*member) {
    return fields(Presence<std::optional<T> S::*>{flag, member}, if_there(name, member));
}

/// The same with a codec that the type alone does not name.
template <class S, class T, class Codec>
constexpr auto flagged(const char* flag, const char* name, std::optional<T> S::*member,
                       Codec codec) {
    return fields(Presence<std::optional<T> S::*>{flag, member},
                  IfThere<std::optional<T> S::*, Codec>{some(name, member, codec)});
}

/// Codec of an optional: bool8, a body length, then the value if it is true (spec/wire.md section
/// 4.3). `body_max` bounds the body alone.
template <std::unsigned_integral Length, class Codec>
struct Wrapped {
    const char* flag;
    const char* name;
    Codec codec;
    Length body_max = std::numeric_limits<Length>::max();

    template <class Sink, class T>
    void encode(Sink& sink, const std::optional<T>& value) const {
        SizeCounter counter;
        if (value) codec.encode(counter, *value);
        SHUNT_ASSERT(counter.total_bytes() <= body_max);
        Bool8{}.encode(sink, value.has_value());
        sink.integer(static_cast<Length>(counter.total_bytes()));
        if (value) codec.encode(sink, *value);
    }
    template <class T>
    result<void> decode(Reader& reader, std::optional<T>& value) const {
        bool present = false;
        const std::size_t start = reader.offset();
        BOOST_OUTCOME_TRY(reader.named(flag, start, Bool8{}.decode(reader, present)));
        BOOST_OUTCOME_TRY(const Reader::Scope scope, reader.open<Length>(body_max));
        value.reset();
        if (!present) return reader.leave(scope, outcome::success());
        return reader.leave(scope, codec.decode(reader, value.emplace()));
    }
    template <class T>
    result<void> validate(const std::optional<T>& value) const {
        if (!value) return outcome::success();
        return validate_with(codec, *value);
    }
    /// The value's fields stand beside the flag, or under `name` if it has one.
    template <class T>
    void print(JsonPrinter& printer, const std::optional<T>& value) const {
        printer.object([&] {
            printer.key(flag);
            printer.boolean(value.has_value());
            if (!value) return;
            if constexpr (HasLayout<T>) {
                if (name == nullptr) return kLayout<T>.print(printer, *value);
            }
            printer.key(name);
            codec.print(printer, *value);
        });
    }
};
template <std::unsigned_integral Length, class Codec>
constexpr Wrapped<Length, Codec> wrapped(const char* flag, const char* name, Codec codec) {
    return {flag, name, codec};
}

/// A member's fields as if they were the struct's own, in a printout too.
template <class Member>
struct Inlined {
    Member member;

    template <class Sink, class S>
    void encode(Sink& sink, const S& s) const {
        protocol::encode(sink, at(member, s));
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        return protocol::decode(reader, at(member, s));
    }
    template <class S>
    result<void> validate(const S& s) const {
        return protocol::validate(at(member, s));
    }
    template <class S>
    void print(JsonPrinter& printer, const S& s) const {
        kLayout<MemberOf<Member, const S>>.print(printer, at(member, s));
    }
};
template <class Member>
constexpr Inlined<Member> inlined(Member member) {
    return {member};
}

/// Parts that print as one object under a name; on the wire they are just those parts.
template <class Parts>
struct Group {
    const char* name;
    Parts parts;

    template <class Sink, class S>
    void encode(Sink& sink, const S& s) const {
        parts.encode(sink, s);
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        const std::size_t start = reader.offset();
        return reader.named(name, start, parts.decode(reader, s));
    }
    template <class S>
    result<void> validate(const S& s) const {
        return parts.validate(s);
    }
    template <class S>
    void clear(S& s) const {
        parts.clear(s);
    }
    template <class S>
    void print(JsonPrinter& printer, const S& s) const {
        printer.key(name);
        printer.object([&] { parts.print(printer, s); });
    }
};
template <class... Parts>
constexpr auto group(const char* name, Parts... parts) {
    return Group<Layout<Parts...>>{name, fields(parts...)};
}

/// A condition over the fields before it, checked while decoding or by validate().
template <class Condition, bool AtDecode>
struct Check {
    Condition condition;

    template <class Sink, class S>
    void encode(Sink& /*sink*/, const S& s) const {
        SHUNT_ASSERT(condition(s));
    }
    template <class S>
    result<void> decode(Reader& /*reader*/, S& s) const {
        if (AtDecode && !condition(std::as_const(s))) return Errc::InvalidField;
        return outcome::success();
    }
    template <class S>
    result<void> validate(const S& s) const {
        if (!AtDecode && !condition(s)) return Errc::Semantic;
        return outcome::success();
    }
};
template <class Condition>
constexpr Check<Condition, true> must(Condition condition) {
    return {condition};
}
template <class Condition>
constexpr Check<Condition, false> rule(Condition condition) {
    return {condition};
}

}  // namespace shunt::protocol
