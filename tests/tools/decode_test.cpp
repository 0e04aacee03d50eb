// What `shunt decode` says about captured bytes: every field of good ones; offset, field and
// category of bad ones.
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/control_frame.hpp"
#include "protocol/frame.hpp"
#include "tools/capture.hpp"
#include "tools/capture_text.hpp"
#include "tools/hex_text.hpp"
#include "tools/vector_check.hpp"

namespace shunt::tools {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Bytes bytes_of_hex(std::string_view digits) {
    std::string why;
    return parse_hex(digits, &why).value();
}

CaptureReport decode_hex(std::string_view text, const CaptureOptions& options = {}) {
    std::string why;
    return read_capture(parse_hex_lines(text, &why).value(), options);
}

// --- hex --------------------------------------------------------------------------------------

TEST(HexText, BlanksAndCommentsAreSkippedAndLinesKeptApart) {
    std::string why;

    const auto lines = parse_hex_lines("5a 4D\t01 # head\n\n# nothing\r\nff\r\n", &why);

    ASSERT_TRUE(lines.has_value()) << why;
    EXPECT_THAT(lines.value(), ElementsAre(bytes_of_hex("5a4d01"), bytes_of_hex("ff")));
}

TEST(HexText, WhatIsNoHexIsNamedByLineAndCharacter) {
    std::string why;

    EXPECT_TRUE(parse_hex_lines("5a\n5x", &why).has_error());
    EXPECT_EQ(why, "line 2: 'x' is no hex digit");
    EXPECT_TRUE(parse_hex_lines("5a4", &why).has_error());
    EXPECT_EQ(why, "line 1: the last byte has one hex digit only");
    EXPECT_TRUE(parse_hex_lines("\x1b", &why).has_error());
    EXPECT_EQ(why, "line 1: byte 0x1b is no hex digit");
}

// --- records ----------------------------------------------------------------------------------

TEST(Decode, RecordIsPrintedFieldByField) {
    const CaptureReport report = decode_hex("5a4d0105 00 000000000000004d");

    EXPECT_FALSE(report.has_faults);
    EXPECT_THAT(report.text, AllOf(HasSubstr("command: livenessProbe\n"), HasSubstr("flags: 0\n"),
                                   HasSubstr("probeId: 77\n")));
}

TEST(Decode, FramesOfARecordStandOnLinesOfTheirOwn) {
    const CaptureReport report = decode_hex(
        "5a4d0112000463686174\n010000001c0443686174106170706c69636174696f6e2f6a736f6e000000027b7d");

    EXPECT_FALSE(report.has_faults) << report.text;
    EXPECT_THAT(report.text,
                AllOf(HasSubstr("channelName: chat\n"), HasSubstr("payload:\n"),
                      HasSubstr("contentType: \"application/json\"\n"), HasSubstr("7b7d")));
}

struct Wrong {
    const char* hex;
    const char* sentence;
};

// A person with a capture wants the byte, not the category alone. One case per kind of place.
TEST(Decode, FaultsAreNamedByOffsetFieldAndCategory) {
    const std::vector<Wrong> cases{
        {"5a4d", "error at offset 0, field prefix: truncated-field"},
        {"5a4d0205 00", "error at offset 2, field major: unsupported-major"},
        {"5a4d0107 00", "error at offset 3, field command: unknown-command"},
        {"5a4d0105 01", "error at offset 4, field flags: forbidden-flag"},
        {"5a4d0105 00 0000000000000000", "error at offset 5, field probeId: invalid-field"},
        {"5a4d0105 00 00000000", "error at offset 5, field probeId: truncated-field"},
        {"5a4d0105 00 000000000000004d 00", "error at offset 13: trailing-byte"},
        // A reference inside a fence inside a command.
        {"5a4d011d 00 01 61 0000000000000000",
         "error at offset 7, field actor.objectGeneration: invalid-field"},
    };
    for (const Wrong& wrong : cases) {
        const CaptureReport report = decode_hex(wrong.hex);

        EXPECT_TRUE(report.has_faults) << wrong.hex;
        EXPECT_THAT(report.text, HasSubstr(wrong.sentence));
    }
}

TEST(Decode, FaultOfALaterFrameCountsFromTheStartOfTheCapture) {
    const CaptureReport report = decode_hex("5a4d0110 00\n02 00000000");

    EXPECT_THAT(report.text, AllOf(HasSubstr("error at offset 5, field version: invalid-field"),
                                   HasSubstr("frame: 1")));
}

// The content of a union may run out because its length lies: then the length is what is wrong.
TEST(Decode, WrongBodyLengthBlamesTheLength) {
    const CaptureOptions options{.as = "relocation-object-identity", .operation = ""};

    const CaptureReport report = decode_hex("01 0003 0161 00000000000000", options);

    EXPECT_THAT(report.text, HasSubstr("error at offset 1, field length: invalid-body-length"));
}

TEST(Decode, ItemsOfAListAreNumbered) {
    const CaptureOptions options{.as = "sorted-text8-vector", .operation = ""};

    const CaptureReport report = decode_hex("0003 0161 0162 0161", options);

    EXPECT_THAT(report.text, HasSubstr("error at offset 6, field [2]: invalid-field"));
}

TEST(Decode, OperationSelectsTheTailOfAReply) {
    const std::string closed = "5a4d0114 00 0000000000000009 00000000 00000000 01";

    EXPECT_TRUE(decode_hex(closed).has_faults);
    EXPECT_THAT(decode_hex(closed, {.as = "", .operation = "userSpotClose"}).text,
                HasSubstr("closed: true"));
}

// --- values -----------------------------------------------------------------------------------

TEST(Decode, ValuesAreRecognisedByTheirFirstBytes) {
    EXPECT_THAT(decode_hex("7a6c61313a613a373a757365722533413432").text,
                AllOf(HasSubstr("read as authority-key-v1"), HasSubstr("objectKind: actor")));
    EXPECT_THAT(
        decode_hex("5a4c5443 01 0000").text,
        AllOf(HasSubstr("read as durable:relocation-data-chunk-v1"), HasSubstr("truncated-field")));
    EXPECT_THAT(decode_hex("00").text, HasSubstr("read as relocation-envelope-v1"));
}

// Texts of strangers may hold what moves a terminal's cursor.
TEST(Decode, TextFromTheWireIsEscaped) {
    const CaptureReport report = decode_hex("05 1b5b324a61", {.as = "text8", .operation = ""});

    EXPECT_THAT(report.text, AllOf(HasSubstr("\\u001b[2Ja"), Not(HasSubstr("\x1b"))));
}

TEST(Decode, LongValuesAreShortened) {
    const std::string text = field_lines("{\"payload\":\"" + std::string(4000, 'a') + "\"}", 0);

    EXPECT_LT(text.size(), 300U);
    EXPECT_THAT(text, HasSubstr("... (4000 characters)"));
}

// --- streams ----------------------------------------------------------------------------------

Bytes frame_of(ByteView body, std::uint8_t flags = 0) {
    const auto head = protocol::encode_frame_header(
        {.flags = flags, .body_bytes = static_cast<std::uint32_t>(body.size())});
    Bytes frame = copy_of(head.view());
    frame.insert(frame.end(), body.begin(), body.end());
    return frame;
}

const Bytes kProbe = bytes_of_hex("5a4d010500000000000000004d");

Bytes handshake() {
    Bytes stream = protocol::encode_control(protocol::ZmpHello{.rid = NodeRid("node-b")});
    protocol::ZmpReady pair;
    pair.pair = protocol::PairKey{.id = 7, .generation = 1};
    pair.lane = protocol::Lane::Application;
    const Bytes ready = protocol::encode_control(pair);
    stream.insert(stream.end(), ready.begin(), ready.end());
    return stream;
}

Bytes operator+(Bytes left, const Bytes& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

TEST(DecodeStream, HandshakeAndRecordsAreToldInOrder) {
    const Bytes stream = handshake() + frame_of(kProbe);

    const CaptureReport report = read_capture({stream}, {});

    EXPECT_FALSE(report.has_faults) << report.text;
    EXPECT_THAT(report.text, AllOf(HasSubstr("@0 HELLO\n"), HasSubstr("rid: \"node-b\"\n"),
                                   HasSubstr("Zlink-Pair-Id: 7\n"), HasSubstr("probeId: 77\n")));
}

// Gen A writes a request as four parts before the record (zmp.md 8.1).
TEST(DecodeStream, LeadingPartsOfAPairPeerAreItsRequest) {
    constexpr std::uint8_t kMore = protocol::frame_flag::kMore;
    const Bytes stream = handshake() + frame_of(bytes_of_hex("01"), kMore) +
                         frame_of(bytes_of_hex("01"), kMore) + frame_of(bytes_of_hex("01"), kMore) +
                         frame_of(bytes_of_hex("000000000000004d"), kMore) + frame_of(kProbe);

    const CaptureReport report = read_capture({stream}, {});

    EXPECT_FALSE(report.has_faults) << report.text;
    EXPECT_THAT(report.text, AllOf(HasSubstr("request 77, 1 part\n"), HasSubstr("probeId: 77\n")));
}

TEST(DecodeStream, BadFrameIsNamedByItsPlaceInTheStream) {
    const Bytes good = frame_of(kProbe);
    Bytes stream = good + good;
    stream[good.size() + 1] = std::byte{9};

    const CaptureReport report = read_capture({stream}, {});

    EXPECT_TRUE(report.has_faults);
    EXPECT_THAT(report.text,
                AllOf(HasSubstr("probeId: 77"), HasSubstr("error at offset 22, field version")));
}

TEST(DecodeStream, BadRecordDoesNotHideTheNextOne) {
    Bytes bad = kProbe;
    bad[3] = std::byte{7};

    const CaptureReport report = read_capture({frame_of(bad) + frame_of(kProbe)}, {});

    EXPECT_TRUE(report.has_faults);
    EXPECT_THAT(report.text, AllOf(HasSubstr("error at offset 11, field command: unknown-command"),
                                   HasSubstr("probeId: 77")));
}

TEST(DecodeStream, StreamThatEndsInsideAFrameIsAFault) {
    Bytes stream = frame_of(kProbe);
    stream.pop_back();

    EXPECT_TRUE(read_capture({stream}, {}).has_faults);
}

// --- vectors ----------------------------------------------------------------------------------

/// Writes a vector file that is gone at the end of the test.
class VectorsOnDisk {
  public:
    explicit VectorsOnDisk(const std::string& json)
        : path_(testing::TempDir() + "shunt-decode-" +
                testing::UnitTest::GetInstance()->current_test_info()->name() + ".json") {
        std::ofstream(path_) << json;
    }
    ~VectorsOnDisk() { std::remove(path_.c_str()); }
    VectorsOnDisk(const VectorsOnDisk&) = delete;
    VectorsOnDisk& operator=(const VectorsOnDisk&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

std::vector<std::string> mismatches_of(const std::string& vector) {
    const VectorsOnDisk disk("{\"format\":\"mine\",\"vectors\":[" + vector + "]}");
    std::string why;
    const auto file = read_vector_file(disk.path(), &why);
    EXPECT_TRUE(file.has_value()) << why;
    return file.has_value() ? check_vectors(file.value()).mismatches : std::vector<std::string>();
}

TEST(DecodeVectors, GoodOnesHaveNoMismatch) {
    EXPECT_THAT(mismatches_of(R"({"name":"v","kind":"type","type":"text8","hex":"0161",)"
                              R"("expect":"accept","decoded":"a"})"),
                IsEmpty());
    EXPECT_THAT(mismatches_of(R"({"name":"v","kind":"type","type":"text8","hex":"00",)"
                              R"("expect":"reject","error":"invalid-field"})"),
                IsEmpty());
}

TEST(DecodeVectors, EveryWayToBeWrongIsTold) {
    EXPECT_THAT(mismatches_of(R"({"name":"v","kind":"type","type":"text8","hex":"0161",)"
                              R"("expect":"accept","decoded":"b"})"),
                ElementsAre(HasSubstr("v: decoded to \"a\", expected \"b\"")));
    EXPECT_THAT(mismatches_of(R"({"name":"v","kind":"type","type":"text8","hex":"00",)"
                              R"("expect":"accept","decoded":"b"})"),
                ElementsAre("v: refused with invalid-field"));
    EXPECT_THAT(mismatches_of(R"({"name":"v","kind":"type","type":"text8","hex":"0161",)"
                              R"("expect":"reject","error":"invalid-field"})"),
                ElementsAre("v: accepted, expected invalid-field"));
    EXPECT_THAT(mismatches_of(R"({"name":"v","kind":"type","type":"text8","hex":"00",)"
                              R"("expect":"reject","error":"semantic"})"),
                ElementsAre("v: invalid-field, expected semantic"));
}

TEST(DecodeVectors, AdmittedLimitOfAConnectionBounds) {
    EXPECT_THAT(mismatches_of(R"({"name":"v","kind":"type","type":"application-payload-bytes",)"
                              R"("hex":"0000000401020304","context":{"effectiveMaxBytes":3},)"
                              R"("expect":"reject","error":"limit-exceeded"})"),
                IsEmpty());
}

TEST(DecodeVectors, FilesThatAreNoneAreRefusedWithOneSentence) {
    std::string why;

    EXPECT_TRUE(read_vector_file("no/such.json", &why).has_error());
    EXPECT_EQ(why, "no/such.json: No such file or directory");
    for (const char* text : {"", "{", "[]", "{\"vectors\":[1]}",
                             "{\"vectors\":[{\"kind\":\"type\",\"hex\":\"0x\"}]}"}) {
        const VectorsOnDisk disk(text);
        EXPECT_TRUE(read_vector_file(disk.path(), &why).has_error()) << text;
        EXPECT_THAT(why, HasSubstr(disk.path() + ": "));
    }
}

}  // namespace
}  // namespace shunt::tools
