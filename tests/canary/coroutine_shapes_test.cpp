// The coroutine shapes that handlers and examples are written in must behave on the compiler at
// hand (design.md section 2). What g++ 12 gets wrong is in coroutine_traps_test.cpp.

#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>

#include <gtest/gtest.h>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "host/actor.hpp"
#include "host/block_on.hpp"
#include "host/options.hpp"
#include "tests/canary/counted.hpp"

namespace shunt::canary {
namespace {

using host::block_on;
using host::Task;

/// Runs one resumption at a time, as the simulator does.
class StepResumer final : public host::Resumer {
  public:
    void post(std::coroutine_handle<> coroutine) override { ready_.push_back(coroutine); }

    bool step() {
        if (ready_.empty()) return false;
        const std::coroutine_handle<> next = ready_.front();
        ready_.pop_front();
        next.resume();
        return true;
    }

  private:
    std::deque<std::coroutine_handle<>> ready_;
};

/// Suspends and posts itself again, so that something lies between two lines of a coroutine.
struct Yield {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> self) const {
        self.promise().resumer()->post(self);
    }
    void await_resume() const noexcept {}
};

Task<int> number(int value) {
    co_await Yield();
    co_return value;
}

Task<std::size_t> length_after_suspension(Counted by_value) {
    co_await Yield();
    co_return by_value.text.size();
}

TEST(Coroutine, ParametersByValueLiveAcrossSuspensions) {
    {
        Task<std::size_t> task = length_after_suspension(Counted(kLongText));
        EXPECT_EQ(block_on(std::move(task)), std::string(kLongText).size());
    }

    EXPECT_EQ(Counted::live, 0);
}

Task<std::size_t> await_call_with_temporaries() {
    const std::size_t first = co_await length_after_suspension(Counted(kLongText));
    const std::size_t second = co_await length_after_suspension(Counted("b"));
    co_return first + second;
}

TEST(Coroutine, ConstructedTemporariesBesideAnAwaitDieOnce) {
    EXPECT_EQ(block_on(await_call_with_temporaries()), std::string(kLongText).size() + 1);

    EXPECT_EQ(Counted::live, 0);
}

Task<std::unique_ptr<Counted>> move_only() {
    co_await Yield();
    co_return std::make_unique<Counted>(kLongText);
}

Task<std::string> take_move_only() {
    const std::unique_ptr<Counted> owned = co_await move_only();
    co_return owned->text;
}

TEST(Coroutine, MoveOnlyResultsArriveWhole) {
    EXPECT_EQ(block_on(take_move_only()), kLongText);

    EXPECT_EQ(Counted::live, 0);
}

Task<result<Counted>> fetch(bool works) {
    co_await Yield();
    if (works) co_return Counted(kLongText);
    co_return std::make_error_code(std::errc::timed_out);
}

Task<result<std::size_t>> pass_on(bool works) {
    BOOST_OUTCOME_CO_TRY(const Counted fetched, co_await fetch(works));
    co_return fetched.text.size();
}

TEST(Coroutine, ErrorsTravelAsValues) {
    EXPECT_EQ(block_on(pass_on(true)).value(), std::string(kLongText).size());
    EXPECT_EQ(block_on(pass_on(false)).error(), std::errc::timed_out);

    EXPECT_EQ(Counted::live, 0);
}

Task<int> throws_after_suspension(Counted held) {
    co_await Yield();
    throw std::runtime_error(held.text);
}

Task<result<int>> exception_into_value() {
    try {
        const int value = co_await throws_after_suspension(Counted(kLongText));
        co_return value;
    } catch (const std::runtime_error&) {
        co_return std::make_error_code(std::errc::io_error);
    }
}

TEST(Coroutine, ExceptionsBecomeValuesAtTheAwait) {
    EXPECT_EQ(block_on(exception_into_value()).error(), std::errc::io_error);

    EXPECT_EQ(Counted::live, 0);
}

Task<int> condition_on_a_local() {
    int rounds = 0;
    bool more = true;
    while (more) {
        const int answer = co_await number(rounds);
        ++rounds;
        more = answer < 3;
    }
    co_return rounds;
}

TEST(Coroutine, AnAwaitedLocalDecidesAConditionOrALoop) {
    EXPECT_EQ(block_on(condition_on_a_local()), 4);
}

Task<int> captureless_lambda() {
    const auto length = [](Counted by_value) -> Task<int> {
        co_await Yield();
        co_return static_cast<int>(by_value.text.size());
    };
    const int size = co_await length(Counted("abc"));
    co_return size;
}

TEST(Coroutine, CapturelessLambdasMayBeCoroutines) {
    EXPECT_EQ(block_on(captureless_lambda()), 3);
    EXPECT_EQ(Counted::live, 0);
}

// Without symmetric transfer each resumption starts from the queue, so a long run of awaits needs
// no more stack than a short one; 200,000 nested resumptions would overflow it.
Task<int> many_awaits() {
    int sum = 0;
    for (int i = 0; i < 200'000; ++i) {
        const int one = co_await number(1);
        sum += one;
    }
    co_return sum;
}

TEST(Coroutine, LongRunsOfAwaitsNeedNoStack) {
    EXPECT_EQ(block_on(many_awaits()), 200'000);
}

TEST(Coroutine, EveryResumptionIsOneStepOfTheQueue) {
    StepResumer resumer;
    bool done = false;
    Task<std::size_t> task = length_after_suspension(Counted("ab"));

    task.start(
        resumer, [](void* flag) { *static_cast<bool*>(flag) = true; }, &done);

    EXPECT_FALSE(done);
    EXPECT_TRUE(resumer.step());  // To the yield.
    EXPECT_FALSE(done);
    EXPECT_TRUE(resumer.step());  // To the end.
    EXPECT_TRUE(done);
    EXPECT_FALSE(resumer.step());
    EXPECT_EQ(task.take(), 2U);
}

TEST(Coroutine, DestroyingASuspendedTaskFreesWhatItHolds) {
    StepResumer resumer;
    {
        Task<std::size_t> task = await_call_with_temporaries();
        task.start(
            resumer, [](void*) {}, nullptr);
        EXPECT_TRUE(resumer.step());  // Starts the caller, which posts its callee.
        EXPECT_TRUE(resumer.step());  // The callee now waits with its parameter alive.
        EXPECT_GT(Counted::live, 0);
    }

    EXPECT_EQ(Counted::live, 0);
}

// An aggregate with members to destroy would be a trap for everyone who writes it as a temporary
// argument of an awaited call.
TEST(Coroutine, PublicArgumentTypesAreNoAggregates) {
    EXPECT_FALSE(std::is_aggregate_v<ActorId>);
    EXPECT_FALSE(std::is_aggregate_v<host::Packet>);
    EXPECT_FALSE(std::is_aggregate_v<host::TimerOptions>);
    EXPECT_FALSE(std::is_aggregate_v<host::HostOptions>);
    EXPECT_FALSE(std::is_aggregate_v<host::RelocateOptions>);
}

Task<std::string> id_by_value(ActorId id) {
    co_await Yield();
    co_return id.value;
}

Task<std::string> await_call_with_an_id() {
    const std::string text = co_await id_by_value(ActorId{kLongText});
    co_return text;
}

TEST(Coroutine, AnIdMayBeWrittenInAnAwaitedCall) {
    EXPECT_EQ(block_on(await_call_with_an_id()), kLongText);
}

Task<std::string> prefix_of(host::HostOptions options) {
    co_await Yield();
    co_return options.node_prefix + options.mesh_name;
}

Task<std::string> await_call_with_options() {
    const std::string text = co_await prefix_of(host::HostOptions());
    co_return text;
}

TEST(Coroutine, OptionStructsMayBeWrittenInAnAwaitedCall) {
    EXPECT_EQ(block_on(await_call_with_options()), "nodedefault");
}

}  // namespace
}  // namespace shunt::canary
