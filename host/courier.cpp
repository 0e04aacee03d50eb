#include "host/courier.hpp"

#include <optional>

#include "host/shard_core.hpp"

namespace shunt::host {
namespace {

/// `callback` as something another shard may call: it runs on `home`.
template <class Result>
UniqueFunction<void(Result)> carried_back(Crew& crew, ShardId home,
                                          UniqueFunction<void(Result)> callback) {
    if (!callback) return nullptr;
    return [&crew, home, callback = std::move(callback)](Result answer) mutable {
        crew.post(home, [callback = std::move(callback), answer = std::move(answer)](
                            ShardCore&) mutable { callback(std::move(answer)); });
    };
}

}  // namespace

void Courier::send(const protocol::ActorRef* from, ActorId target, Packet packet,
                   Admitted admitted) {
    const ShardId home = crew_.home_of(target);
    if (home == shard_) {
        return crew_.core(home)->router().send(from, std::move(target), std::move(packet),
                                               std::move(admitted));
    }
    crew_.post(home, [from = from == nullptr ? std::nullopt : std::optional(*from),
                      target = std::move(target), packet = std::move(packet),
                      admitted = carried_back(crew_, shard_, std::move(admitted))](
                         ShardCore& core) mutable {
        core.router().send(from ? &*from : nullptr, std::move(target), std::move(packet),
                           std::move(admitted));
    });
}

void Courier::request(const protocol::ActorRef* from, ActorId target, Packet packet,
                      std::chrono::milliseconds timeout, Answered answered) {
    const ShardId home = crew_.home_of(target);
    if (home == shard_) {
        return crew_.core(home)->router().request(from, std::move(target), std::move(packet),
                                                  timeout, std::move(answered));
    }
    crew_.post(home, [from = from == nullptr ? std::nullopt : std::optional(*from),
                      target = std::move(target), packet = std::move(packet), timeout,
                      answered = carried_back(crew_, shard_, std::move(answered))](
                         ShardCore& core) mutable {
        core.router().request(from ? &*from : nullptr, std::move(target), std::move(packet),
                              timeout, std::move(answered));
    });
}

void Courier::reply(const MessageJob& job, result<Packet> answer) {
    crew_.core(shard_)->router().reply(job, std::move(answer));
}

}  // namespace shunt::host
