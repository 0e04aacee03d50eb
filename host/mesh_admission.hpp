#pragma once
// The rules of admission, apart from the links they are applied to (spec/zmp.md sections 17.2 to
// 17.5): whose hello is accepted, what an update may change, which of two connections to one node
// counts, and on which leg a command may arrive. Pure.

#include <optional>

#include "base/ids.hpp"
#include "protocol/command_record.hpp"
#include "protocol/record.hpp"
#include "protocol/shared.hpp"

namespace shunt::host {

/// What discovery says about a node; a peer that claims to be it must equal this.
struct ExpectedPeer {
    /// Zero is unknown and matches every run of the node.
    NodeGeneration generation;
    std::string endpoint;
    std::string security_identity;
};

/// Reason to refuse a first hello or admit of a connection, or nullopt. `expected` is absent for a
/// node that discovery has not read yet.
std::optional<protocol::RejectReason> refuse_newcomer(const protocol::RouteMeshAdmission& own,
                                                      const protocol::RouteMeshAdmission& peer,
                                                      const std::optional<ExpectedPeer>& expected);

/// Reason to refuse `next` on the connection that `current` admitted: another run or identity, an
/// older revision, the same revision with other content, or a change of what never changes.
std::optional<protocol::RejectReason> refuse_successor(const protocol::RouteMeshAdmission& current,
                                                       const protocol::RouteMeshAdmission& next);

/// One of two connections between the same two runs.
struct Candidate {
    bool dialed_here = false;
};

/// The later of two admitted connections to `peer` is the one that counts: of different directions
/// the one dialed by the smaller rid, of the same direction the newest (section 19.3).
bool newer_counts(const NodeRid& own, const NodeRid& peer, Candidate earlier, Candidate newer);

/// A peer may send this command on this leg (spec/zmp.md section 8.3).
bool leg_fits(const protocol::Command& command, protocol::Leg leg);

}  // namespace shunt::host
