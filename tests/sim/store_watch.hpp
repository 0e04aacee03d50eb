#pragma once
// Reads the ordered log of store writes as the contract matrix does (LOC): the owner of an object
// changes by one generation at a time, and only the new owner ever writes that change (U-01, U-17,
// U-34).

#include <cstdint>
#include <map>
#include <string>

#include "store/authority_row.hpp"
#include "tests/sim/conservation.hpp"
#include "tests/sim/sim_store.hpp"

namespace shunt::sim {

class StoreWatch {
  public:
    /// The run `lifecycle` writes as `owner`.
    void run_is(std::uint64_t lifecycle, const OwnerId& owner) { owners_[lifecycle] = owner; }
    void applied(const LoggedWrite& write);

    const conservation::Findings& findings() const noexcept { return findings_; }
    std::uint64_t owner_changes() const noexcept { return owner_changes_; }

  private:
    void row_written(const std::string& key, const store::AuthorityRow& row,
                     const LoggedWrite& write);

    std::map<std::uint64_t, OwnerId> owners_;
    std::map<std::string, store::AuthorityRow> rows_;
    conservation::Findings findings_;
    std::uint64_t owner_changes_ = 0;
};

}  // namespace shunt::sim
