#include "host/errc.hpp"

#include <gtest/gtest.h>

#include "protocol/terminal.hpp"

namespace shunt::host {
namespace {

constexpr Errc kTravelling[] = {
    Errc::NotFound,    Errc::AlreadyExists,    Errc::TypeMismatch,     Errc::Rejected,
    Errc::Unavailable, Errc::DeadlineExceeded, Errc::ShuttingDown,     Errc::ProtocolError,
    Errc::DataLost,    Errc::InternalFailure,  Errc::InvalidOperation,
};

// Every public kind survives the wire, and only as a pair the protocol allows (spec/wire.md 3.3).
TEST(HostErrc, KindsComeBackFromTheWireAsTheyLeft) {
    for (const Errc kind : kTravelling) {
        const WireFailure failure = to_wire(make_error_code(kind));

        EXPECT_TRUE(protocol::is_terminal_pair(failure.result, failure.code))
            << make_error_code(kind).message();
        EXPECT_EQ(from_wire(failure.result, failure.code), kind) << make_error_code(kind).message();
    }
}

TEST(HostErrc, ForeignErrorsTravelAsInternalFailure) {
    const WireFailure failure = to_wire(std::make_error_code(std::errc::no_space_on_device));

    EXPECT_EQ(from_wire(failure.result, failure.code), Errc::InternalFailure);
}

// Command 53 reads two codes differently (spec/wire.md 3.4).
TEST(HostErrc, RelocationFailuresHaveTheirOwnReading) {
    using protocol::FrameworkErrorCode;
    EXPECT_EQ(from_relocation_failure(FrameworkErrorCode::ActorLocationStale),
              Errc::InvalidOperation);
    EXPECT_EQ(from_relocation_failure(FrameworkErrorCode::HandlerNotFound), Errc::NotConfigured);
    EXPECT_EQ(from_relocation_failure(FrameworkErrorCode::RelocationDataLost), Errc::DataLost);
    EXPECT_EQ(from_relocation_failure(FrameworkErrorCode::RouteNotConnected), Errc::Unavailable);
}

TEST(HostErrc, EverySentenceSaysWhatToDo) {
    for (const Errc kind : kTravelling) {
        const std::string message = make_error_code(kind).message();
        EXPECT_NE(message.find(". "), std::string::npos) << message;
    }
}

}  // namespace
}  // namespace shunt::host
