#include "tests/sim/sim_app.hpp"

#include <charconv>
#include <cstdio>
#include <utility>

#include "host/errc.hpp"
#include "protocol/command_record.hpp"
#include "tests/sim/walker.hpp"

namespace shunt::sim {
namespace {

/// Opens every payload, so that it is found inside whatever record carries it.
constexpr std::string_view kMark = "@sim|";
constexpr std::size_t kStoryLines = 120;

struct Stamp {
    std::string_view sender;
    std::string_view receiver;
    std::uint64_t sequence = 0;
    std::uint32_t hops = 0;
};

std::string_view next_field(std::string_view& text) {
    const std::size_t end = text.find('|');
    const std::string_view field = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return field;
}

template <class Number>
Number number_in(std::string_view field) {
    Number number{};
    std::from_chars(field.data(), field.data() + field.size(), number);
    return number;
}

std::optional<Stamp> find_stamp(std::string_view text) {
    const std::size_t at = text.find(kMark);
    if (at == std::string_view::npos) return std::nullopt;
    text.remove_prefix(at + kMark.size());
    Stamp stamp;
    stamp.sender = next_field(text);
    stamp.receiver = next_field(text);
    stamp.sequence = number_in<std::uint64_t>(next_field(text));
    stamp.hops = number_in<std::uint32_t>(next_field(text));
    return stamp;
}

}  // namespace

void Coverage::add(const Coverage& other) {
    const auto sum = [](auto& into, const auto& from) {
        for (std::size_t i = 0; i < into.size(); ++i) into[i] += from[i];
    };
    sum(source_stages, other.source_stages);
    sum(target_stages, other.target_stages);
    sum(source_effects, other.source_effects);
    sum(target_effects, other.target_effects);
    sum(log_codes, other.log_codes);
    for (const auto& [name, count] : other.results) results[name] += count;
    for (const auto& [name, count] : other.drops) drops[name] += count;
}

SimApp::SimApp(Scheduler& scheduler, std::uint64_t seed, const AppOptions& options)
    : scheduler_(scheduler), options_(options), random_(Random(seed).split("app")) {}

std::string SimApp::type_of(std::uint32_t index) const {
    return index % 5 == 4 ? "sim.newborn" : "sim.walker";
}

std::uint32_t SimApp::number_of(const ActorId& actor) const {
    return number_in<std::uint32_t>(std::string_view(actor.value).substr(6));
}

result<void> SimApp::register_types(host::Registry& registry) {
    const auto describe = [this](const char* name) {
        host::ActorType<Walker> type(name);
        type.factory([this](const host::ActorContext& context) {
            return std::make_shared<Walker>(*this, context);
        });
        type.on_create(&Walker::created);
        type.on("note", &Walker::note);
        type.on("ask", &Walker::ask);
        type.on("ask_slowly", &Walker::ask_slowly);
        type.on_timer("beat", &Walker::beat);
        return type;
    };
    auto walker = describe("sim.walker");
    walker.preserve_state(&Walker::capture, &Walker::restore);
    auto newborn = describe("sim.newborn");
    newborn.recreate_on_relocation();
    BOOST_OUTCOME_TRY(registry.add(walker));
    return registry.add(newborn);
}

// --- messages -------------------------------------------------------------------------------

SimApp::Outgoing SimApp::next(const std::string& sender, const ActorId& receiver,
                              std::uint32_t hops, bool ask) {
    const conservation::Party from = ledger_.party(sender);
    const conservation::Party to = ledger_.party(receiver.value);
    Outgoing out;
    out.ref =
        ask ? ledger_.ask(from, to, scheduler_.now()) : ledger_.send(from, to, scheduler_.now());
    std::string text(kMark);
    text += sender + '|' + receiver.value + '|' + std::to_string(out.ref.sequence) + '|' +
            std::to_string(hops) + '|';
    // Mostly small, now and then a page or two.
    const std::size_t padding = random_.below(random_.chance(30) ? 9000 : 100);
    text.append(padding, '.');
    const char* handler = !ask ? "note" : random_.chance(300) ? "ask_slowly" : "ask";
    out.packet = host::Packet(handler, text);
    return out;
}

SimApp::Outgoing SimApp::next_note(const std::string& sender, const ActorId& receiver,
                                   std::uint32_t hops) {
    return next(sender, receiver, hops, false);
}

SimApp::Outgoing SimApp::next_ask(const std::string& sender, const ActorId& receiver,
                                  std::uint32_t hops) {
    return next(sender, receiver, hops, true);
}

void SimApp::admitted(const conservation::MessageRef& ref, const result<void>& answer) {
    ++coverage_.results[answer ? "send: accepted" : "send: " + answer.error().message()];
    if (!answer) ledger_.may_be_missing(ref);
}

void SimApp::answered(const conservation::MessageRef& ref, const result<host::Packet>& answer) {
    ++coverage_.results[answer ? "request: reply" : "request: " + answer.error().message()];
    if (answer && answer.value().payload.size() > 0 &&
        text_of(answer.value().payload.view()) != std::to_string(ref.sequence)) {
        findings_.add("a reply to another request than " + ledger_.name_of(ref.receiver) + " #" +
                      std::to_string(ref.sequence));
    }
    ledger_.answered(ref, answer ? conservation::Answer::Reply : conservation::Answer::Failure,
                     scheduler_.now());
}

conservation::MessageRef SimApp::note_run(const host::Turn& turn, const host::Message& message,
                                          std::uint32_t& hops) {
    const std::optional<Stamp> stamp = find_stamp(message.text());
    SHUNT_ASSERT(stamp.has_value());
    if (stamp->receiver != turn.self().value) {
        findings_.add("a message for " + std::string(stamp->receiver) + " ran at " +
                      turn.self().value);
    }
    hops = stamp->hops;
    const conservation::MessageRef ref{ledger_.party(stamp->sender), ledger_.party(stamp->receiver),
                                       stamp->sequence};
    scheduler_.note("ran", stamp->sequence);
    ledger_.ran(ref, ledger_.route(message.route()), scheduler_.now());
    return ref;
}

std::optional<conservation::MessageRef> SimApp::message_in(ByteView bytes) {
    const std::optional<Stamp> stamp = find_stamp(text_of(bytes));
    if (!stamp) return std::nullopt;
    return conservation::MessageRef{ledger_.party(stamp->sender), ledger_.party(stamp->receiver),
                                    stamp->sequence};
}

void SimApp::record_lost(const FlatRecord& record) {
    const std::vector<ByteView> parts(record.parts.begin(), record.parts.end());
    const auto command = protocol::peek_command({record.leg, record.sequence, parts});
    if (!command) return;
    for (const ByteView part : parts) {
        const auto message = message_in(part);
        if (!message) continue;
        if (command.value() == protocol::CommandId::RelocationData) {
            batch_losses_.push_back(*message);
        } else if (command.value() == protocol::CommandId::ActorSend ||
                   command.value() == protocol::CommandId::ActorRequest) {
            ledger_.may_be_missing(*message);
        }
    }
}

void SimApp::message_dropped(std::string_view reason, ByteView payload) {
    ++coverage_.drops[std::string(reason)];
    if (const auto message = message_in(payload)) drops_.push_back(*message);
}

void SimApp::troubled(const ActorId& actor) {
    troubled_.insert(actor);
    // The hold of a move that fell back arrives whenever it arrives.
    ledger_.order_not_promised(ledger_.party(actor.value), Duration(0), scheduler_.now());
}

void SimApp::died(std::uint64_t lifecycle, const std::string& caller) {
    const conservation::Node node{lifecycle};
    for (const std::string& object : owners_.owned_by(node)) {
        tell("run " + std::to_string(lifecycle), object + " died with its process");
        ledger_.party_died(ledger_.party(object));
    }
    ledger_.party_died(ledger_.party(caller));
    owners_.node_gone(node);
}

std::vector<ActorId> SimApp::ownerless() const {
    std::vector<ActorId> actors;
    for (std::uint32_t i = 0; i < options_.actors; ++i) {
        if (!owners_.owner_of(actor(i).value)) actors.push_back(actor(i));
    }
    return actors;
}

bool SimApp::settle(bool calm) {
    if (calm) return ledger_.open() == 0;
    for (const conservation::MessageRef& ref : batch_losses_) {
        const ActorId receiver{ledger_.name_of(ref.receiver)};
        if (troubled_.contains(receiver)) ledger_.may_be_missing(ref);
    }
    for (const conservation::MessageRef& ref : drops_) ledger_.may_be_missing(ref);
    for (const ActorId& actor : ownerless()) {
        ledger_.receiver_gone(ledger_.party(actor.value));
    }
    return ledger_.open() == 0;
}

// --- state and timers -----------------------------------------------------------------------

void SimApp::check_state(const ActorId& actor, std::uint64_t handled) {
    std::uint64_t& expected = handled_[actor];
    const bool keeps_state = type_of(number_of(actor)) == "sim.walker";
    if (keeps_state && handled != expected) {
        findings_.add("state of " + actor.value + " says " + std::to_string(handled) +
                      " turns, not " + std::to_string(expected));
        expected = handled;
    }
    ++expected;
}

void SimApp::check_tick(const ActorId& actor, const host::Tick& tick) {
    ++ticks_;
    TickMark& mark = tick_marks_[actor];
    if (tick.delivery_index != mark.delivery_index + 1) {
        findings_.add("tick " + std::to_string(tick.delivery_index) + " of " + actor.value +
                      " after tick " + std::to_string(mark.delivery_index));
    }
    if (tick.scheduled_index != mark.scheduled_index + tick.skipped_ticks + 1) {
        findings_.add("nominal tick " + std::to_string(tick.scheduled_index) + " of " +
                      actor.value + " after " + std::to_string(mark.scheduled_index) + " with " +
                      std::to_string(tick.skipped_ticks) + " skipped");
    }
    mark = {tick.delivery_index, tick.scheduled_index};
}

void SimApp::tell(const std::string& who, const std::string& what) {
    char line[320];
    const int length = std::snprintf(line, sizeof line, "%10lld us  %s  %s",
                                     static_cast<long long>(scheduler_.now().count() / 1000),
                                     who.c_str(), what.c_str());
    if (length <= 0) return;
    if (verbose_) std::printf("%s\n", line);
    if (story_.size() == kStoryLines) story_.pop_front();
    story_.emplace_back(line);
}

std::string SimApp::story() const {
    std::string text;
    for (const std::string& line : story_) text += line + '\n';
    return text;
}

// --- probe ----------------------------------------------------------------------------------

void SimProbe::on_turn_started(const ActorId& actor, AuthorityOwnerGeneration generation) {
    app_.owners().turn_started(actor.value, node_, generation.value, scheduler_.now());
}

void SimProbe::on_turn_ended(const ActorId& actor, AuthorityOwnerGeneration) {
    app_.owners().turn_ended(actor.value, node_, scheduler_.now());
}

void SimProbe::on_stage(const ActorId& actor, relocation::Role role, relocation::Stage stage) {
    using relocation::Stage;
    Coverage& coverage = app_.coverage();
    app_.tell(name_, actor.value + (role == relocation::Role::Source ? " source " : " target ") +
                         std::string(relocation::name_of(stage)));
    scheduler_.note("stage",
                    static_cast<std::uint64_t>(stage) * 2 + static_cast<std::uint64_t>(role));
    if (role == relocation::Role::Source) {
        ++coverage.source_stages[static_cast<std::size_t>(stage)];
        if (stage == Stage::SourcePaused)
            app_.owners().sealed(actor.value, node_, scheduler_.now());
        if (stage == Stage::SourceRunning) {
            app_.owners().unsealed(actor.value, node_, scheduler_.now());
        }
        return;
    }
    ++coverage.target_stages[static_cast<std::size_t>(stage)];
    if (stage == Stage::TargetOpen) app_.owners().opened(actor.value, node_, scheduler_.now());
    if (stage == Stage::CutoverFallback || stage == Stage::TargetRemoved) {
        app_.troubled(actor);
    }
}

void SimProbe::on_effect(relocation::Role role, std::size_t effect_index) {
    Coverage& coverage = app_.coverage();
    ++(role == relocation::Role::Source ? coverage.source_effects
                                        : coverage.target_effects)[effect_index];
}

void SimProbe::on_log(relocation::LogCode code) {
    app_.tell(name_, std::string(relocation::name_of(code)));
    ++app_.coverage().log_codes[static_cast<std::size_t>(code)];
}

void SimProbe::on_unit_moved(const ActorId&, std::uint64_t stream_bytes) {
    scheduler_.note("unit moved", stream_bytes);
}

void SimProbe::on_dropped(std::string_view reason) {
    app_.tell(name_, "dropped: " + std::string(reason));
    ++app_.coverage().drops[std::string(reason)];
}

void SimProbe::on_message_dropped(std::string_view reason, ByteView payload) {
    app_.tell(name_, "message dropped: " + std::string(reason));
    app_.message_dropped(reason, payload);
}

}  // namespace shunt::sim
