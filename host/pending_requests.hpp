#pragma once
// Operations of this host that wait for exactly one end: reply, error, timeout or shutdown. Taking
// the entry out is the one point where the racers meet (spec/execution.md section 5).

#include <cstdint>
#include <map>
#include <unordered_map>

#include "host/services.hpp"

namespace shunt::host {

class PendingRequests {
  public:
    explicit PendingRequests(ShardWorld& world) : world_(world) {}
    PendingRequests(const PendingRequests&) = delete;
    PendingRequests& operator=(const PendingRequests&) = delete;
    ~PendingRequests() { world_.cancel(timer_); }

    /// `id` must be fresh (Mesh::next_sequence). `answered` runs once, in a later step.
    void add(std::uint64_t id, OperationId operation, TimePoint deadline,
             Outbound::Answered answered);
    /// False when nothing waits under that id for that operation: the loser of a race.
    bool complete(std::uint64_t id, OperationId operation, result<Packet> answer);
    /// The same for a reply that names only the id.
    bool complete(std::uint64_t id, result<Packet> answer);
    bool contains(std::uint64_t id) const { return entries_.contains(id); }
    std::size_t size() const noexcept { return entries_.size(); }
    void fail_all(std::error_code error);

  private:
    struct Entry {
        OperationId operation;
        TimePoint deadline;
        Outbound::Answered answered;
    };
    using Entries = std::unordered_map<std::uint64_t, Entry>;

    void finish(Entries::iterator entry, result<Packet> answer);
    void arm();
    void expire();

    ShardWorld& world_;
    Entries entries_;
    std::multimap<TimePoint, std::uint64_t> deadlines_;
    TimerId timer_;
    TimePoint armed_for_ = kNever;
};

}  // namespace shunt::host
