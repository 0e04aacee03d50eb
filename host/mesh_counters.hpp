#pragma once
// Why the mesh closed a connection, and how often. Each close is one log line and one count.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shunt::host {

enum class LinkEnd : std::uint8_t {
    OwnRid,            // It announced this node's own routing id.
    Undecodable,       // A record that is none.
    WrongLeg,          // A command on a leg or lane where it never travels.
    BeforeAdmission,   // A record that only an admitted peer may send.
    AdmissionRefused,  // Its hello or admit does not fit; it was told the reason.
    UpdateRefused,     // An update of another run, an old revision, or what never changes.
    AdmissionTimeout,  // It came up and never said hello.
    LivenessExpired,   // It answered no probe for 15 s.
    RejectedByPeer,    // It refused this node.
    Replaced,          // Another connection to the same node counts now.
};
inline constexpr std::size_t kLinkEndCount = 10;

/// snake_case, as it stands in logs and metrics.
constexpr std::string_view name_of(LinkEnd end) noexcept {
    switch (end) {
        case LinkEnd::OwnRid:
            return "own_rid";
        case LinkEnd::Undecodable:
            return "undecodable";
        case LinkEnd::WrongLeg:
            return "wrong_leg";
        case LinkEnd::BeforeAdmission:
            return "before_admission";
        case LinkEnd::AdmissionRefused:
            return "admission_refused";
        case LinkEnd::UpdateRefused:
            return "update_refused";
        case LinkEnd::AdmissionTimeout:
            return "admission_timeout";
        case LinkEnd::LivenessExpired:
            return "liveness_expired";
        case LinkEnd::RejectedByPeer:
            return "rejected_by_peer";
        case LinkEnd::Replaced:
            return "replaced";
    }
    return "unknown";
}

struct MeshCounters {
    std::uint64_t links_up = 0;
    /// First admissions of a connection, standbys included.
    std::uint64_t admitted = 0;
    std::array<std::uint64_t, kLinkEndCount> closed{};

    std::uint64_t closed_for(LinkEnd end) const noexcept {
        return closed[static_cast<std::size_t>(end)];
    }
};

}  // namespace shunt::host
