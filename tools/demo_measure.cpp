#include "tools/demo_measure.hpp"

#include <algorithm>

#include "relocation/log_code.hpp"

namespace shunt::tools {

Percentiles percentiles_of(std::vector<Duration> samples) {
    Percentiles found;
    found.count = samples.size();
    if (samples.empty()) return found;
    std::sort(samples.begin(), samples.end());
    const auto at = [&](std::size_t percent) {
        const std::size_t rank = (samples.size() * percent + 99) / 100;
        return samples[rank - 1];
    };
    found.p50 = at(50);
    found.p99 = at(99);
    found.max = samples.back();
    return found;
}

// --- Measurements -----------------------------------------------------------------------------

void Measurements::stopped_for(Duration stop) {
    const std::lock_guard lock(mutex_);
    stops_.push_back(stop);
}

void Measurements::resumed_in(Duration resume) {
    const std::lock_guard lock(mutex_);
    resumes_.push_back(resume);
}

void Measurements::moved(std::uint64_t stream_bytes) {
    const std::lock_guard lock(mutex_);
    bytes_ += stream_bytes;
}

void Measurements::fell_back() {
    const std::lock_guard lock(mutex_);
    ++fallbacks_;
}

void Measurements::note(std::string_view what) {
    const std::lock_guard lock(mutex_);
    const auto found = notes_.find(what);
    if (found != notes_.end()) {
        ++found->second;
    } else {
        notes_.emplace(what, 1);
    }
}

std::uint64_t Measurements::units() const {
    const std::lock_guard lock(mutex_);
    return resumes_.size();
}

MoveReport Measurements::report() const {
    const std::lock_guard lock(mutex_);
    MoveReport report;
    report.units = resumes_.size();
    report.bytes = bytes_;
    report.source_stop = percentiles_of(stops_);
    report.target_resume = percentiles_of(resumes_);
    report.fallbacks = fallbacks_;
    report.notes = {notes_.begin(), notes_.end()};
    return report;
}

// --- MoveProbe --------------------------------------------------------------------------------

void MoveProbe::on_point(const ActorId& actor, relocation::Point point, TimePoint) {
    // The host's own clock stands still within a step of its shard, and S2 to S3 is one step.
    const Clock::time_point at = Clock::now();
    const std::lock_guard lock(mutex_);
    switch (point) {
        case relocation::Point::S0:
            leaving_[actor] = at;
            break;
        case relocation::Point::S1:
            if (const auto left = leaving_.extract(actor)) {
                measurements_.stopped_for(at - left.mapped());
            }
            break;
        case relocation::Point::S2:
            arriving_[actor] = at;
            break;
        case relocation::Point::S3:
            if (const auto arrived = arriving_.extract(actor)) {
                measurements_.resumed_in(at - arrived.mapped());
            }
            break;
        case relocation::Point::S4:
            break;
    }
}

void MoveProbe::on_stage(const ActorId& actor, relocation::Role, relocation::Stage stage) {
    if (stage != relocation::Stage::CutoverFallback) return;
    measurements_.fell_back();
    // What was sent from before the seal until the old address stops to forward.
    books_.order_not_promised(books_.party(actor.value), follow_, follow_);
}

void MoveProbe::on_log(relocation::LogCode code) {
    if (relocation::level_of(code) < relocation::LogLevel::Warning) return;
    measurements_.note(relocation::name_of(code));
}

void MoveProbe::on_unit_moved(const ActorId& actor, std::uint64_t stream_bytes) {
    // Both sides report a move; it counts where it leaves.
    const std::lock_guard lock(mutex_);
    if (leaving_.contains(actor)) measurements_.moved(stream_bytes);
}

void MoveProbe::on_dropped(std::string_view reason) {
    measurements_.note("dropped: " + std::string(reason));
}

}  // namespace shunt::tools
