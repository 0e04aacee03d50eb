#pragma once
// What application handlers send and receive (spec/wire.md section 1.4, spec/objects.md 9.1).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/ids.hpp"

namespace shunt::host {

/// One application payload: a name that selects the handler, and opaque bytes. The bytes are
/// shared, not copied, on their way to the wire.
struct Packet {
    Packet() = default;
    /// Takes the bytes over. `name` is 1..255 bytes of UTF-8.
    Packet(std::string packet_name, Bytes&& bytes)
        : name(std::move(packet_name)), payload(std::move(bytes)) {}
    /// Copies the text.
    Packet(std::string packet_name, std::string_view text)
        : name(std::move(packet_name)), payload(copy_of(bytes_of(text))) {}

    std::string name;
    std::string content_type = "application/octet-stream";
    Segment payload;
};

struct Job;

/// A received message, valid for the whole turn it opened. Cheap to copy; handlers that are
/// coroutines take it by value.
class Message {
  public:
    explicit Message(std::shared_ptr<const Job> job) noexcept : job_(std::move(job)) {}

    const std::string& name() const noexcept;
    ByteView payload() const noexcept;
    std::string_view text() const noexcept { return text_of(payload()); }
    bool is_request() const noexcept;
    /// Stays the same through relay and follow.
    OperationId operation() const noexcept;
    /// The Actor that sent it; absent when it came from outside any Actor.
    std::optional<ActorId> sender() const;
    /// Which way the sender's host sent it, when HostOptions::stamp_routes is on there; else empty.
    /// Order is promised per sender, receiver and route (design.md section 4).
    std::string_view route() const noexcept;

  private:
    std::shared_ptr<const Job> job_;
};

/// One expiry of a timer (spec/objects.md section 6).
struct Tick {
    std::string timer;
    std::uint64_t delivery_index = 0;
    std::uint64_t scheduled_index = 0;
    std::uint64_t skipped_ticks = 0;
};

}  // namespace shunt::host
