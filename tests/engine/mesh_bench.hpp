#pragma once
// Test bench: one mesh node on a shard of its own, everything it was told, and waiting for a
// condition on that. Real sockets on loopback, ports chosen by the kernel.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/mesh_endpoint.hpp"
#include "engine/shard.hpp"

namespace shunt::engine {

/// A received record with its bytes copied.
struct Arrived {
    LinkId link;
    protocol::Leg leg = protocol::Leg::Send;
    std::uint64_t sequence = 0;
    std::vector<Bytes> parts;
};

struct Submitted {
    LinkId link;
    std::uint64_t token = 0;
    protocol::SubmitResult result = protocol::SubmitResult::Sent;
};

/// Everything a node was told, in order within each list.
struct Heard {
    std::vector<std::pair<LinkId, LinkInfo>> ups;
    std::vector<std::pair<LinkId, std::error_code>> downs;
    std::vector<Arrived> records;
    std::vector<Submitted> submitted;
    std::vector<LinkId> writable;
    std::vector<std::error_code> offences;
    std::vector<std::error_code> dial_failures;
    std::size_t record_count = 0;
};

inline protocol::OutRecord make_record(std::vector<std::string> parts,
                                       protocol::Leg leg = protocol::Leg::Send,
                                       std::uint64_t sequence = 0) {
    protocol::OutRecord record;
    record.leg = leg;
    record.sequence = sequence;
    for (const std::string& part : parts) {
        record.parts.push_back({.head = copy_of(bytes_of(part)), .tail = {}});
    }
    return record;
}

class MeshNode final : public LinkEvents {
  public:
    static constexpr auto kPatience = std::chrono::seconds(30);

    explicit MeshNode(std::string rid, MeshOptions options = {}, ShardOptions shard_options = {})
        : rid_(std::move(rid)), shard_(std::move(shard_options)) {
        const auto started =
            shard_.start([&] { endpoint_ = std::make_unique<MeshEndpoint>(shard_, options); });
        if (!started) ADD_FAILURE() << started.error().message();
        const auto listening = call([&] {
            return endpoint_->listen({.bind_address = "127.0.0.1:0", .rid = NodeRid{rid_}}, *this);
        });
        if (!listening) {
            ADD_FAILURE() << listening.error().message();
        } else {
            endpoint_text_ = listening.value();
        }
    }
    ~MeshNode() override { stop(); }

    /// The orderly end: stop(done), then the shard.
    void stop() {
        if (std::exchange(stopped_, true)) return;
        std::promise<void> done;
        shard_.post([&] { endpoint_->stop([&] { done.set_value(); }); });
        if (done.get_future().wait_for(kPatience) != std::future_status::ready) {
            ADD_FAILURE() << "the endpoint did not stop";
        }
        shard_.stop();
    }
    /// The hard end: the shard stops under the endpoint.
    void stop_shard() {
        stopped_ = true;
        shard_.stop();
    }

    const std::string& endpoint_text() const { return endpoint_text_; }
    std::uint16_t port() const {
        return static_cast<std::uint16_t>(
            std::stoul(endpoint_text_.substr(endpoint_text_.rfind(':') + 1)));
    }
    Shard& shard() { return shard_; }
    /// Only inside call() or a hook.
    MeshEndpoint& endpoint() { return *endpoint_; }

    /// Runs `fn` on the shard and returns what it returns.
    template <class F>
    std::invoke_result_t<F&> call(F&& fn) {
        std::promise<std::invoke_result_t<F&>> answer;
        shard_.post([&] {
            if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
                fn();
                answer.set_value();
            } else {
                answer.set_value(fn());
            }
        });
        return answer.get_future().get();
    }

    /// Waits until `holds(heard)`; false and a test failure when that never comes.
    template <class Predicate>
    bool await(Predicate&& holds) {
        std::unique_lock lock(mutex_);
        const bool held = changed_.wait_for(lock, kPatience, [&] { return holds(heard_); });
        EXPECT_TRUE(held) << "waited in vain; ups " << heard_.ups.size() << ", downs "
                          << heard_.downs.size() << ", records " << heard_.record_count
                          << ", submitted " << heard_.submitted.size();
        return held;
    }
    Heard heard() {
        const std::lock_guard lock(mutex_);
        return heard_;
    }
    LinkId await_link(std::size_t nth = 1) {
        if (!await([&](const Heard& h) { return h.ups.size() >= nth; })) return {};
        return heard().ups[nth - 1].first;
    }
    DialId dial(const MeshNode& peer) {
        return call([&] { return endpoint_->dial({.endpoint = peer.endpoint_text()}); });
    }
    Admission send(LinkId link, protocol::OutRecord record, Gate gate = Gate::None,
                   std::uint64_t token = 0) {
        return call(
            [&] { return endpoint_->send(link, std::move(record), gate, SubmitToken{token}); });
    }
    MeshCounters counters() {
        return call([&] { return endpoint_->counters(); });
    }

    /// The same for counters, which nobody announces: asks again and again.
    template <class Predicate>
    bool await_counters(Predicate&& holds) {
        const auto deadline = std::chrono::steady_clock::now() + kPatience;
        while (!holds(counters())) {
            if (std::chrono::steady_clock::now() > deadline) return false;
        }
        return true;
    }

    /// Runs on the shard for each record instead of keeping it; set before traffic flows.
    std::function<void(LinkId, const protocol::InRecord&)> record_hook;
    /// Runs on the shard after each kept event; set before traffic flows.
    std::function<void(LinkId)> up_hook;

    /// False leaves every peer a stranger; set before traffic flows.
    std::atomic<bool> trusts = true;

    void on_link_up(LinkId link, const LinkInfo& info) override {
        if (trusts) endpoint_->trust(link);
        change([&](Heard& h) { h.ups.emplace_back(link, info); });
        if (up_hook) up_hook(link);
    }
    void on_link_down(LinkId link, std::error_code reason) override {
        change([&](Heard& h) { h.downs.emplace_back(link, reason); });
    }
    void on_record(LinkId link, const protocol::InRecord& record) override {
        if (record_hook) record_hook(link, record);
        change([&](Heard& h) {
            ++h.record_count;
            if (record_hook) return;
            Arrived arrived{
                .link = link, .leg = record.leg, .sequence = record.sequence, .parts = {}};
            for (const ByteView part : record.parts) arrived.parts.push_back(copy_of(part));
            h.records.push_back(std::move(arrived));
        });
    }
    void on_submitted(LinkId link, SubmitToken token, protocol::SubmitResult result) override {
        change([&](Heard& h) {
            h.submitted.push_back({.link = link, .token = token.value, .result = result});
        });
    }
    void on_writable(LinkId link) override {
        change([&](Heard& h) { h.writable.push_back(link); });
    }
    void on_protocol_error(std::string_view, std::error_code reason) override {
        change([&](Heard& h) { h.offences.push_back(reason); });
    }
    void on_dial_failed(DialId, std::error_code reason) override {
        change([&](Heard& h) { h.dial_failures.push_back(reason); });
    }

  private:
    template <class F>
    void change(F&& apply) {
        {
            const std::lock_guard lock(mutex_);
            apply(heard_);
        }
        changed_.notify_all();
    }

    std::string rid_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Heard heard_;
    std::string endpoint_text_;
    bool stopped_ = false;
    // The endpoint goes before its shard, whose thread has ended by then.
    Shard shard_;
    std::unique_ptr<MeshEndpoint> endpoint_;
};

/// Two nodes with one link, dialed by `a`.
struct MeshPair {
    explicit MeshPair(MeshOptions options = {}, ShardOptions shard_options = {})
        : a("node-a", options, shard_options), b("node-b", options, shard_options) {
        a.dial(b);
        at_a = a.await_link();
        at_b = b.await_link();
    }
    MeshNode a;
    MeshNode b;
    LinkId at_a;
    LinkId at_b;
};

}  // namespace shunt::engine
