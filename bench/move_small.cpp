// Many small Actors from host to host: how many per second, and how long one of them stands still
// beside one request and its reply between the same hosts.
#include <algorithm>
#include <cstdio>

#include "bench/harness.hpp"
#include "bench/hosts.hpp"

namespace shunt::bench {
namespace {

constexpr int kActors = 5'000;
constexpr std::size_t kStateBytes = 256;
constexpr int kRoundTrips = 2'000;
constexpr int kRounds = 5;

/// Requests from the target host to an Actor on the source, one after the other: seconds each.
double round_trip(HostPair& hosts) {
    std::vector<double> seconds;
    for (int i = 0; i < kRoundTrips; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const auto answer = host::block_on(hosts.target().request(
            ActorId("actor-0"), host::Packet("echo", "x"), std::chrono::seconds(5)));
        if (!answer) fail("a request was not answered: " + answer.error().message());
        seconds.push_back(seconds_since(start));
    }
    return spread_of(std::move(seconds)).median;
}

int run() {
    enter_private_network();
    std::vector<double> rates;
    std::vector<double> stops;
    std::vector<double> worst_stops;
    std::vector<double> trips;
    for (int round = -1; round < kRounds; ++round) {
        HostPair hosts(1, kStateBytes);
        for (int i = 0; i < kActors; ++i) hosts.create(ActorId("actor-" + std::to_string(i)));
        const double trip = round_trip(hosts);
        hosts.clock().clear();
        const auto start = std::chrono::steady_clock::now();
        hosts.relocate();
        const double seconds = seconds_since(start);
        if (hosts.clock().stops().size() != kActors) fail("an Actor did not move");
        if (round < 0) continue;
        rates.push_back(kActors / seconds);
        std::vector<double> of_round = hosts.clock().stops();
        std::sort(of_round.begin(), of_round.end());
        stops.push_back(of_round[of_round.size() / 2] * 1e6);
        worst_stops.push_back(of_round[of_round.size() * 99 / 100] * 1e6);
        trips.push_back(trip * 1e6);
    }
    std::printf("move_small, %d Actors of %zu bytes, %d rounds, on %s\n", kActors, kStateBytes,
                kRounds, machine().c_str());
    const auto row = [](const char* name, const std::vector<double>& values, const char* unit) {
        const Spread spread = spread_of(values);
        std::printf("  %-34s %12.1f %-12s (%.1f to %.1f)\n", name, spread.median, unit,
                    spread.least, spread.most);
    };
    row("moves", rates, "moves/s");
    row("stop of one Actor, S0 to S1, p50", stops, "us");
    row("the same, p99", worst_stops, "us");
    row("request and reply, p50", trips, "us");
    const double ratio = spread_of(stops).median / spread_of(trips).median;
    std::printf("  %-34s %12.2f\n\n", "stop in round trips", ratio);
    std::printf(R"({"job": "move_small", "moves_per_second": %.0f, "stop_p50_us": %.1f, )"
                R"("round_trip_p50_us": %.1f, "ratio": %.2f})"
                "\n",
                spread_of(rates).median, spread_of(stops).median, spread_of(trips).median, ratio);
    return 0;
}

}  // namespace
}  // namespace shunt::bench

int main() {
    return shunt::bench::run();
}
