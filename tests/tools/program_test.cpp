// The `shunt` program from outside: exit codes, and one clear sentence for what a user can do
// wrong.
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

struct Ended {
    int code = -1;
    std::string text;
};

/// Runs `command` in a shell and gathers what it leaves on stdout.
Ended run(const std::string& command) {
    std::FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return {};
    Ended result;
    std::array<char, 4096> part{};
    while (std::fgets(part.data(), part.size(), pipe) != nullptr) result.text += part.data();
    const int status = pclose(pipe);
    if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
    return result;
}

/// Runs `shunt ARGUMENTS` in a shell and gathers what `redirection` leaves on stdout.
Ended shunt(const std::string& arguments, const std::string& redirection) {
    return run(std::string(SHUNT_PROGRAM) + " " + arguments + " " + redirection);
}

Ended errors_of(const std::string& arguments) {
    return shunt(arguments, "2>&1 >/dev/null");
}

/// A file that is gone at the end of the test.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string& text) {
        std::string pattern = (std::filesystem::temp_directory_path() / "shunt-XXXXXX").string();
        const int fd = mkstemp(pattern.data());
        if (fd >= 0) close(fd);
        path_ = pattern;
        std::ofstream(path_) << text;
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

constexpr char kHeader[] = "#t_ms\troom\tuser\tkind\tbytes\n";

void expect_refusal(const Ended& ended, const std::string& sentence) {
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.text, AllOf(StartsWith("shunt"), HasSubstr(sentence), EndsWith("\n")));
    EXPECT_EQ(std::count(ended.text.begin(), ended.text.end(), '\n'), 1) << ended.text;
}

TEST(ShuntProgram, MissingTraceIsNamed) {
    expect_refusal(errors_of("demo --trace no/such/file.tsv"),
                   "no/such/file.tsv: No such file or directory");
    expect_refusal(errors_of("trace check no/such/file.tsv"), "no/such/file.tsv: No such");
}

TEST(ShuntProgram, MalformedTraceIsRefusedByFileLineAndReasonBeforeAnythingStarts) {
    const TemporaryFile file(std::string(kHeader) + "5\tr1\tu1\tsay\t3\n6\tr1\tu1\tshout\t3\n");

    expect_refusal(errors_of("demo --trace " + file.path()),
                   file.path() + ":3: 'shout' is no kind");
}

TEST(ShuntProgram, EmptyTraceIsRefused) {
    const TemporaryFile file(kHeader);

    expect_refusal(errors_of("demo --trace " + file.path()), "holds no event");
}

// The demo reads a trace twice; a pipe would be empty the second time, or never open again.
TEST(ShuntProgram, TraceFromAPipeIsRefusedBeforeAnythingStarts) {
    const TemporaryFile file(std::string(kHeader) + "5\tr1\tu1\tsay\t3\n");
    const std::string command =
        "cat " + file.path() + " | " + SHUNT_PROGRAM + " demo --trace /dev/stdin";

    expect_refusal(run("{ " + command + "; } 2>&1 >/dev/null"), "can be read only once");
}

// Three hosts need more files than some limits allow. The trace used to be opened a second time
// when they had taken the last one.
TEST(ShuntProgram, TooFewOpenFilesIsOneSentence) {
    expect_refusal(run(std::string("ulimit -n 24; ") + SHUNT_PROGRAM + " demo 2>&1 >/dev/null"),
                   "Raise it: ulimit -n");
}

TEST(ShuntProgram, OccupiedPortIsNamed) {
    const int taken = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(bind(taken, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    ASSERT_EQ(listen(taken, 1), 0);
    socklen_t size = sizeof(address);
    ASSERT_EQ(getsockname(taken, reinterpret_cast<sockaddr*>(&address), &size), 0);
    const std::string port = std::to_string(ntohs(address.sin_port));

    const Ended ended = errors_of("demo --port " + port);

    close(taken);
    expect_refusal(ended, "127.0.0.1:" + port + ": Another program listens on this port.");
}

TEST(ShuntProgram, BadOptionsAreNamed) {
    expect_refusal(errors_of("demo --speed 0"), "--speed");
    expect_refusal(errors_of("demo --speed fast"), "--speed");
    expect_refusal(errors_of("demo --cutover-wait 5"), "--cutover-wait");
    expect_refusal(errors_of("demo --follow 1s"), "--follow");
    expect_refusal(errors_of("demo --frob"), "--frob");
    expect_refusal(errors_of("demo --speed nan"), "--speed");
    expect_refusal(errors_of("demo --seed -1"), "--seed");
    expect_refusal(errors_of("frob"), "frob");
    expect_refusal(errors_of("--frob"), "--frob");
    expect_refusal(errors_of("trace frob"), "frob");
    expect_refusal(errors_of("trace generate --seed -1"), "--seed");
    expect_refusal(errors_of("sim --from -1"), "--from");
    expect_refusal(errors_of("sim --from 18446744073709551616"), "--from");
    expect_refusal(errors_of("sim --seeds 2 --from 18446744073709551615"), "the last seed");
    expect_refusal(errors_of("trace generate --rooms 0"), "rooms must be 1 to 9999");
    expect_refusal(errors_of("decode"), "give a FILE, --hex or --vectors");
    expect_refusal(errors_of("decode --hex 5g"), "'g' is no hex digit");
    expect_refusal(errors_of("decode --hex 5a --as frob"), "--as frob");
    expect_refusal(errors_of("decode --hex 5a --operation frob"), "--operation frob");
    expect_refusal(errors_of("decode no/such/file"), "no/such/file: No such file or directory");
    expect_refusal(errors_of("decode /dev/null"), "the input holds no bytes");
    expect_refusal(errors_of("decode --vectors no/such/file"), "no/such/file: No such file");
}

TEST(ShuntProgram, FullDiskIsAnErrorOfEveryCommandThatWrites) {
    const TemporaryFile file(std::string(kHeader) + "5\tr1\tu1\tsay\t3\n");

    for (const std::string command : {"trace generate --events 100", "doctor"}) {
        expect_refusal(shunt(command, "2>&1 >/dev/full"), "No space left on device");
    }
    expect_refusal(shunt("sim --seeds 1", "2>&1 >/dev/full"), "cannot be written");
    expect_refusal(shunt("--help", "2>&1 >/dev/full"), "cannot be written");
    expect_refusal(shunt("demo --help", "2>&1 >/dev/full"), "cannot be written");
    expect_refusal(shunt("trace check " + file.path(), "2>&1 >/dev/full"), "No space left");
    expect_refusal(shunt("demo --trace " + file.path(), "2>&1 >/dev/full"), "No space left");
}

TEST(ShuntProgram, GeneratedTraceIsOneThatCheckAccepts) {
    const Ended made = shunt("trace generate --events 200 --rooms 3 --people 9", "");
    ASSERT_EQ(made.code, 0);
    const TemporaryFile file(made.text);

    const Ended checked = shunt("trace check " + file.path(), "");

    EXPECT_EQ(checked.code, 0);
    EXPECT_THAT(checked.text, HasSubstr("200 events"));
}

TEST(ShuntProgram, DecodeTellsGoodBytesFromBadByItsExitCode) {
    const Ended good = shunt("decode --hex 5a4d010500000000000000004d", "");
    const Ended bad = shunt("decode --hex", "<<EOF\n5a4d0105 00\n0000\nEOF\n");

    EXPECT_EQ(good.code, 0);
    EXPECT_THAT(good.text, HasSubstr("probeId: 77"));
    EXPECT_EQ(bad.code, 1);
    EXPECT_THAT(bad.text, HasSubstr("error at offset 5, field probeId: truncated-field"));
}

TEST(ShuntProgram, DecodeChecksFilesOfVectorsLineByLine) {
    const std::string open = R"({"vectors":[{"name":"v","kind":"type","type":"u8","hex":")";
    const TemporaryFile good(open + R"(07","expect":"accept","decoded":7}]})");
    const TemporaryFile bad(open + R"(0707","expect":"accept","decoded":7}]})");

    const Ended both = shunt("decode --vectors " + good.path() + " " + bad.path(), "");

    EXPECT_EQ(both.code, 1);
    EXPECT_EQ(both.text, good.path() + ": 1 vectors, 0 mismatches\n" + bad.path() +
                             ": 1 vectors, 1 mismatches\n  v: refused with trailing-byte\n");
}

// The whole path in small: one round of restarts under traffic, on real sockets.
TEST(ShuntProgram, DemoRestartsEveryHostAndLosesNothing) {
    const Ended made =
        shunt("trace generate --events 2000 --rooms 5 --people 40 --duration 6s", "");
    ASSERT_EQ(made.code, 0);
    const TemporaryFile file(made.text);

    const Ended ended = shunt("demo --follow 5s --cutover-wait 3s --trace " + file.path(), "2>&1");

    EXPECT_EQ(ended.code, 0) << ended.text;
    EXPECT_THAT(ended.text, AllOf(HasSubstr("lost 0 · doubled 0 · reordered 0"),
                                  HasSubstr("OK: every message ran exactly once and in order")));
}

// The signal goes out when the demo says that its hosts serve.
TEST(ShuntProgram, InterruptedDemoEndsWithItsTableSoFar) {
    std::array<int, 2> output{};
    ASSERT_EQ(pipe(output.data()), 0);
    const pid_t demo = fork();
    if (demo == 0) {
        dup2(output[1], STDOUT_FILENO);
        close(output[0]);
        execl(SHUNT_PROGRAM, SHUNT_PROGRAM, "demo", static_cast<char*>(nullptr));
        _exit(127);
    }
    close(output[1]);
    std::FILE* from_demo = fdopen(output[0], "r");

    std::string text;
    std::array<char, 4096> part{};
    bool sent = false;
    while (std::fgets(part.data(), part.size(), from_demo) != nullptr) {
        text += part.data();
        if (!sent && text.find("serve") != std::string::npos) {
            sent = true;
            kill(demo, SIGINT);
        }
    }
    std::fclose(from_demo);
    int status = 0;
    ASSERT_EQ(waitpid(demo, &status, 0), demo);

    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
    EXPECT_THAT(text, AllOf(HasSubstr("lost 0 · doubled 0 · reordered 0"), HasSubstr("of 4,500"),
                            HasSubstr("Interrupted:")));
}

}  // namespace
