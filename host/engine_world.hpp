#pragma once
// The World on io_uring: one shard of the engine and one mesh endpoint on it (design.md section 3).
// The only file of host/ that names engine/.

#include <array>
#include <cstdint>
#include <memory>

#include "engine/mesh_endpoint.hpp"
#include "engine/shard.hpp"
#include "host/world.hpp"

namespace shunt::host {

/// Built anywhere; every member of World is for the shard's thread, post() for any.
class EngineWorld final : public World, private engine::LinkEvents {
  public:
    EngineWorld(engine::Shard& shard, const engine::MeshOptions& options);

    TimePoint now() const noexcept override { return shard_.now(); }
    UnixMillis unix_now() const noexcept override;
    std::uint64_t random() noexcept override;
    TimerId arm(TimePoint deadline, UniqueFunction<void()> fn) override;
    void cancel(TimerId timer) noexcept override;
    void post(UniqueFunction<void()> fn) override { shard_.post(std::move(fn)); }

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

    void refill_entropy() noexcept;

    engine::Shard& shard_;
    engine::MeshEndpoint mesh_;
    host::LinkEvents* events_ = nullptr;
    /// Random words; the first `entropy_left_` are unused.
    std::array<std::uint64_t, 256> entropy_{};
    std::size_t entropy_left_ = 0;
    UniqueFunction<void(std::string_view, std::error_code)> protocol_error_;
};

}  // namespace shunt::host
