#include "tests/sim/flat_record.hpp"

#include <algorithm>
#include <utility>

#include "tests/sim/random.hpp"

namespace shunt::sim {
namespace {

// Under ASan memory is given back at once: its own quarantine reports the use, with a stack.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kGravesMax = 0;
#else
constexpr std::size_t kGravesMax = 128;
#endif

std::uint64_t hash_bytes(std::uint64_t hash, ByteView bytes) noexcept {
    hash = mix(hash, bytes.size());
    while (bytes.size() >= sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), sizeof word);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
        hash ^= hash >> 32U;
        bytes = bytes.subspan(sizeof word);
    }
    for (const std::byte b : bytes) hash = mix(hash, std::to_integer<std::uint64_t>(b));
    return hash;
}

bool same_part(const Bytes& copy, const protocol::OutPart& part) {
    ByteView rest(copy);
    const auto eat = [&rest](ByteView piece) {
        if (piece.size() > rest.size() || !same_bytes(piece, rest.first(piece.size())))
            return false;
        rest = rest.subspan(piece.size());
        return true;
    };
    return eat(part.head) &&
           std::all_of(part.tail.begin(), part.tail.end(),
                       [&](const Segment& segment) { return eat(segment.view()); }) &&
           rest.empty();
}

}  // namespace

FlatRecord FlatRecord::copy_of(const protocol::OutRecord& record) {
    FlatRecord copy;
    copy.leg = record.leg;
    copy.sequence = record.sequence;
    for (const protocol::OutPart& part : record.parts) {
        Bytes body;
        body.reserve(part.size_bytes());
        body.insert(body.end(), part.head.begin(), part.head.end());
        for (const Segment& segment : part.tail) {
            body.insert(body.end(), segment.view().begin(), segment.view().end());
        }
        copy.parts.push_back(std::move(body));
    }
    return copy;
}

std::size_t FlatRecord::size_bytes() const noexcept {
    std::size_t sum = 0;
    for (const Bytes& part : parts) sum += part.size();
    return sum;
}

std::uint64_t FlatRecord::hash() const noexcept {
    std::uint64_t hash = mix(static_cast<std::uint64_t>(leg), sequence);
    for (const Bytes& part : parts) hash = hash_bytes(hash, part);
    return hash;
}

bool same_record(const FlatRecord& copy, const protocol::OutRecord& record) {
    if (copy.leg != record.leg || copy.sequence != record.sequence) return false;
    return std::equal(copy.parts.begin(), copy.parts.end(), record.parts.begin(),
                      record.parts.end(), same_part);
}

void Graveyard::bury(FlatRecord&& record, std::vector<ByteView>&& views) {
    for (Bytes& part : record.parts) std::fill(part.begin(), part.end(), kPoison);
    graves_.push_back({std::move(record), std::move(views)});
    while (graves_.size() > kGravesMax) graves_.pop_front();
}

}  // namespace shunt::sim
