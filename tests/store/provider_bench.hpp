#pragma once
// What the provider contract suite needs of a provider: a handle, a way to let store time pass, and
// a way to let answers arrive. Each provider's own test file makes one and instantiates the suite.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "store/location_store.hpp"

namespace shunt::store::test {

/// One empty store and one handle on it.
class ProviderBench {
  public:
    virtual ~ProviderBench() = default;

    virtual LocationStore& store() = 0;
    /// Returns when StoreNow is at least `wait` later than before.
    virtual void pass(std::chrono::milliseconds wait) = 0;
    /// Runs what is due on this thread; may wait for the provider.
    virtual void pump() = 0;
};

struct Provider {
    const char* name;
    std::function<std::unique_ptr<ProviderBench>()> open;
};

/// Calls that wait for their answer, for tests that read like a list of facts.
class SyncStore {
  public:
    explicit SyncStore(ProviderBench& bench)
        : SyncStore(bench.store(), [&bench] { bench.pump(); }) {}
    SyncStore(LocationStore& store, std::function<void()> pump)
        : store_(store), pump_(std::move(pump)) {}

    result<ReadReply> read(Key key) {
        std::optional<result<ReadReply>> reply;
        store_.read(std::move(key), kNever, [&](auto r) { reply.emplace(std::move(r)); });
        return wait(reply);
    }
    result<WriteReply> write(Batch batch) {
        std::optional<result<WriteReply>> reply;
        store_.write(std::move(batch), kNever, [&](auto r) { reply.emplace(std::move(r)); });
        return wait(reply);
    }
    result<ScanReply> scan(ScanRequest request) {
        std::optional<result<ScanReply>> reply;
        store_.scan(std::move(request), kNever, [&](auto r) { reply.emplace(std::move(r)); });
        return wait(reply);
    }

    /// The value under `key` as text, or nothing when it is missing.
    std::optional<std::string> text(const Key& key) {
        const std::optional<Found> row = found(key);
        if (!row) return std::nullopt;
        return std::string(text_of(row->value));
    }
    std::optional<Found> found(const Key& key) {
        const result<ReadReply> reply = read(key);
        if (!reply || !std::holds_alternative<Found>(reply.value())) return std::nullopt;
        return std::get<Found>(reply.value());
    }
    /// The version of an unconditional Put.
    Version put(const Key& key, std::string_view text,
                std::optional<std::chrono::milliseconds> retention = {}) {
        const result<WriteReply> reply =
            write(Batch{{}, {Put{key, copy_of(bytes_of(text)), retention}}});
        if (!reply || !std::holds_alternative<Applied>(reply.value())) return {};
        return std::get<Applied>(reply.value()).versions.at(0);
    }
    bool applies(Batch batch) {
        const result<WriteReply> reply = write(std::move(batch));
        return reply && std::holds_alternative<Applied>(reply.value());
    }
    bool conflicts(Batch batch) {
        const result<WriteReply> reply = write(std::move(batch));
        return reply && std::holds_alternative<Conflict>(reply.value());
    }

  private:
    template <class T>
    T wait(std::optional<T>& reply) {
        while (!reply) pump_();
        return std::move(*reply);
    }

    LocationStore& store_;
    std::function<void()> pump_;
};

inline Bytes bytes(std::string_view text) {
    return copy_of(bytes_of(text));
}

/// The suite; one instance per provider (spec/stores.md section 19.4).
class ProviderContract : public ::testing::TestWithParam<Provider> {
  protected:
    void SetUp() override {
        bench_ = GetParam().open();
        store_.emplace(*bench_);
    }
    SyncStore& store() { return *store_; }
    ProviderBench& bench() { return *bench_; }

  private:
    std::unique_ptr<ProviderBench> bench_;
    std::optional<SyncStore> store_;
};

}  // namespace shunt::store::test
