#include "store/embedded/journal.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "store/embedded/journal_format.hpp"

namespace shunt::store {
namespace {

/// Snapshots are written in pieces of about this size.
constexpr std::size_t kSnapshotPieceBytes = 1024 * 1024;
constexpr mode_t kFileMode = 0600;

std::error_code last_error() {
    return {errno, std::system_category()};
}

/// Closes on the way out unless released.
class FileHandle {
  public:
    explicit FileHandle(int fd) noexcept : fd_(fd) {}
    FileHandle(const FileHandle&) = delete;
    FileHandle& operator=(const FileHandle&) = delete;
    ~FileHandle() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const noexcept { return fd_; }
    int release() noexcept { return std::exchange(fd_, -1); }

  private:
    int fd_;
};

result<void> write_at(int fd, ByteView bytes, std::uint64_t offset) {
    while (!bytes.empty()) {
        const ssize_t written =
            ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return last_error();
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        offset += static_cast<std::uint64_t>(written);
    }
    return outcome::success();
}

result<Bytes> read_all(int fd) {
    struct stat info {};
    if (::fstat(fd, &info) != 0) return last_error();
    Bytes bytes(static_cast<std::size_t>(info.st_size));
    std::size_t at = 0;
    while (at < bytes.size()) {
        const ssize_t count =
            ::pread(fd, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return last_error();
        if (count == 0) break;
        at += static_cast<std::size_t>(count);
    }
    bytes.resize(at);
    return bytes;
}

/// A new name is durable only once its folder is.
result<void> sync_folder_of(const std::string& path) {
    std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (folder.empty()) folder = ".";
    const FileHandle handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (handle.get() < 0 || ::fsync(handle.get()) != 0) return last_error();
    return outcome::success();
}

result<int> lock_beside(const std::string& path) {
    const std::string lock_path = path + ".lock";
    FileHandle lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kFileMode));
    if (lock.get() < 0) return last_error();
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return last_error();
    return lock.release();
}

}  // namespace

result<std::unique_ptr<Journal>> Journal::open(const std::string& path, EmbeddedCore& core,
                                               UnixMillis now) {
    BOOST_OUTCOME_TRY(const int lock_fd, lock_beside(path));
    std::unique_ptr<Journal> journal(new Journal(path, core, lock_fd));
    BOOST_OUTCOME_TRY(journal->load(now));
    core.set_commit_log(journal.get());
    return journal;
}

Journal::~Journal() {
    if (fd_ >= 0) ::close(fd_);
    ::close(lock_fd_);  // Releases the lock.
}

result<void> Journal::load(UnixMillis now) {
    {
        const FileHandle existing(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
        if (existing.get() < 0 && errno != ENOENT) return last_error();
        if (existing.get() >= 0) {
            BOOST_OUTCOME_TRY(const Bytes file, read_all(existing.get()));
            const auto take = [this](JournalRecord&& record) {
                for (EmbeddedChange& change : record.changes) core_.restore(std::move(change));
                core_.raise_sequence(record.last_sequence);
            };
            BOOST_OUTCOME_TRY(read_journal(file, take));
        }
    }
    // Starting from a snapshot drops a torn end and everything that died meanwhile.
    return rewrite(now);
}

result<void> Journal::rewrite(UnixMillis now) {
    const std::string next_path = path_ + ".next";
    FileHandle next(::open(next_path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, kFileMode));
    if (next.get() < 0) return last_error();
    std::uint64_t size = 0;
    result<void> status = outcome::success();
    const auto put = [&](ByteView bytes) {
        if (status) status = write_at(next.get(), bytes, size);
        size += bytes.size();
    };
    put(bytes_of(kJournalHead));
    JournalRecord piece{core_.last_sequence(), {}};
    std::size_t piece_bytes = 0;
    core_.for_each_live(now, [&](EmbeddedChange&& change) {
        piece_bytes += change.key.size() + change.value.size();
        piece.changes.push_back(std::move(change));
        if (piece_bytes < kSnapshotPieceBytes) return;
        put(encode_journal_record(piece));
        piece.changes.clear();
        piece_bytes = 0;
    });
    // Also without a row: it carries the last sequence.
    put(encode_journal_record(piece));
    BOOST_OUTCOME_TRY(status);
    if (::fsync(next.get()) != 0) return last_error();
    if (::rename(next_path.c_str(), path_.c_str()) != 0) return last_error();
    // From here the new file is the file, whether its name is durable yet or not.
    if (fd_ >= 0) ::close(fd_);
    fd_ = next.release();
    file_bytes_ = size;
    snapshot_bytes_ = size;
    const result<void> durable = sync_folder_of(path_);
    failed_ = durable.has_error();
    return durable;
}

result<void> Journal::append(ByteView bytes) {
    const result<void> written = write_at(fd_, bytes, file_bytes_);
    if (!written) {
        // A full disk, most likely. Half a record must not stay in front of the next one.
        if (::ftruncate(fd_, static_cast<off_t>(file_bytes_)) != 0) failed_ = true;
        return failed_ ? Errc::Indeterminate : Errc::Unavailable;
    }
    if (::fdatasync(fd_) != 0) {
        // The kernel may have dropped the pages; asking again would only hide that.
        failed_ = true;
        return Errc::Indeterminate;
    }
    file_bytes_ += bytes.size();
    return outcome::success();
}

result<void> Journal::before_commit(const std::vector<EmbeddedChange>& changes, UnixMillis now) {
    if (failed_) return Errc::Unavailable;
    if (file_bytes_ - snapshot_bytes_ > growth_bytes_max_ + snapshot_bytes_) {
        // The core still is as it was before these changes. Without room for a snapshot the file
        // at hand goes on.
        const result<void> rewritten = rewrite(now);
        if (rewritten.has_error() && failed_) return Errc::Unavailable;
    }
    return append(encode_journal_record(JournalRecord{changes.back().sequence, changes}));
}

}  // namespace shunt::store
