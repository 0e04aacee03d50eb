#include "bench/harness.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

namespace shunt::bench {
namespace {

std::string processor() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "unknown processor";
}

bool raise_loopback() {
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ifreq request{};
    std::snprintf(request.ifr_name, sizeof(request.ifr_name), "lo");
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    const bool up = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    if (fd >= 0) close(fd);
    return up;
}

void print_row(const std::string& name, const Spread& figure, const std::string& unit) {
    std::printf("  %-34s %12.1f %-12s (%.1f to %.1f)\n", name.c_str(), figure.median, unit.c_str(),
                figure.least, figure.most);
}

}  // namespace

std::string machine() {
    utsname system{};
    uname(&system);
    return processor() + ", " + std::to_string(std::thread::hardware_concurrency()) +
           " processors, Linux " + system.release;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Spread spread_of(std::vector<double> values) {
    if (values.empty()) fail("no round was run");
    std::sort(values.begin(), values.end());
    return {values[values.size() / 2], values.front(), values.back()};
}

Spread compare(const std::string& job, const std::string& unit, Party ours, Party reference,
               int rounds) {
    std::vector<double> our_figures;
    std::vector<double> reference_figures;
    std::vector<double> ratios;
    for (int round = -1; round < rounds; ++round) {
        const double mine = ours.run();
        const double theirs = reference.run();
        if (round < 0) continue;
        our_figures.push_back(mine);
        reference_figures.push_back(theirs);
        ratios.push_back(mine / theirs);
    }
    const Spread ratio = spread_of(ratios);
    std::printf("%s, %d rounds in turn, on %s\n", job.c_str(), rounds, machine().c_str());
    print_row(ours.name, spread_of(our_figures), unit);
    print_row(reference.name, spread_of(reference_figures), unit);
    std::printf("  %-34s %12.2f              (%.2f to %.2f)\n\n", "ratio", ratio.median,
                ratio.least, ratio.most);
    std::printf(R"({"job": "%s", "ours": %.1f, "reference": %.1f, "unit": "%s", "ratio": %.3f, )"
                R"("ratio_least": %.3f, "ratio_most": %.3f})"
                "\n",
                job.c_str(), spread_of(our_figures).median, spread_of(reference_figures).median,
                unit.c_str(), ratio.median, ratio.least, ratio.most);
    std::fflush(stdout);
    return ratio;
}

void enter_private_network() {
    const bool own = unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
    if (own && !raise_loopback()) fail("the loopback of the new network namespace stays down");
    std::ofstream setting("/proc/sys/net/ipv4/tcp_congestion_control");
    if (!own || !(setting << "reno" << std::flush)) {
        std::printf("note: the system's default congestion control is used\n");
    }
}

void fail(const std::string& why) {
    std::fprintf(stderr, "benchmark failed: %s\n", why.c_str());
    std::exit(1);
}

}  // namespace shunt::bench
