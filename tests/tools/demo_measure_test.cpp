#include "tools/demo_measure.hpp"

#include <gtest/gtest.h>

namespace shunt::tools {
namespace {

using relocation::Point;

TEST(DemoPercentiles, NothingMeasuredIsZero) {
    EXPECT_EQ(percentiles_of({}), Percentiles());
}

TEST(DemoPercentiles, OneSampleIsAllOfThem) {
    EXPECT_EQ(percentiles_of({Duration(7)}),
              (Percentiles{1, Duration(7), Duration(7), Duration(7)}));
}

TEST(DemoPercentiles, RankIsTheNearestAndOrderDoesNotMatter) {
    std::vector<Duration> samples;
    for (int i = 200; i > 0; --i) samples.emplace_back(i);

    EXPECT_EQ(percentiles_of(samples),
              (Percentiles{200, Duration(100), Duration(198), Duration(200)}));
}

TEST(DemoMeasure, MoveCountsOnceAlthoughBothSidesReportIt) {
    Measurements measurements;
    Books books;
    MoveProbe source(measurements, books, std::chrono::seconds(6));
    MoveProbe target(measurements, books, std::chrono::seconds(6));
    const ActorId actor("person/u1");

    source.on_point(actor, Point::S0, {});
    source.on_unit_moved(actor, 100);
    target.on_unit_moved(actor, 100);
    source.on_point(actor, Point::S1, {});
    target.on_point(actor, Point::S2, {});
    target.on_point(actor, Point::S3, {});
    source.on_point(actor, Point::S4, {});

    const MoveReport report = measurements.report();
    EXPECT_EQ(report.units, 1U);
    EXPECT_EQ(report.bytes, 100U);
    EXPECT_EQ(report.source_stop.count, 1U);
    EXPECT_EQ(report.target_resume.count, 1U);
}

TEST(DemoMeasure, FallbackIsCountedAndSuspendsTheOrder) {
    Measurements measurements;
    Books books;
    MoveProbe target(measurements, books, std::chrono::seconds(6));
    const auto sender = books.party("person/u1");
    const auto receiver = books.party("room/r1");
    const Stamp first = books.send(sender, receiver);
    const Stamp second = books.send(sender, receiver);

    target.on_stage(ActorId("room/r1"), relocation::Role::Target,
                    relocation::Stage::CutoverFallback);
    const Digest state = books.ran(second, receiver, "a", 0);
    static_cast<void>(books.ran(first, receiver, "a", state));

    EXPECT_EQ(measurements.report().fallbacks, 1U);
    EXPECT_TRUE(books.report().holds());
}

TEST(DemoMeasure, OnlyWarningsAndDropsAreNoted) {
    Measurements measurements;
    Books books;
    MoveProbe probe(measurements, books, std::chrono::seconds(6));

    probe.on_log(relocation::LogCode::EventIgnored);
    probe.on_log(relocation::LogCode::LateCutover);
    probe.on_log(relocation::LogCode::LateCutover);
    probe.on_dropped("no_route_here");

    const std::map<std::string, std::uint64_t> expected = {{"late_cutover", 2},
                                                           {"dropped: no_route_here", 1}};
    EXPECT_EQ(measurements.report().notes, expected);
}

}  // namespace
}  // namespace shunt::tools
