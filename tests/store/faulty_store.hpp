#pragma once
// A store that misbehaves on request: the fault hooks of spec/stores.md section 19.3 around any
// provider.

#include <deque>
#include <utility>
#include <vector>

#include "store/location_store.hpp"

namespace shunt::store::test {

enum class Fault {
    None,
    /// Transient; the store never saw it.
    FailBefore,
    /// Unavailable; the store never saw it.
    Refuse,
    /// Indeterminate; the store never saw it.
    LoseRequest,
    /// Indeterminate; it happened.
    LoseAnswer,
    /// Indeterminate; it happens when the test says deliver_delayed().
    Delay,
};

/// Takes the next planned fault per call; without one, calls pass through.
class FaultyStore final : public LocationStore {
  public:
    explicit FaultyStore(LocationStore& inner) : inner_(inner) {}

    void plan_reads(std::initializer_list<Fault> faults) { append(reads_, faults); }
    void plan_writes(std::initializer_list<Fault> faults) { append(writes_, faults); }
    /// Every read and write from now on, behind what is planned.
    void always(Fault fault) { always_ = fault; }

    /// Hands over what was delayed; nobody hears the answers.
    void deliver_delayed() {
        for (Batch& batch : std::exchange(delayed_, {})) {
            inner_.write(std::move(batch), kNever, [](const auto&) {});
        }
    }

    std::size_t read_count() const noexcept { return read_count_; }
    std::size_t write_count() const noexcept { return write_count_; }

    void read(Key key, TimePoint deadline, ReadDone done) override {
        ++read_count_;
        switch (next(reads_)) {
            case Fault::None:
                return inner_.read(std::move(key), deadline, std::move(done));
            case Fault::Refuse:
                return fail(std::move(done), Errc::Unavailable);
            case Fault::FailBefore:
            case Fault::LoseRequest:
            case Fault::LoseAnswer:
            case Fault::Delay:
                return fail(std::move(done), Errc::Transient);
        }
    }

    void write(Batch batch, TimePoint deadline, WriteDone done) override {
        ++write_count_;
        switch (next(writes_)) {
            case Fault::None:
                return inner_.write(std::move(batch), deadline, std::move(done));
            case Fault::FailBefore:
                return fail(std::move(done), Errc::Transient);
            case Fault::Refuse:
                return fail(std::move(done), Errc::Unavailable);
            case Fault::LoseRequest:
                return fail(std::move(done), Errc::Indeterminate);
            case Fault::LoseAnswer:
                return inner_.write(
                    std::move(batch), deadline,
                    [done = std::move(done)](const auto&) mutable { done(Errc::Indeterminate); });
            case Fault::Delay:
                delayed_.push_back(std::move(batch));
                return fail(std::move(done), Errc::Indeterminate);
        }
    }

    void scan(ScanRequest request, TimePoint deadline, ScanDone done) override {
        inner_.scan(std::move(request), deadline, std::move(done));
    }

  private:
    static void append(std::deque<Fault>& plan, std::initializer_list<Fault> faults) {
        plan.insert(plan.end(), faults.begin(), faults.end());
    }
    Fault next(std::deque<Fault>& plan) {
        if (plan.empty()) return always_;
        const Fault fault = plan.front();
        plan.pop_front();
        return fault;
    }
    /// A read of nothing in particular makes the failure arrive as late as any answer.
    template <class Done>
    void fail(Done done, Errc error) {
        inner_.read("fault", kNever,
                    [done = std::move(done), error](const auto&) mutable { done(error); });
    }

    LocationStore& inner_;
    std::deque<Fault> reads_;
    std::deque<Fault> writes_;
    Fault always_ = Fault::None;
    std::vector<Batch> delayed_;
    std::size_t read_count_ = 0;
    std::size_t write_count_ = 0;
};

}  // namespace shunt::store::test
