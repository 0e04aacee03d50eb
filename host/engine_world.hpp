#pragma once
// The World on io_uring: shards of the engine, and one mesh endpoint on the first (design.md
// section 3).
// The only file of host/ that names engine/.

#include <array>
#include <cstdint>
#include <memory>

#include "engine/mesh_endpoint.hpp"
#include "engine/shard.hpp"
#include "host/world.hpp"

namespace shunt::host {

/// Random words of the system's generator: ids fence ownership, so nobody may guess them.
class Entropy {
  public:
    std::uint64_t next() noexcept {
        if (left_ == 0) refill();
        return words_[--left_];
    }

  private:
    void refill() noexcept;

    /// The first `left_` are unused.
    std::array<std::uint64_t, 256> words_{};
    std::size_t left_ = 0;
};

UnixMillis wall_clock() noexcept;
/// One per processor this process may use, 1..64.
std::uint32_t default_shards();

/// The clocks, chance and turns of one engine shard. Built anywhere; every member is for the
/// shard's thread, post() for any.
template <class Base>
class OnEngineShard : public Base {
  public:
    explicit OnEngineShard(engine::Shard& shard) : shard_(shard) {}

    TimePoint now() const noexcept override { return shard_.now(); }
    UnixMillis unix_now() const noexcept override { return wall_clock(); }
    std::uint64_t random() noexcept override { return entropy_.next(); }
    TimerId arm(TimePoint deadline, UniqueFunction<void()> fn) override {
        return TimerId{shard_.arm(deadline, std::move(fn)).value};
    }
    void cancel(TimerId timer) noexcept override {
        if (timer) shard_.cancel(engine::TimerId{timer.value});
    }
    void post(UniqueFunction<void()> fn) override { shard_.post(std::move(fn)); }

  private:
    engine::Shard& shard_;
    Entropy entropy_;
};

/// A shard beside shard 0.
using EngineShardWorld = OnEngineShard<ShardWorld>;

/// Shard 0, with the mesh endpoint.
class EngineWorld final : public OnEngineShard<World>, private engine::LinkEvents {
  public:
    EngineWorld(engine::Shard& shard, const engine::MeshOptions& options)
        : OnEngineShard(shard), mesh_(shard, options) {}

    result<std::string> listen(const ListenOptions& options, host::LinkEvents& events) override;
    DialId dial(const DialOptions& options) override;
    void undial(DialId dial) noexcept override;
    [[nodiscard]] Admission send(LinkId link, protocol::OutRecord&& record, Gate gate,
                                 SubmitToken token) override;
    void trust(LinkId link) override { mesh_.trust(engine::LinkId{link.value}); }
    void close_link(LinkId link, std::error_code reason) override;
    void set_receiving(bool receiving) override { mesh_.set_receiving(receiving); }
    void stop_links(UniqueFunction<void()> done) override { mesh_.stop(std::move(done)); }

    /// Connections closed for what their peer sent; for the host's log.
    void on_protocol_error(UniqueFunction<void(std::string_view, std::error_code)> observer) {
        protocol_error_ = std::move(observer);
    }

  private:
    void on_link_up(engine::LinkId link, const engine::LinkInfo& info) override;
    void on_link_down(engine::LinkId link, std::error_code reason) override;
    void on_record(engine::LinkId link, const protocol::InRecord& record) override;
    void on_submitted(engine::LinkId link, engine::SubmitToken token,
                      protocol::SubmitResult result) override;
    void on_writable(engine::LinkId link) override;
    void on_protocol_error(std::string_view peer_address, std::error_code reason) override;

    engine::MeshEndpoint mesh_;
    host::LinkEvents* events_ = nullptr;
    UniqueFunction<void(std::string_view, std::error_code)> protocol_error_;
};

}  // namespace shunt::host
