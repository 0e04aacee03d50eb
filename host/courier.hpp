#pragma once
// The way out of a turn: everything sent to an Actor goes to the shard that Actor is at home on,
// and the router there finds it (design.md section 2). Answers come back to the caller's shard.

#include "host/crew.hpp"
#include "host/services.hpp"

namespace shunt::host {

class Courier final : public Outbound {
  public:
    Courier(ShardId shard, Crew& crew) : shard_(shard), crew_(crew) {}

    void send(const protocol::ActorRef* from, ActorId target, Packet packet,
              Admitted admitted) override;
    void request(const protocol::ActorRef* from, ActorId target, Packet packet,
                 std::chrono::milliseconds timeout, Answered answered) override;
    /// The job ran on this shard, so its reply route starts here.
    void reply(const MessageJob& job, result<Packet> answer) override;

  private:
    ShardId shard_;
    Crew& crew_;
};

}  // namespace shunt::host
