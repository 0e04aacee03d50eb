// The traps of design.md section 2: shapes that a compiler may get wrong, each beside the way
// around it that docs/handlers.md recommends. The way around must work. The trap itself may loop,
// crash or leak, so both run in a process of their own; what it did is printed, so that a compiler
// that has learned it is noticed.

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <ostream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "host/block_on.hpp"
#include "tests/canary/counted.hpp"

namespace shunt::canary {
namespace {

using host::block_on;
using host::Task;

Task<int> number(int value) {
    co_return value;
}

/// Two members to destroy and no constructor: the kind of argument that is destroyed twice.
struct Pair {
    Counted first;
    Counted second;
    int extra = 0;
};

/// The same with a constructor.
struct BuiltPair {
    BuiltPair(Counted one, Counted two, int more)
        : first(std::move(one)), second(std::move(two)), extra(more) {}
    Counted first;
    Counted second;
    int extra;
};

template <class T>
Task<int> sum(T pair) {
    co_return static_cast<int>(pair.first.text.size() + pair.second.text.size()) + pair.extra;
}

// The outermost block has no local of its own, which is what makes the condition go wrong.
Task<int> await_in_a_condition() {
    if (co_await number(1)) {
        co_return 1;
    }
    co_return 0;
}

Task<int> local_in_a_condition() {
    const int answer = co_await number(1);
    if (answer != 0) {
        co_return 1;
    }
    co_return 0;
}

Task<int> await_in_a_switch() {
    switch (co_await number(2)) {
        case 2:
            co_return 1;
        default:
            co_return 0;
    }
}

Task<int> local_in_a_switch() {
    const int answer = co_await number(2);
    switch (answer) {
        case 2:
            co_return 1;
        default:
            co_return 0;
    }
}

Task<int> aggregate_temporary() {
    const int total = co_await sum(Pair{Counted(kLongText), Counted(kLongText), 1});
    co_return total;
}

Task<int> built_temporary() {
    const int total = co_await sum(BuiltPair(Counted(kLongText), Counted(kLongText), 1));
    co_return total;
}

Task<int> await_in_a_braced_list() {
    const Pair pair{Counted(kLongText), Counted(kLongText), co_await number(1)};
    co_return static_cast<int>(pair.first.text.size() + pair.second.text.size()) + pair.extra;
}

Task<int> local_in_a_braced_list() {
    const int extra = co_await number(1);
    const Pair pair{Counted(kLongText), Counted(kLongText), extra};
    co_return static_cast<int>(pair.first.text.size() + pair.second.text.size()) + pair.extra;
}

struct Trap {
    const char* name;
    Task<int> (*shape)();
    Task<int> (*way_around)();
    int expected;
};

const int kTotal = static_cast<int>(2 * std::string(kLongText).size()) + 1;
const Trap kTraps[] = {
    {"AwaitInACondition", await_in_a_condition, local_in_a_condition, 1},
    {"AwaitInASwitch", await_in_a_switch, local_in_a_switch, 1},
    {"AggregateTemporary", aggregate_temporary, built_temporary, kTotal},
    {"AwaitInABracedList", await_in_a_braced_list, local_in_a_braced_list, kTotal},
};

void PrintTo(const Trap& trap, std::ostream* out) {
    *out << trap.name;
}

/// Whether `shape` gives the value and leaves nothing behind, found out in a child process whose
/// complaints nobody hears and whose endless loop ends after a second of its own time.
bool behaves(Task<int> (*shape)(), int expected) {
    const pid_t child = fork();
    if (child == 0) {
        const rlimit no_core{0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        const rlimit one_second{1, 1};
        setrlimit(RLIMIT_CPU, &one_second);
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        const bool right = block_on(shape()) == expected && Counted::live == 0;
        _exit(right ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class CoroutineTrap : public testing::TestWithParam<Trap> {};

TEST_P(CoroutineTrap, HasAWayAround) {
    const Trap& trap = GetParam();

    EXPECT_TRUE(behaves(trap.way_around, trap.expected));

    const bool learned = behaves(trap.shape, trap.expected);
    std::printf("%s: this compiler gets it %s\n", trap.name, learned ? "right" : "wrong");
    RecordProperty("compiler", learned ? "right" : "wrong");
}

INSTANTIATE_TEST_SUITE_P(Each, CoroutineTrap, testing::ValuesIn(kTraps),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace shunt::canary
