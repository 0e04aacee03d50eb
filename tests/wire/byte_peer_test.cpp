// Moves between a Shunt host and a peer made of bytes (contract row U-11): the peer speaks in the
// place of one host, so every byte the other one acts on was written by hand from the reference,
// and every byte it says is read by hand.
#include "byte_peer.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "script_bytes.hpp"
#include "tests/contract/move_bench.hpp"

namespace shunt::wire_test {
namespace {

using contract::kA;
using contract::kB;
using contract::kC;
using contract::MoveBench;
using sim::FlatRecord;
using sim::NodeIndex;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

/// Three messages are saved and two relayed; returns when the target's queue is open.
void move_with_work(MoveBench& bench) {
    bench.create("x", 10);
    bench.send(kC, "x", "warm");
    EXPECT_TRUE(bench.until([&] { return bench.count("warm") == 1; }));
    bench.occupy("x", milliseconds(50));
    for (const char* text : {"s1", "s2", "s3"}) bench.send(kC, "x", text);
    bench.relocate();
    EXPECT_TRUE(bench.until([&] { return bench.point(kA, relocation::Point::S0).has_value(); }));
    for (const char* text : {"h1", "h2"}) bench.send(kA, "x", text);
    EXPECT_TRUE(bench.opened(kB));
}

/// Speaks as the source: whatever A says about its move, B hears from the script.
class ScriptedSource {
  public:
    /// `spoil` changes the payload before it is declared, or the declaration itself.
    using Spoil = std::function<void(ScriptMove& move, Bytes& stream)>;

    explicit ScriptedSource(MoveBench& bench, Spoil spoil = {}) : spoil_(std::move(spoil)) {
        bench.network().set_filter([this](NodeIndex from, NodeIndex to, FlatRecord& record) {
            if (from == kA && to == kB) replace(record);
            return sim::Verdict::Pass;
        });
    }

  private:
    void replace(FlatRecord& record) {
        Bytes& frame = record.parts.front();
        switch (command_byte(frame)) {
            case kRelocationPrepare:
                frame = prepare(frame);
                return;
            case kRelocationState:
                frame = write_chunk(move_, chunks_sent_++, stream_);
                return;
            case kRelocationData:
                relay_.push_back(
                    write_message(move_, {.operation = 900 + relay_.size(),
                                          .packet = "note",
                                          .text = "relayed " + std::to_string(relay_.size() + 1)}));
                frame = write_relay(move_, relay_.back());
                return;
            case kRelocationCutover:
                frame = write_cutover(move_, relay_);
                return;
            default:
                return;
        }
    }

    /// The identity of the move is A's, for A is who B has admitted; the payload is the script's.
    Bytes prepare(ByteView from_a) {
        move_ = read_prepare(from_a);
        stream_ = write_payload(
            move_,
            {.state = "scripted", .saved = {{800, "note", "saved 1"}, {801, "note", "saved 2"}}});
        move_.payload_bytes = stream_.size();
        move_.chunk_count = 1;
        move_.payload_crc = script_crc32c(stream_);
        if (spoil_) spoil_(move_, stream_);
        return write_prepare(move_);
    }

    Spoil spoil_;
    ScriptMove move_;
    Bytes stream_;
    std::uint64_t chunks_sent_ = 0;
    std::vector<Bytes> relay_;
};

TEST(BytePeer, U11_U47_U50_U68_ATargetCompletesAMoveWrittenByHand) {
    MoveBench bench;
    const ScriptedSource source(bench);

    move_with_work(bench);
    ASSERT_TRUE(bench.relocated());
    bench.pass(seconds(1));

    EXPECT_THAT(bench.texts_at(kB), ElementsAre("saved 1", "saved 2", "relayed 1", "relayed 2"));
    EXPECT_EQ(bench.row("x")->node.rid, bench.identity(kB).rid);
    EXPECT_EQ(bench.logged(relocation::LogCode::CutoverVerificationFailed), 0U);
}

/// Moves with a payload that is not what it should be; the failure code B answers with.
std::uint64_t refusal_of(const ScriptedSource::Spoil& spoil) {
    MoveBench bench;
    const ScriptedSource source(bench, spoil);
    bench.create("x", 10);
    bench.occupy("x", milliseconds(50));
    bench.send(kC, "x", "s1");

    bench.relocate(seconds(5));

    // The source takes the Actor back: its message runs where it was sent.
    EXPECT_TRUE(bench.until([&] { return bench.count("s1") == 1; }));
    EXPECT_THAT(bench.texts_at(kA), ElementsAre("s1"));
    EXPECT_EQ(bench.row("x")->node.rid, bench.identity(kA).rid);
    EXPECT_TRUE(bench.wire(protocol::CommandId::RelocationReady).empty());
    const auto failures = bench.wire(protocol::CommandId::RelocationFailed);
    if (failures.empty()) return 0;
    const ByteView frame(failures.front().bytes->parts.front());
    return ScriptReader(frame.last(4)).u32();
}

void redeclare(ScriptMove& move, const Bytes& stream) {
    move.payload_bytes = stream.size();
    move.payload_crc = script_crc32c(stream);
}

TEST(BytePeer, U49_APayloadOutOfOrderFailsAndTheSourceResumes) {
    constexpr std::uint64_t kProtocolError = 16;
    const auto disorder = [](ScriptMove& move, Bytes& stream) {
        // Both saved messages get order 1: the last byte of the second order is changed.
        const ScriptMessage second{801, "note", "saved 2"};
        const std::size_t tail = write_message(move, second).size() + 2 * sizeof(std::uint32_t);
        stream[stream.size() - tail - 1] = std::byte{1};
        redeclare(move, stream);
    };

    EXPECT_EQ(refusal_of(disorder), kProtocolError);
}

TEST(BytePeer, U49_APayloadWithBytesLeftOverFailsAndTheSourceResumes) {
    constexpr std::uint64_t kProtocolError = 16;
    const auto lengthen = [](ScriptMove& move, Bytes& stream) {
        stream.push_back(std::byte{0});
        redeclare(move, stream);
    };

    EXPECT_EQ(refusal_of(lengthen), kProtocolError);
}

TEST(BytePeer, U11_APayloadThatDiffersFromItsChecksumIsDataLost) {
    constexpr std::uint64_t kDataLost = 35;
    const auto damage = [](ScriptMove&, Bytes& stream) { stream.back() ^= std::byte{1}; };

    EXPECT_EQ(refusal_of(damage), kDataLost);
}

/// Speaks as the target: reads A's move to its end by hand and answers command 40 itself.
class ScriptedTarget {
  public:
    explicit ScriptedTarget(MoveBench& bench) {
        bench.network().set_filter([this](NodeIndex from, NodeIndex to, FlatRecord& record) {
            if (from == kA && to == kB) hear(record);
            if (from == kB && to == kA) answer(record);
            return sim::Verdict::Pass;
        });
    }

    const ScriptPayload& payload() const noexcept { return payload_; }
    const std::vector<ScriptMessage>& relayed() const noexcept { return relayed_; }
    int cutovers() const noexcept { return cutovers_; }
    int answers() const noexcept { return answers_; }

  private:
    void hear(const FlatRecord& record) {
        const Bytes& frame = record.parts.front();
        switch (command_byte(frame)) {
            case kRelocationPrepare:
                move_ = read_prepare(frame);
                return;
            case kRelocationState:
                assemble(read_chunk(move_, frame, chunks_heard_++));
                return;
            case kRelocationData:
                relay_.push_back(read_relay(move_, frame));
                relayed_.push_back(read_message(relay_.back()));
                return;
            case kRelocationCutover:
                read_cutover(move_, frame, relay_);
                ++cutovers_;
                return;
            default:
                return;
        }
    }
    void assemble(const Bytes& data) {
        stream_.insert(stream_.end(), data.begin(), data.end());
        if (chunks_heard_ == move_.chunk_count) payload_ = read_payload(move_, stream_);
    }
    void answer(FlatRecord& record) {
        if (command_byte(record.parts.front()) != kRelocationReady) return;
        const Bytes ours = write_ready(move_);
        // Two peers built apart say the same.
        EXPECT_EQ(record.parts.front(), ours);
        record.parts.front() = ours;
        ++answers_;
    }

    ScriptMove move_;
    Bytes stream_;
    std::uint64_t chunks_heard_ = 0;
    ScriptPayload payload_;
    std::vector<Bytes> relay_;
    std::vector<ScriptMessage> relayed_;
    int cutovers_ = 0;
    int answers_ = 0;
};

std::vector<std::string> texts_of(const std::vector<ScriptMessage>& messages) {
    std::vector<std::string> texts;
    for (const ScriptMessage& message : messages) texts.push_back(message.text);
    return texts;
}

TEST(BytePeer, U11_U47_U50_U52_U68_ASourceCompletesAMoveReadByHand) {
    contract::BenchOptions options;
    options.host.relocation_payload_chunk_limit = 100;
    MoveBench bench(options);
    const ScriptedTarget target(bench);

    move_with_work(bench);
    ASSERT_TRUE(bench.relocated());
    bench.pass(seconds(1));

    EXPECT_EQ(target.answers(), 1);
    EXPECT_EQ(target.payload().state, std::string(10, 'x'));
    EXPECT_THAT(texts_of(target.payload().saved), ElementsAre("s1", "s2", "s3"));
    EXPECT_THAT(texts_of(target.relayed()), ElementsAre("h1", "h2"));
    EXPECT_EQ(target.cutovers(), 1);
    EXPECT_EQ(bench.relocation()->outcome, host::RelocationOutcome::Relocated);
}

}  // namespace
}  // namespace shunt::wire_test
