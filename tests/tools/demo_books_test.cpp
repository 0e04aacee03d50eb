#include "tools/demo_books.hpp"

#include <gtest/gtest.h>

namespace shunt::tools {
namespace {

using conservation::Answer;
using conservation::Party;

/// Books with one sender and one receiver that keeps its state as an Actor does.
struct Bed {
    Books books;
    Party sender = books.party("person/u1");
    Party receiver = books.party("room/r1");
    Digest state = 0;

    void run(const Stamp& stamp, std::string_view route = "a") {
        state = books.ran(stamp, receiver, route, state);
    }
};

TEST(DemoBooks, EverythingThatRanOnceHolds) {
    Bed bed;
    const Stamp first = bed.books.send(bed.sender, bed.receiver);
    const Stamp second = bed.books.ask(bed.sender, bed.receiver);

    bed.run(first);
    bed.run(second);
    bed.books.answered(second, bed.receiver, Answer::Reply);

    EXPECT_TRUE(bed.books.report().holds());
    EXPECT_EQ(bed.books.open(), 0U);
    EXPECT_EQ(bed.books.delivered(), 2U);
}

TEST(DemoBooks, LostDoubledAndReorderedAreCounted) {
    Bed bed;
    const Stamp first = bed.books.send(bed.sender, bed.receiver);
    const Stamp second = bed.books.send(bed.sender, bed.receiver);
    static_cast<void>(bed.books.send(bed.sender, bed.receiver));

    bed.run(second);
    bed.run(first);
    bed.run(first);

    const BooksReport report = bed.books.report();
    EXPECT_EQ(report.messages.verdict(), "lost 1 · doubled 1 · reordered 1");
    EXPECT_FALSE(report.holds());
}

TEST(DemoBooks, OvertakingOnAnotherRouteIsAllowed) {
    Bed bed;
    const Stamp first = bed.books.send(bed.sender, bed.receiver);
    const Stamp second = bed.books.send(bed.sender, bed.receiver);

    bed.run(second, "direct");
    bed.run(first, "followed");

    const BooksReport report = bed.books.report();
    EXPECT_TRUE(report.holds());
    EXPECT_EQ(report.messages.overtakes, 1U);
}

TEST(DemoBooks, RefusedMessageIsNotLost) {
    Bed bed;
    const Stamp stamp = bed.books.send(bed.sender, bed.receiver);

    bed.books.refused(stamp, bed.receiver);

    EXPECT_TRUE(bed.books.report().holds());
    EXPECT_EQ(bed.books.report().refused, 1U);
    EXPECT_EQ(bed.books.open(), 0U);
}

// A move that restored an older capture would lose what ran since, although no message is missing.
TEST(DemoBooks, StateOfAnEarlierMomentIsAFault) {
    Bed bed;
    bed.run(bed.books.send(bed.sender, bed.receiver));
    const Digest captured = bed.state;
    bed.run(bed.books.send(bed.sender, bed.receiver));

    bed.state = captured;
    bed.run(bed.books.send(bed.sender, bed.receiver));

    EXPECT_EQ(bed.books.report().state_faults, 1U);
    EXPECT_FALSE(bed.books.report().holds());
}

TEST(DemoBooks, TicksArePartOfTheState) {
    Bed bed;
    bed.state = bed.books.ticked(bed.receiver, 1, 1, bed.state);
    static_cast<void>(bed.books.ticked(bed.receiver, 2, 3, bed.state));

    static_cast<void>(bed.books.ticked(bed.receiver, 3, 4, bed.state));

    EXPECT_EQ(bed.books.report().ticks, 3U);
    EXPECT_EQ(bed.books.report().state_faults, 1U);
}

TEST(DemoBooks, FallbackSuspendsTheOrderAroundIt) {
    Bed bed;
    const Stamp first = bed.books.send(bed.sender, bed.receiver);
    const Stamp second = bed.books.send(bed.sender, bed.receiver);

    bed.books.order_not_promised(bed.receiver, std::chrono::hours(1), std::chrono::hours(1));
    bed.run(second);
    bed.run(first);

    EXPECT_TRUE(bed.books.report().holds());
    EXPECT_EQ(bed.books.report().messages.late_unordered, 1U);
}

}  // namespace
}  // namespace shunt::tools
