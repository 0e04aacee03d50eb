#include "tools/demo_actors.hpp"

#include "protocol/crc32c.hpp"
#include "protocol/reader.hpp"
#include "protocol/writer.hpp"

namespace shunt::tools {

using conservation::Answer;
using conservation::Party;
using host::ActorContext;
using host::ActorType;
using host::Message;
using host::Packet;
using host::Tick;
using host::Turn;

namespace {

constexpr char kSay[] = "say";
constexpr char kAsk[] = "ask";
constexpr char kTell[] = "tell";
constexpr char kAnswer[] = "answer";
constexpr char kTimer[] = "tick";

struct Person : Member {
    using Member::Member;

    /// One event of the trace: says, asks or tells what it orders.
    void order(Turn turn, Message message);
    void tell(Turn, Message message) { hear(message); }

  private:
    void ask(Turn turn, const Order& order, Party room);
};

struct Room : Member {
    using Member::Member;

    void begin(Turn turn) {
        host::TimerOptions timer("pulse", kTimer, kRoomTimerPeriod);
        if (!turn.start_timer(timer)) books.fault("a room could not start its timer");
    }
    void say(Turn, Message message) { hear(message); }
    void ask(Turn turn, Message message);
    void tick(Turn, const Tick& tick);
};

void Person::order(Turn turn, Message message) {
    const std::optional<Order> order = decode_order(message.payload());
    if (!order) return books.fault("an order arrived broken");
    digest = books.ran(order->stamp, self, message.route(), digest);
    const Party receiver = books.party(order->receiver);
    if (order->kind == TraceKind::Ask) return ask(std::move(turn), *order, receiver);
    const Stamp stamp = books.send(self, receiver);
    turn.send(ActorId{order->receiver},
              Packet(order->kind == TraceKind::Tell ? kTell : kSay,
                     stamped_payload(stamp, order->payload_bytes)),
              [&known = books, stamp, receiver](result<void> admitted) {
                  if (!admitted) known.refused(stamp, receiver);
              });
}

void Person::ask(Turn turn, const Order& order, Party room) {
    const Stamp stamp = books.ask(self, room);
    turn.request(ActorId{order.receiver}, Packet(kAsk, stamped_payload(stamp, order.payload_bytes)),
                 [&known = books, stamp, room](result<Packet> answer) {
                     if (answer && read_stamped(answer.value().payload.view()) != stamp) {
                         known.fault("a request got the answer of another one");
                     }
                     known.answered(stamp, room, answer ? Answer::Reply : Answer::Failure);
                 });
}

void Room::ask(Turn turn, Message message) {
    const std::optional<Stamp> stamp = hear(message);
    if (!stamp) return;
    if (!turn.reply(Packet(kAnswer, stamped_payload(*stamp, kStampBytes)))) {
        books.fault("a room could not answer");
    }
}

void Room::tick(Turn, const Tick& tick) {
    const bool in_order = tick.delivery_index == last_delivery_index + 1 &&
                          tick.scheduled_index > last_scheduled_index;
    if (!in_order) {
        books.fault("a timer went from delivery " + std::to_string(last_delivery_index) + " to " +
                    std::to_string(tick.delivery_index) + ", from index " +
                    std::to_string(last_scheduled_index) + " to " +
                    std::to_string(tick.scheduled_index));
    }
    last_delivery_index = tick.delivery_index;
    last_scheduled_index = tick.scheduled_index;
    digest = books.ticked(self, tick.delivery_index, tick.scheduled_index, digest);
}

template <class T>
auto factory_of(Books& books) {
    return [&books](const ActorContext& context) { return std::make_shared<T>(books, context.id); };
}

}  // namespace

std::string person_id(const std::string& user) {
    return "person/" + user;
}

std::string room_id(const std::string& room) {
    return "room/" + room;
}

Member::Member(Books& its_books, const ActorId& id)
    : books(its_books), self(its_books.party(id.value)) {}

std::optional<Stamp> Member::hear(const Message& message) {
    const ByteView payload = message.payload();
    const std::optional<Stamp> stamp = read_stamped(payload);
    if (!stamp) {
        books.fault("a payload arrived with bytes of another message");
        return std::nullopt;
    }
    digest = books.ran(*stamp, self, message.route(), digest);
    memory.insert(memory.end(), payload.begin(), payload.end());
    return stamp;
}

result<Segments> capture(const Member& member) {
    protocol::Writer out;
    out.integer(member.digest);
    out.integer(member.last_delivery_index);
    out.integer(member.last_scheduled_index);
    out.integer(protocol::crc32c(member.memory));
    Segments state = std::move(out).take_segments();
    if (!member.memory.empty()) state.emplace_back(copy_of(member.memory));
    return state;
}

result<void> restore(Member& member, ByteView state) {
    protocol::Reader in(state);
    BOOST_OUTCOME_TRY(member.digest, in.integer<std::uint64_t>());
    BOOST_OUTCOME_TRY(member.last_delivery_index, in.integer<std::uint64_t>());
    BOOST_OUTCOME_TRY(member.last_scheduled_index, in.integer<std::uint64_t>());
    BOOST_OUTCOME_TRY(const std::uint32_t checksum, in.integer<std::uint32_t>());
    BOOST_OUTCOME_TRY(const ByteView memory, in.take(in.left()));
    if (protocol::crc32c(memory) != checksum) return Errc::InputMalformed;
    member.memory = copy_of(memory);
    return outcome::success();
}

result<void> add_demo_types(host::Registry& types, Books& books) {
    BOOST_OUTCOME_TRY(types.add(ActorType<Person>(kPersonType)
                                    .factory(factory_of<Person>(books))
                                    .on(kOrderPacket, &Person::order)
                                    .on(kTell, &Person::tell)
                                    .preserve_state(&capture, &restore)));
    return types.add(ActorType<Room>(kRoomType)
                         .factory(factory_of<Room>(books))
                         .on_create(&Room::begin)
                         .on(kSay, &Room::say)
                         .on(kAsk, &Room::ask)
                         .on_timer(kTimer, &Room::tick)
                         .preserve_state(&capture, &restore));
}

}  // namespace shunt::tools
