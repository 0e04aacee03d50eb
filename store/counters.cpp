#include "store/counters.hpp"

#include <utility>

#include "store/decimal.hpp"

namespace shunt::store {

struct Counters::Call {
    std::vector<Key> counters;
    TimePoint deadline;
    IssueDone done;
    Backoff backoff = {};
};

result<std::uint64_t> decode_counter(ByteView bytes) {
    const std::optional<std::uint64_t> next = parse_decimal(text_of(bytes));
    if (!next || *next == 0) return Errc::Corrupt;
    return *next;
}

void Counters::issue(std::vector<Key> counters, TimePoint deadline, IssueDone done) {
    create_missing(std::make_shared<Call>(Call{std::move(counters), deadline, std::move(done)}), 0);
}

void Counters::create_missing(std::shared_ptr<Call> call, std::size_t index) {
    while (index < call->counters.size() && existing_.contains(call->counters[index])) ++index;
    if (index == call->counters.size()) return add(std::move(call));
    const Key& key = call->counters[index];
    Batch batch{{IfMissing{key}}, {Put{key, copy_of(bytes_of("1")), {}}}};
    access_.write(std::move(batch), call->deadline, [this, call, index](auto outcome) {
        if (outcome.has_error()) return call->done(outcome.error());
        if (std::holds_alternative<Written>(outcome.value())) {
            existing_.insert(call->counters[index]);
            return create_missing(call, index + 1);
        }
        look_at(call, index);
    });
}

void Counters::look_at(std::shared_ptr<Call> call, std::size_t index) {
    // A conflict says that the row exists, or that an unknown write has not happened yet.
    access_.read(call->counters[index], call->deadline, [this, call, index](auto reply) {
        if (reply.has_error()) return call->done(reply.error());
        if (std::holds_alternative<Found>(reply.value())) {
            existing_.insert(call->counters[index]);
            return create_missing(call, index + 1);
        }
        const bool waits = access_.retry(call->backoff, call->deadline,
                                         [this, call, index] { create_missing(call, index); });
        if (!waits) call->done(Errc::Transient);
    });
}

void Counters::add(std::shared_ptr<Call> call) {
    Batch batch;
    for (const Key& key : call->counters) batch.mutations.emplace_back(Add{key, 1});
    access_.write_once(std::move(batch), call->deadline, [this, call](result<WriteReply> reply) {
        if (reply.has_error()) {
            // After an unknown result the numbers may be taken; they are given up and others asked
            // for.
            const bool again =
                reply.error() == Errc::Transient || reply.error() == Errc::Indeterminate;
            if (again &&
                access_.retry(call->backoff, call->deadline, [this, call] { add(call); })) {
                return;
            }
            // Nobody ever uses these numbers, so for the caller nothing has happened.
            return call->done(again ? make_error_code(Errc::Transient) : reply.error());
        }
        const auto* applied = std::get_if<Applied>(&reply.value());
        if (applied == nullptr) return call->done(GenerationExhausted{});
        Issued issued;
        for (const std::int64_t sum : applied->sums) {
            if (sum < 2) return call->done(Errc::Corrupt);
            issued.push_back(static_cast<std::uint64_t>(sum) - 1);
        }
        call->done(std::move(issued));
    });
}

}  // namespace shunt::store
