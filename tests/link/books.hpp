#pragma once
// The ledger of a run on real threads, and the Actor that writes into it: every message carries its
// sender and number, and is ticked off where it runs.

#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "host/host.hpp"
#include "tests/sim/conservation.hpp"

namespace shunt::link_test {

class Books {
  public:
    struct Entry {
        conservation::MessageRef ref;
        std::string payload;
    };

    Books() { current_ = this; }
    ~Books() { current_ = nullptr; }
    static Books& current() { return *current_; }

    Entry send(const std::string& sender, const ActorId& receiver) {
        const std::lock_guard lock(mutex_);
        return entry(sender,
                     ledger_.send(ledger_.party(sender), ledger_.party(receiver.value), now()));
    }
    Entry ask(const std::string& sender, const ActorId& receiver) {
        const std::lock_guard lock(mutex_);
        return entry(sender,
                     ledger_.ask(ledger_.party(sender), ledger_.party(receiver.value), now()));
    }
    void ran(const ActorId& receiver, const host::Message& message) {
        const std::string text(message.text());
        const std::size_t space = text.find(' ');
        {
            const std::lock_guard lock(mutex_);
            ledger_.ran({ledger_.party(text.substr(0, space)), ledger_.party(receiver.value),
                         std::stoull(text.substr(space + 1))},
                        ledger_.route(message.route()), now());
        }
        changed_.notify_all();
    }
    void answered(const conservation::MessageRef& ref, bool replied) {
        {
            const std::lock_guard lock(mutex_);
            ledger_.answered(
                ref, replied ? conservation::Answer::Reply : conservation::Answer::Failure, now());
        }
        changed_.notify_all();
    }
    void may_be_missing(const conservation::MessageRef& ref) {
        {
            const std::lock_guard lock(mutex_);
            ledger_.may_be_missing(ref);
        }
        changed_.notify_all();
    }
    /// The Actor's move went through the fallback: order is off, and what was lost of its boundary
    /// batch stays lost.
    void troubled(const ActorId& actor) {
        const std::lock_guard lock(mutex_);
        troubled_.insert(actor.value);
        ledger_.order_not_promised(ledger_.party(actor.value), Duration(0), Duration::max());
    }
    std::size_t troubled_count() const {
        const std::lock_guard lock(mutex_);
        return troubled_.size();
    }
    /// Waits until every message has run or may be missing and every request is answered.
    template <class Length>
    bool settle(Length patience) {
        std::unique_lock lock(mutex_);
        for (const std::string& actor : troubled_) ledger_.receiver_gone(ledger_.party(actor));
        return changed_.wait_for(lock, patience, [this] { return ledger_.open() == 0; });
    }
    conservation::Report report() const {
        const std::lock_guard lock(mutex_);
        return ledger_.report();
    }

  private:
    static Duration now() { return std::chrono::steady_clock::now().time_since_epoch(); }
    static Entry entry(const std::string& sender, const conservation::MessageRef& ref) {
        return {ref, sender + " " + std::to_string(ref.sequence)};
    }

    static inline Books* current_ = nullptr;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    conservation::Ledger ledger_;
    std::set<std::string> troubled_;
};

/// Writes down what it is told; its state is large enough for many chunks.
struct Scribe {
    static constexpr std::size_t kStateBytes = 512 * 1024;
    ActorId id;
    std::uint64_t handled = 0;

    void note(host::Turn turn, host::Message message) {
        ++handled;
        Books::current().ran(turn.self(), message);
    }
    void ask(host::Turn turn, host::Message message) {
        note(turn, message);
        static_cast<void>(turn.reply(host::Packet("answer", std::to_string(handled))));
    }

    static host::ActorType<Scribe> type() {
        host::ActorType<Scribe> type("scribe");
        type.on("note", &Scribe::note).on("ask", &Scribe::ask);
        type.preserve_state(
            [](const Scribe& scribe) {
                std::string state = std::to_string(scribe.handled) + " ";
                state.resize(kStateBytes, '.');
                return Segments{Segment(copy_of(bytes_of(state)))};
            },
            [](Scribe& scribe, ByteView state) -> result<void> {
                if (state.size() != kStateBytes) return host::Errc::DataLost;
                scribe.handled = std::stoull(std::string(text_of(state.first(20))));
                return outcome::success();
            });
        return type;
    }
};

}  // namespace shunt::link_test
