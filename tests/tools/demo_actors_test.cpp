#include "tools/demo_actors.hpp"

#include <gtest/gtest.h>

namespace shunt::tools {
namespace {

Member grown(Books& books) {
    Member member(books, ActorId("room/r1"));
    member.digest = 0x0123'4567'89AB'CDEF;
    member.last_delivery_index = 5;
    member.last_scheduled_index = 7;
    member.memory = stamped_payload({1, 1}, 300);
    return member;
}

TEST(DemoActors, StateMovesWhole) {
    Books books;
    const Member source = grown(books);
    Member target(books, ActorId("room/r1"));

    const auto state = capture(source);
    ASSERT_TRUE(state);
    ASSERT_TRUE(restore(target, flatten(state.value())));

    EXPECT_EQ(target.digest, source.digest);
    EXPECT_EQ(target.last_delivery_index, source.last_delivery_index);
    EXPECT_EQ(target.last_scheduled_index, source.last_scheduled_index);
    EXPECT_EQ(target.memory, source.memory);
}

TEST(DemoActors, EmptyMemoryMovesToo) {
    Books books;
    const Member source(books, ActorId("person/u1"));
    Member target(books, ActorId("person/u1"));

    ASSERT_TRUE(restore(target, flatten(capture(source).value())));

    EXPECT_TRUE(target.memory.empty());
}

TEST(DemoActors, CutOrChangedMemoryIsRefused) {
    Books books;
    Bytes state = flatten(capture(grown(books)).value());
    Member target(books, ActorId("room/r1"));

    for (std::size_t size = 0; size < state.size(); ++size) {
        EXPECT_FALSE(restore(target, ByteView(state).first(size))) << size;
    }
    state.back() ^= std::byte{1};
    EXPECT_FALSE(restore(target, state));
}

TEST(DemoActors, PersonAndRoomOfOneNameAreTwoActors) {
    EXPECT_NE(person_id("x"), room_id("x"));
}

}  // namespace
}  // namespace shunt::tools
