#pragma once
// One mesh link of an endpoint from its first lane to its last (spec/zmp.md section 5): two lanes
// that live and die together, and the charge of the application lane. State only; mesh_endpoint.*
// moves it.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <system_error>

#include "base/time.hpp"
#include "engine/lane.hpp"
#include "engine/link_types.hpp"
#include "engine/pipe.hpp"
#include "protocol/control_frame.hpp"

namespace shunt::engine {

class Link final {
  public:
    enum class State : std::uint8_t { Forming, Up, Closing };

    explicit Link(std::uint64_t high_water_bytes) noexcept : pipe(high_water_bytes) {}

    Lane*& lane(protocol::Lane which) noexcept { return lanes[static_cast<std::size_t>(which)]; }
    bool all_ready() const noexcept {
        return lanes[0] != nullptr && lanes[1] != nullptr && lanes[0]->ready() && lanes[1]->ready();
    }
    /// The peer takes a record of this size, and the frame format can carry it.
    bool takes(const protocol::OutRecord& record) const noexcept {
        constexpr std::uint64_t kFrameBodyMax = 0xFFFF'FFFF;
        std::uint64_t sum = 0;
        for (const protocol::OutPart& part : record.parts) sum += part.size_bytes();
        const std::uint64_t limit = info.peer_record_bytes_max;
        return sum <= (limit == 0 ? kFrameBodyMax : std::min(limit, kFrameBodyMax));
    }
    bool empty() const noexcept { return lanes[0] == nullptr && lanes[1] == nullptr; }
    /// An accepted lane with this key and rid belongs here.
    bool joins(const std::optional<protocol::PairKey>& other_key,
               const NodeRid& rid) const noexcept {
        if (dial.value != 0 || other_key != key) return false;
        // A pair key names the set by itself, and a differing rid is then an offence to be seen.
        return key.has_value() || rid == info.peer_rid;
    }

    State state = State::Forming;
    /// Zero until it is up.
    LinkId id;
    /// The dial that made it; zero for an accepted one.
    DialId dial;
    std::optional<protocol::PairKey> key;
    std::array<Lane*, 2> lanes{};
    Pipe pipe;
    LinkInfo info;
    TimePoint up_since{};
    std::error_code reason;
};

}  // namespace shunt::engine
