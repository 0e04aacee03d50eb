#pragma once
// `tlv32` (spec/wire.md sections 2.1 and 4.7): a total length, then fields of {id u8, length u32,
// value} in strictly ascending order of their ids. Unknown fields are kept, so that a descriptor
// passes through a node of this generation unchanged.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/bytes.hpp"
#include "base/result.hpp"
#include "protocol/errc.hpp"
#include "protocol/json_printer.hpp"
#include "protocol/layout.hpp"
#include "protocol/layout_parts.hpp"
#include "protocol/shared.hpp"

namespace shunt::protocol {

/// One declared field of a tlv.
template <class Part, bool Required>
struct TlvField {
    static constexpr bool kRequired = Required;
    std::uint8_t id;
    Part part;

    template <class S>
    bool in(const S& s) const {
        if constexpr (Required) {
            return true;
        } else {
            return at(part.member, s).has_value();
        }
    }
};
template <class Part>
constexpr TlvField<Part, true> required(std::uint8_t id, Part part) {
    return {id, part};
}
template <class Member, class Codec>
constexpr TlvField<Some<Member, Codec>, false> optional(std::uint8_t id, Some<Member, Codec> part) {
    return {id, part};
}

template <class Unknown, class Indices, class... Fields>
struct Tlv;
template <class Unknown, std::size_t... I, class... Fields>
struct Tlv<Unknown, std::index_sequence<I...>, Fields...> : Slot<I, Fields>... {
    /// Of the fields, without the total length before them.
    std::uint32_t bytes_max;
    Unknown unknown;

    constexpr Tlv(std::uint32_t max, Unknown others, Fields... declared)
        : Slot<I, Fields>{declared}..., bytes_max(max), unknown(others) {}

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
        BOOST_OUTCOME_TRY(const Reader::Scope scope, reader.open<std::uint32_t>(bytes_max));
        return reader.leave(scope, decode_fields(reader, s, scope.declared));
    }

    template <class S>
    result<void> validate(const S& s) const {
        result<void> status = outcome::success();
        each([&](const auto& field) {
            if (status.has_value() && field.in(s)) status = validate_with(field.part, s);
        });
        return status;
    }

    template <class S>
    void print(JsonPrinter& printer, const S& s) const {
        each([&](const auto& field) {
            if (field.in(s)) field.part.print(printer, s);
        });
        const std::vector<UnknownField>& others = at(unknown, s);
        if (others.empty()) return;
        printer.key("unknown");
        printer.list([&] {
            for (const UnknownField& other : others) {
                printer.object([&] {
                    printer.key("id");
                    printer.number(other.id);
                    printer.key("value");
                    printer.bytes(other.value);
                });
            }
        });
    }

  private:
    template <class Visit>
    void each(Visit visit) const {
        (visit(Slot<I, Fields>::part), ...);
    }

    template <class Sink, class S>
    void encode_fields(Sink& sink, const S& s) const {
        const std::vector<UnknownField>& others = at(unknown, s);
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
    result<void> decode_fields(Reader& reader, S& s, std::uint64_t total) const {
        const std::size_t start = reader.offset();
        std::array<bool, 256> seen{};
        int last = -1;
        while (reader.offset() - start < total) {
            const std::size_t id_at = reader.offset();
            BOOST_OUTCOME_TRY(const auto id, reader.integer<std::uint8_t>());
            if (id <= last) {
                reader.failed_in("id", id_at);
                return Errc::InvalidField;
            }
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
        BOOST_OUTCOME_TRY(const Reader::Scope scope, reader.open<std::uint32_t>());
        bool known = false;
        result<void> status = outcome::success();
        each([&](const auto& field) {
            if (field.id != id) return;
            known = true;
            status = field.part.decode(reader, s);
        });
        if (known) return reader.leave(scope, status);
        const result<ByteView> value = reader.take(scope.declared);
        if (value.has_error()) return reader.leave(scope, value.error());
        at(unknown, s).push_back({id, copy_of(value.value())});
        return reader.leave(scope, outcome::success());
    }
};

/// Fields in ascending order of their ids; `unknown` is the member that keeps the others.
template <class Unknown, class... Fields>
constexpr auto tlv_at_most(std::uint32_t bytes_max, Unknown unknown, Fields... declared) {
    return Tlv<Unknown, std::index_sequence_for<Fields...>, Fields...>(bytes_max, unknown,
                                                                       declared...);
}

}  // namespace shunt::protocol
