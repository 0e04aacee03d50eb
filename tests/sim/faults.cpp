#include "tests/sim/faults.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace shunt::sim {
namespace {

constexpr std::array<std::string_view, kFaultCount> kNames = {
    "cut",           "silent_cut",     "silence",      "slowness",           "pause",
    "refused_dials", "rude_close",     "store_errors", "store_lost_answers", "store_late_writes",
    "store_outage",  "wall_clock_skew"};

constexpr std::array kRepeating = {Fault::Cut,        Fault::SilentCut, Fault::Silence,
                                   Fault::Slowness,   Fault::Pause,     Fault::RefusedDials,
                                   Fault::StoreOutage};

}  // namespace

std::string_view name_of(Fault fault) noexcept {
    return kNames[static_cast<std::size_t>(fault)];
}

bool FaultPlan::any() const noexcept {
    return std::find(enabled.begin(), enabled.end(), true) != enabled.end();
}

FaultPlan FaultPlan::draw(const Random& seed) {
    Random random = seed.split("fault plan");
    FaultPlan plan;
    const bool calm = random.chance(250);
    // From a single kind of fault to most of them at once.
    const auto density = static_cast<std::uint32_t>(random.between(80, 600));
    for (bool& on : plan.enabled) on = random.chance(density) && !calm;
    plan.mean_interval =
        random.between(Duration(std::chrono::milliseconds(200)), std::chrono::seconds(4));
    plan.length_max =
        random.between(Duration(std::chrono::milliseconds(100)), std::chrono::seconds(4));
    plan.store_per_mille = static_cast<std::uint32_t>(random.between(5, 150));
    return plan;
}

std::string FaultPlan::describe() const {
    std::string text;
    for (std::size_t i = 0; i < kFaultCount; ++i) {
        if (!enabled[i]) continue;
        if (!text.empty()) text += ' ';
        text += kNames[i];
    }
    return text.empty() ? "none" : text;
}

FaultInjector::FaultInjector(Scheduler& scheduler, Network& network, SimStore& store,
                             const FaultPlan& plan, std::uint64_t seed,
                             std::vector<NodeIndex> nodes)
    : scheduler_(scheduler),
      network_(network),
      store_(store),
      plan_(plan),
      random_(Random(seed).split("faults")),
      skew_random_(Random(seed).split("skew")),
      nodes_(std::move(nodes)) {
    SHUNT_ASSERT(nodes_.size() >= 2);
}

void FaultInjector::start() {
    running_ = true;
    for (const Fault fault : kRepeating) {
        if (plan_.has(fault)) arm(fault);
    }
    const auto chance_of = [&](Fault fault) {
        if (!plan_.has(fault)) return 0U;
        ++counts_[static_cast<std::size_t>(fault)];
        return plan_.store_per_mille;
    };
    StoreFaults faults;
    faults.transient = chance_of(Fault::StoreErrors);
    faults.lost_before = chance_of(Fault::StoreLostAnswers);
    faults.lost_after = faults.lost_before;
    faults.late_apply = chance_of(Fault::StoreLateWrites);
    store_.set_faults(faults);
    if (plan_.has(Fault::WallClockSkew)) ++counts_[static_cast<std::size_t>(Fault::WallClockSkew)];
    if (plan_.has(Fault::RudeClose)) {
        ++counts_[static_cast<std::size_t>(Fault::RudeClose)];
        network_.set_rude_close(500);
    }
}

void FaultInjector::stop() {
    if (!std::exchange(running_, false)) return;
    for (EventId& event : armed_) scheduler_.cancel(std::exchange(event, EventId{}));
    scheduler_.resume_all();
    network_.set_rude_close(0);
    network_.heal();
    store_.heal();
}

void FaultInjector::arm(Fault fault) {
    const Duration wait = random_.between(plan_.mean_interval / 4, plan_.mean_interval * 2);
    armed_[static_cast<std::size_t>(fault)] = scheduler_.after(
        wait, {.kind = EventKind::Fault, .what = kNames[static_cast<std::size_t>(fault)].data()},
        [this, fault] {
            ++counts_[static_cast<std::size_t>(fault)];
            strike(fault);
            arm(fault);
        });
}

std::pair<NodeIndex, NodeIndex> FaultInjector::two_nodes() {
    const std::size_t first = random_.below(nodes_.size());
    const std::size_t step = random_.between(1, nodes_.size() - 1);
    return {nodes_[first], nodes_[(first + step) % nodes_.size()]};
}

void FaultInjector::cut_somewhere(CutKind kind) {
    const std::vector<LinkNumber> links = network_.live_links();
    if (!links.empty()) network_.cut(links[random_.below(links.size())], kind);
}

void FaultInjector::strike(Fault fault) {
    const auto [one, two] = two_nodes();
    const SimTime end = scheduler_.now() + random_.between(Duration(0), plan_.length_max);
    switch (fault) {
        case Fault::Cut:
            return cut_somewhere(CutKind::Reset);
        case Fault::SilentCut:
            return cut_somewhere(CutKind::Silent);
        case Fault::Silence:
            return network_.silence(one, two, end);
        case Fault::Slowness:
            return network_.slow_down(one, two, plan_.length_max / 4, end);
        case Fault::Pause:
            return scheduler_.pause(one, end);
        case Fault::RefusedDials:
            return network_.refuse_dials(one, two, end);
        case Fault::StoreOutage:
            return store_.unavailable(random_.chance(300) ? kNoNode : one, end);
        case Fault::RudeClose:
        case Fault::StoreErrors:
        case Fault::StoreLostAnswers:
        case Fault::StoreLateWrites:
        case Fault::WallClockSkew:
            return;  // These last for the whole phase: start() and skew_of().
    }
}

std::chrono::milliseconds FaultInjector::skew_of(NodeIndex node) const {
    if (!plan_.has(Fault::WallClockSkew)) return std::chrono::milliseconds(0);
    Random random = skew_random_.split("node", node.value);
    return std::chrono::milliseconds(static_cast<std::int64_t>(random.between(0, 6000)) - 3000);
}

}  // namespace shunt::sim
