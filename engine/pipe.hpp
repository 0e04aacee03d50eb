#pragma once
// The charge of one link's application lane (spec/zmp.md section 16): taken when a record is
// submitted, given back at its send's result. Decides what the high-water mark lets in.

#include <cstdint>

#include "base/assert.hpp"
#include "engine/link_types.hpp"

namespace shunt::engine {

class Pipe final {
  public:
    /// Zero means no limit.
    explicit Pipe(std::uint64_t high_water_bytes) noexcept : high_water_bytes_(high_water_bytes) {}

    /// Takes `charge` unless the mark refuses it.
    Admission take(std::uint64_t charge, Gate gate) noexcept {
        if (gate == Gate::HighWaterMark && !has_room(charge)) {
            refused_ = true;
            return Admission::Full;
        }
        in_flight_ += charge;
        return Admission::Queued;
    }

    /// Gives `charge` back. True when a writer that was refused may try again: once per refusal,
    /// at half of the mark, so that it does not wake for a single record's room.
    bool release(std::uint64_t charge) noexcept {
        SHUNT_ASSERT(charge <= in_flight_);
        in_flight_ -= charge;
        if (!refused_ || in_flight_ > high_water_bytes_ / 2) return false;
        refused_ = false;
        return true;
    }

    std::uint64_t in_flight() const noexcept { return in_flight_; }

  private:
    bool has_room(std::uint64_t charge) const noexcept {
        if (high_water_bytes_ == 0) return true;
        // A record above the whole mark passes alone (section 16.3).
        if (in_flight_ == 0) return true;
        return in_flight_ < high_water_bytes_ && charge <= high_water_bytes_ - in_flight_;
    }

    std::uint64_t high_water_bytes_;
    std::uint64_t in_flight_ = 0;
    bool refused_ = false;
};

}  // namespace shunt::engine
