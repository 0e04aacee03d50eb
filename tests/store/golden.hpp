#pragma once
// The public vectors of the stores (`store-records.json` of the shared material). They are not part
// of this repository: where they are missing, each test that wants them says so once and passes.

#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/bytes.hpp"

namespace shunt::store::test {

/// Calls `check` with every vector of the given kind and requires at least one.
void for_each_golden(const std::string& kind,
                     const std::function<void(const nlohmann::json&)>& check);

/// The bytes of a hex member.
Bytes unhex(const std::string& hex);

}  // namespace shunt::store::test
