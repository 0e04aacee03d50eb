#pragma once
// Reads the JSON of a record (spec/stores.md section 5.1): any member order, unknown members
// ignored, duplicates and everything else out of form refused. Internal to store/.
//
// Failures stick: a decoder reads every member it wants and asks ok() once at the end. What a
// failed read returned means nothing.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "store/decimal.hpp"
#include "store/record_names.hpp"

namespace shunt::store {

/// The members of one JSON object. Borrows the document it was made for.
class JsonFields {
  public:
    /// Parses `bytes` and calls `decode` with the members of the outermost object, once their
    /// `recordVersion` proved to be 1. False when the document or anything read of it is unfit.
    [[nodiscard]] static bool read_record(ByteView bytes,
                                          const std::function<void(JsonFields&)>& decode);

    bool ok() const noexcept { return *ok_; }
    /// A rule of the record that no single member shows.
    void require(bool holds) noexcept { *ok_ = *ok_ && holds; }

    std::string text(std::string_view name);
    std::optional<std::string> text_or_null(std::string_view name);
    std::uint64_t integer(std::string_view name, std::uint64_t max);
    std::uint64_t decimal(std::string_view name, std::uint64_t min, std::uint64_t max = kNumberMax);
    bool boolean(std::string_view name);

    /// 1..255 bytes in lower-case hex.
    NodeRid rid(std::string_view name);
    template <class Enum>
    Enum word(std::string_view name) {
        const std::optional<Enum> value = named<Enum>(text(name));
        require(value.has_value());
        return value.value_or(Enum{});
    }

    bool is_null(std::string_view name);
    void object(std::string_view name, const std::function<void(JsonFields&)>& decode);
    /// Each element must be an object.
    void list(std::string_view name, std::size_t size_max,
              const std::function<void(JsonFields&)>& decode);
    /// An object used as a map of integers.
    void integer_map(std::string_view name, std::uint64_t max,
                     const std::function<void(const std::string&, std::uint64_t)>& take);

  private:
    JsonFields(const nlohmann::json& object, bool& ok) : object_(&object), ok_(&ok) {}

    const nlohmann::json* find(std::string_view name);

    const nlohmann::json* object_;
    bool* ok_;  // One flag for the whole record.
};

}  // namespace shunt::store
