#pragma once
// Records whose every byte tells where it belongs, in all sizes that meet a boundary of the
// transport, and the claim that they arrive as they were sent.

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "mesh_bench.hpp"

namespace shunt::engine {

// A byte that depends on where it stands, so that a shift or a repeat is seen.
inline std::byte pattern(std::size_t record, std::size_t at) {
    return static_cast<std::byte>((record * 131 + at * 7 + (at >> 8U) * 13) & 0xFFU);
}

inline Bytes patterned(std::size_t record, std::size_t size_bytes) {
    Bytes out(size_bytes);
    for (std::size_t i = 0; i < size_bytes; ++i) out[i] = pattern(record, i);
    return out;
}

// Head and a tail of several segments, as a relocation chunk is sent.
inline protocol::OutRecord patterned_record(std::size_t record, std::size_t size_bytes) {
    const Bytes whole = patterned(record, size_bytes);
    protocol::OutRecord out;
    protocol::OutPart& part = out.parts.emplace_back();
    const std::size_t head = std::min<std::size_t>(size_bytes, 40);
    part.head = Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(head));
    Bytes rest(whole.begin() + static_cast<std::ptrdiff_t>(head), whole.end());
    const Segment segment{std::move(rest)};
    for (std::size_t at = 0; at < segment.size();) {
        const std::size_t step = std::min<std::size_t>(segment.size() - at, 50000);
        part.tail.push_back(segment.slice(at, step));
        at += step;
    }
    return out;
}

inline const std::vector<std::size_t>& record_sizes() {
    static const std::vector<std::size_t> sizes = {0,         1,
                                                   7,         8,
                                                   63,        64,
                                                   1000,      4095,
                                                   4096,      16383,
                                                   16384,     65527,
                                                   65528,     65529,
                                                   65536,     65537,
                                                   131072,    262143,
                                                   262144,    262145,
                                                   1 << 20,   (1 << 20) + 1,
                                                   5'000'000, 3,
                                                   0,         12'345'678};
    return sizes;
}

// Sizes around every buffer, gather and header boundary, in one stream.
inline void expect_all_sizes_arrive(MeshPair& pair) {
    const auto& sizes = record_sizes();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        EXPECT_EQ(pair.a.send(pair.at_a, patterned_record(i, sizes[i]), Gate::None, i + 1),
                  Admission::Queued);
    }

    ASSERT_TRUE(pair.b.await([&](const Heard& h) { return h.records.size() == sizes.size(); }));
    ASSERT_TRUE(pair.a.await([&](const Heard& h) { return h.submitted.size() == sizes.size(); }));
    const Heard at_a = pair.a.heard();
    const Heard at_b = pair.b.heard();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        EXPECT_EQ(at_b.records[i].parts.size(), 1U);
        EXPECT_TRUE(same_bytes(at_b.records[i].parts[0], patterned(i, sizes[i]))) << sizes[i];
        EXPECT_EQ(at_a.submitted[i].token, i + 1);
        EXPECT_EQ(at_a.submitted[i].result, protocol::SubmitResult::Sent);
    }
    EXPECT_EQ(pair.a.call([&] { return pair.a.endpoint().charge_bytes(pair.at_a); }), 0U);
}

}  // namespace shunt::engine
