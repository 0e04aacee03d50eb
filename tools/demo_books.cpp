#include "tools/demo_books.hpp"

namespace shunt::tools {

using conservation::Answer;
using conservation::MessageRef;
using conservation::Party;

namespace {

MessageRef ref(const Stamp& stamp, Party receiver) noexcept {
    return {Party{stamp.sender}, receiver, stamp.sequence};
}

Digest mix(Digest before, std::uint64_t what, std::uint64_t number) noexcept {
    // Multiplication between the words makes the order matter.
    Digest mixed = (before ^ what) * 0x9E3779B97F4A7C15ULL;
    mixed = (mixed ^ (mixed >> 29U) ^ number) * 0xBF58476D1CE4E5B9ULL;
    return mixed ^ (mixed >> 32U);
}

}  // namespace

Books::Books() : start_(std::chrono::steady_clock::now()) {}

Duration Books::now() const {
    return std::chrono::steady_clock::now() - start_;
}

Party Books::party(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const Party party = ledger_.party(name);
    if (party.index >= states_.size()) states_.resize(party.index + 1);
    return party;
}

Stamp Books::send(Party sender, Party receiver) {
    const std::lock_guard lock(mutex_);
    return {sender.index, ledger_.send(sender, receiver, now()).sequence};
}

Stamp Books::ask(Party sender, Party receiver) {
    const std::lock_guard lock(mutex_);
    return {sender.index, ledger_.ask(sender, receiver, now()).sequence};
}

void Books::refused(const Stamp& stamp, Party receiver) {
    const std::lock_guard lock(mutex_);
    ++refused_;
    ledger_.may_be_missing(ref(stamp, receiver));
}

void Books::answered(const Stamp& stamp, Party receiver, Answer answer) {
    const std::lock_guard lock(mutex_);
    ledger_.answered(ref(stamp, receiver), answer, now());
}

Digest Books::turn(Party actor, Digest before, std::uint64_t what, std::uint64_t number,
                   const char* kind) {
    Digest& expected = states_[actor.index];
    if (before != expected) {
        add_fault(ledger_.name_of(actor) + ": its state is not what its turns made, at " + kind +
                  " #" + std::to_string(number));
    }
    expected = mix(before, what, number);
    return expected;
}

Digest Books::ran(const Stamp& stamp, Party receiver, std::string_view route, Digest before) {
    const std::lock_guard lock(mutex_);
    ++delivered_;
    ledger_.ran(ref(stamp, receiver), ledger_.route(route), now());
    return turn(receiver, before, stamp.sender + 1ULL, stamp.sequence, "message");
}

Digest Books::ticked(Party actor, std::uint64_t delivery_index, std::uint64_t scheduled_index,
                     Digest before) {
    const std::lock_guard lock(mutex_);
    ++ticks_;
    return turn(actor, before, ~scheduled_index, delivery_index, "tick");
}

void Books::fault(std::string what) {
    const std::lock_guard lock(mutex_);
    add_fault(std::move(what));
}

void Books::add_fault(std::string what) {
    faults_.add(std::move(what));
}

void Books::order_not_promised(Party receiver, Duration before_now, Duration after_now) {
    const std::lock_guard lock(mutex_);
    const Duration at = now();
    ledger_.order_not_promised(receiver, at - before_now, at + after_now);
}

std::uint64_t Books::open() const {
    const std::lock_guard lock(mutex_);
    return ledger_.open();
}

std::uint64_t Books::delivered() const {
    const std::lock_guard lock(mutex_);
    return delivered_;
}

BooksReport Books::report() const {
    const std::lock_guard lock(mutex_);
    BooksReport report;
    report.messages = ledger_.report();
    report.ticks = ticks_;
    report.refused = refused_;
    report.state_faults = faults_.count();
    report.findings = report.messages.findings.texts();
    report.findings.insert(report.findings.end(), faults_.texts().begin(), faults_.texts().end());
    return report;
}

}  // namespace shunt::tools
