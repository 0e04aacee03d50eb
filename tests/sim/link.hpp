#pragma once
// One simulated mesh link: two sides, and in each direction two ordered lanes. Plain state; Network
// moves the records along. A lane is a pipe in the sender's memory, then a wire of limited room
// (both socket buffers), then the receiver. Records never pass each other inside a lane, and what a
// cut leaves of a lane is always a prefix of what was sent.

#include <array>
#include <cstdint>
#include <deque>
#include <system_error>

#include "host/world.hpp"
#include "tests/sim/flat_record.hpp"
#include "tests/sim/scheduler.hpp"

namespace shunt::sim {

class SimWorld;

enum class Lane : std::uint8_t { Application, Completion };
inline constexpr std::size_t kLaneCount = 2;

constexpr Lane lane_of(protocol::Leg leg) noexcept {
    return leg == protocol::Leg::Reply ? Lane::Completion : Lane::Application;
}

/// Counts links of one Network; LinkIds of the two sides are derived from it.
struct LinkNumber {
    std::uint64_t value = 0;
    constexpr auto operator<=>(const LinkNumber&) const noexcept = default;
    explicit constexpr operator bool() const noexcept { return value != 0; }
};

/// The link's ends. Side 0 dialed.
using SideIndex = std::uint8_t;
inline constexpr SideIndex kDialer = 0;
inline constexpr SideIndex kAcceptor = 1;

constexpr host::LinkId id_of(LinkNumber link, SideIndex side) noexcept {
    return host::LinkId{link.value * 2 + side};
}
constexpr LinkNumber number_of(host::LinkId id) noexcept {
    return LinkNumber{id.value / 2};
}
constexpr SideIndex side_of(host::LinkId id) noexcept {
    return static_cast<SideIndex>(id.value % 2);
}
constexpr SideIndex other(SideIndex side) noexcept {
    return static_cast<SideIndex>(1 - side);
}

struct SimLink {
    enum class State : std::uint8_t {
        Connecting,  // on_link_up() not delivered yet
        Up,
        Closing,  // no record in either direction any more; submit results are being reported
        Down,     // on_link_down() delivered, or the side never came up, or its world is gone
    };

    struct Pending {
        protocol::OutRecord original;  // Held until the kernel takes it, as the engine does.
        FlatRecord copy;
        host::SubmitToken token;
        std::uint64_t charge = 0;
        bool handed_over = false;  // The break fell around it: its result is Unknown.
    };

    struct Flight {
        FlatRecord record;
        SimTime arrives;
    };

    /// One lane in one direction; belongs to the sending side.
    struct LaneState {
        std::deque<Pending> pipe;
        std::deque<Flight> wire;
        std::uint64_t wire_bytes = 0;
        SimTime last_arrival{0};
        bool submit_armed = false;
        bool severed = false;  // A record is lost already: nothing behind it may arrive.
        EventId delivery;      // Set while one is armed.
    };

    struct Side {
        SimWorld* world = nullptr;  // Null once killed.
        NodeIndex node;
        State state = State::Connecting;
        std::array<LaneState, kLaneCount> lanes;  // What this side sends.
        std::uint64_t charged = 0;                // Of the application lane.
        bool wants_writable = false;
        bool swallows = false;  // After the break the local kernel still takes records.
        std::error_code reason;

        LaneState& lane(Lane which) { return lanes[static_cast<std::size_t>(which)]; }
    };

    LinkNumber number;
    std::array<Side, 2> sides;
    bool broken = false;
};

}  // namespace shunt::sim
