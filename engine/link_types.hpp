#pragma once
// The words of a mesh link as the transport speaks them: what a link, a dial and a submitted record
// are called, and whom the transport tells. They say the same as the links of host/world.hpp, which
// this folder must not know.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "base/ids.hpp"
#include "protocol/record.hpp"

namespace shunt::engine {

/// One establishment of one mesh link (both lanes ready). A reconnect is another LinkId; ids are
/// never reused while the endpoint lives. Zero names none.
struct LinkId {
    std::uint64_t value = 0;
    constexpr auto operator<=>(const LinkId&) const noexcept = default;
    explicit constexpr operator bool() const noexcept { return value != 0; }
};

/// A standing wish to be connected to an endpoint.
struct DialId {
    std::uint64_t value = 0;
    constexpr auto operator<=>(const DialId&) const noexcept = default;
};

/// Names one submitted record in on_submitted(); zero asks for no report.
struct SubmitToken {
    std::uint64_t value = 0;
    constexpr auto operator<=>(const SubmitToken&) const noexcept = default;
};

/// What every peer can take as one relocation chunk (design.md decision 20).
inline constexpr std::uint32_t kChunkLimitDefault = 32 * 1024;

/// What the handshake told about the peer (spec/zmp.md section 4).
struct LinkInfo {
    NodeRid peer_rid{};
    bool dialed_here = false;
    /// The dial that made the link; zero for an accepted one.
    DialId dial{};
    /// READY `Shunt-Chunk-Limit`, or what every peer can take.
    std::uint32_t peer_chunk_limit_bytes = kChunkLimitDefault;
    /// READY `Zlink-Max-Message-Size`: the sum over the parts of one record; zero is no limit.
    std::uint64_t peer_record_bytes_max = 0;
    /// The peer announced `Shunt-Lanes`.
    bool peer_is_shunt = false;
    /// `host:port` of the other end of the application lane.
    std::string peer_address{};
};

/// Whether a record was taken. Full is an answer, not an error.
enum class Admission : std::uint8_t { Queued, Full, NoLink };

/// HighWaterMark: the pipe's mark may refuse the record. None: it passes regardless.
enum class Gate : std::uint8_t { HighWaterMark, None };

/// What the transport tells. Called on the endpoint's shard, never inside a call into the
/// endpoint.
class LinkEvents {
  public:
    virtual ~LinkEvents() = default;

    /// Both lanes are ready. Records may follow at once.
    virtual void on_link_up(LinkId link, const LinkInfo& info) = 0;
    /// Exactly once per link that was up, after every on_submitted() of that link.
    virtual void on_link_down(LinkId link, std::error_code reason) = 0;
    /// Records of one lane arrive in sending order. The bytes are borrowed for the call.
    virtual void on_record(LinkId link, const protocol::InRecord& record) = 0;
    /// The pipe released the record and its charge.
    virtual void on_submitted(LinkId link, SubmitToken token, protocol::SubmitResult result) = 0;
    /// After a Full answer: the pipe is below half of its mark again.
    virtual void on_writable(LinkId link) = 0;

    /// A connection was closed for what its peer sent, or did not send in time; `peer_address` is
    /// where it came from. For the log; links have on_link_down() as well.
    virtual void on_protocol_error(std::string_view peer_address, std::error_code reason) {
        static_cast<void>(peer_address);
        static_cast<void>(reason);
    }
    /// An attempt to connect failed; the next one follows by itself, except after Errc::BadAddress.
    virtual void on_dial_failed(DialId dial, std::error_code reason) {
        static_cast<void>(dial);
        static_cast<void>(reason);
    }
};

}  // namespace shunt::engine
