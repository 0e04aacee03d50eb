#pragma once
// A shard's World under the name the store knows it by.

#include "host/world.hpp"
#include "store/environment.hpp"

namespace shunt::host {

class StoreEnvironment final : public store::Environment {
  public:
    explicit StoreEnvironment(ShardWorld& world) : world_(world) {}
    TimePoint now() const noexcept override { return world_.now(); }
    void arm(TimePoint deadline, UniqueFunction<void()> fn) override {
        world_.arm(deadline, std::move(fn));
    }
    std::uint64_t random() noexcept override { return world_.random(); }

  private:
    ShardWorld& world_;
};

}  // namespace shunt::host
