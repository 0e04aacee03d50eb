// The shortest program: two hosts, one Actor, one move. The README shows this file.
#include <cstdio>

#include "host/host.hpp"

using namespace shunt;
using namespace shunt::host;

struct Counter {
    std::uint64_t total = 0;

    void add(Turn turn, Message) {
        ++total;
        static_cast<void>(turn.reply(Packet("total", std::to_string(total))));
    }
};

int main() {
    Registry types;
    const auto counter =
        ActorType<Counter>("counter")
            .on("add", &Counter::add)
            .preserve_state(
                [](const Counter& c) {
                    return Segments{Segment(copy_of(bytes_of(std::to_string(c.total))))};
                },
                [](Counter& c, ByteView state) -> result<void> {
                    c.total = std::stoull(std::string(text_of(state)));
                    return outcome::success();
                });
    if (!types.add(counter)) return 1;

    const LocalStore store;
    auto first = Host::start(HostOptions(), types, store);
    auto second = Host::start(HostOptions(), types, store);
    if (!first || !second) return 1;

    const ActorId id{"visits"};
    if (!block_on(first.value()->create_actor(id, "counter"))) return 1;
    for (int visit = 0; visit < 3; ++visit) {
        static_cast<void>(
            block_on(second.value()->request(id, Packet("add", ""), std::chrono::seconds(5))));
    }

    const auto moved =
        block_on(first.value()->relocate(RelocateOptions(RelocationMode::PlannedMaintenance)));
    const auto total =
        block_on(second.value()->request(id, Packet("add", ""), std::chrono::seconds(5)));
    if (!moved || !total) return 1;
    std::printf("%s; the counter now lives on the second host and says %.*s\n",
                name_of(moved.value().outcome).data(),
                static_cast<int>(total.value().payload.size()),
                text_of(total.value().payload.view()).data());
    return moved.value().outcome == RelocationOutcome::Relocated ? 0 : 1;
}
