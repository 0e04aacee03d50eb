#pragma once
// Which Actors this host holds. Lookup is hashed; whoever walks it gets id order, so that a run can
// be repeated from its seed.

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include "host/actor_cell.hpp"

namespace shunt::host {

class CellTable {
  public:
    std::shared_ptr<ActorCell> find(const ActorId& id) const {
        const auto found = cells_.find(id);
        return found == cells_.end() ? nullptr : found->second;
    }
    /// Replaces an ended cell of the same id.
    void put(std::shared_ptr<ActorCell> cell) {
        const ActorId id = cell->id();
        cells_.insert_or_assign(id, std::move(cell));
    }
    /// Removes exactly this cell; a successor under the same id stays.
    void remove(const ActorCell& cell) {
        const auto found = cells_.find(cell.id());
        if (found != cells_.end() && found->second.get() == &cell) cells_.erase(found);
    }
    std::size_t size() const noexcept { return cells_.size(); }

    /// Every cell in id order.
    std::vector<std::shared_ptr<ActorCell>> sorted() const {
        std::vector<std::shared_ptr<ActorCell>> all;
        all.reserve(cells_.size());
        for (const auto& [id, cell] : cells_) all.push_back(cell);
        std::sort(all.begin(), all.end(),
                  [](const auto& a, const auto& b) { return a->id() < b->id(); });
        return all;
    }

  private:
    std::unordered_map<ActorId, std::shared_ptr<ActorCell>> cells_;
};

}  // namespace shunt::host
