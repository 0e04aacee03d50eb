#pragma once
// The parts of a layout beyond plain fields (see layout.hpp): body lengths, whole-size limits,
// conditional and optional members, constraints and rules.

#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "base/assert.hpp"
#include "base/result.hpp"
#include "protocol/codec.hpp"
#include "protocol/errc.hpp"
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
        BOOST_OUTCOME_TRY(const auto declared, reader.integer<Length>());
        if (declared > bytes_max) return Errc::LimitExceeded;
        return reader.scope(declared, [&] { return parts.decode(reader, s); });
    }
    template <class S>
    result<void> validate(const S& s) const {
        return parts.validate(s);
    }
    template <class S>
    void clear(S& s) const {
        parts.clear(s);
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
        if (std::invoke(condition, s)) parts.encode(sink, s);
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        if (std::invoke(condition, s)) return parts.decode(reader, s);
        parts.clear(s);
        return outcome::success();
    }
    template <class S>
    result<void> validate(const S& s) const {
        if (!std::invoke(condition, s)) return outcome::success();
        return parts.validate(s);
    }
    template <class S>
    void clear(S& s) const {
        parts.clear(s);
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
        SHUNT_ASSERT(std::invoke(member, s).has_value());
        codec.encode(sink, *std::invoke(member, s));
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        return codec.decode(reader, std::invoke(member, s).emplace());
    }
    template <class S>
    result<void> validate(const S& s) const {
        return validate_with(codec, *std::invoke(member, s));
    }
    template <class S>
    void clear(S& s) const {
        std::invoke(member, s).reset();
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

/// A bool8 that says whether an optional member is there.
template <class Member>
struct Presence {
    const char* name;
    Member member;

    template <class Sink, class S>
    void encode(Sink& sink, const S& s) const {
        Bool8{}.encode(sink, std::invoke(member, s).has_value());
    }
    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        bool present = false;
        BOOST_OUTCOME_TRY(Bool8{}.decode(reader, present));
        if (present) std::invoke(member, s).emplace();
        return outcome::success();
    }
    template <class S>
    void clear(S& s) const {
        std::invoke(member, s).reset();
    }
};

/// True when the optional member is there.
template <class Member>
struct IsPresent {
    Member member;
    template <class S>
    bool operator()(const S& s) const {
        return std::invoke(member, s).has_value();
    }
};
template <class Member>
constexpr IsPresent<Member> present(Member member) {
    return {member};
}

/// bool8, then the field if it is true.
template <class Member, class Codec>
constexpr auto flagged(const char* flag, const char* name, Member member, Codec codec) {
    return fields(Presence<Member>{flag, member}, when(present(member), some(name, member, codec)));
}
template <class S, class T>
constexpr auto flagged(const char* flag, const char* name, std::optional<T> S::*member) {
    return flagged(flag, name, member, codec_for(Of<T>{}));
}

/// bool8, a body length, then the field if it is true (spec/wire.md section 4.3).
template <std::unsigned_integral Length, class Member, class Codec>
constexpr auto wrapped(const char* flag, const char* name, Member member, Codec codec) {
    return fields(Presence<Member>{flag, member},
                  body<Length>(when(present(member), some(name, member, codec))));
}
template <std::unsigned_integral Length, class S, class T>
constexpr auto wrapped(const char* flag, const char* name, std::optional<T> S::*member) {
    return wrapped<Length>(flag, name, member, codec_for(Of<T>{}));
}

/// A condition over the fields before it; `When` of checking is part of the type.
template <class Condition, bool AtDecode>
struct Check {
    Condition condition;

    template <class Sink, class S>
    void encode(Sink& /*sink*/, const S& s) const {
        SHUNT_ASSERT(std::invoke(condition, s));
    }
    template <class S>
    result<void> decode(Reader& /*reader*/, S& s) const {
        if (AtDecode && !std::invoke(condition, std::as_const(s))) return Errc::InvalidField;
        return outcome::success();
    }
    template <class S>
    result<void> validate(const S& s) const {
        if (!AtDecode && !std::invoke(condition, s)) return Errc::Semantic;
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
