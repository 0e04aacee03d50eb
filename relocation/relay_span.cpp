#include "relocation/relay_span.hpp"

#include "protocol/crc32c.hpp"

namespace shunt::relocation {

void RelaySpan::add(ByteView frozen_record) noexcept {
    ++proof_.record_count;
    proof_.checksum_crc32c = protocol::crc32c(frozen_record, proof_.checksum_crc32c);
}

void ReceivedSpan::add(ConnectionId connection, ByteView frozen_record) noexcept {
    if (connection != connection_) {
        connection_ = connection;
        span_ = RelaySpan{};
    }
    span_.add(frozen_record);
}

BoundaryProof ReceivedSpan::proof(ConnectionId connection) const noexcept {
    return connection == connection_ ? span_.proof() : BoundaryProof{};
}

SpanCursor::Place SpanCursor::place(ConnectionId connection) noexcept {
    const bool reconnected = connection != connection_;
    if (reconnected) {
        connection_ = connection;
        next_index_ = 0;
    }
    const std::uint64_t index = next_index_++;

    if (closed_) {
        if (index < taken_) return Place::Skip;
        taken_ = index + 1;
        return Place::Late;
    }
    const bool replaces = reconnected && taken_ > 0;
    taken_ = index + 1;
    return replaces ? Place::NewSpan : Place::Span;
}

bool SpanCursor::close_on(ConnectionId connection) noexcept {
    closed_ = true;
    if (connection == connection_) return false;

    // The verified batch brought no record on its connection, so nothing taken before belongs to
    // it.
    connection_ = connection;
    next_index_ = 0;
    const bool stale = taken_ > 0;
    taken_ = 0;
    return stale;
}

}  // namespace shunt::relocation
