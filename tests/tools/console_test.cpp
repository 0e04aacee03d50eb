#include "tools/console.hpp"

#include <cstdlib>
#include <memory>

#include <gtest/gtest.h>

#include "tools/duration_text.hpp"

namespace shunt::tools {
namespace {

using std::chrono::milliseconds;

TEST(ConsoleText, NumbersAreGroupedByThousands) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1'000), "1,000");
    EXPECT_EQ(grouped(1'234'567), "1,234,567");
}

TEST(ConsoleText, DurationsAndSizesTakeAFittingUnit) {
    EXPECT_EQ(shown(std::chrono::nanoseconds(1'240)), "1.24 us");
    EXPECT_EQ(shown(milliseconds(35)), "35.0 ms");
    EXPECT_EQ(shown(std::chrono::seconds(120)), "120 s");
    EXPECT_EQ(shown_bytes(1'023), "1023 B");
    EXPECT_EQ(shown_bytes(1'536), "1.50 KiB");
    EXPECT_EQ(shown_bytes(12'897'485), "12.3 MiB");
}

TEST(ConsoleText, DurationsAreReadWithTheirUnit) {
    EXPECT_EQ(parse_duration("250ms"), milliseconds(250));
    EXPECT_EQ(parse_duration("10s"), milliseconds(10'000));
    EXPECT_EQ(parse_duration("5m"), milliseconds(300'000));
    EXPECT_EQ(parse_duration("2h"), milliseconds(7'200'000));
    for (const char* bad :
         {"", "s", "10", "-1s", "1.5s", "1 s", "1d", "99999999999999999999s", "9999999h"}) {
        EXPECT_EQ(parse_duration(bad), std::nullopt) << bad;
    }
}

TEST(Console, LinesArriveAndAStatusIsNoLineAtOnce) {
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* out = open_memstream(&text, &size);
    {
        Console console(out);
        console.status("what is going on");
        console.line("a line");
        std::string why;
        EXPECT_TRUE(console.finish(&why));
    }
    std::fclose(out);

    EXPECT_EQ(std::string(text, size), "a line\n");
    std::free(text);
}

TEST(Console, FullDiskIsAnErrorWithItsReason) {
    std::FILE* full = std::fopen("/dev/full", "w");
    ASSERT_NE(full, nullptr);
    {
        Console console(full);
        console.line("a line");
        EXPECT_TRUE(console.failed());
        std::string why;
        EXPECT_FALSE(console.finish(&why));
        EXPECT_EQ(why, "No space left on device");
    }
    std::fclose(full);
}

}  // namespace
}  // namespace shunt::tools
