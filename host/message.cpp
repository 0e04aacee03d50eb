#include "host/message.hpp"

#include "host/job.hpp"

namespace shunt::host {
namespace {

const MessageJob& message_of(const std::shared_ptr<const Job>& job) noexcept {
    return std::get<MessageJob>(job->work);
}

}  // namespace

const std::string& Message::name() const noexcept {
    return message_of(job_).packet.name;
}

ByteView Message::payload() const noexcept {
    return message_of(job_).packet.payload.view();
}

bool Message::is_request() const noexcept {
    return job_->is_request();
}

OperationId Message::operation() const noexcept {
    return message_of(job_).operation;
}

std::optional<ActorId> Message::sender() const {
    const auto* actor = std::get_if<protocol::FromActor>(&message_of(job_).source.origin);
    if (actor == nullptr) return std::nullopt;
    return actor->source_actor.actor_id;
}

std::string_view Message::route() const noexcept {
    const auto& metadata = message_of(job_).metadata;
    if (!metadata) return {};
    for (const protocol::MetadataEntry& entry : metadata->entries) {
        if (entry.key == kRouteKey) return entry.value;
    }
    return {};
}

}  // namespace shunt::host
