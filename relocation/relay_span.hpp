#pragma once
// The relay sent before the boundary, as a count and a checksum (spec/wire.md section 8), and the
// target's place in it. A retransmitted batch replaces an open span wholly (seed unit section 4.4);
// a closed one is a prefix of the batch and is skipped over (design.md decision 5).

#include <cstdint>

#include "base/bytes.hpp"
#include "relocation/identity.hpp"

namespace shunt::relocation {

/// Running proof over frozen-record encodings: the `record` field of each 31, nothing around it, in
/// sending order. Without records it is {0, 0}.
class RelaySpan {
  public:
    void add(ByteView frozen_record) noexcept;
    BoundaryProof proof() const noexcept { return proof_; }

  private:
    BoundaryProof proof_;
};

/// What each connection brought to the target. Only the latest connection counts: the batch is
/// resent whole on a new one.
class ReceivedSpan {
  public:
    /// Every 31 the machine placed: on StageRelay, SkipRelay and StageLateRelay, not on DropRelay.
    void add(ConnectionId connection, ByteView frozen_record) noexcept;
    /// {0, 0} when nothing came on `connection`.
    BoundaryProof proof(ConnectionId connection) const noexcept;

  private:
    ConnectionId connection_;
    RelaySpan span_;
};

/// Where the next 31 belongs. Pure counting; the Target machine owns one.
class SpanCursor {
  public:
    enum class Place : std::uint8_t {
        Span,     // Append to the open relay span.
        NewSpan,  // Discard what the open span holds, then append.
        Skip,     // Already taken on an earlier connection.
        Late,     // Behind everything staged so far.
    };

    /// Places one record that arrived on `connection` and counts it.
    Place place(ConnectionId connection) noexcept;

    /// Closes the span with what it holds: the fallback merges it as it stands.
    void close() noexcept { closed_ = true; }
    /// Closes the span with what `connection` brought, on a verified cutover. True when the span
    /// still holds records of an earlier connection, which have to be discarded first.
    bool close_on(ConnectionId connection) noexcept;

    bool closed() const noexcept { return closed_; }
    /// Boundary records taken so far.
    std::uint64_t taken() const noexcept { return taken_; }

  private:
    ConnectionId connection_;
    std::uint64_t next_index_ = 0;  // In the batch, of the next record on connection_.
    std::uint64_t taken_ = 0;
    bool closed_ = false;
};

}  // namespace shunt::relocation
