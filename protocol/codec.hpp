#pragma once
// Field types of the wire (spec/wire.md section 2) as small constant objects. A codec knows one
// field type's bytes and its rule; encoders assert the rule (breaking it is our own mistake),
// decoders refuse what breaks it. layout.hpp puts codecs together.
//
// A codec has encode(sink, value), decode(reader, value), print(printer, value) and, where a rule
// of section 15.1 hides inside the value, validate(value).

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/utf8.hpp"
#include "protocol/blob.hpp"
#include "protocol/enum_names.hpp"
#include "protocol/errc.hpp"
#include "protocol/json_printer.hpp"
#include "protocol/reader.hpp"

namespace shunt::protocol {

/// Checks `value` where the codec has something to check.
template <class Codec, class Value>
result<void> validate_with(const Codec& codec, const Value& value) {
    if constexpr (requires { codec.validate(value); }) {
        return codec.validate(value);
    } else {
        return outcome::success();
    }
}

// --- numbers ----------------------------------------------------------------------------------

/// An unsigned integer within `min..max`.
template <std::unsigned_integral T>
struct Between {
    T min = 0;
    T max = std::numeric_limits<T>::max();

    template <class Sink>
    void encode(Sink& sink, T value) const {
        SHUNT_ASSERT(value >= min);
        SHUNT_ASSERT(value <= max);
        sink.integer(value);
    }
    result<void> decode(Reader& reader, T& value) const {
        BOOST_OUTCOME_TRY(value, reader.integer<T>());
        if (value < min || value > max) return Errc::InvalidField;
        return outcome::success();
    }
    void print(JsonPrinter& printer, T value) const { printer.number(value); }
};

inline constexpr std::uint64_t kOrdinalMax = 0x7FFF'FFFF'FFFF'FFFF;
/// `nonzero-u64`: bit 63 is refused too.
inline constexpr Between<std::uint64_t> kNonzero{.min = 1, .max = kOrdinalMax};
/// `ordinal-or-zero`; `application-version` has the same range.
inline constexpr Between<std::uint64_t> kOrdinal{.max = kOrdinalMax};
inline constexpr Between<std::uint32_t> kNonzeroU32{.min = 1};
template <std::unsigned_integral T>
constexpr Between<T> up_to(T max) {
    return {.max = max};
}

/// `bool8`.
struct Bool8 {
    template <class Sink>
    void encode(Sink& sink, bool value) const {
        sink.integer(static_cast<std::uint8_t>(value ? 1 : 0));
    }
    result<void> decode(Reader& reader, bool& value) const {
        BOOST_OUTCOME_TRY(const auto raw, reader.integer<std::uint8_t>());
        if (raw > 1) return Errc::InvalidField;
        value = raw == 1;
        return outcome::success();
    }
    void print(JsonPrinter& printer, bool value) const { printer.boolean(value); }
};

/// An enumeration as wide as its underlying type; only declared values pass.
template <class E>
struct EnumCodec {
    template <class Sink>
    void encode(Sink& sink, E value) const {
        SHUNT_ASSERT(!name_of_value(value).empty());
        sink.integer(static_cast<std::underlying_type_t<E>>(value));
    }
    result<void> decode(Reader& reader, E& value) const {
        BOOST_OUTCOME_TRY(const auto raw, reader.integer<std::underlying_type_t<E>>());
        value = static_cast<E>(raw);
        if (name_of_value(value).empty()) return Errc::InvalidField;
        return outcome::success();
    }
    void print(JsonPrinter& printer, E value) const { printer.text(name_of_value(value)); }
};

/// A number with a meaning (base/ids.hpp); zero is never one of them.
struct NumberedCodec {
    template <class Sink, class Tag>
    void encode(Sink& sink, const Numbered<Tag>& value) const {
        kNonzero.encode(sink, value.value);
    }
    template <class Tag>
    result<void> decode(Reader& reader, Numbered<Tag>& value) const {
        return kNonzero.decode(reader, value.value);
    }
    template <class Tag>
    void print(JsonPrinter& printer, const Numbered<Tag>& value) const {
        printer.number(value.value);
    }
};

/// 128 bits as high and low word; `ZeroAllowed` is the `-or-zero` form.
template <bool ZeroAllowed>
struct WideCodec {
    template <class Sink, class Tag>
    void encode(Sink& sink, const Wide<Tag>& value) const {
        SHUNT_ASSERT(ZeroAllowed || static_cast<bool>(value));
        sink.integer(value.high);
        sink.integer(value.low);
    }
    template <class Tag>
    result<void> decode(Reader& reader, Wide<Tag>& value) const {
        BOOST_OUTCOME_TRY(value.high, reader.integer<std::uint64_t>());
        BOOST_OUTCOME_TRY(value.low, reader.integer<std::uint64_t>());
        if (!ZeroAllowed && !value) return Errc::InvalidField;
        return outcome::success();
    }
    template <class Tag>
    void print(JsonPrinter& printer, const Wide<Tag>& value) const {
        printer.object([&] {
            printer.key("high");
            printer.number(value.high);
            printer.key("low");
            printer.number(value.low);
        });
    }
};
/// `operation-id-or-zero`.
inline constexpr WideCodec<true> kOrZero{};

// --- texts and bytes --------------------------------------------------------------------------

/// What the bytes behind a short length are: text by the rules of section 2, or opaque.
enum class Chars : std::uint8_t { Utf8, Opaque };
/// What an empty one means; of consequence to the reader of a printout only.
enum class Empty : std::uint8_t { Value, Absent };

/// A length of type `Length` within `Min..Max`, then that many bytes.
template <std::unsigned_integral Length, Length Min, Length Max, Chars Kind = Chars::Utf8,
          Empty IfEmpty = Empty::Value>
struct Text {
    static bool is_text(std::string_view text) noexcept {
        return text.find('\0') == std::string_view::npos && is_strict_utf8(text);
    }

    template <class Sink>
    void encode(Sink& sink, std::string_view text) const {
        SHUNT_ASSERT(text.size() >= Min);
        SHUNT_ASSERT(text.size() <= Max);
        SHUNT_DEBUG_ASSERT(Kind == Chars::Opaque || is_text(text));
        sink.integer(static_cast<Length>(text.size()));
        sink.copy(bytes_of(text));
    }
    template <class Sink, class Tag>
    void encode(Sink& sink, const Named<Tag>& id) const {
        encode(sink, std::string_view(id.value));
    }

    /// `value` is an owning or a borrowing string.
    template <class String>
    requires std::is_assignable_v<String&, std::string_view> result<void> decode(Reader& reader,
                                                                                 String& value)
    const {
        BOOST_OUTCOME_TRY(const auto size, reader.integer<Length>());
        if (size < Min || size > Max) return Errc::InvalidField;
        BOOST_OUTCOME_TRY(const ByteView raw, reader.take(size));
        const std::string_view text = text_of(raw);
        if (Kind == Chars::Utf8 && !is_text(text)) return Errc::InvalidField;
        value = text;
        return outcome::success();
    }
    template <class Tag>
    result<void> decode(Reader& reader, Named<Tag>& id) const {
        return decode(reader, id.value);
    }
    void print(JsonPrinter& printer, std::string_view text) const {
        if (IfEmpty == Empty::Absent && text.empty()) return printer.null();
        if (Kind == Chars::Utf8) return printer.text(text);
        printer.bytes(bytes_of(text));
    }
    template <class Tag>
    void print(JsonPrinter& printer, const Named<Tag>& id) const {
        print(printer, std::string_view(id.value));
    }
};

inline constexpr Text<std::uint8_t, 1, 255> kText8{};
inline constexpr Text<std::uint8_t, 0, 255, Chars::Utf8, Empty::Absent> kOptionalText8{};
inline constexpr Text<std::uint8_t, 1, 255, Chars::Opaque> kRid{};
inline constexpr Text<std::uint8_t, 0, 255, Chars::Opaque, Empty::Absent> kOptionalRid{};
/// `endpoint`, `authority-store-version`, references.
inline constexpr Text<std::uint16_t, 1, 4096> kText4096{};
inline constexpr Text<std::uint16_t, 0, 1024> kMetadataValue{};

/// Writes bulk bytes without a length: shared segments stay shared, borrowed bytes are copied.
template <class Sink>
void put_bulk(Sink& sink, const Blob& blob) {
    if (blob.segments().empty()) return sink.copy(blob.view());
    for (const Segment& segment : blob.segments()) sink.share(segment);
}
template <class Sink>
void put_bulk(Sink& sink, ByteView bytes) {
    sink.copy(bytes);
}

/// Opaque bulk bytes behind a length; decoded values are borrowed.
template <std::unsigned_integral Length>
struct Bulk {
    Length min = 0;
    Length max = std::numeric_limits<Length>::max();
    /// What a longer one is called: a field out of range, or a whole-size limit.
    Errc too_long = Errc::InvalidField;

    template <class Sink, class Value>
    void encode(Sink& sink, const Value& value) const {
        SHUNT_ASSERT(value.size() >= min);
        SHUNT_ASSERT(value.size() <= max);
        sink.integer(static_cast<Length>(value.size()));
        put_bulk(sink, value);
    }
    template <class Value>
    result<void> decode(Reader& reader, Value& value) const {
        BOOST_OUTCOME_TRY(const auto size, reader.integer<Length>());
        if (size > max) return too_long;
        if (size < min) return Errc::InvalidField;
        BOOST_OUTCOME_TRY(const ByteView raw, reader.take(size));
        if constexpr (std::is_same_v<Value, Bytes>) {
            value = copy_of(raw);
        } else {
            value = raw;
        }
        return outcome::success();
    }
    template <class Value>
    void print(JsonPrinter& printer, const Value& value) const {
        printer.bytes(value);
    }
};

/// Already encoded bytes up to the end of the frame; there is no length to check them against.
struct Rest {
    template <class Sink>
    void encode(Sink& sink, const Blob& value) const {
        put_bulk(sink, value);
    }
    result<void> decode(Reader& reader, Blob& value) const {
        BOOST_OUTCOME_TRY(const ByteView raw, reader.take(reader.left()));
        value = raw;
        return outcome::success();
    }
    void print(JsonPrinter& printer, const Blob& value) const { printer.bytes(value.view()); }
};
inline constexpr Rest kRest{};

// --- vectors ----------------------------------------------------------------------------------

/// Items in any order. An order says whether item `index` may stand behind those before it.
struct AnyOrder {
    template <class Item>
    bool accepts(const std::vector<Item>& /*items*/, std::size_t /*index*/) const noexcept {
        return true;
    }
};

/// Strictly ascending by `key`, so unique as well.
template <class Key>
struct SortedBy {
    Key key;
    template <class Item>
    bool accepts(const std::vector<Item>& items, std::size_t index) const {
        return index == 0 || std::invoke(key, items[index - 1]) < std::invoke(key, items[index]);
    }
};

/// Unique by `key`. Quadratic: for short lists only.
template <class Key>
struct UniqueBy {
    Key key;
    template <class Item>
    bool accepts(const std::vector<Item>& items, std::size_t index) const {
        for (std::size_t i = 0; i < index; ++i) {
            if (std::invoke(key, items[i]) == std::invoke(key, items[index])) return false;
        }
        return true;
    }
};

/// A count of type `Count`, then that many items. Memory grows with the bytes that are there and
/// with the items that were read, never with the count alone.
template <std::unsigned_integral Count, class ItemCodec, class Order>
struct List {
    ItemCodec item_codec;
    Order order;
    Count count_max = std::numeric_limits<Count>::max();
    /// The least an item takes, where a count that cannot be is told before any item is read.
    std::size_t item_bytes_min = 0;

    template <class Sink, class Item>
    void encode(Sink& sink, const std::vector<Item>& items) const {
        SHUNT_ASSERT(items.size() <= count_max);
        sink.integer(static_cast<Count>(items.size()));
        for (std::size_t i = 0; i < items.size(); ++i) {
            SHUNT_ASSERT(order.accepts(items, i));
            item_codec.encode(sink, items[i]);
        }
    }
    template <class Item>
    result<void> decode(Reader& reader, std::vector<Item>& items) const {
        BOOST_OUTCOME_TRY(const auto count, reader.integer<Count>());
        if (count > count_max) return Errc::InvalidField;
        items.clear();
        if (item_bytes_min > 0) {
            if (count > reader.left() / item_bytes_min) return Errc::TruncatedField;
            items.reserve(count);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t start = reader.offset();
            if (items.size() == items.capacity()) make_room(items, count, reader.left());
            result<void> status = item_codec.decode(reader, items.emplace_back());
            if (status.has_value() && !order.accepts(items, i)) status = Errc::InvalidField;
            if (status.has_value()) continue;
            reader.failed_in_item(i, start);
            return status;
        }
        return outcome::success();
    }
    template <class Item>
    result<void> validate(const std::vector<Item>& items) const {
        for (const Item& item : items) {
            BOOST_OUTCOME_TRY(validate_with(item_codec, item));
        }
        return outcome::success();
    }
    template <class Item>
    void print(JsonPrinter& printer, const std::vector<Item>& items) const {
        printer.list([&] {
            for (const Item& item : items) item_codec.print(printer, item);
        });
    }

  private:
    /// At once as much memory as there are bytes left, so that an honest list of items that are
    /// larger on the wire than here moves nothing; then little by little. Doubling would let a few
    /// hostile bytes hold many times as many.
    template <class Item>
    static void make_room(std::vector<Item>& items, std::size_t count, std::size_t bytes_left) {
        const std::size_t room =
            std::max({bytes_left / sizeof(Item), items.size() / 8, std::size_t{4}});
        items.reserve(items.size() + std::min(room, count - items.size()));
    }
};

}  // namespace shunt::protocol
