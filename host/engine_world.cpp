#include "host/engine_world.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <sys/random.h>

#include "base/assert.hpp"
#include "engine/probe.hpp"
#include "host/job_permits.hpp"

namespace shunt::host {

std::uint32_t default_shards() {
    return std::clamp<std::uint32_t>(engine::capabilities().usable_cpus, 1, JobPermits::kShardsMax);
}

UnixMillis wall_clock() noexcept {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
    return UnixMillis{static_cast<std::uint64_t>(millis)};
}

void Entropy::refill() noexcept {
    // Many at once: every message draws two, and std::random_device asks a processor instruction
    // for each half, which took most of the time of a busy host.
    auto* const bytes = reinterpret_cast<std::byte*>(words_.data());
    std::size_t filled = 0;
    while (filled < sizeof(words_)) {
        const ssize_t got = getrandom(bytes + filled, sizeof(words_) - filled, 0);
        // Only an interruption can come back: the call needs no file and no memory.
        SHUNT_ASSERT(got > 0 || errno == EINTR);
        if (got > 0) filled += static_cast<std::size_t>(got);
    }
    left_ = words_.size();
}

result<std::string> EngineWorld::listen(const ListenOptions& options, host::LinkEvents& events) {
    events_ = &events;
    engine::ListenOptions wanted;
    wanted.bind_address = options.bind_address;
    wanted.rid = options.rid;
    wanted.chunk_limit_bytes = options.chunk_limit_bytes;
    return mesh_.listen(wanted, *this);
}

DialId EngineWorld::dial(const DialOptions& options) {
    engine::DialOptions wanted;
    wanted.endpoint = options.endpoint;
    wanted.expected_rid = options.expected_rid;
    return DialId{mesh_.dial(wanted).value};
}

void EngineWorld::undial(DialId dial) noexcept {
    mesh_.undial(engine::DialId{dial.value});
}

Admission EngineWorld::send(LinkId link, protocol::OutRecord&& record, Gate gate,
                            SubmitToken token) {
    const engine::Gate mark =
        gate == Gate::HighWaterMark ? engine::Gate::HighWaterMark : engine::Gate::None;
    switch (mesh_.send(engine::LinkId{link.value}, std::move(record), mark,
                       engine::SubmitToken{token.value})) {
        case engine::Admission::Queued:
            return Admission::Queued;
        case engine::Admission::Full:
            return Admission::Full;
        case engine::Admission::NoLink:
            break;
    }
    return Admission::NoLink;
}

void EngineWorld::close_link(LinkId link, std::error_code reason) {
    mesh_.close_link(engine::LinkId{link.value}, reason);
}

// --- what the transport tells -----------------------------------------------------------------

void EngineWorld::on_link_up(engine::LinkId link, const engine::LinkInfo& info) {
    events_->on_link_up(LinkId{link.value}, {info.peer_rid, info.dialed_here,
                                             info.peer_chunk_limit_bytes, info.peer_is_shunt});
}

void EngineWorld::on_link_down(engine::LinkId link, std::error_code reason) {
    events_->on_link_down(LinkId{link.value}, reason);
}

void EngineWorld::on_record(engine::LinkId link, const protocol::InRecord& record) {
    events_->on_record(LinkId{link.value}, record);
}

void EngineWorld::on_submitted(engine::LinkId link, engine::SubmitToken token,
                               protocol::SubmitResult result) {
    events_->on_submitted(LinkId{link.value}, SubmitToken{token.value}, result);
}

void EngineWorld::on_writable(engine::LinkId link) {
    events_->on_writable(LinkId{link.value});
}

void EngineWorld::on_protocol_error(std::string_view peer_address, std::error_code reason) {
    if (protocol_error_) protocol_error_(peer_address, reason);
}

}  // namespace shunt::host
