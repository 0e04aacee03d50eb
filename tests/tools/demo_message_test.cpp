#include "tools/demo_message.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace shunt::tools {
namespace {

TEST(DemoMessage, PayloadOfEverySizeGivesItsStampBack) {
    const Stamp stamp{70'000, 0x1'0000'0001};

    for (const std::size_t size :
         {std::size_t{0}, kStampBytes, kStampBytes + 1, std::size_t{470}}) {
        const Bytes payload = stamped_payload(stamp, size);

        EXPECT_EQ(payload.size(), std::max(size, kStampBytes));
        EXPECT_EQ(read_stamped(payload), stamp);
    }
}

TEST(DemoMessage, EveryChangedByteIsNoticed) {
    const Bytes payload = stamped_payload({7, 9}, 40);

    for (std::size_t at = 0; at < payload.size(); ++at) {
        Bytes changed = payload;
        changed[at] ^= std::byte{1};
        EXPECT_NE(read_stamped(changed), (Stamp{7, 9})) << "byte " << at;
    }
}

TEST(DemoMessage, CutPayloadIsRefused) {
    const Bytes payload = stamped_payload({7, 9}, kStampBytes);

    for (std::size_t size = 0; size < payload.size(); ++size) {
        EXPECT_EQ(read_stamped(ByteView(payload).first(size)), std::nullopt);
    }
}

TEST(DemoMessage, OrderSurvivesItsEncoding) {
    const Order order{{3, 4}, TraceKind::Tell, "person/u00001", 99};

    EXPECT_EQ(decode_order(encode_order(order)), order);
}

TEST(DemoMessage, OrderOfAnUnknownKindIsRefused) {
    Bytes bytes = encode_order({{3, 4}, TraceKind::Tell, "person/u00001", 99});

    bytes[kStampBytes] = std::byte{3};

    EXPECT_EQ(decode_order(bytes), std::nullopt);
}

}  // namespace
}  // namespace shunt::tools
