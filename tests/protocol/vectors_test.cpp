// Our own vectors: every command, every frozen record kind and a whole payload as bytes in
// fixtures/wire/, so that the repository proves its wire format by itself.

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "golden.hpp"
#include "protocol/inspect.hpp"
#include "samples.hpp"

namespace shunt::protocol::test {
namespace {

/// A file of fixtures/wire, wherever the test was started.
std::string fixture(const std::string& name) {
    const char* root = std::getenv("SHUNT_SOURCE_ROOT");
    return std::string(root != nullptr ? root : ".") + "/fixtures/wire/" + name;
}

std::vector<Bytes> frames_of(const OutRecord& record) {
    std::vector<Bytes> frames;
    for (const OutPart& part : record.parts) {
        Bytes& frame = frames.emplace_back(part.head);
        const Bytes tail = flatten(part.tail);
        frame.insert(frame.end(), tail.begin(), tail.end());
    }
    return frames;
}

std::vector<Bytes> encode_sample(const RecordSample& sample) {
    return std::visit(
        [&](const auto& command) {
            return frames_of(encode_record(command, sample.payload ? &*sample.payload : nullptr,
                                           sample.metadata ? &*sample.metadata : nullptr));
        },
        sample.command);
}

/// Every sample as `name` and its frames; records first, then layouts by their type.
std::vector<std::pair<std::string, std::vector<Bytes>>> encoded_samples() {
    std::vector<std::pair<std::string, std::vector<Bytes>>> all;
    for (const RecordSample& sample : record_samples()) {
        all.emplace_back("record/" + sample.name, encode_sample(sample));
    }
    std::size_t index = 0;
    for (const FrozenRecord& record : frozen_samples()) {
        all.emplace_back("frozen-record/" + std::to_string(index++),
                         std::vector<Bytes>{flatten(encode_frozen_record(record))});
    }
    all.emplace_back("relocation-envelope-v1/0",
                     std::vector<Bytes>{flatten(encode_envelope(envelope_sample()).stream)});
    return all;
}

std::string fixture_text() {
    std::string text =
        "# Made by tests/protocol/vectors_test.cpp: `./dev test --rewrite` makes it again.\n"
        "# Name, then the frames in hex.\n";
    for (const auto& [name, frames] : encoded_samples()) {
        text += name;
        for (const Bytes& frame : frames) text += " " + hex(frame);
        text += "\n";
    }
    return text;
}

std::string read_fixture() {
    std::ifstream file(fixture("vectors.txt"));
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<ByteView> views(const std::vector<Bytes>& frames) {
    return {frames.begin(), frames.end()};
}

// The bytes are a contract with nodes that run other versions: a change of a layout shows here.
TEST(WireVectors, EncodingIsWhatTheFixtureHolds) {
    if (std::getenv("SHUNT_REWRITE") != nullptr)
        std::ofstream(fixture("vectors.txt")) << fixture_text();

    EXPECT_EQ(read_fixture(), fixture_text()) << "run ./dev test --rewrite and read the diff";
}

// Accepted and refused encodings of every structure, made by the second implementation: with them
// the repository proves its wire format where the published vectors are not at hand.
TEST(WireVectors, OwnVectorsOfEveryStructureHold) {
    check_fixture(fixture("layouts.json"));
    check_fixture(fixture("records.json"));
}

TEST(WireVectors, U52_OwnScenariosOfTransferAndBoundaryHold) {
    check_fixture(fixture("scenarios.json"));
}

TEST(WireVectors, EveryRecordDecodesToWhatWasEncoded) {
    for (const RecordSample& sample : record_samples()) {
        SCOPED_TRACE(sample.name);
        const std::vector<Bytes> frames = encode_sample(sample);
        const std::vector<ByteView> parts = views(frames);

        const auto decoded = decode_record(InRecord{.parts = parts}, sample.context);

        ASSERT_TRUE(decoded.has_value()) << category_of(decoded.error());
        EXPECT_TRUE(decoded.value().command == sample.command);
        EXPECT_TRUE(decoded.value().metadata == sample.metadata);
        ASSERT_EQ(decoded.value().payload.has_value(), sample.payload.has_value());
        if (sample.payload) {
            EXPECT_TRUE(decoded.value().payload->own() == *sample.payload);
        }
    }
}

// A saved message must run on the target as it would have run on the source (§4.2).
TEST(WireVectors, U50_EveryFrozenKindDecodesToWhatWasEncoded) {
    for (const FrozenRecord& record : frozen_samples()) {
        SCOPED_TRACE(record.body.index());
        const Bytes bytes = flatten(encode_frozen_record(record));

        const auto decoded = decode_frozen_record(bytes);

        ASSERT_TRUE(decoded.has_value()) << category_of(decoded.error());
        EXPECT_TRUE(decoded.value() == record);
    }
}

TEST(WireVectors, EveryCutIsRefused) {
    for (const RecordSample& sample : record_samples()) {
        SCOPED_TRACE(sample.name);
        const std::vector<Bytes> frames = encode_sample(sample);
        for (std::size_t part = 0; part < frames.size(); ++part) {
            for (std::size_t size = 0; size < frames[part].size(); ++size) {
                std::vector<ByteView> cut = views(frames);
                cut[part] = cut[part].first(size);
                EXPECT_TRUE(decode_record(InRecord{.parts = cut}, sample.context).has_error())
                    << part << ":" << size;
            }
        }
    }
}

/// Reads a mutation; what is accepted must be written back exactly as it came.
void expect_canonical(const std::vector<Bytes>& frames, const DecodeContext& context) {
    const std::vector<ByteView> parts = views(frames);
    const auto read = inspect_record(parts, context);
    if (read.has_value()) {
        EXPECT_EQ(read.value().encoding, frames);
    }
}

// Two encodings of one value would let a repeated chunk or record look like a conflict. Provoked by
// changing every byte of every record in four ways.
TEST(WireVectors, WhateverIsAcceptedIsCanonical) {
    for (const RecordSample& sample : record_samples()) {
        SCOPED_TRACE(sample.name);
        std::vector<Bytes> frames = encode_sample(sample);
        for (Bytes& frame : frames) {
            for (std::byte& byte : frame) {
                const std::byte kept = byte;
                for (const unsigned change : {0x01U, 0x80U, 0xFFU, 0x06U}) {
                    byte = kept ^ static_cast<std::byte>(change);
                    expect_canonical(frames, sample.context);
                }
                byte = kept;
            }
        }
    }
}

TEST(WireVectors, WhateverPayloadIsAcceptedIsCanonical) {
    Bytes stream = flatten(encode_envelope(envelope_sample()).stream);
    for (std::byte& byte : stream) {
        const std::byte kept = byte;
        for (const unsigned change : {0x01U, 0x80U, 0xFFU}) {
            byte = kept ^ static_cast<std::byte>(change);
            const auto decoded = decode_envelope(stream);
            if (decoded.has_value()) {
                EXPECT_EQ(flatten(encode_envelope(decoded.value()).stream), stream);
            }
        }
        byte = kept;
    }
}

}  // namespace
}  // namespace shunt::protocol::test
