#include "host/errc.hpp"

#include <string>

namespace shunt::host {
namespace {

using protocol::FrameworkErrorCode;
using protocol::RequestTerminalResult;

class Category final : public std::error_category {
  public:
    const char* name() const noexcept override { return "shunt.host"; }

    std::string message(int code) const override {
        switch (static_cast<Errc>(code)) {
            case Errc::NotFound:
                return "No such object, handler, route or target. Check the id, and that it was "
                       "created.";
            case Errc::AlreadyExists:
                return "The identity or registration exists already. Use another id or find the "
                       "existing object.";
            case Errc::TypeMismatch:
                return "The object exists with another stable type. Register the same type on all "
                       "nodes.";
            case Errc::NotConfigured:
                return "A role, handler or store is missing. Register it before starting the host.";
            case Errc::Rejected:
                return "Admission, filter or policy refused. Look at the receiver's reply or "
                       "policy.";
            case Errc::Unavailable:
                return "The target, route, store or capacity cannot be used now. Try again later.";
            case Errc::DeadlineExceeded:
                return "It did not finish in time, and may still finish. Allow more time or read "
                       "the result before repeating it.";
            case Errc::ShuttingDown:
                return "The host takes no new work because it is shutting down. Use another host.";
            case Errc::ProtocolError:
                return "Bytes from the peer or a reply break the protocol. Compare the versions of "
                       "both nodes.";
            case Errc::InvalidOperation:
                return "Not allowed in the current state, such as a request to oneself or a second "
                       "reply. Fix the caller.";
            case Errc::DataLost:
                return "A moved payload was missing or failed its check. Look for a defect or bad "
                       "memory on the two nodes.";
            case Errc::InternalFailure:
                return "A handler or the framework failed. Look in the log of the node that ran "
                       "it.";
            case Errc::InvalidArgument:
                return "An argument is outside its range. Nothing was changed; fix the call.";
            case Errc::Cancelled:
                return "The wait was cancelled. The operation itself goes on.";
            case Errc::ListenFailed:
                return "The mesh address cannot be bound. Choose a free port and an address of "
                       "this "
                       "machine.";
            case Errc::LeaseNotClaimed:
                return "Another process holds this owner's lease, or the store did not confirm it. "
                       "Stop the other process or wait until its lease ends.";
        }
        return "Unknown host error.";
    }
};

}  // namespace

std::error_code make_error_code(Errc code) noexcept {
    static const Category category;
    return {static_cast<int>(code), category};
}

WireFailure to_wire(std::error_code error) noexcept {
    using enum RequestTerminalResult;
    if (error.category() != make_error_code(Errc::NotFound).category()) {
        return {InternalError, FrameworkErrorCode::RequestFailed};
    }
    switch (static_cast<Errc>(error.value())) {
        case Errc::NotFound:
            return {NotFound, FrameworkErrorCode::RequestTargetNotFound};
        case Errc::AlreadyExists:
            return {Conflict, FrameworkErrorCode::ActorAlreadyExists};
        case Errc::TypeMismatch:
            return {Conflict, FrameworkErrorCode::ActorTypeMismatch};
        case Errc::Rejected:
            return {Rejected, FrameworkErrorCode::RequestRejected};
        case Errc::Unavailable:
            return {InternalError, FrameworkErrorCode::RouteNotConnected};
        case Errc::DeadlineExceeded:
            return {InternalError, FrameworkErrorCode::WorkerTimedOut};
        case Errc::ShuttingDown:
            return {Terminated, FrameworkErrorCode::None};
        case Errc::ProtocolError:
            return {ProtocolError, FrameworkErrorCode::RequestProtocolError};
        case Errc::InvalidOperation:
            return {InvalidState, FrameworkErrorCode::None};
        case Errc::InvalidArgument:
            return {InvalidArgument, FrameworkErrorCode::None};
        case Errc::DataLost:
            return {InternalError, FrameworkErrorCode::RelocationDataLost};
        case Errc::NotConfigured:
        case Errc::InternalFailure:
        case Errc::Cancelled:
        case Errc::ListenFailed:
        case Errc::LeaseNotClaimed:
            break;
    }
    return {InternalError, FrameworkErrorCode::RequestFailed};
}

Errc from_wire(RequestTerminalResult result, FrameworkErrorCode code) noexcept {
    switch (code) {
        case FrameworkErrorCode::ActorRouteNotFound:
        case FrameworkErrorCode::SpotRouteNotFound:
        case FrameworkErrorCode::HandlerNotFound:
        case FrameworkErrorCode::RouteHandlerNotFound:
        case FrameworkErrorCode::ActorDispatchHandlerNotFound:
        case FrameworkErrorCode::RequestTargetNotFound:
            return Errc::NotFound;
        case FrameworkErrorCode::ActorAlreadyExists:
            return Errc::AlreadyExists;
        case FrameworkErrorCode::ActorTypeMismatch:
        case FrameworkErrorCode::SpotTypeMismatch:
            return Errc::TypeMismatch;
        case FrameworkErrorCode::RequestRejected:
        case FrameworkErrorCode::ActorCreateRejected:
            return Errc::Rejected;
        case FrameworkErrorCode::RouteNotConnected:
        case FrameworkErrorCode::WorkerQueueFull:
        case FrameworkErrorCode::ActorLocationStale:
        case FrameworkErrorCode::SpotMoving:
            return Errc::Unavailable;
        case FrameworkErrorCode::WorkerTimedOut:
            return Errc::DeadlineExceeded;
        case FrameworkErrorCode::RequestProtocolError:
        case FrameworkErrorCode::PayloadDecodeFailed:
            return Errc::ProtocolError;
        case FrameworkErrorCode::ActorSessionNotBound:
        case FrameworkErrorCode::SpotGenerationStale:
            return Errc::InvalidOperation;
        case FrameworkErrorCode::RelocationDataLost:
            return Errc::DataLost;
        case FrameworkErrorCode::RequestFailed:
        case FrameworkErrorCode::WorkerFailed:
        case FrameworkErrorCode::ActorCreateFailed:
        case FrameworkErrorCode::SpotCreateFailed:
            return Errc::InternalFailure;
        case FrameworkErrorCode::None:
            break;
    }
    switch (result) {
        case RequestTerminalResult::TimedOut:
            return Errc::DeadlineExceeded;
        case RequestTerminalResult::Terminated:
            return Errc::ShuttingDown;
        case RequestTerminalResult::NotConnected:
        case RequestTerminalResult::Busy:
        case RequestTerminalResult::Backpressured:
            return Errc::Unavailable;
        case RequestTerminalResult::InvalidArgument:
        case RequestTerminalResult::InvalidState:
        case RequestTerminalResult::NotSupported:
            return Errc::InvalidOperation;
        case RequestTerminalResult::Ok:
        case RequestTerminalResult::NotFound:
        case RequestTerminalResult::ProtocolError:
        case RequestTerminalResult::InternalError:
        case RequestTerminalResult::Rejected:
        case RequestTerminalResult::Conflict:
            break;
    }
    return Errc::InternalFailure;
}

Errc from_relocation_failure(FrameworkErrorCode code) noexcept {
    // Only here a full worker queue means Unavailable and a stale location InvalidOperation.
    if (code == FrameworkErrorCode::ActorLocationStale) return Errc::InvalidOperation;
    if (code == FrameworkErrorCode::HandlerNotFound) return Errc::NotConfigured;
    return from_wire(RequestTerminalResult::InternalError, code);
}

}  // namespace shunt::host
