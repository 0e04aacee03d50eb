#pragma once
// `tlv32` (spec/wire.md sections 2.1 and 4.7): a total length, then fields of {id u8, length u32,
// value} in strictly ascending order of their ids. Unknown fields are kept, so that a descriptor
// passes through a node of this generation unchanged.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/bytes.hpp"
#include "base/result.hpp"
#include "protocol/errc.hpp"
#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"
#include "protocol/shared.hpp"

namespace shunt::protocol {

/// One declared field; `IsThere` is void for a required one.
template <class Part, class IsThere>
struct TlvField {
    std::uint8_t id;
    Part part;
    IsThere is_there;

    static constexpr bool kRequired = std::is_same_v<IsThere, std::nullptr_t>;

    template <class S>
    bool in(const S& s) const {
        if constexpr (kRequired) {
            return true;
        } else {
            return is_there(s);
        }
    }
};
template <class Part>
constexpr TlvField<Part, std::nullptr_t> required(std::uint8_t id, Part part) {
    return {id, part, nullptr};
}
template <class Member, class Codec>
constexpr auto optional(std::uint8_t id, Some<Member, Codec> part) {
    return TlvField<Some<Member, Codec>, IsPresent<Member>>{id, part, {part.member}};
}

template <class Unknown, class... Fields>
struct Tlv {
    /// Of the fields, without the total length before them.
    std::uint32_t bytes_max;
    Unknown unknown;
    std::tuple<Fields...> declared;

    template <class Sink, class S>
    void encode(Sink& sink, const S& s) const {
        SizeCounter counter;
        encode_fields(counter, s);
        SHUNT_ASSERT(counter.total_bytes() <= bytes_max);
        sink.integer(static_cast<std::uint32_t>(counter.total_bytes()));
        encode_fields(sink, s);
    }

    template <class S>
    result<void> decode(Reader& reader, S& s) const {
        BOOST_OUTCOME_TRY(const auto total, reader.integer<std::uint32_t>());
        if (total > bytes_max) return Errc::LimitExceeded;
        return reader.scope(total, [&] { return decode_fields(reader, s, total); });
    }

    template <class S>
    result<void> validate(const S& s) const {
        result<void> status = outcome::success();
        each([&](const auto& field) {
            if (status.has_value() && field.in(s)) status = validate_with(field.part, s);
        });
        return status;
    }

  private:
    template <class Visit>
    void each(Visit visit) const {
        std::apply([&](const auto&... field) { (visit(field), ...); }, declared);
    }

    template <class Sink, class S>
    void encode_fields(Sink& sink, const S& s) const {
        const std::vector<UnknownField>& others = std::invoke(unknown, s);
        std::size_t next = 0;
        const auto others_before = [&](unsigned id_end) {
            for (; next < others.size() && others[next].id < id_end; ++next) {
                sink.integer(others[next].id);
                Bulk<std::uint32_t>{}.encode(sink, ByteView(others[next].value));
            }
        };
        each([&](const auto& field) {
            if (!field.in(s)) return;
            others_before(field.id);
            sink.integer(field.id);
            SizeCounter counter;
            field.part.encode(counter, s);
            sink.integer(static_cast<std::uint32_t>(counter.total_bytes()));
            field.part.encode(sink, s);
        });
        others_before(256);
    }

    template <class S>
    result<void> decode_fields(Reader& reader, S& s, std::uint32_t total) const {
        const std::size_t start = reader.offset();
        std::array<bool, 256> seen{};
        int last = -1;
        while (reader.offset() - start < total) {
            BOOST_OUTCOME_TRY(const auto id, reader.integer<std::uint8_t>());
            if (id <= last) return Errc::InvalidField;
            last = id;
            seen[id] = true;
            BOOST_OUTCOME_TRY(decode_field(reader, s, id));
        }
        bool complete = true;
        each([&](const auto& field) {
            complete = complete && (!field.kRequired || seen[field.id]);
        });
        if (!complete) return Errc::InvalidField;
        return outcome::success();
    }

    template <class S>
    result<void> decode_field(Reader& reader, S& s, std::uint8_t id) const {
        BOOST_OUTCOME_TRY(const auto size, reader.integer<std::uint32_t>());
        bool known = false;
        result<void> status = outcome::success();
        each([&](const auto& field) {
            if (field.id != id) return;
            known = true;
            status = reader.scope(size, [&] { return field.part.decode(reader, s); });
        });
        if (known) return status;
        BOOST_OUTCOME_TRY(const ByteView value, reader.take(size));
        std::invoke(unknown, s).push_back({id, copy_of(value)});
        return outcome::success();
    }
};

/// Fields in ascending order of their ids; `unknown` is the member that keeps the others.
template <class Unknown, class... Fields>
constexpr auto tlv_at_most(std::uint32_t bytes_max, Unknown unknown, Fields... declared) {
    return Tlv<Unknown, Fields...>{bytes_max, unknown, std::tuple<Fields...>(declared...)};
}

}  // namespace shunt::protocol
