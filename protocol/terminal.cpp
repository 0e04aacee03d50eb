#include "protocol/terminal.hpp"

#include <array>

namespace shunt::protocol {
namespace {

struct Pair {
    FrameworkErrorCode code;
    RequestTerminalResult result;
};

constexpr auto kPairs = [] {
    using C = FrameworkErrorCode;
    using R = RequestTerminalResult;
    // clang-format off
    return std::to_array<Pair>({
        {C::None,                         R::Ok},
        {C::ActorRouteNotFound,           R::NotFound},
        {C::ActorCreateFailed,            R::InternalError},
        {C::ActorAlreadyExists,           R::Conflict},
        {C::ActorTypeMismatch,            R::Conflict},
        {C::SpotCreateFailed,             R::InternalError},
        {C::SpotRouteNotFound,            R::NotFound},
        {C::SpotTypeMismatch,             R::Conflict},
        {C::ActorSessionNotBound,         R::NotFound},
        {C::HandlerNotFound,              R::NotFound},
        {C::RouteHandlerNotFound,         R::NotFound},
        {C::ActorDispatchHandlerNotFound, R::NotFound},
        {C::PayloadDecodeFailed,          R::ProtocolError},
        {C::RouteNotConnected,            R::InternalError},
        {C::RequestTargetNotFound,        R::NotFound},
        {C::RequestRejected,              R::Rejected},
        {C::RequestProtocolError,         R::ProtocolError},
        {C::RequestFailed,                R::InternalError},
        {C::WorkerQueueFull,              R::Rejected},
        {C::WorkerTimedOut,               R::InternalError},
        {C::WorkerFailed,                 R::InternalError},
        {C::ActorLocationStale,           R::Conflict},
        {C::ActorCreateRejected,          R::Rejected},
        {C::SpotGenerationStale,          R::Conflict},
        {C::SpotMoving,                   R::Conflict},
        {C::RelocationDataLost,           R::InternalError},
    });
    // clang-format on
}();

/// Results that say all by themselves and never carry a code.
bool stands_alone(RequestTerminalResult result) noexcept {
    using R = RequestTerminalResult;
    switch (result) {
        case R::Ok:
        case R::TimedOut:
        case R::Terminated:
        case R::Busy:
        case R::NotConnected:
        case R::InvalidArgument:
        case R::InvalidState:
        case R::NotSupported:
        case R::Backpressured:
            return true;
        case R::NotFound:
        case R::ProtocolError:
        case R::InternalError:
        case R::Rejected:
        case R::Conflict:
            return false;
    }
    return false;
}

}  // namespace

RequestTerminalResult result_of(FrameworkErrorCode code) noexcept {
    for (const Pair& pair : kPairs) {
        if (pair.code == code) return pair.result;
    }
    return RequestTerminalResult::InternalError;
}

bool is_terminal_pair(RequestTerminalResult result, FrameworkErrorCode code) noexcept {
    if (code == FrameworkErrorCode::None) return stands_alone(result);
    return result_of(code) == result;
}

}  // namespace shunt::protocol
