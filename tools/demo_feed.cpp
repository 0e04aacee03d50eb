#include "tools/demo_feed.hpp"

#include <functional>

#include "tools/demo_actors.hpp"

namespace shunt::tools {
namespace {

/// Messages that may be under way. Far below the hosts' job limit, so that queues stay short enough
/// for a move to begin at any moment.
constexpr std::uint64_t kOpenMax = 1'000;
/// Events per call: the caller has restarts and a screen to look after.
constexpr int kBatch = 500;

}  // namespace

result<Cast> read_cast(TraceReader& reader) {
    Cast cast;
    for (;;) {
        BOOST_OUTCOME_TRY(const std::optional<TraceEvent> event, reader.next());
        if (!event) return cast;
        cast.people.insert(event->user);
        if (event->kind == TraceKind::Tell) {
            cast.people.insert(event->told);
        } else {
            cast.rooms.insert(event->room);
        }
        ++cast.event_count;
        cast.duration = event->at;
    }
}

Feed::Feed(TraceReader reader, const DemoOptions& options, Fleet& fleet, Books& books)
    : reader_(std::move(reader)),
      options_(options),
      fleet_(fleet),
      books_(books),
      self_(books.party(kFeedParty)) {}

result<void> Feed::advance() {
    BOOST_OUTCOME_TRY(next_, reader_.next());
    finished_ = !next_.has_value();
    return outcome::success();
}

result<void> Feed::pump(Clock::time_point now) {
    if (!primed_) {
        primed_ = true;
        BOOST_OUTCOME_TRY(advance());
    }
    const double trace_ms =
        std::chrono::duration<double, std::milli>(now - begun_).count() * options_.speed;
    for (int count = 0; count < kBatch && !finished_; ++count) {
        if (static_cast<double>(next_->at.count()) > trace_ms || books_.open() >= kOpenMax) break;
        play(*next_);
        BOOST_OUTCOME_TRY(advance());
    }
    return outcome::success();
}

std::size_t Feed::entry_of(const std::string& user) const {
    std::size_t entry = (std::hash<std::string>{}(user) ^ options_.seed) % kDemoHosts;
    while (!fleet_.is_open(entry)) entry = (entry + 1) % kDemoHosts;
    return entry;
}

void Feed::play(const TraceEvent& event) {
    const std::string person = person_id(event.user);
    const conservation::Party receiver = books_.party(person);
    Order order;
    order.stamp = books_.send(self_, receiver);
    order.kind = event.kind;
    order.receiver = event.kind == TraceKind::Tell ? person_id(event.told) : room_id(event.room);
    order.payload_bytes = event.payload_bytes;
    fleet_.send(
        entry_of(event.user), ActorId{person}, host::Packet(kOrderPacket, encode_order(order)),
        [&books = books_, stamp = order.stamp, receiver] { books.refused(stamp, receiver); });
    ++played_;
}

}  // namespace shunt::tools
